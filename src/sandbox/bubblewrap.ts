// A sandbox of Linux namespaces by bubblewrap (`bwrap`): the whole process tree of a turn sees only what its mounts
// give, has no network but what is mounted, and ends with its first process. Pure: a command line.
import { effectiveMounts, isFolderHidden, scratchBytes, type Mount } from './mounts.js';
import type { System } from './system.js';
import type { SandboxPolicy } from '../protocol/sandbox.js';

/** One process to start inside. */
export interface Inner {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What bubblewrap of this host is and can. */
export interface Bubblewrap {
  readonly path: string;
  /** The filter of system calls for the processor of this host. */
  readonly filter: Uint8Array;
  /** Whether it forbids further user namespaces inside (0.8). */
  readonly disablesUserNamespaces: boolean;
}

/** The descriptor from which bubblewrap reads its filter of system calls. */
const FILTER = 3;

const NAMESPACES = ['--unshare-user', '--unshare-ipc', '--unshare-pid', '--unshare-net', '--unshare-uts'];

/** The kernel lets root write its settings without any capability: `core_pattern` would run a program outside. */
const PROC = ['--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'];

/** The command line that runs a process in a sandbox; the process reads the filter from descriptor 3. */
export function bubblewrapArgs({
  bubblewrap,
  system,
  mounts,
  policy,
  inner,
  isCounted = false,
}: {
  readonly bubblewrap: Bubblewrap;
  readonly system: System;
  readonly mounts: readonly Mount[];
  readonly policy: SandboxPolicy;
  readonly inner: Inner;
  /** A control group limits its memory and its processes. */
  readonly isCounted?: boolean;
}): readonly string[] {
  return [
    ...NAMESPACES,
    '--unshare-cgroup-try',
    ...(bubblewrap.disablesUserNamespaces ? ['--disable-userns'] : []),
    ...['--die-with-parent', '--cap-drop', 'ALL', '--seccomp', String(FILTER)],
    ...system.entries.flatMap((entry) =>
      entry.kind === 'link' ? ['--symlink', entry.target, entry.path] : ['--ro-bind', entry.path, entry.path],
    ),
    ...PROC,
    ...['--dev', '/dev', '--size', String(scratchBytes(policy)), '--tmpfs', '/dev/shm', '--remount-ro', '/dev'],
    ...['--dir', '/var/tmp'],
    ...effectiveMounts(mounts, systemFolders(system)).flatMap((mount) => mountArgs(mount, policy)),
    ...system.hiddenFolders.flatMap((path) => ['--tmpfs', path, '--remount-ro', path]),
    ...system.hiddenFiles.flatMap((path) => ['--ro-bind', '/dev/null', path]),
    ...mounts.filter((mount) => isFolderHidden(mount, mounts)).flatMap(({ path }) => ['--remount-ro', path]),
    ...['--remount-ro', '/', '--chdir', inner.cwd, '--'],
    ...limitArgs(policy, isCounted),
    inner.command,
    ...inner.args,
  ];
}

function systemFolders({ entries }: System): readonly string[] {
  return entries.flatMap(({ kind, path }) => (kind === 'folder' ? [path] : []));
}

function mountArgs({ path, access, optional, isFile, source = path }: Mount, policy: SandboxPolicy): readonly string[] {
  const suffix = optional === true ? '-try' : '';
  switch (access) {
    case 'read':
      return [`--ro-bind${suffix}`, source, path];
    case 'write':
      return [`--bind${suffix}`, source, path];
    case 'scratch':
      return ['--size', String(scratchBytes(policy)), '--tmpfs', path];
    case 'hide':
      return isFile === true ? ['--ro-bind', '/dev/null', path] : ['--tmpfs', path];
    default:
      return access satisfies never;
  }
}

/** The turn as a whole is ended at its limits (limits.ts); the kernel stops what grows faster than it is measured. */
const BEYOND = 2;

/** Limits count from inside, where `processes` counts only those of the sandbox. */
function limitArgs({ memory, processes, cpu, files }: SandboxPolicy, isCounted: boolean): readonly string[] {
  const limits = [
    ...(memory === undefined || isCounted ? [] : [`--data=${memory * BEYOND}`]),
    ...(processes === undefined || isCounted ? [] : [`--nproc=${processes * BEYOND}`]),
    ...(cpu === undefined ? [] : [`--cpu=${cpu * BEYOND}`]),
    ...(files === undefined ? [] : [`--fsize=${files}`]),
  ];
  return limits.length === 0 ? [] : ['prlimit', ...limits, '--'];
}
