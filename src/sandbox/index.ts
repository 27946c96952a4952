// The door of this room: keeps the process of a turn in a sandbox. What it cannot enforce, it refuses.
import { lstat, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '../host/sha256.js';
import { defined } from '../protocol/text.js';
import type { EnforcedSandbox, SandboxLimits, SandboxPolicy } from '../protocol/sandbox.js';
import { bubblewrapArgs, type Bubblewrap, type Inner } from './bubblewrap.js';
import { containerArgs, whyUnmountable } from './container.js';
import { meansFor, type Means } from './host.js';
import { entering, makeControlGroup, type ControlGroup } from './control-group.js';
import { watchDisk } from './disk.js';
import { firstOf, MOST_MEMORY, processesWithin, type Exceeded, type Look } from './limits.js';
import { BRIDGED, networkInside, startNetwork } from './network.js';
import { isWithin, mountsOf, PROTECTED, whyUnusable, type Mount, type Places } from './mounts.js';
import { canNumber, numbering } from './process-numbers.js';
import {
  CONTAINER_FILE,
  environmentOfRuntime,
  firstProcessOf,
  removeContainer,
  sweepContainers,
  workerLabels,
  type Environment,
  type LeftContainer,
} from './runtime.js';
import { systemOfHost } from './system.js';

export { hasNoKernelLimit } from './control-group.js';
export { missingFor, sandboxesOf, SHARES_SOCKETS } from './host.js';
export { describeExceeded, LimitWatch, type Exceeded, type Look } from './limits.js';
export type { BindMount, Places } from './mounts.js';
export { SOCKET, startRelay, type ModelAccess, type Relay } from './relay.js';
export { containerRuntime, removeLeft, type Environment, type Missing } from './runtime.js';

/** A turn cannot be kept in its sandbox; the message says why and what to do. Nothing was started. */
export class SandboxRefused extends Error {
  override readonly name = 'SandboxRefused';
}

/** A turn to keep. */
interface ContainRequest {
  readonly policy: SandboxPolicy;
  readonly places: Places;
  readonly inner: Inner;
  /** The environment of the worker: where programs are that make sandboxes. */
  readonly environment: Environment;
  /** The environment of the turn, and the text of its input. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A folder that only this user may enter, for all but a sandbox "process" without a network list. */
  readonly folder?: string;
  /** The name of the attempt. */
  readonly attempt: string;
}

/** The process to start instead. */
interface Contained {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** What it reads from its descriptor 3. */
  readonly extra?: Uint8Array;
  /** Its input is held by what starts it: the sandbox ends with that. */
  readonly lifeline?: true;
  readonly record: EnforcedSandbox;
  /** Looks at its limits while it runs. */
  readonly look?: Look;
  /** The limit that was found exceeded after its end. */
  readonly exceeded?: () => Promise<Exceeded | undefined>;
  /** Cleans up after its end; returns what was denied. */
  readonly close: () => Promise<readonly string[]>;
}

/** What is the same for all kinds of sandboxes. */
interface Prepared extends ContainRequest {
  readonly mounts: readonly Mount[];
  /** The process, with what gives it its network. */
  readonly started: Inner;
  readonly networkEnv: Readonly<Record<string, string>>;
}

/** Prepares the sandbox of a turn. Throws `SandboxRefused`. */
export async function contain(request: ContainRequest): Promise<Contained> {
  const { policy, places, inner, environment, folder } = request;
  const unusable = whyUnusable(places);
  if (unusable !== undefined) throw new SandboxRefused(unusable);
  const means = await meansFor(policy, environment);
  if (means.kind === 'missing') throw new SandboxRefused(`${means.missing.what}; ${means.missing.todo}`);
  const present = await presentIn(places.cwd);
  const inside = policy.network.length === 0 || folder === undefined ? undefined : networkInside(folder);
  const moved = [...(places.moved ?? []), ...(inside === undefined ? [] : [inside.socket])];
  const mounts = await checked(mountsOf(policy, { ...places, moved }, present), places);
  const started = inside === undefined ? inner : throughBridge(inner);
  const prepared = { ...request, mounts, started, networkEnv: inside?.env ?? {} };
  const made =
    means.kind === 'process'
      ? await inProcess(prepared, means.bubblewrap)
      : await inContainer(prepared, means, requiredFolder(folder));
  const network = inside && (await startNetwork(inside.folder, policy.network));
  const { close, ...contained } = made;
  return {
    ...contained,
    close: async () => {
      await close?.();
      return [...((await network?.close()) ?? []), ...(await setAside(places.cwd, present))];
    },
  };
}

type Made = Omit<Contained, 'close'> & { readonly close?: () => void | Promise<void> };

async function inProcess(
  { policy, mounts, started: inner, env, stdin, networkEnv, environment, attempt }: Prepared,
  bubblewrap: Bubblewrap,
): Promise<Made> {
  const { processes, cpu } = policy;
  const memory = memoryFor(policy);
  const disk = await watchDisk({ mounts, limit: policy.disk });
  const group = makeControlGroup(attempt, { limits: defined({ memory, processes }), environment });
  const outer = group === undefined ? await numberingFor(policy) : entering(group);
  const within = { bubblewrap, system: await systemOfHost(), mounts, policy, inner, isCounted: group !== undefined };
  const [command = bubblewrap.path, ...args] = [...outer, bubblewrap.path, ...bubblewrapArgs(within)];
  return {
    command,
    args,
    env: { ...env, ...networkEnv },
    extra: bubblewrap.filter,
    record: recordOf(policy),
    look: firstOf([disk.look, ...looksAt(group, { memory, ...defined({ processes, cpu }) })]),
    exceeded: async () => group?.exceeded() ?? (await disk.last()),
    ...defined({ stdin, close: group?.close }),
  };
}

async function numberingFor({ processes }: SandboxPolicy): Promise<readonly string[]> {
  return processes !== undefined && (await canNumber()) ? numbering(processes) : [];
}

function memoryFor({ memory = MOST_MEMORY }: SandboxPolicy): number {
  return Math.min(memory, MOST_MEMORY);
}

/** The kernel does not end a turn that uses more CPU time, so that is measured always. */
function looksAt(group: ControlGroup | undefined, { cpu, ...limits }: SandboxLimits): readonly Look[] {
  if (group === undefined) return [processesWithin({ ...limits, ...defined({ cpu }) })];
  return [() => Promise.resolve(group.exceeded()), ...(cpu === undefined ? [] : [processesWithin({ cpu })])];
}

function requiredFolder(folder: string | undefined): string {
  if (folder === undefined) throw new TypeError('a container needs a private folder');
  return folder;
}

/** What a worker writes into the private folder of a container's attempt. */
const FILES = { input: 'input', limit: 'limit', left: CONTAINER_FILE };

async function inContainer(
  { policy, places, mounts: wanted, started: inner, env, stdin = '', networkEnv, environment, attempt }: Prepared,
  { runtime, image }: Extract<Means, { readonly kind: 'container' }>,
  folder: string,
): Promise<Made> {
  const mounts = await thoseThere(wanted);
  const unmountable = mounts.map(whyUnmountable).find((why) => why !== undefined);
  if (unmountable !== undefined) throw new SandboxRefused(unmountable);
  const files = { input: join(folder, FILES.input), limit: join(folder, FILES.limit) };
  const left: LeftContainer = { runtime: runtime.path, name: `raymond-${attempt}` };
  const { raymondDir } = places;
  await sweepContainers(runtime.path, { raymondDir, environment });
  await writeFile(files.input, stdin, { mode: 0o600 });
  await rm(files.limit, { force: true });
  await writeFile(join(folder, FILES.left), JSON.stringify(left), { mode: 0o600 });
  const firstInside = (): Promise<number | undefined> => firstProcessOf(left, environment);
  const disk = await watchDisk({ mounts, limit: policy.disk, firstInside });
  const user = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const passed = Object.keys(env);
  const memory = memoryFor(policy);
  return {
    command: runtime.path,
    args: containerArgs({
      ...{ runtime, image: image.id, name: left.name, labels: workerLabels(raymondDir), user },
      ...{ mounts, policy, memory, inner, passed, own: networkEnv, files },
    }),
    env: { ...env, ...environmentOfRuntime(environment) },
    lifeline: true,
    record: { ...recordOf(policy), digest: image.digest },
    look: disk.look,
    exceeded: async () =>
      exceededIn(await readFile(files.limit, 'utf8').catch(() => ''), { ...policy, memory }) ?? (await disk.last()),
    close: () => removeContainer(left, environment),
  };
}

/** Its own program wrote the name of the limit, or a program of the turn: neither is believed beyond the policy. */
function exceededIn(text: string, policy: SandboxPolicy): Exceeded | undefined {
  const limit = (['memory', 'processes', 'cpu'] as const).find((name) => name === text.trim());
  const most = limit === undefined ? undefined : policy[limit];
  return limit === undefined || most === undefined ? undefined : { limit, most };
}

async function thoseThere(mounts: readonly Mount[]): Promise<readonly Mount[]> {
  const all = await Promise.all(
    mounts.map(async (mount) => (mount.optional !== true || (await isThere(mount.path)) ? [mount] : [])),
  );
  return all.flat();
}

function throughBridge({ command, args, cwd }: Inner): Inner {
  const [shell, ...bridge] = BRIDGED;
  return { command: shell, args: [...bridge, command, ...args], cwd };
}

const HASH_LENGTH = 12;

/** What is enforced, for the record of the turn. */
function recordOf(policy: SandboxPolicy): EnforcedSandbox {
  const hash = sha256Of(JSON.stringify(policy)).slice(0, HASH_LENGTH);
  return { kind: policy.kind, policy: hash, ...defined({ image: policy.image }) };
}

async function presentIn(cwd: string): Promise<readonly string[]> {
  const folders = await namesIn(cwd, [...new Set(PROTECTED.map(dirname))]);
  return await namesIn(
    cwd,
    PROTECTED.filter((name) => folders.includes(dirname(name))),
  );
}

async function namesIn(cwd: string, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map(async (name) => ((await isThere(join(cwd, name))) ? [name] : [])));
  return found.flat();
}

