// Docker or Podman of this host: whether one answers, what it knows of an image, and the removal of containers. Looked
// at once per process: a turn asks only for its image.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { ask } from '../host/ask.js';
import { findOnPath } from '../host/files.js';
import { identifySelf, identityOf, identityText, isAlive } from '../host/process.js';
import { sha256Of } from '../host/sha256.js';
import { defined, jsonOf } from '../protocol/text.js';

/** Why a host cannot keep a turn in such a sandbox, and how to change that. */
export interface Missing {
  readonly what: string;
  readonly todo: string;
}

/** The variables of a worker. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A program that runs containers here. */
export interface ContainerRuntime {
  readonly name: 'docker' | 'podman';
  readonly path: string;
  readonly version: string;
  /** Its root is this user. */
  readonly rootless: boolean;
}

/** An image on this host. */
export interface ContainerImage {
  /** The SHA-256 of its configuration: what is started, whatever its name leads to by then. */
  readonly id: string;
  /** That of its registry; that of its configuration for an image that was built here. */
  readonly digest: string;
}

type Answer<T> =
  { readonly kind: 'found'; readonly found: T } | { readonly kind: 'missing'; readonly missing: Missing };

/** What the program needs from the environment of the worker, and a turn inside does not get. */
const OWN = /^(?:PATH|HOME|DOCKER_\w+|CONTAINER_\w+|CONTAINERS_\w+|XDG_\w+|DBUS_SESSION_BUS_ADDRESS)$/;

/** These variables. */
export function environmentOfRuntime(environment: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && OWN.test(entry[0]),
    ),
  );
}

const known = new Map<string, Promise<Answer<ContainerRuntime>>>();

/** The runtime of this host: docker, else podman. */
export async function containerRuntime(environment: Environment): Promise<Answer<ContainerRuntime>> {
  const env = environmentOfRuntime(environment);
  const key = JSON.stringify(env);
  const looking = known.get(key) ?? look(env);
  known.set(key, looking);
  const answer = await looking;
  // What was missing may be started while a worker runs.
  if (answer.kind === 'missing') known.delete(key);
  return answer;
}

const INSTALL = 'install one: "sudo apt-get install podman" (Fedora: dnf, Arch: pacman, macOS: brew), or Docker';

async function look(env: Environment): Promise<Answer<ContainerRuntime>> {
  const why: string[] = [];
  for (const name of ['docker', 'podman'] as const) {
    const path = findOnPath(name, defined({ path: env['PATH'] }));
    if (path === undefined) continue;
    const answer = await askRuntime(path, ['info', '--format', FORMATS[name]], env);
    const [, version, rest = ''] = /^(\S+) (.*)$/s.exec(answer.stdout) ?? [];
    const remote = name === 'docker' ? await remoteHost(path, env) : undefined;
    if (answer.failed !== undefined || version === undefined)
      why.push(`${name} does not answer: ${answer.failed ?? ''}`);
    else if (remote !== undefined) why.push(`docker works at ${remote}, which has not the files of this host`);
    else return { kind: 'found', found: { name, path, version, rootless: /rootless|^true/.test(rest) } };
  }
  if (why.length > 0) return missing(why.join('; '), 'start it, for example by "sudo systemctl start docker"');
  return missing('neither docker nor podman is on PATH', INSTALL);
}

const FORMATS = {
  docker: '{{.ServerVersion}} {{json .SecurityOptions}}',
  podman: '{{.Version.Version}} {{.Host.Security.Rootless}}',
} as const;

/** Where the daemon is, if not on this host. */
async function remoteHost(path: string, env: Environment): Promise<string | undefined> {
  const { stdout } = await askRuntime(path, ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], env);
  return /^(?:unix|npipe):/.test(stdout) || stdout === '' ? undefined : stdout;
}

function missing(what: string, todo: string): { readonly kind: 'missing'; readonly missing: Missing } {
  return { kind: 'missing', missing: { what, todo } };
}

