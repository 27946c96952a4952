// Git as workspaces use it: one command at a time, in a folder, without questions to a person, hooks, or whatever of git's own variables
// somebody has set. What a command says when it fails is the error's text.
import { execa } from 'execa';

/** A git command that failed; `stderr` is what it said. */
export class GitError extends Error {
  override readonly name = 'GitError';
  constructor(
    readonly command: string,
    readonly stderr: string,
    options?: ErrorOptions,
  ) {
    super(`git ${command}: ${stderr === '' ? 'failed without a word' : stderr}`, options);
  }
}

/** Where a command runs and what it gets. */
export interface GitOptions {
  readonly cwd: string;
  /** The environment of the worker, from which credentials and proxies are taken. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input?: string | Uint8Array;
  /** Another index than the folder's own. */
  readonly index?: string;
  readonly signal?: AbortSignal;
}

/** What is ours for every command: nobody is asked, nothing of the caller's own repository leaks in, and every commit has an author. */
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

/** Runs git; gives what it printed, without the last newline. Throws `GitError`. */
export async function git(args: readonly string[], options: GitOptions): Promise<string> {
  return Buffer.from(await gitBytes(args, options))
    .toString('utf8')
    .replace(/\n$/, '');
}

/** Runs git; gives the bytes that it printed. Throws `GitError`. */
export async function gitBytes(
  args: readonly string[],
  { cwd, env, input, index, signal }: GitOptions,
): Promise<Uint8Array> {
  const kept = Object.entries(env).filter(([name]) => !DROPPED.includes(name));
  const result = await execa('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0', ...args], {
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
  if (result.failed) throw new GitError(args.join(' ').slice(0, 200), whatFailed(result), { cause: result.cause });
  return result.stdout;
}

/** A pack above this is no snapshot of anybody's work. */
const MAX_BYTES = 1 << 30;

function whatFailed({
  stderr,
  shortMessage = 'it cannot be run',
}: {
  readonly stderr?: Uint8Array | undefined;
  readonly shortMessage?: string | undefined;
}): string {
  const said = Buffer.from(stderr ?? [])
    .toString('utf8')
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
