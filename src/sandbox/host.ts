// Which sandboxes a host has, and what to do when one is missing. Looked at once per process and PATH: a turn must not
// pay for it again.
import { ask } from '../host/ask.js';
import { findOnPath } from '../host/files.js';
import type { SandboxPolicy } from '../protocol/sandbox.js';
import { defined } from '../protocol/text.js';
import type { Bubblewrap } from './bubblewrap.js';
import {
  containerRuntime,
  imageOf,
  type ContainerImage,
  type ContainerRuntime,
  type Environment,
  type Missing,
} from './runtime.js';
import { seccompFilter } from './seccomp.js';

/** The sandbox `process` of a host. */
type ProcessSandbox =
  { readonly kind: 'found'; readonly bubblewrap: Bubblewrap } | { readonly kind: 'missing'; readonly missing: Missing };

const found = new Map<string, Promise<ProcessSandbox>>();

/** Looks for bubblewrap on PATH, and tries it. */
async function processSandbox(path: string | undefined): Promise<ProcessSandbox> {
  const key = path ?? '';
  const known = found.get(key) ?? look(path);
  found.set(key, known);
  const result = await known;
  // What was missing may be installed while a worker runs.
  if (result.kind === 'missing') found.delete(key);
  return result;
}

const INSTALL = 'install it: "sudo apt-get install bubblewrap" (Fedora: dnf, Arch: pacman, Alpine: apk)';
const SOCAT = INSTALL.replaceAll('bubblewrap', 'socat');
const USER_NAMESPACES =
  'allow user namespaces: "sudo sysctl -w kernel.unprivileged_userns_clone=1", on Ubuntu 24.04 ' +
  '"sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"; in a container, give it --security-opt seccomp=unconfined';

async function look(path: string | undefined): Promise<ProcessSandbox> {
  if (process.platform !== 'linux')
    return missing(`the sandbox "process" needs Linux, and this is ${process.platform}`, 'use the sandbox "container"');
  const bwrap = findOnPath('bwrap', path === undefined ? {} : { path });
  if (bwrap === undefined) return missing('bubblewrap (bwrap) is not on PATH', INSTALL);
  const filter = seccompFilter(process.arch);
  if (filter === undefined)
    return missing(
      `the sandbox "process" has no filter of system calls for ${process.arch}`,
      'use the sandbox "container"',
    );
  const bare = [...['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--unshare-net'], '--proc', '/proc'];
  const plain = await tried(bwrap, [...bare, 'true']);
  if (plain !== undefined) return missing(`bubblewrap cannot make a sandbox here: ${plain}`, USER_NAMESPACES);
  const nested = await tried(bwrap, [...bare, '--disable-userns', 'true']);
  const bubblewrap = { path: bwrap, filter, disablesUserNamespaces: nested === undefined };
  return { kind: 'found', bubblewrap };
}

function missing(what: string, todo: string): { readonly kind: 'missing'; readonly missing: Missing } {
  return { kind: 'missing', missing: { what, todo } };
}

const TRIAL_MS = 10_000;

/** Why it does not work; undefined when it does. */
async function tried(command: string, args: readonly string[]): Promise<string | undefined> {
  const { error, stderr } = await ask(command, args, { timeoutMs: TRIAL_MS });
  return error === undefined ? undefined : stderr.trim().split('\n')[0] || error.message;
}

/** What the sandbox of a policy is made with on a host. */
export type Means =
  | { readonly kind: 'process'; readonly bubblewrap: Bubblewrap }
  | { readonly kind: 'container'; readonly runtime: ContainerRuntime; readonly image: ContainerImage }
  | { readonly kind: 'missing'; readonly missing: Missing };

/** What of a policy its sandbox is chosen by. */
type Wanted = Pick<SandboxPolicy, 'kind' | 'network' | 'image'>;

/** Finds the means for a policy. */
export async function meansFor(policy: Wanted, environment: Environment): Promise<Means> {
  switch (policy.kind) {
    case 'process': {
      const sandbox = await processSandbox(environment['PATH']);
      if (sandbox.kind === 'missing') return sandbox;
      const path = defined({ path: environment['PATH'] });
      if (policy.network.length === 0 || findOnPath('socat', path) !== undefined)
        return { ...sandbox, kind: 'process' };
      return missing('socat, the way of a sandbox to the hosts of its network list, is not on PATH', SOCAT);
    }
    case 'container':
      return await containerFor(policy, environment);
    default:
      return policy.kind satisfies never;
  }
}

/** Whether a Unix socket of this host works in a sandbox: on other systems, containers run in a virtual machine. */
export const SHARES_SOCKETS = process.platform === 'linux';

async function containerFor({ image, network }: Wanted, environment: Environment): Promise<Means> {
  if (network.length > 0 && !SHARES_SOCKETS)
    return missing('the hosts of a network list can be reached from containers on Linux only', 'remove the list');
  const runtime = await containerRuntime(environment);
  if (runtime.kind === 'missing') return runtime;
  if (image === undefined) return missing('the sandbox "container" has no image', NO_IMAGE);
  const found = await imageOf(runtime.found, { image, environment });
  return found.kind === 'missing' ? found : { kind: 'container', runtime: runtime.found, image: found.found };
}

const NO_IMAGE = 'name one: image = "…" in the table sandbox of the config';

/** What the host lacks for a policy; undefined = nothing. */
export async function missingFor(policy: Wanted, environment: Environment): Promise<Missing | undefined> {
  const means = await meansFor(policy, environment);
  return means.kind === 'missing' ? means.missing : undefined;
}

/** The sandboxes that a host can make, whatever a policy asks for beside the kind. */
export async function sandboxesOf(environment: Environment): Promise<readonly SandboxPolicy['kind'][]> {
  const [ofProcess, container] = await Promise.all([
    processSandbox(environment['PATH']),
    containerRuntime(environment),
  ]);
  return [
    ...(ofProcess.kind === 'found' ? (['process'] as const) : []),
    ...(container.kind === 'found' ? (['container'] as const) : []),
  ];
}
