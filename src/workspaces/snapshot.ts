// Snapshots: all files of a workspace that git does not ignore as one commit, made without touching the index and
// branches there, and stored as a pack of what is new. A chain lists the packs that restore a snapshot on a host which
// has only the repository.
import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeFileAtomic } from '../host/files.js';
import type { Snapshot } from '../protocol/machine/agent.js';
import type { ArtifactStore } from '../store/store.js';
import { flushFileSystem, git, gitBytes, GitError, hasObject, type GitOptions } from './git.js';
import { treeOf } from './tree.js';

/** Files that are too large to store after every turn; the text says which, and what to do. */
export class SnapshotTooLarge extends Error {
  override readonly name = 'SnapshotTooLarge';
}

/** What a snapshot is restored from: packs on top of a commit of the repository, in order. */
export interface Chain {
  readonly base: string;
  readonly commit: string;
  /** The agent's own last commit, and its branch. */
  readonly head: string;
  readonly branch?: string;
  /** Artifacts. */
  readonly packs: readonly string[];
}

const chainSchema = z.object({
  base: z.string(),
  commit: z.string(),
  head: z.string(),
  branch: z.string().optional(),
  packs: z.array(z.string()).readonly(),
});

/** The input of a snapshot. */
interface SnapshotOptions {
  /** The workspace. */
  readonly path: string;
  readonly env: GitOptions['env'];
  readonly store: ArtifactStore;
  /** The first commit of the workspace, in the repository. */
  readonly base: string;
  /** The workspace's generation; absent = it is the directory of a run's start. */
  readonly generation?: number;
  /** The previous one of this workspace; absent = none. */
  readonly previous?: Snapshot;
  /** The size limit of new and changed files since then. */
  readonly limitBytes: number;
  readonly signal?: AbortSignal;
}

/** After this many packs one replaces them all. */
const PACKS = 20;

/**
 * Takes a snapshot; the previous one when nothing has changed. When it resolves, a workspace's files are on disk: the
 * next turn here finds them also after a power cut. Throws `SnapshotTooLarge`, `GitError`, and the store's errors.
 */
export async function takeSnapshot(options: SnapshotOptions): Promise<Snapshot> {
  const snapshot = await snapshotOf(options);
  if (options.generation !== undefined) await flushFileSystem(options.path);
  return snapshot;
}

async function snapshotOf(options: SnapshotOptions): Promise<Snapshot> {
  const inside = {
    cwd: options.path,
    env: options.env,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
  // Before the files are read: a snapshot with a greater number includes everything from turns before one with a
  // smaller number.
  const order = await orderOf(options, inside);
  const tree = await treeOf(inside, (indexed) => requireSmall(indexed, options.limitBytes));
  const head = await git(['rev-parse', '--verify', '--quiet', 'HEAD'], inside);
  const branch = await branchOf(inside);
  const before = await chainBefore(options, inside);
  if (before !== undefined && (await isSame(before, { tree, head, branch, inside })))
    return { ...(options.previous as Snapshot), ...order };
  const parents = before === undefined || before.packs.length >= PACKS ? [] : [before.commit];
  const commit = await commitOf(tree, { parents: [head, ...parents], inside });
  const known = parents.length === 0 ? options.base : before?.commit;
  const pack = await gitBytes(['pack-objects', '--revs', '--thin', '--stdout', '-q'], {
    ...inside,
    input: `${commit}\n^${known ?? options.base}\n`,
  });
  const { sha256 } = await options.store.put(pack);
  const packs = [...(parents.length === 0 ? [] : (before?.packs ?? [])), sha256];
  const chain: Chain = { base: options.base, commit, head, ...(branch === undefined ? {} : { branch }), packs };
  return { commit, chain: (await options.store.put(Buffer.from(JSON.stringify(chain)))).sha256, ...order };
}

async function orderOf({ generation }: SnapshotOptions, inside: GitOptions): Promise<Pick<Snapshot, 'order'>> {
  if (generation === undefined) return {};
  const counter = join(await git(['rev-parse', '--absolute-git-dir'], inside), 'raymond-snapshots');
  const before = counting.get(counter) ?? Promise.resolve(0);
  const counted = before.catch(() => 0).then(() => countedUp(counter));
  counting.set(counter, counted);
  try {
    return { order: { generation, number: await counted } };
  } finally {
    if (counting.get(counter) === counted) counting.delete(counter);
  }
}

/** One at a time for each workspace. */
const counting = new Map<string, Promise<number>>();

async function countedUp(counter: string): Promise<number> {
  const number = Number(await readFile(counter, 'utf8').catch(() => '0')) + 1; // The first one.
  await writeFileAtomic(counter, String(number));
  return number;
}

/**
 * The commit of the previous snapshot, if this workspace has it. A shared workspace may have moved with a later one of
 * another agent.
 */
async function chainBefore({ previous, store }: SnapshotOptions, inside: GitOptions): Promise<Chain | undefined> {
  if (previous === undefined || !(await hasObject(previous.commit, inside))) return undefined;
  return await readChain(store, previous);
}

/** What a snapshot is restored from. */
export async function readChain(store: ArtifactStore, { chain }: Snapshot): Promise<Chain> {
  const { branch, ...rest } = chainSchema.parse(JSON.parse(await store.text({ sha256: chain, bytes: 0 })));
  return { ...rest, ...(branch === undefined ? {} : { branch }) };
}

async function branchOf(inside: GitOptions): Promise<string | undefined> {
  try {
    return await git(['symbolic-ref', '--quiet', '--short', 'HEAD'], inside);
  } catch (error) {
    if (error instanceof GitError) return undefined; // No branch is checked out.
    throw error;
  }
}

async function commitOf(
  tree: string,
  { parents, inside }: { readonly parents: readonly string[]; readonly inside: GitOptions },
): Promise<string> {
  const given = [...new Set(parents)].flatMap((parent) => ['-p', parent]);
  return await git(['commit-tree', tree, ...given, '-m', 'Files after a turn'], inside);
}

async function isSame(
  before: Chain,
  now: {
    readonly tree: string;
    readonly head: string;
    readonly branch: string | undefined;
    readonly inside: GitOptions;
  },
): Promise<boolean> {
  if (before.head !== now.head || before.branch !== now.branch) return false;
  return (await git(['rev-parse', '--verify', '--quiet', `${before.commit}^{tree}`], now.inside)) === now.tree;
}

/** Checked before anything is read: git would first write a copy of every large file. */
async function requireSmall(inside: GitOptions, limitBytes: number): Promise<void> {
  const listed = await git(['ls-files', '--modified', '--others', '--exclude-standard', '-z'], inside);
  const names = [...new Set(listed.split('\0').filter((name) => name !== ''))];
  const sizes = await Promise.all(names.map(async (name) => ({ name, bytes: await sizeOf(join(inside.cwd, name)) })));
  const bytes = sizes.reduce((sum, file) => sum + file.bytes, 0);
  if (bytes <= limitBytes) return;
  const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one));
  throw new SnapshotTooLarge(
    `${inside.cwd} has ${mebibytes(bytes)} MiB of new and changed files, more than the ${mebibytes(limitBytes)} MiB limit of a snapshot; the largest is ${largest.name} (${mebibytes(largest.bytes)} MiB): add files that need no snapshot to .gitignore, or raise workspace_limit, then resume`,
  );
}

async function sizeOf(path: string): Promise<number> {
  const found = await lstat(path).catch(() => undefined); // It was removed.
  return found?.isFile() === true ? found.size : 0;
}

function mebibytes(bytes: number): number {
  return Math.ceil(bytes / 2 ** 20);
}
