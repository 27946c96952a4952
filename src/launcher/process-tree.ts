// Finds and ends all processes of an attempt: marked processes, the process group, and all their
// descendants; never the caller, its ancestors or other processes. Used by the launcher, and by the
// worker when its launcher has died.
import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { errorCode } from '../host/files.js';
import { isAlive, type ProcessIdentity } from '../host/process.js';
import type { KillTimeouts, Survivor, SweepFilter, SweepResult } from './messages.js';
import { listProcesses, type ProcessEntry } from './process-list.js';

/**
 * The variable that identifies a launcher: a launcher inside the family belongs to a nested worker.
 */
export const LAUNCHER_VARIABLE = 'RAYMOND_LAUNCHER';
/**
 * The default time limits of a sweep: 10 s, or 15 s with a launcher in the family, in addition to
 * its grace.
 */
export const KILL_TIMEOUTS: KillTimeouts = { strayMs: 1_000, nestedMs: 5_000, executingMs: 5_000, killedMs: 10_000 };
const [FIRST_PAUSE_MS, LONGEST_PAUSE_MS] = [5, 100];

/**
 * A snapshot of the host: all processes, possible members, members, and those of them that must
 * end.
 */
interface Snapshot {
  readonly entries: readonly ProcessEntry[];
  readonly candidates: readonly ProcessEntry[];
  readonly members: ReadonlySet<ProcessEntry>;
  readonly living: readonly ProcessEntry[];
}

type Predicate = (entry: ProcessEntry) => boolean;

/** How members are ended: the time after SIGTERM, and the further time limits. */
interface EndOptions {
  readonly graceMs?: number;
  readonly patience?: KillTimeouts;
}

/**
 * The processes of one or more attempts, as far as they are known; known members are remembered
 * after their parents died.
 */
export class ProcessFamily {
  readonly #marked: Predicate;
  readonly #leaders: readonly ProcessIdentity[];
  readonly #known: Map<string, ProcessIdentity>;
  /** No member is older, in clock ticks since boot; NaN = unknown. */
  #since = NaN;
  /** Those that cannot be ended: no sweep waits for them again. */
  readonly #survivors = new Map<string, Survivor['why']>();

  /**
   * Processes for which `marked` is true, the groups of `leaders`, and those that are `known` from
   * before.
   */
  constructor(
    marked: Predicate,
    leaders: readonly ProcessIdentity[] = [],
    known: Iterable<[string, ProcessIdentity]> = [],
  ) {
    this.#marked = marked;
    this.#leaders = leaders;
    this.#known = new Map([...known, ...leaders.map((leader) => [keyOf(leader), leader] as const)]);
  }

  /** The processes of one attempt, and of the group of its first process if that is known. */
  static ofAttempt(attempt: string, leader?: ProcessIdentity): ProcessFamily {
    const family = new ProcessFamily(
      (entry) => entry.variable('RAYMOND_ATTEMPT') === attempt,
      leader === undefined ? [] : [leader],
    );
    family.#since = Number(leader?.startTime);
    return family;
  }

  /** The processes of these attempts. */
  static ofAttempts({ attempts }: SweepFilter): ProcessFamily {
    return new ProcessFamily((entry) => {
      const attempt = entry.variable('RAYMOND_ATTEMPT');
      return attempt !== undefined && attempts.includes(attempt);
    });
  }

