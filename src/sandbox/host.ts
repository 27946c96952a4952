// Which sandboxes a host has, and what to do when one is missing. Looked at once per process and PATH: a turn must not
// pay for it again.
import { execFile } from 'node:child_process';
import { findOnPath } from '../host/files.js';
import type { SandboxPolicy } from '../protocol/sandbox.js';
import { defined } from '../protocol/text.js';
import type { Bubblewrap } from './bubblewrap.js';

/** Why a host cannot keep a turn in such a sandbox, and how to change that. */
export interface Missing {
  readonly what: string;
  readonly todo: string;
}

/** The sandbox `process` of a host. */
type ProcessSandbox =
  { readonly kind: 'found'; readonly bubblewrap: Bubblewrap } | { readonly kind: 'missing'; readonly missing: Missing };

const found = new Map<string, Promise<ProcessSandbox>>();

/** Looks for bubblewrap on PATH, and tries it. */
export async function processSandbox(path: string | undefined): Promise<ProcessSandbox> {
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
  const bare = [...['--ro-bind', '/', '/', '--unshare-user', '--unshare-pid', '--unshare-net'], '--proc', '/proc'];
  const plain = await tried(bwrap, [...bare, 'true']);
  if (plain !== undefined) return missing(`bubblewrap cannot make a sandbox here: ${plain}`, USER_NAMESPACES);
  const nested = await tried(bwrap, [...bare, '--disable-userns', 'true']);
  const bubblewrap = { path: bwrap, disablesUserNamespaces: nested === undefined };
  return { kind: 'found', bubblewrap };
}

function missing(what: string, todo: string): ProcessSandbox {
  return { kind: 'missing', missing: { what, todo } };
}

const TRIAL_MS = 10_000;

/** Why it does not work; undefined when it does. */
function tried(command: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(command, args, { timeout: TRIAL_MS }, (error, _stdout, stderr) => {
      resolve(error === null ? undefined : stderr.trim().split('\n')[0] || error.message);
    });
  });
}

/** What the host lacks for a policy; undefined = nothing. */
export async function missingFor(
  { kind, network }: Pick<SandboxPolicy, 'kind' | 'network'>,
  path: string | undefined,
): Promise<Missing | undefined> {
  switch (kind) {
    case 'process': {
      const sandbox = await processSandbox(path);
      if (sandbox.kind === 'missing') return sandbox.missing;
      if (network.length === 0 || findOnPath('socat', defined({ path })) !== undefined) return undefined;
      return { what: 'socat, the way of a sandbox to the hosts of its network list, is not on PATH', todo: SOCAT };
    }
    case 'container':
      return { what: 'this version keeps no turns in containers yet', todo: 'use the sandbox "process"' };
    default:
      return kind satisfies never;
  }
}
