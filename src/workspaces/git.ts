// Runs git for workspaces: one command at a time, in a folder, without questions to a person, hooks, or the user's git
// variables. The error of a failed command is its stderr. A command that talks to another host is stopped when it makes
// no progress.
import type { Readable } from 'node:stream';
import { execa } from 'execa';

/** A failed git command; `stderr` is its output. */
export class GitError extends Error {
  override readonly name = 'GitError';
  constructor(
    readonly command: string,
    readonly stderr: string,
    options?: ErrorOptions,
  ) {
    super(`git ${command}: ${stderr === '' ? 'failed without a message' : stderr}`, options);
  }
}

/** The folder and environment of a command. */
export interface GitOptions {
  readonly cwd: string;
  /** The environment of the worker, for credentials and proxies. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** Another index than the folder's own. */
  readonly index?: string;
  readonly signal?: AbortSignal;
  /** How long a command may take. */
  readonly limitMs?: number;
  /** How long `gitRemote` waits while git prints nothing. */
  readonly idleMs?: number;
}

/**
 * Our settings for every command: no questions, nothing from the caller's own repository, and every commit has an
 * author.
 */
const OURS = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Raymond',
  GIT_AUTHOR_EMAIL: 'raymond@localhost',
  GIT_COMMITTER_NAME: 'Raymond',
  GIT_COMMITTER_EMAIL: 'raymond@localhost',
};
const DROPPED = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
];

/** Runs git; returns its output, without the last newline. Throws `GitError`. */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  return textOf(await gitBytes(args, options));
}

/** Runs git; returns its output as bytes. Throws `GitError`. */
export async function gitBytes(args: readonly string[], options: GitOptions): Promise<Uint8Array> {
  const { limitMs = LOCAL_MS } = options;
  const why = `it did not end within ${limitMs / 1000} s`;
  return await inTime(args, { started: startGit(args, options), limitMs, why });
}

/** The longest checkout takes less; a filter of the repository, such as git-lfs, can hang. */
const LOCAL_MS = 30 * 60_000;

/** A server may take long before it answers, and git may check received data for long. */
const IDLE_MS = 300_000;

/** Runs a git command that talks to another host. Throws `GitError`, also when it makes no progress for a while. */
export async function gitRemote(args: readonly string[], options: GitOptions): Promise<string> {
  const { idleMs: limitMs = IDLE_MS } = options;
  const started = startGit([...HTTP_LIMITS, ...args], { ...options, env: await withSshLimits(options) });
  const why = `no progress for ${limitMs / 1000} s`;
  return textOf(await inTime(args, { started, limitMs, why, watched: [started.stdout, started.stderr] }));
}

/** Output on the `watched` streams starts the time again. */
async function inTime(args: readonly string[], { started, limitMs, why, watched = [] }: Limited): Promise<Uint8Array> {
  const late = new Promise<never>((_, reject) => {
    const timer = setTimeout(() => {
      // Not awaited: a child of git may keep its streams open until its own limit.
      started.kill();
      reject(new GitError(nameOf(args), why));
    }, limitMs);
    for (const stream of watched) stream.on('data', () => timer.refresh());
    void started.finally(() => clearTimeout(timer));
  });
  return await Promise.race([resultOf(args, started), late]);
}

interface Limited {
  readonly started: Started;
  readonly limitMs: number;
  readonly why: string;
  readonly watched?: readonly Readable[];
}

/** These stop the child processes of a connection. A server that processes a push may be silent for a minute. */
const HTTP_LIMITS = ['-c', 'http.lowSpeedLimit=1', '-c', 'http.lowSpeedTime=120'];
const SSH_WITH_LIMITS = 'ssh -o ServerAliveInterval=15 -o ServerAliveCountMax=4';

/** A user's own ssh command is kept. */
async function withSshLimits({ cwd, env }: GitOptions): Promise<GitOptions['env']> {
  if (env['GIT_SSH_COMMAND'] !== undefined || env['GIT_SSH'] !== undefined) return env;
  const set = await git(['config', '--get', 'core.sshCommand'], { cwd, env }).catch(() => ''); // None is set.
  return set === '' ? { ...env, GIT_SSH_COMMAND: SSH_WITH_LIMITS } : env;
}

/**
 * By default git flushes no single objects: after a power cut an object could be an empty file, which git would keep, and
 * no later snapshot would succeed.
 */
export const DURABLE = { 'core.fsync': 'all', 'core.fsyncMethod': 'batch' } as const;
const ALWAYS = { 'core.hooksPath': '/dev/null', 'gc.auto': '0', ...DURABLE };
const SETTINGS = Object.entries(ALWAYS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

function startGit(args: readonly string[], { cwd, env, input, index, signal }: GitOptions) {
  const kept = Object.entries(env).filter(([name]) => !DROPPED.includes(name));
  return execa('git', [...SETTINGS, ...args], {
    cwd,
    env: { ...Object.fromEntries(kept), ...OURS, ...(index === undefined ? {} : { GIT_INDEX_FILE: index }) },
    extendEnv: false,
    encoding: 'buffer',
    stripFinalNewline: false,
    reject: false,
    maxBuffer: MAX_BYTES,
    ...(input === undefined ? { stdin: 'ignore' } : { input }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
  });
}

type Started = ReturnType<typeof startGit>;

async function resultOf(args: readonly string[], started: Started): Promise<Uint8Array> {
  const result = await started;
  if (result.failed) throw new GitError(nameOf(args), whatFailed(result), { cause: result.cause });
  return result.stdout;
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('utf8').replace(/\n$/, '');
}

function nameOf(args: readonly string[]): string {
  return args.join(' ').slice(0, 200);
}

/** A snapshot is never larger than this. */
const MAX_BYTES = 1 << 30;

/** Progress lines that overwrite each other, reduced to the last of each kind. */
const PROGRESS = /[^\r\n]*\r|[^\r\n]*, done\.\n/g;

function whatFailed({
  stderr,
  shortMessage = 'it cannot be run',
}: {
  readonly stderr?: Uint8Array | undefined;
  readonly shortMessage?: string | undefined;
}): string {
  const said = Buffer.from(stderr ?? [])
    .toString('utf8')
    .replaceAll(PROGRESS, '')
    .trim();
  return said === '' ? shortMessage : said.slice(-2000);
}

/** True when the repository in `cwd` has the object. */
export async function hasObject(name: string, options: GitOptions): Promise<boolean> {
  return await git(['cat-file', '-e', `${name}^{commit}`], options).then(
    () => true,
    (error: unknown) => {
      if (error instanceof GitError) return false;
      throw error;
    },
  );
}

const FLUSH_MS = 10 * 60_000;

/**
 * Waits until all that was written to the file system of `path` is on disk: files of a recorded turn must survive a power
 * cut, and their programs rarely flush them. Only Linux has a command for one file system; Windows has none.
 */
export async function flushFileSystem(path: string): Promise<void> {
  const one = process.platform === 'linux' ? ['--file-system', path] : [];
  await execa('sync', one, { reject: false, stdio: 'ignore', timeout: FLUSH_MS });
}
