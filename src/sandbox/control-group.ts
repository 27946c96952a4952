// Control groups of the kernel, where this process may make them: they count and limit what all processes of a turn use
// together, which no limit of a single process does, least of all for root. They are there for root, and where the group
// of this process is delegated to it. Their files are the kernel's own: no disk is waited for.
import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../host/files.js';
import { identifySelf, identityOf, identityText, isAlive } from '../host/process.js';
import type { SandboxLimits } from '../protocol/sandbox.js';
import { defined } from '../protocol/text.js';
import type { Exceeded } from './limits.js';
import { canNumber, isHostRoot } from './process-numbers.js';
import type { Environment } from './runtime.js';

type Limited = Pick<SandboxLimits, 'memory' | 'processes'>;

/** Files of a group: where a process enters, where a limit is written, and where the kernel counts what it refused. */
interface Controls {
  /** A process that writes 0 into `tasks` waits for nothing; `cgroup.procs` takes about 15 ms on an idle host (Linux 6.18). */
  readonly entry: 'tasks' | 'cgroup.procs';
  readonly memory: readonly [file: string, value: (bytes: number) => number | string][];
  readonly events: { readonly memory: string; readonly processes: string };
}

const CONTROLS: Readonly<Record<1 | 2, Controls>> = {
  1: {
    entry: 'tasks',
    memory: [
      ['memory.limit_in_bytes', (bytes) => bytes],
      ['memory.memsw.limit_in_bytes', (bytes) => bytes],
    ],
    events: { memory: 'memory.oom_control', processes: 'pids.events' },
  },
  2: {
    entry: 'cgroup.procs',
    memory: [
      ['memory.max', (bytes) => bytes],
      ['memory.swap.max', () => 0],
      ['memory.oom.group', () => 1],
    ],
    events: { memory: 'memory.events', processes: 'pids.events' },
  },
};

/** Where groups of turns are made: one folder of version 2, or one for each controller of version 1. */
interface Parent {
  readonly version: 1 | 2;
  readonly memory: string;
  readonly processes: string;
}

/** The group of one turn. */
export interface ControlGroup {
  /** The files into which a process writes 0 to enter. */
  readonly entries: readonly string[];
  /** The limit that the kernel has kept. */
  readonly exceeded: () => Exceeded | undefined;
  /** Removes it after the end of its processes. */
  readonly close: () => void;
}

let parent: { readonly found: Parent | undefined } | undefined;

/** Makes a group with these limits; undefined where this process may not. */
export function makeControlGroup(
  name: string,
  { limits, environment }: { readonly limits: Limited; readonly environment: Environment },
): ControlGroup | undefined {
  const found = parentIn(environment);
  if (found === undefined || (limits.memory === undefined && limits.processes === undefined)) return undefined;
  const inGroup = (place: string, most: number | undefined): Kept | undefined =>
    most === undefined ? undefined : { folder: join(place, nameOf(name)), most };
  const memory = inGroup(found.memory, limits.memory);
  const processes = inGroup(found.processes, limits.processes);
  const kept: KeptLimits = defined({ memory, processes });
  const folders = [...new Set(Object.values(kept).map(({ folder }) => folder))];
  const controls = CONTROLS[found.version];
  const close = (): void => folders.forEach((folder) => removeFolder(folder));
  try {
    for (const folder of folders) mkdirSync(folder, { recursive: true });
    setLimits(controls, kept);
  } catch {
    close();
    return undefined;
  }
  const entries = folders.map((folder) => join(folder, controls.entry));
  return { entries, close, exceeded: () => exceededIn(controls, kept) };
}

/** A limit, and the folder of the group that keeps it. */
interface Kept {
  readonly folder: string;
  readonly most: number;
}

type KeptLimits = Readonly<Partial<Record<keyof Limited, Kept>>>;

/** Bubblewrap's own processes beside those of the turn. */
const OWN_PROCESSES = 2;

function setLimits(controls: Controls, { memory, processes }: KeptLimits): void {
  if (processes !== undefined) write(join(processes.folder, 'pids.max'), String(processes.most + OWN_PROCESSES));
  if (memory === undefined) return;
  const [[first, value] = ['', String], ...more] = controls.memory;
  write(join(memory.folder, first), String(value(memory.most)));
  // A kernel without swap has no limit of it.
  for (const [file, of] of more) attempt(() => write(join(memory.folder, file), String(of(memory.most))));
}

function exceededIn({ events }: Controls, { memory, processes }: KeptLimits): Exceeded | undefined {
  if (memory !== undefined && counted(join(memory.folder, events.memory), 'oom_kill') > 0)
    return { limit: 'memory', most: memory.most };
  if (processes !== undefined && counted(join(processes.folder, events.processes), 'max') > 0)
    return { limit: 'processes', most: processes.most };
  return undefined;
}

