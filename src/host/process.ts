// Who a process is: pid plus start time, so that a reused pid is never taken for its former owner.
// Imports node: only (the launcher uses it); must not kill anything.
import { spawnSync } from 'node:child_process';
import { hasEnded, readStat } from './procStat.js';

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
  const stat = readStat(pid);
  return stat === undefined || hasEnded(stat) ? undefined : stat.startTime;
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