/** An image as this host has it. */
export async function imageOf(
  { path, name }: ContainerRuntime,
  { image, environment }: { readonly image: string; readonly environment: Environment },
): Promise<Answer<ContainerImage>> {
  // A word that begins with a hyphen is an option.
  if (image.startsWith('-')) return missing(`"${image}" is no name of an image`, 'correct "image" of the sandbox');
  const env = environmentOfRuntime(environment);
  const format = '{{.Id}} {{json .RepoDigests}}';
  const { failed, stdout } = await askRuntime(path, ['image', 'inspect', '--format', format, image], env);
  const [, id = '', digests = ''] = /^(\S+) (.*)$/s.exec(stdout) ?? [];
  if (failed !== undefined || id === '')
    return missing(`the image ${image} is not on this host`, `get it: ${name} pull ${image}`);
  return { kind: 'found', found: { id, digest: digestIn(digests) ?? `sha256:${id.replace(/^sha256:/, '')}` } };
}

function digestIn(digests: string): string | undefined {
  const all = jsonOf(digests);
  const [first] = Array.isArray(all) ? (all as readonly unknown[]) : [];
  return typeof first === 'string' ? first.split('@')[1] : undefined;
}

/** The file in the folder of an attempt that names its container. */
export const CONTAINER_FILE = 'container.json';

/** A container that may be left, as that file says it. */
export type LeftContainer = Readonly<z.infer<typeof leftContainer>>;

const leftContainer = z.object({ runtime: z.string(), name: z.string() });

/** Removes the container that an attempt has left, if its folder names one. */
export async function removeLeft(folder: string, environment: Environment): Promise<void> {
  const left = jsonOf(await readFile(join(folder, CONTAINER_FILE), 'utf8').catch(() => ''));
  const { success, data } = leftContainer.safeParse(left);
  if (success) await removeContainer(data, environment);
}

/** Ends a container and removes it; one that is gone is no error. */
export async function removeContainer({ runtime, name }: LeftContainer, environment: Environment): Promise<void> {
  await askRuntime(runtime, ['rm', '--force', '--volumes', name], environmentOfRuntime(environment));
}

/** The labels of the containers of a project's worker: by them a later worker finds what a killed one has left. */
export function workerLabels(raymondDir: string): readonly string[] {
  return ['raymond=turn', projectLabel(raymondDir), `${WORKER}=${identityText(identifySelf())}`];
}

const WORKER = 'raymond.worker';

function projectLabel(raymondDir: string): string {
  return `raymond.project=${sha256Of(raymondDir).slice(0, 12)}`;
}

const swept = new Map<string, Promise<void>>();

/** Removes the containers of this project whose workers have died on this host; once per process. */
export async function sweepContainers(runtime: string, { raymondDir, environment }: Sweep): Promise<void> {
  const key = `${runtime} ${raymondDir}`;
  const sweeping = swept.get(key) ?? sweep(runtime, { raymondDir, environment });
  swept.set(key, sweeping);
  await sweeping;
}

interface Sweep {
  readonly raymondDir: string;
  readonly environment: Environment;
}

async function sweep(runtime: string, { raymondDir, environment }: Sweep): Promise<void> {
  const list = ['ps', '--all', '--filter', `label=${projectLabel(raymondDir)}`, '--format', '{{.Names}} {{.Labels}}'];
  const { stdout } = await askRuntime(runtime, list, environmentOfRuntime(environment));
  // Docker writes labels as a=b,c=d, Podman as map[a:b c:d].
  for (const line of stdout.split('\n')) {
    const [, name, text = ''] = /^(\S+) .*\braymond\.worker[=:]([^,\]]*)/.exec(line) ?? [];
    const worker = identityOf(text);
    if (name === undefined || worker === undefined || isAlive(worker)) continue;
    await removeContainer({ runtime, name }, environment);
  }
}

/** The first process of a container, as this host counts processes. */
export async function firstProcessOf(
  { runtime, name }: LeftContainer,
  environment: Environment,
): Promise<number | undefined> {
  const { stdout } = await askRuntime(
    runtime,
    ['inspect', '--format', '{{.State.Pid}}', name],
    environmentOfRuntime(environment),
  );
  return Number(stdout) > 0 ? Number(stdout) : undefined;
}

const ANSWER_MS = 30_000;

interface Asked {
  readonly stdout: string;
  /** Why it failed. */
  readonly failed?: string;
}

async function askRuntime(command: string, args: readonly string[], env: Environment): Promise<Asked> {
  const { error, stdout, stderr } = await ask(command, args, { timeoutMs: ANSWER_MS, env });
  const failed = error === undefined ? undefined : stderr.trim().split('\n').at(-1) || error.message;
  return { stdout: stdout.trim(), ...defined({ failed }) };
}
