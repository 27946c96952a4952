// One process as /proc/PID/stat of Linux tells it (proc_pid_stat(5)). Reads only; must not be asked elsewhere than on Linux.
import { readFileSync } from 'node:fs';

/** Some fields of the file. `startTime` is in clock ticks since the boot; the addresses are 0 while a program takes another's place. */
export interface ProcStat {
  readonly state: string | undefined;
  readonly ppid: number;
  readonly pgrp: number;
  readonly flags: number;
  readonly threads: number;
  readonly startTime: string;
  readonly codeStart: number;
  readonly environStart: number;
  readonly environEnd: number;
}

/** What the file says now; undefined when there is no such process, or it ended while it was read. */
export function readStat(pid: number): ProcStat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The command name (field 2) may hold spaces and parentheses: fields are counted after its last ")".
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime, number] = [fields[0], fields[19], (index: number) => Number(fields[index])] as const;
  if (startTime === undefined) return undefined;
  const [ppid, pgrp, flags, threads] = [number(1), number(2), number(6), number(17)] as const;
  const [codeStart, environStart, environEnd] = [number(23), number(47), number(48)] as const;
  return { state, ppid, pgrp, flags, threads, startTime, codeStart, environStart, environEnd };
}

/** After a kill the first thread is a zombie while others still end, and until then ports, files and locks are held. */
export function hasEnded({ state, threads }: ProcStat): boolean {
  return (state === 'Z' && threads <= 1) || state === 'X';
}
