// The workspaces of a host: folders at the same path on every host, each a repository that borrows its objects from the
// host's mirror. A workspace is created under a temporary name and renamed; a file in it records its owner and
// generation.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { errorCode, exists } from '../host/files.js';
import type { Snapshot } from '../protocol/machine/agent.js';
import { defined, jsonOf } from '../protocol/text.js';
import type { ArtifactStore } from '../store/store.js';
import { DURABLE, flushFileSystem, git, type GitOptions } from './git.js';
import { mirrorWith, type MirrorOptions, type Origin } from './mirror.js';
import { readChain, type Chain } from './snapshot.js';

/** A workspace to create. */
interface CheckoutRequest {
  readonly path: string;
  readonly origin: Origin;
  /** What to restore; absent = the commit alone. */
  readonly snapshot?: Snapshot;
  /** The branch to check out, unless the snapshot is of this workspace, whose agent may have chosen another one. */
  readonly branch: string;
  readonly isOwn: boolean;
  readonly generation: number;
}

/** What creating them needs. */
interface CheckoutOptions extends MirrorOptions {
  readonly store: ArtifactStore;
}

const MARK = join('.git', 'raymond.json');
const markSchema = z.object({ generation: z.number(), base: z.string().optional(), chain: z.string().optional() });

/** The record in a workspace: its generation, its first commit, and the snapshot that it was created from. */
type Mark = z.infer<typeof markSchema>;

/**
 * Creates the workspace unless it already exists with this snapshot. Throws `RepositoryError`, `GitError`, and the
 * store's errors.
 */
export async function checkOut(request: CheckoutRequest, options: CheckoutOptions): Promise<void> {
  const { path, generation, snapshot } = request;
  const made = await markOf(path);
  // An unused one may be there: the agent has worked on another host since, and the generation is the same.
  if (made?.generation === generation && made.chain === snapshot?.chain) return;
  const mirror = await mirrorWith(request.origin, options);
  const fresh = join(options.root, `new-${randomUUID()}`);
  try {
    await mkdir(fresh, { recursive: true, mode: 0o700 });
    const inside = { ...options, cwd: fresh };
    await borrow(mirror, { repo: request.origin.repo, inside });
    await restore(request, { options, inside });
    const mark = { generation, base: request.origin.commit, ...defined({ chain: snapshot?.chain }) } satisfies Mark;
    await writeFile(join(fresh, MARK), JSON.stringify(mark));
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    // Before it has its name: after a power cut it is whole, or not there.
    await flushFileSystem(fresh);
    if (await exists(path)) await setAside(path);
    await rename(fresh, path);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

/** The generation of the existing workspace; undefined when there is none. */
export async function generationOf(path: string): Promise<number | undefined> {
  return (await markOf(path))?.generation;
}

/** The record of the existing workspace; undefined when there is none, or a power cut has damaged it. */
export async function markOf(path: string): Promise<Mark | undefined> {
  const text = await readFile(join(path, MARK), 'utf8').catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  });
  return text === undefined ? undefined : markSchema.safeParse(jsonOf(text)).data;
}

/** Runs something once for each generation of a workspace; unfinished work is repeated. */
export async function once(path: string, generation: number, work: () => Promise<void>): Promise<void> {
  const mark = join(path, '.git', 'raymond-prepared');
  const done = await readFile(mark, 'utf8').catch(() => ''); // Not done yet.
  if (done === String(generation)) return;
  await work();
  await flushFileSystem(path);
  await writeFile(mark, String(generation));
}

/** An earlier generation's files are kept: they may contain work that no snapshot has. */
async function setAside(path: string): Promise<void> {
  await rename(path, `${path}.left-${Date.now().toString(36)}`);
}

/** A repository with the mirror's objects, and the real remote. */
async function borrow(
  mirror: string,
  { repo, inside }: { readonly repo: string; readonly inside: GitOptions },
): Promise<void> {
  await git(['init', '--quiet'], inside);
  // Also for the agent's own commits.
  for (const [name, value] of Object.entries(DURABLE)) await git(['config', name, value], inside);
  await writeFile(join(inside.cwd, '.git', 'objects', 'info', 'alternates'), `${join(mirror, 'objects')}\n`);
  await git(['remote', 'add', 'origin', repo], inside);
  await git(
    ['fetch', '--quiet', mirror, '+refs/remotes/origin/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'],
    inside,
  );
}

async function restore(
  { origin, snapshot, branch, isOwn }: CheckoutRequest,
  { options: { store }, inside }: { readonly options: CheckoutOptions; readonly inside: GitOptions },
): Promise<void> {
  if (snapshot === undefined) return void (await git(['checkout', '--quiet', '-b', branch, origin.commit], inside));
  const chain = await readChain(store, snapshot);
  for (const pack of chain.packs)
    await git(['index-pack', '--fix-thin', '--stdin'], { ...inside, input: await readFile(await store.locate(pack)) });
  const { branch: _theirs, ...others } = chain;
  await checkOutHead(isOwn ? chain : { ...others, branch }, inside);
  // The files of the snapshot, with nothing staged: a snapshot does not record the index.
  await git(['read-tree', '-u', '--reset', chain.commit], inside);
  await git(['reset', '--quiet', '--mixed', chain.head], inside);
}

async function checkOutHead({ head, branch }: Chain, inside: GitOptions): Promise<void> {
  const where = branch === undefined ? ['--detach', head] : ['-B', branch, head];
  await git(['checkout', '--quiet', ...where], inside);
}