function counted(file: string, name: string): number {
  const text = attempt(() => readFileSync(file, 'utf8')) ?? '';
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** The command that enters the groups and becomes the program after it. */
export function entering({ entries }: ControlGroup): readonly [command: string, ...args: string[]] {
  const script = 'while [ "$1" != -- ]; do echo 0 >"$1" || exit 125; shift; done; shift; exec "$@"';
  return ['sh', '-c', script, 'sh', ...entries, '--'];
}

/** The names of groups say which process has made them. */
function nameOf(group: string): string {
  return `raymond-${identityText(identifySelf())}-${group}`;
}

const MADE_BY = /^raymond-([^-]+)-/;
const ROOT = '/sys/fs/cgroup';

function parentIn(environment: Environment): Parent | undefined {
  return (parent ??= { found: findParent(environment) }).found;
}

/** Whether nothing of the kernel limits the processes of a turn: the root of a host has no limit of its own. */
export async function hasNoKernelLimit(environment: Environment): Promise<boolean> {
  return (await isHostRoot()) && parentIn(environment) === undefined && !(await canNumber());
}

function findParent(environment: Environment): Parent | undefined {
  const groups = attempt(() => readFileSync('/proc/self/cgroup', 'utf8')) ?? '';
  const found = ofVersion1(groups) ?? ofVersion2(groups, environment);
  if (found !== undefined) removeLeft(found);
  return found;
}

/**
 * Removes what killed workers have left. A group with processes cannot be removed; that of a living worker may have none
 * yet.
 */
function removeLeft({ memory, processes }: Parent): void {
  for (const folder of new Set([memory, processes]))
    for (const name of attempt(() => readdirSync(folder)) ?? [])
      if (isLeft(name)) attempt(() => rmdirSync(join(folder, name)));
}

function isLeft(name: string): boolean {
  const worker = identityOf(MADE_BY.exec(name)?.[1] ?? '');
  return worker !== undefined && !isAlive(worker);
}

/** The group of this process, if its owner says so; a folder beside all others, for root. */
function ofVersion2(groups: string, environment: Environment): Parent | undefined {
  const path = /^0::(\/.*)$/m.exec(groups)?.[1];
  const isDelegated = environment[DELEGATED.variable] === DELEGATED.value;
  if (path === undefined || (!isDelegated && process.getuid?.() !== 0)) return undefined;
  const folder = join(ROOT, isDelegated ? path : 'raymond');
  return attempt(() => {
    mkdirSync(folder, { recursive: true });
    if (isDelegated) makeRoom(folder);
    write(join(folder, 'cgroup.subtree_control'), '+memory +pids');
    return { version: 2, memory: folder, processes: folder };
  });
}

/** How the owner of a host says that the group in which a worker was started is the worker's own. */
const DELEGATED = { variable: 'RAYMOND_CGROUP', value: 'delegated' };

/** A group whose groups have limits may have no processes itself. */
function makeRoom(folder: string): void {
  const own = join(folder, 'worker');
  mkdirSync(own, { recursive: true });
  const pids = readFileSync(join(folder, 'cgroup.procs'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  for (const pid of pids) attempt(() => write(join(own, 'cgroup.procs'), pid)); // fails when it has ended
}

function ofVersion1(groups: string): Parent | undefined {
  const place = (controller: string): string | undefined => {
    const path = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(groups)?.[1];
    return path === undefined ? undefined : join(ROOT, controller, path);
  };
  const [memory, processes] = [place('memory'), place('pids')];
  if (memory === undefined || processes === undefined) return undefined;
  return isWritable(memory) && isWritable(processes) ? { version: 1, memory, processes } : undefined;
}

function isWritable(folder: string): boolean {
  const trial = join(folder, nameOf('trial'));
  const isMade = attempt(() => (mkdirSync(trial), true)) === true;
  if (isMade) rmdirSync(trial);
  return isMade;
}

/** The result of what may fail; undefined when it has. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** Where there is no control group, no file may be made in its place. */
function write(file: string, value: string): void {
  writeFileSync(file, value, { flag: 'r+' });
}

const TRIES = 20;
const BETWEEN_MS = 10;

/** The kernel counts processes for a moment after their end: then it is tried again, and no turn waits for that. */
function removeFolder(folder: string, tries = TRIES): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    if (errorCode(error) !== 'EBUSY' || tries <= 1) return;
    setTimeout(() => removeFolder(folder, tries - 1), BETWEEN_MS);
  }
}
