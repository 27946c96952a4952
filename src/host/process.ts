// Identifies a process by pid plus start time, so that a reused pid is never taken for its former owner; the one reader
// of /proc/PID/stat, the source of both on Linux; the user of this host; and how to tie a process to its parent. Read
// only: launcher/process-tree.ts sends signals.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';

/** A process on this host. `startTime` is an opaque token of the operating system, equal only for the same process. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startTime: string;
}

/** The identity of a living process, or undefined when no such process lives (a zombie counts as dead). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = process.platform === 'linux' ? linuxStartTime(pid) : psStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

/** The identity of the calling process. */
export function identifySelf(): ProcessIdentity {
  const self = identify(process.pid);
  if (self === undefined) throw new Error(`cannot read the start time of this process (pid ${process.pid})`);
  return self;
}

/** True while exactly this process lives. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

/** An identity in names and labels, by which a later process finds what a killed one has left. */
export function identityText({ pid, startTime }: ProcessIdentity): string {
  return `${pid}@${startTime}`;
}

/** The identity of such a text. */
export function identityOf(text: string): ProcessIdentity | undefined {
  const [, pid, startTime] = /^(\d+)@(.+)$/.exec(text) ?? [];
  return startTime === undefined ? undefined : { pid: Number(pid), startTime };
}

/** True for a process that a signal has stopped (SIGSTOP, Ctrl-Z): it does nothing until it gets SIGCONT. */
export function isFrozen(pid: number): boolean {
  const state = process.platform === 'linux' ? readStat(pid)?.state : psLine(pid);
  return state !== undefined && /^t/i.test(state);
}

/**
 * Some fields of /proc/PID/stat (proc_pid_stat(5)). `startTime` is in clock ticks since boot; the addresses are 0
 * during an exec.
 */
interface ProcStat {
  readonly state: string | undefined;
  readonly ppid: number;
  readonly pgrp: number;
  readonly flags: number;
  readonly threads: number;
  /** CPU time of the process and of the children that it has waited for. */
  readonly cpuTicks: number;
  readonly startTime: string;
  /** Its memory, with what it shares, in pages. */
  readonly residentPages: number;
  readonly codeStart: number;
  readonly environStart: number;
  readonly environEnd: number;
}

/** The current /proc/PID/stat of Linux; undefined when there is no such process, or it ended meanwhile. */
export function readStat(pid: number): ProcStat | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The command name (field 2) may contain spaces and parentheses: fields are counted after its last ")".
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTime, number] = [fields[0], fields[19], (index: number) => Number(fields[index])] as const;
  if (startTime === undefined) return undefined;
  const [ppid, pgrp, flags, threads] = [number(1), number(2), number(6), number(17)] as const;
  const cpuTicks = number(11) + number(12) + number(13) + number(14);
  const residentPages = number(21);
  const [codeStart, environStart, environEnd] = [number(23), number(47), number(48)] as const;
  return { state, ppid, pgrp, flags, threads, cpuTicks, startTime, residentPages, codeStart, environStart, environEnd };
}

/** After a kill the first thread is a zombie while others still end; until then ports, files and locks are held. */
export function hasEnded({ state, threads }: ProcStat): boolean {
  return (state === 'Z' && threads <= 1) || state === 'X';
}

function linuxStartTime(pid: number): string | undefined {
  const stat = readStat(pid);
  return stat === undefined || hasEnded(stat) ? undefined : stat.startTime;
}

function psStartTime(pid: number): string | undefined {
  const line = psLine(pid);
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}

/** Its state and its start time. */
function psLine(pid: number): string {
  const ps = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    timeout: 10_000,
    // ps formats the start time by locale: the same process must have the same token for every user.
    env: { ...process.env, LC_ALL: 'C' },
  });
  return ps.stdout.trim();
}

/** The user, as `user@host`: shown with orders. */
export function operator(): string {
  return `${userName()}@${hostname()}`;
}

/** In a container a process may have a user id without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? ''}`.trim();
  }
}
