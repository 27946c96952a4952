// The door of this room: keeps the process of a turn in a sandbox. What it cannot enforce, it refuses.
import { lstat, realpath, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../host/sha256.js';
import { defined } from '../protocol/text.js';
import type { EnforcedSandbox, SandboxPolicy } from '../protocol/sandbox.js';
import { bubblewrapArgs, type Inner } from './bubblewrap.js';
import { missingFor, processSandbox } from './host.js';
import { BRIDGED, networkInside, startNetwork } from './network.js';
import { isWithin, mountsOf, PROTECTED, whyUnusable, type Mount, type Places } from './mounts.js';
import { systemOfHost } from './system.js';

export { missingFor, type Missing } from './host.js';
export { describeExceeded, LimitWatch, type Exceeded } from './limits.js';
export type { BindMount, Places } from './mounts.js';
export { SOCKET, startRelay, type ModelAccess, type Relay } from './relay.js';

/** A turn cannot be kept in its sandbox; the message says why and what to do. Nothing was started. */
export class SandboxRefused extends Error {
  override readonly name = 'SandboxRefused';
}

/** A turn to keep. */
interface ContainRequest {
  readonly policy: SandboxPolicy;
  readonly places: Places;
  readonly inner: Inner;
  /** PATH of the worker: where bubblewrap is. */
  readonly hostPath: string | undefined;
  /** A folder that only this user may enter, for a policy with a network list. */
  readonly folder?: string;
}

/** The process to start instead. */
interface Contained {
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of the process. */
  readonly env: Readonly<Record<string, string>>;
  readonly record: EnforcedSandbox;
  /** Cleans up after its end; returns what was denied. */
  readonly close: () => Promise<readonly string[]>;
}

/** Prepares the sandbox of a turn. Throws `SandboxRefused`. */
export async function contain({ policy, places, inner, hostPath, folder }: ContainRequest): Promise<Contained> {
  const unusable = whyUnusable(places);
  if (unusable !== undefined) throw new SandboxRefused(unusable);
  const missing = await missingFor(policy, hostPath);
  if (missing !== undefined) throw refusal(missing);
  const sandbox = await processSandbox(hostPath);
  if (sandbox.kind === 'missing') throw refusal(sandbox.missing);
  const present = await presentIn(places.cwd);
  const inside = policy.network.length === 0 || folder === undefined ? undefined : networkInside(folder);
  const moved = [...(places.moved ?? []), ...(inside === undefined ? [] : [inside.socket])];
  const mounts = await checked(mountsOf(policy, { ...places, moved }, present), places);
  const { bubblewrap } = sandbox;
  const started = inside === undefined ? inner : throughBridge(inner);
  const args = bubblewrapArgs({ bubblewrap, system: await systemOfHost(), mounts, policy, inner: started });
  const network = inside && (await startNetwork(inside.folder, policy.network));
  return {
    command: bubblewrap.path,
    args,
    env: inside?.env ?? {},
    record: recordOf(policy),
    close: async () => [...((await network?.close()) ?? []), ...(await setAside(places.cwd, present))],
  };
}

function throughBridge({ command, args, cwd }: Inner): Inner {
  const [shell, ...bridge] = BRIDGED;
  return { command: shell, args: [...bridge, command, ...args], cwd };
}

function refusal({ what, todo }: { readonly what: string; readonly todo: string }): SandboxRefused {
  return new SandboxRefused(`${what}; ${todo}`);
}

const HASH_LENGTH = 12;

/** What is enforced, for the record of the turn. */
function recordOf(policy: SandboxPolicy): EnforcedSandbox {
  const hash = sha256Of(JSON.stringify(policy)).slice(0, HASH_LENGTH);
  return { kind: policy.kind, policy: hash, ...defined({ image: policy.image }) };
}

async function presentIn(cwd: string): Promise<readonly string[]> {
  const found = await Promise.all(PROTECTED.map(async (name) => ((await isThere(join(cwd, name))) ? [name] : [])));
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
      const real = await realpath(path).catch(() => undefined);
      if (real === undefined && mount.optional === true) return [];
      if (real === join(root, path.slice(cwd.length))) return [mount];
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
  for (const name of PROTECTED) {
    const path = join(cwd, name);
    if (present.includes(name) || !(await isThere(path))) continue;
    const aside = `${path}.from-sandbox-${process.pid}-${Date.now().toString(36)}`;
    await rename(path, aside);
    denied.push(`write: ${name} may not be made in a sandbox; it is now ${aside}`);
  }
  return denied;
}
