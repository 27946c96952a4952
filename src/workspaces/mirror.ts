// The mirrors of a host: one bare repository for each address, which its workspaces borrow objects from. Nothing is
// ever removed from a mirror, so that borrowed objects stay.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Of } from '../host/sha256.js';
import { isDirectory } from '../host/files.js';
import { waitForLock } from '../host/lock.js';
import { git, GitError, gitRemote, hasObject, type GitOptions } from './git.js';

/** A repository that cannot be cloned or fetched, or lacks a commit; the text says which, and what to do. */
export class RepositoryError extends Error {
  override readonly name = 'RepositoryError';
}

/** The folder of mirrors, and the environment for git. */
export interface MirrorOptions extends Pick<GitOptions, 'env' | 'signal' | 'idleMs'> {
  /** The folder of all workspaces of this host. */
  readonly root: string;
}

/** The source of a workspace: an address, and a commit in it. */
export interface Origin {
  readonly repo: string;
  readonly commit: string;
  /** The user's name for the commit when the run was started. */
  readonly ref?: string;
}

/** Cannot be the name of a run. */
const MIRRORS = '.mirrors';

/** The mirror of `repo` on this host, with the commit in it. Throws `RepositoryError`. */
export async function mirrorWith(origin: Origin, options: MirrorOptions): Promise<string> {
  const path = mirrorPath(options.root, origin.repo);
  const wanted = { path, origin, options };
  if (await isThere(wanted)) return path;
  const key = `${path} ${origin.commit}`;
  const fetching = underWay.get(key) ?? new Shared((signal) => fetched({ ...wanted, options: { ...options, signal } }));
  underWay.set(key, fetching);
  await fetching.wait(options.signal, () => underWay.delete(key));
  return path;
}

/** The path of the mirror of `repo`. */
export function mirrorPath(root: string, repo: string): string {
  return join(root, MIRRORS, `${sha256Of(repo).slice(0, 24)}.git`);
}

/** Callers that want the same commit at the same time share one fetch, and its failure. */
const underWay = new Map<string, Shared>();

/** Work that several callers wait for. It is cancelled when the last one has left. */
class Shared {
  private readonly cancel = new AbortController();
  private readonly done: Promise<void>;
  private waiting = 0;

  constructor(work: (signal: AbortSignal) => Promise<void>) {
    this.done = work(this.cancel.signal);
  }

  async wait(signal: AbortSignal | undefined, onLast: () => void): Promise<void> {
    this.waiting += 1;
    const finished = new AbortController();
    const aborted = signal === undefined ? [] : [once(signal, 'abort', { signal: finished.signal })];
    try {
      signal?.throwIfAborted();
      await Promise.race([this.done, ...aborted]);
      signal?.throwIfAborted();
    } finally {
      finished.abort();
      this.waiting -= 1;
      if (this.waiting === 0) onLast();
      if (this.waiting === 0) this.cancel.abort();
    }
  }
}

/** A commit that a mirror should have. */
interface MirrorRequest {
  readonly path: string;
  readonly origin: Origin;
  readonly options: MirrorOptions;
}

async function isThere({ path, origin, options }: MirrorRequest): Promise<boolean> {
  return (await isDirectory(path)) && (await hasObject(origin.commit, { ...options, cwd: path }));
}

/** One at a time for each mirror, across all processes of the host: two fetches into one repository conflict. */
async function fetched(wanted: MirrorRequest): Promise<void> {
  const { path, options } = wanted;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  for (;;) {
    const lock = await waitForLock(`${path}.lock`, { timeoutMs: LOCK_LOOK_MS });
    if (lock.kind === 'acquired') return await prepared(wanted).finally(() => lock.release());
    options.signal?.throwIfAborted();
  }
}

/** How soon a cancelled caller stops waiting for the lock. */
const LOCK_LOOK_MS = 1000;

async function prepared(wanted: MirrorRequest): Promise<void> {
  const { path, origin, options } = wanted;
  const { repo, commit } = origin;
  const inside = { ...options, cwd: path };
  try {
    if (!(await isDirectory(path))) await cloned(path, { repo, options });
    if (await hasObject(commit, inside)) return;
    await fetchAll(inside);
    if (await hasObject(commit, inside)) return;
    // Some servers also return commits that no branch contains any more.
    await gitRemote(['fetch', '--progress', 'origin', commit], inside).catch(ignoreGit);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new RepositoryError(`the repository ${repo} cannot be cloned: ${error.stderr}`, { cause: error });
  }
  if (await hasObject(commit, inside)) return;
  const name = origin.ref === undefined ? commit : `${origin.ref} (${commit})`;
  throw new RepositoryError(
    `the repository ${repo} no longer has the commit ${name}; start the run with another --ref`,
  );
}

async function cloned(
  path: string,
  { repo, options }: { readonly repo: string; readonly options: MirrorOptions },
): Promise<void> {
  const parent = dirname(path);
  const fresh = join(parent, `new-${randomUUID()}`);
  try {
    await git(['init', '--quiet', '--bare', fresh], { ...options, cwd: parent });
    const inside = { ...options, cwd: fresh };
    await git(['remote', 'add', 'origin', repo], inside);
    await fetchAll(inside);
    await rename(fresh, path).catch(async (error: unknown) => {
      // Another worker of this host was faster.
      if (!(await isDirectory(path))) throw error;
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function fetchAll(inside: GitOptions): Promise<void> {
  await gitRemote(
    ['fetch', '--progress', '--prune', 'origin', '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'],
    inside,
  );
}

function ignoreGit(error: unknown): void {
  if (!(error instanceof GitError)) throw error; // The server refuses: the commit does not exist.
}