async function isThere(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}

/** Adds what the disk says. A turn that could write there may have left a link that leads out of its sandbox. */
async function checked(mounts: readonly Mount[], { cwd }: Places): Promise<readonly Mount[]> {
  const root = await realpath(cwd);
  const all = await Promise.all(
    mounts.map(async (mount): Promise<readonly Mount[]> => {
      const { path, access } = mount;
      if (access === 'hide') {
        const stats = await lstat(path).catch(() => undefined);
        if (stats === undefined) return [];
        if (!stats.isDirectory() && !stats.isSymbolicLink()) return [{ ...mount, isFile: true }];
      }
      if (path === cwd || !isWithin(path, cwd)) return [mount];
      // What comes from another path is not there yet, but its folder is.
      const there = mount.source === undefined ? path : dirname(path);
      const real = await realpath(there).catch(() => undefined);
      if (real === undefined && mount.optional === true) return [];
      if (real === join(root, there.slice(cwd.length))) return [mount];
      throw new SandboxRefused(
        `${path} leads to ${real ?? 'nothing'} through a symbolic link, and a sandbox cannot protect it; replace the link`,
      );
    }),
  );
  return all.flat();
}

/** Protected paths that the turn has made: a later turn, a shell or an editor would obey them. */
async function setAside(cwd: string, present: readonly string[]): Promise<readonly string[]> {
  const denied: string[] = [];
  for (const name of await presentIn(cwd)) {
    if (present.includes(name)) continue;
    const path = join(cwd, name);
    const aside = `${path}.from-sandbox-${process.pid}-${Date.now().toString(36)}`;
    await rename(path, aside);
    denied.push(`write: ${name} may not be made in a sandbox; it is now ${aside}`);
  }
  return denied;
}
