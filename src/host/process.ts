// Who a process is: pid plus start time, so that a reused pid is never taken for its former owner.
// Imports node: only (the launcher uses it); must not kill anything.
import { readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

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

/** True while the very process that was identified lives. */
export function isAlive({ pid, startTime }: ProcessIdentity): boolean {
  return identify(pid)?.startTime === startTime;
}

function linuxStartTime(pid: number): string | undefined {
  try {
    // The command name (field 2) may hold spaces and parentheses: fields are counted after its last ")".
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // After a kill the first thread is a zombie while others still end, and until then ports, files and locks are held.
    const ended = (fields[0] === 'Z' && Number(fields[17]) <= 1) || fields[0] === 'X';
    return ended ? undefined : fields[19];
  } catch {
    return undefined; // no such process, or it ended while it was read
  }
}

function psStartTime(pid: number): string | undefined {
  const ps = spawnSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
    encoding: 'utf8',
    // The start time is written in the words of the locale: the same process must have the same token for everybody.
    env: { ...process.env, LC_ALL: 'C' },
  });
  const line = ps.stdout.trim();
  return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '');
}
