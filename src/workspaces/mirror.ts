// The mirrors of a host: one bare repository for each address, which every workspace of that address borrows its objects from. Nothing
// is ever removed from a mirror, so what a workspace has borrowed stays.
import { createHash } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { isDirectory } from '../host/files.js';
import { git, GitError, hasObject, type GitOptions } from './git.js';

/** A repository that cannot be cloned or fetched, or lacks what is asked of it; the text says which, and what to do. */
export class RepositoryError extends Error {
  override readonly name = 'RepositoryError';
}

/** Where mirrors are kept, and what git gets. */
export interface MirrorOptions {
  /** The folder of all workspaces of this host. */
  readonly root: string;
  readonly env: GitOptions['env'];
  readonly signal?: AbortSignal;
}

/** What a workspace is made of: an address, and a commit that it has. */
export interface Origin {
  readonly repo: string;
  readonly commit: string;
  /** What the commit was called when the run was started, for people. */
  readonly ref?: string;
}

/** Not the name of any run. */
const MIRRORS = '.mirrors';

/** One at a time for each mirror: two fetches into one repository disturb each other. */
const busy = new Map<string, Promise<unknown>>();

/** The mirror of `repo` on this host, with the commit in it. Throws `RepositoryError`. */
export async function mirrorWith(origin: Origin, options: MirrorOptions): Promise<string> {
  const path = join(
    options.root,
    MIRRORS,
    `${createHash('sha256').update(origin.repo).digest('hex').slice(0, 24)}.git`,
  );
  const before = busy.get(path) ?? Promise.resolve();
  const done = before.catch(() => undefined).then(() => prepared(path, { origin, options }));
  busy.set(path, done);
  await done;
  return path;
}

async function prepared(
  path: string,
  { origin, options }: { readonly origin: Origin; readonly options: MirrorOptions },
): Promise<void> {
  const { repo, commit } = origin;
  const inside = { ...options, cwd: path };
  try {
    if (!(await isDirectory(path))) await cloned(path, { repo, options });
    if (await hasObject(commit, inside)) return;
    await fetchAll(inside);
    if (await hasObject(commit, inside)) return;
    // Some servers give also what no branch leads to any more.
    await git(['fetch', '--quiet', 'origin', commit], inside).catch(ignoreGit);
  } catch (error) {
    if (!(error instanceof GitError)) throw error;
    throw new RepositoryError(`the repository ${repo} cannot be cloned: ${error.stderr}`, { cause: error });
  }
  if (await hasObject(commit, inside)) return;
  const name = origin.ref === undefined ? commit : `${origin.ref} (${commit})`;
  throw new RepositoryError(`the repository ${repo} has no commit ${name} any more; start the run with another --ref`);
}

async function cloned(
  path: string,
  { repo, options }: { readonly repo: string; readonly options: MirrorOptions },
): Promise<void> {
  const parent = join(options.root, MIRRORS);
  await mkdir(parent, { recursive: true, mode: 0o700 });
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
  await git(
    ['fetch', '--quiet', '--prune', 'origin', '+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'],
    inside,
  );
}

function ignoreGit(error: unknown): void {
  if (!(error instanceof GitError)) throw error; // a server that refuses: the commit is not there
}
