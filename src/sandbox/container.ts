// A sandbox by a container of docker or podman: the programs of its image, the files of the turn at their own paths, no
// network, no capability, the user's own id. Pure: a command line.
import { isAbsolute } from 'node:path';
import type { SandboxPolicy } from '../protocol/sandbox.js';
import type { Inner } from './bubblewrap.js';
import { effectiveMounts, isWithin, scratchBytes, type Mount } from './mounts.js';
import type { ContainerRuntime } from './runtime.js';
import { SUPERVISOR } from './supervisor.js';

/** The ids of a user. */
export interface UserIds {
  readonly uid: number;
  readonly gid: number;
}

/** A process to start in a container. */
interface ContainerProcess {
  readonly runtime: ContainerRuntime;
  /** The id of the image. */
  readonly image: string;
  /** The name of the container. */
  readonly name: string;
  readonly labels: readonly string[];
  readonly user: UserIds;
  readonly mounts: readonly Mount[];
  readonly policy: SandboxPolicy;
  /** The most memory of all its processes. */
  readonly memory: number;
  readonly inner: Inner;
  /** Variables that the runtime passes on from its own environment: their values are not on a command line. */
  readonly passed: readonly string[];
  /** Variables that only the container has. */
  readonly own: Readonly<Record<string, string>>;
  /** The file of its input, and the file for the name of an exceeded limit. */
  readonly files: { readonly input: string; readonly limit: string };
}

/** The command line after the runtime's path. */
export function containerArgs(process: ContainerProcess): readonly string[] {
  const { runtime, image, name, labels, mounts, policy, inner, passed, own, files } = process;
  return [
    ...['run', '--rm', '--interactive', '--pull', 'never', '--log-driver', 'none'],
    ...['--name', name, ...labels.flatMap((label) => ['--label', label]), '--workdir', inner.cwd],
    ...['--network', 'none', '--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    // SELinux would refuse the files of the user, or relabel them.
    ...['--security-opt', 'label=disable'],
    ...userArgs(process),
    ...(runtime.name === 'podman' ? ['--read-only-tmpfs=false'] : []),
    ...limitArgs(process),
    ...effectiveMounts(mounts).flatMap((mount) => mountArgs(mount, policy)),
    ...passed.flatMap((one) => ['--env', one]),
    ...Object.entries(own).flatMap(([key, value]) => ['--env', `${key}=${value}`]),
    ...['--entrypoint', 'sh', image, '-c', SUPERVISOR, 'sh', files.input, files.limit, String(policy.cpu ?? 0)],
    inner.command,
    ...inner.args,
  ];
}

/** Files that the turn writes belong to the user outside. */
function userArgs({ runtime, user: { uid, gid } }: ContainerProcess): readonly string[] {
  if (!runtime.rootless || uid === 0) return ['--user', `${uid}:${gid}`];
  // The root of a rootless Docker is the user; Podman can keep the ids.
  return runtime.name === 'docker' ? ['--user', '0:0'] : ['--userns', 'keep-id', '--user', `${uid}:${gid}`];
}

/** The supervisor's own processes. */
const SUPERVISING = 6;

function limitArgs({ memory, policy: { processes, cpu, files } }: ContainerProcess): readonly string[] {
  return [
    ...['--memory', String(memory), '--memory-swap', String(memory)],
    ...(processes === undefined ? [] : ['--pids-limit', String(processes + SUPERVISING)]),
    ...(cpu === undefined ? [] : ['--ulimit', `cpu=${cpu}:${cpu}`]),
    ...(files === undefined ? [] : ['--ulimit', `fsize=${files}:${files}`]),
  ];
}

/** A folder that hides another one has a page for the folders of mounts in it. */
const HIDING_BYTES = 64 * 1024;

function mountArgs({ path, access, isFile, source = path }: Mount, policy: SandboxPolicy): readonly string[] {
  switch (access) {
    case 'read':
      return bind(source, path, ['readonly']);
    case 'write':
      return bind(source, path);
    case 'scratch':
      return ['--tmpfs', `${path}:rw,exec,nosuid,nodev,mode=1777,size=${scratchBytes(policy)}`];
    case 'hide':
      return isFile === true
        ? bind('/dev/null', path, ['readonly'])
        : ['--tmpfs', `${path}:rw,noexec,nosuid,nodev,mode=555,size=${HIDING_BYTES}`];
    default:
      return access satisfies never;
  }
}

function bind(source: string, path: string, more: readonly string[] = []): readonly string[] {
  return ['--mount', ['type=bind', `source=${source}`, `target=${path}`, ...more].map(quoted).join(',')];
}

/** A field of a line of comma-separated values. */
function quoted(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** What a container has of its own: the files of the host would take its place. */
const IMAGE_FOLDERS = ['/bin', '/dev', '/etc', '/lib', '/lib64', '/proc', '/sbin', '/sys', '/usr/bin', '/usr/lib'];
const KERNEL_FOLDERS = ['/dev', '/proc', '/sys'];

/** Why a container cannot be given a path; undefined when it can. */
export function whyUnmountable({ path, access }: Mount): string | undefined {
  if (access === 'hide' || access === 'scratch') return path.includes(':') ? `the path ${path} has a colon` : undefined;
  const isOwn =
    IMAGE_FOLDERS.some((folder) => isWithin(folder, path)) || KERNEL_FOLDERS.some((folder) => isWithin(path, folder));
  if (isAbsolute(path) && !isOwn) return undefined;
  return `the container has a folder ${path} of its own; put the package, or what it works on, into another folder`;
}
