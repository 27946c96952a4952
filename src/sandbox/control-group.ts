// Control groups of the kernel, where this process may make them: they count and limit what all processes of a turn use
// together, which no limit of a single process does, least of all for root. They are there for root, and where the group
// of this process is delegated to it.
import { mkdir, readFile, readdir, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../host/files.js';
import { identifySelf, identityOf, identityText, isAlive } from '../host/process.js';
import type { SandboxLimits } from '../protocol/sandbox.js';
import type { Exceeded } from './limits.js';
import { canNumber, isHostRoot } from './process-numbers.js';
import type { Environment } from './runtime.js';

type Limited = Pick<SandboxLimits, 'memory' | 'processes'>;

/** Files of a group: where a limit is written, and where the kernel counts what it refused. */
interface Controls {
  readonly memory: readonly [file: string, value: (bytes: number) => number | string][];
  readonly events: { readonly memory: string; readonly processes: string };
}

const CONTROLS: Readonly<Record<1 | 2, Controls>> = {
  1: {
    memory: [
      ['memory.limit_in_bytes', (bytes) => bytes],
      ['memory.memsw.limit_in_bytes', (bytes) => bytes],
    ],
    events: { memory: 'memory.oom_control', processes: 'pids.events' },
  },
  2: {
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
  /** The folders that a process enters by writing 0 into their `cgroup.procs`. */
  readonly folders: readonly string[];
  /** The limit that the kernel has kept. */
  readonly exceeded: () => Promise<Exceeded | undefined>;
  /** Removes it after the end of its processes. */
  readonly close: () => Promise<void>;
}

let parent: Promise<Parent | undefined> | undefined;

/** Makes a group with these limits; undefined where this process may not. */
export async function makeControlGroup(
  name: string,
  { limits, environment }: { readonly limits: Limited; readonly environment: Environment },
): Promise<ControlGroup | undefined> {
  const found = await parentIn(environment);
  if (found === undefined || (limits.memory === undefined && limits.processes === undefined)) return undefined;
  const folders = [...new Set([found.memory, found.processes])].map((folder) => join(folder, nameOf(name)));
  const [memory = '', processes = memory] = folders;
  const close = async (): Promise<void> => void (await Promise.all(folders.map((folder) => removeFolder(folder))));
  try {
    for (const folder of folders) await mkdir(folder, { recursive: true });
    await setLimits(CONTROLS[found.version], { memory, processes }, limits);
  } catch {
    await close();
    return undefined;
  }
  return { folders, close, exceeded: () => exceededIn(CONTROLS[found.version], { memory, processes }, limits) };
}

interface Folders {
  readonly memory: string;
  readonly processes: string;
}

/** Bubblewrap's own processes beside those of the turn. */
const OWN_PROCESSES = 2;

async function setLimits(controls: Controls, folders: Folders, { memory, processes }: Limited): Promise<void> {
  if (processes !== undefined) await write(join(folders.processes, 'pids.max'), String(processes + OWN_PROCESSES));
  if (memory === undefined) return;
  const [[first, value] = ['', String], ...more] = controls.memory;
  await write(join(folders.memory, first), String(value(memory)));
  // A kernel without swap has no limit of it.
  for (const [file, of] of more) await write(join(folders.memory, file), String(of(memory))).catch(() => undefined);
}

async function exceededIn(
  { events }: Controls,
  folders: Folders,
  { memory, processes }: Limited,
): Promise<Exceeded | undefined> {
  if (memory !== undefined && (await counted(join(folders.memory, events.memory), 'oom_kill')) > 0)
    return { limit: 'memory', most: memory };
  if (processes !== undefined && (await counted(join(folders.processes, events.processes), 'max')) > 0)
    return { limit: 'processes', most: processes };
  return undefined;
}

async function counted(file: string, name: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
}

/** The command that enters the groups and becomes the program after it. */
export function entering({ folders }: ControlGroup): readonly [command: string, ...args: string[]] {
  const script = 'while [ "$1" != -- ]; do echo 0 >"$1/cgroup.procs" || exit 125; shift; done; shift; exec "$@"';
  return ['sh', '-c', script, 'sh', ...folders, '--'];
}

/** The names of groups say which process has made them. */
function nameOf(group: string): string {
  return `raymond-${identityText(identifySelf())}-${group}`;
}

const MADE_BY = /^raymond-([^-]+)-/;
const ROOT = '/sys/fs/cgroup';

async function parentIn(environment: Environment): Promise<Parent | undefined> {
  return await (parent ??= findParent(environment));
}

/** Whether nothing of the kernel limits the processes of a turn: the root of a host has no limit of its own. */
export async function hasNoKernelLimit(environment: Environment): Promise<boolean> {
  return (await isHostRoot()) && (await parentIn(environment)) === undefined && !(await canNumber());
}

async function findParent(environment: Environment): Promise<Parent | undefined> {
  const groups = await readFile('/proc/self/cgroup', 'utf8').catch(() => '');
  const found = (await ofVersion1(groups)) ?? (await ofVersion2(groups, environment));
  if (found !== undefined) await removeLeft(found);
  return found;
}

/**
 * Removes what killed workers have left. A group with processes cannot be removed; that of a living worker may have none
 * yet.
 */
async function removeLeft({ memory, processes }: Parent): Promise<void> {
  for (const folder of new Set([memory, processes]))
    for (const name of await readdir(folder).catch(() => []))
      if (isLeft(name)) await rmdir(join(folder, name)).catch(() => undefined);
}

function isLeft(name: string): boolean {
  const worker = identityOf(MADE_BY.exec(name)?.[1] ?? '');
  return worker !== undefined && !isAlive(worker);
}

/** The group of this process, if its owner says so; a folder beside all others, for root. */
async function ofVersion2(groups: string, environment: Environment): Promise<Parent | undefined> {
  const path = /^0::(\/.*)$/m.exec(groups)?.[1];
  const isDelegated = environment[DELEGATED.variable] === DELEGATED.value;
  if (path === undefined || (!isDelegated && process.getuid?.() !== 0)) return undefined;
  const folder = join(ROOT, isDelegated ? path : 'raymond');
  try {
    await mkdir(folder, { recursive: true });
    if (isDelegated) await makeRoom(folder);
    await write(join(folder, 'cgroup.subtree_control'), '+memory +pids');
    return { version: 2, memory: folder, processes: folder };
  } catch {
    return undefined;
  }
}

/** How the owner of a host says that the group in which a worker was started is the worker's own. */
const DELEGATED = { variable: 'RAYMOND_CGROUP', value: 'delegated' };

/** A group whose groups have limits may have no processes itself. */
async function makeRoom(folder: string): Promise<void> {
  const own = join(folder, 'worker');
  await mkdir(own, { recursive: true });
  const pids = (await readFile(join(folder, 'cgroup.procs'), 'utf8')).split('\n').filter((line) => line !== '');
  for (const pid of pids) await write(join(own, 'cgroup.procs'), pid).catch(() => undefined); // it has ended
}

async function ofVersion1(groups: string): Promise<Parent | undefined> {
  const place = (controller: string): string | undefined => {
    const path = new RegExp(`^\\d+:(?:[^:]*,)?${controller}(?:,[^:]*)?:(.*)$`, 'm').exec(groups)?.[1];
    return path === undefined ? undefined : join(ROOT, controller, path);
  };
  const [memory, processes] = [place('memory'), place('pids')];
  if (memory === undefined || processes === undefined) return undefined;
  const isWritable = async (folder: string): Promise<boolean> => {
    const trial = join(folder, nameOf('trial'));
    return await mkdir(trial).then(
      () => rmdir(trial).then(() => true),
      () => false,
    );
  };
  return (await isWritable(memory)) && (await isWritable(processes)) ? { version: 1, memory, processes } : undefined;
}

/** Where there is no control group, no file may be made in its place. */
async function write(file: string, value: string): Promise<void> {
  await writeFile(file, value, { flag: 'r+' });
}

const TRIES = 20;
const BETWEEN_MS = 10;

/** The kernel counts processes for a moment after their end: then it is tried again, and no turn waits for that. */
async function removeFolder(folder: string, tries = TRIES): Promise<void> {
  const isBusy = await rmdir(folder).then(
    () => false,
    (error: unknown) => errorCode(error) === 'EBUSY',
  );
  if (isBusy && tries > 1) setTimeout(() => void removeFolder(folder, tries - 1), BETWEEN_MS);
}