  /** Several families as one, so that one listing of processes serves all of them. */
  static union(families: readonly ProcessFamily[]): ProcessFamily {
    const union = new ProcessFamily(
      (entry) => families.some((family) => family.#marked(entry)),
      families.flatMap((family) => family.#leaders),
      families.flatMap((family) => [...family.#known]),
    );
    union.#since = Math.min(...families.map((family) => family.#since));
    return union;
  }

  /**
   * Lists the processes and remembers the current members. Call it before parents are killed:
   * orphans lose their parents.
   */
  refresh(): readonly ProcessEntry[] {
    return this.#look().living;
  }

  #look(): Snapshot {
    const entries = listProcesses();
    // Older processes are no descendants: their variables need not be read.
    const candidates = others(entries).filter(({ startTime }) => !(Number(startTime) < this.#since));
    const members = this.#members(candidates);
    const living = [...members].filter((entry) => !this.#survivors.has(keyOf(entry)));
    for (const { pid, startTime } of living) this.#known.set(keyOf({ pid, startTime }), { pid, startTime });
    return { entries, candidates, members, living };
  }

  /**
   * Ends every member, with SIGTERM first if there is a grace. Resolves when none is left, or when
   * the time limit after SIGKILL is over: the kernel may never release them.
   */
  async end({ graceMs = 0, patience = KILL_TIMEOUTS }: EndOptions = {}): Promise<SweepResult> {
    const found = new Set<string>();
    const begin = performance.now();
    let killedMs = 0;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const look = this.#look();
      const elapsed = performance.now() - begin;
      const sure = elapsed >= patience.executingMs || !isDoubtful(look);
      if ((look.living.length === 0 && sure) || killedMs >= patience.killedMs) return this.#result(look, found);
      if (elapsed < graceMs) this.#ask(look, found);
      // Adds up pauses, not clock time: when this process itself was stopped, all still get their
      // SIGKILL.
      else if (this.#kill(look, elapsed >= graceMs + patience.nestedMs)) killedMs += pause;
      for (const entry of look.living) found.add(keyOf(entry));
      await delay(pause);
    }
  }

  /**
   * SIGTERM, once. A process may start others in response, such as a trap that cleans up: they have
   * time until the end of the grace.
   */
  #ask({ living }: Snapshot, found: ReadonlySet<string>): void {
    const signalled = new Set(living.filter((entry) => found.has(keyOf(entry))).map((entry) => entry.pid));
    const isNew = (entry: ProcessEntry): boolean => !signalled.has(entry.pid) && !signalled.has(entry.ppid);
    for (const entry of living) if (!isLauncher(entry) && isNew(entry)) this.#signal(entry, 'SIGTERM');
  }

  /**
   * SIGKILL to all; to nested launchers only after their own time limit. True when none was left
   * out.
   */
  #kill(look: Snapshot, launchersToo: boolean): boolean {
    const killable = look.living.filter((entry) => launchersToo || !isLauncher(entry));
    for (const entry of killable) this.#signal(entry, 'SIGKILL');
    // A process that forks and exits all the time is never found by its pid, but its group stays.
    for (const group of groupsWithin(look)) signalGroup(group, 'SIGKILL');
    return killable.length === look.living.length;
  }

  #signal(entry: ProcessEntry, signal: EndSignal): void {
    // Another user's process (sudo) cannot be ended from here; waiting for it would block the turn
    // forever.
    if (signalProcess(entry, signal) === 'forbidden') this.#survivors.set(keyOf(entry), 'forbidden');
  }

  #result({ members, living }: Snapshot, found: ReadonlySet<string>): SweepResult {
    for (const entry of living) this.#survivors.set(keyOf(entry), 'unkillable');
    const survivors = [...members].flatMap((entry): Survivor[] => {
      const why = this.#survivors.get(keyOf(entry));
      return why === undefined ? [] : [{ pid: entry.pid, state: entry.state, why }];
    });
    return { count: [...found].filter((key) => !this.#survivors.has(key)).length, survivors };
  }

  #members(entries: readonly ProcessEntry[]): Set<ProcessEntry> {
    const groups = this.#groups(entries);
    const members = new Set(
      entries.filter((entry) => this.#known.has(keyOf(entry)) || groups.has(entry.pgrp) || this.#marked(entry)),
    );
    const children = childrenByParent(entries);
    // An element that is added to a set during iteration is visited as well: descendants of any
    // depth.
    for (const member of members) children.get(member.pid)?.forEach((child) => members.add(child));
    return members;
  }

  /** A group id is the leader's pid; the kernel does not reuse it while the group exists. */
  #groups(entries: readonly ProcessEntry[]): Set<number> {
    const startTimes = new Map(entries.map((entry) => [entry.pid, entry.startTime]));
    const own = this.#leaders.filter(({ pid, startTime }) => (startTimes.get(pid) ?? startTime) === startTime);
    return new Set(own.map((leader) => leader.pid));
  }
}

const keyOf = ({ pid, startTime }: ProcessIdentity): string => `${pid} ${startTime}`;

const isLauncher = (entry: ProcessEntry): boolean => entry.variable(LAUNCHER_VARIABLE) !== undefined;

/** True when the variables of a process could not be read, so that its owner is unknown. */
function isDoubtful({ candidates, members }: Snapshot): boolean {
  return candidates.some((entry) => !members.has(entry) && entry.isExecuting());
}

/** The process groups that contain only members, and no launcher. */
function groupsWithin({ entries, members }: Snapshot): Set<number> {
  // The kernel reports 0 for a group outside of this container; for `kill`, 0 and -1 mean the
  // caller's group and all processes.
  const groups = new Set([...members].map((entry) => entry.pgrp).filter((pgrp) => pgrp > 1));
  for (const entry of entries) if (!members.has(entry) || isLauncher(entry)) groups.delete(entry.pgrp);
  return groups;
}

function childrenByParent(entries: readonly ProcessEntry[]): Map<number, ProcessEntry[]> {
  const children = new Map<number, ProcessEntry[]>();
  for (const entry of entries) {
    const siblings = children.get(entry.ppid);
    if (siblings === undefined) children.set(entry.ppid, [entry]);
    else siblings.push(entry);
  }
  return children;
}

/**
 * All processes but the caller and its ancestors: a worker may itself have been started inside a
 * turn.
 */
function others(entries: readonly ProcessEntry[]): ProcessEntry[] {
  const parents = new Map(entries.map((entry) => [entry.pid, entry.ppid]));
  const own = new Set<number>();
  for (let pid: number | undefined = process.pid; pid !== undefined && !own.has(pid); pid = parents.get(pid))
    own.add(pid);
  return entries.filter((entry) => !own.has(entry.pid));
}

/** The two signals that end processes here. */
type EndSignal = 'SIGTERM' | 'SIGKILL';

/** Signals exactly the identified process; "forbidden" when it belongs to another user. */
export function signalProcess(identity: ProcessIdentity, signal: EndSignal): 'sent' | 'gone' | 'forbidden' {
  return isAlive(identity) ? send(identity.pid, signal) : 'gone';
}

/**
 * Signals the group of `leader`; call it only while the leader has not been reaped, so that its pid
 * is not reused.
 */
export function signalGroup(leader: number, signal: EndSignal): void {
  if (process.platform === 'win32') {
    const { command, args } = taskkill(leader, signal);
    // taskkill fails when the process has already ended, which is what was wanted.
    spawn(command, args, { stdio: 'ignore', windowsHide: true }).on('error', () => {});
    return;
  }
  // The sweep handles a group that is gone or contains a process that may not be signalled.
  send(-leader, signal);
}

/** The Windows command line that ends a process with all its descendants. */
export function taskkill(pid: number, signal: EndSignal): { command: string; args: string[] } {
  const force = signal === 'SIGKILL' ? ['/F'] : [];
  return { command: 'taskkill', args: ['/PID', String(pid), '/T', ...force] };
}

function send(pid: number, signal: EndSignal): 'sent' | 'gone' | 'forbidden' {
  try {
    process.kill(pid, signal);
    return 'sent';
  } catch (error) {
    return errorCode(error) === 'EPERM' ? 'forbidden' : 'gone';
  }
}
