// The files of a workspace as a git tree, whatever is staged there. Agents that share a workspace may take snapshots at
// the same time, while files change: each uses its own index, and retries when a file has changed meanwhile.
import { randomUUID } from 'node:crypto';
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { exists } from '../host/files.js';
import { git, GitError, type GitOptions } from './git.js';

const TRIES = 5;
const PAUSE_MS = 200;

/**
 * The tree of all files that git does not ignore; `look` sees the index before anything is added to it. Throws
 * `GitError`.
 */
export async function treeOf(inside: GitOptions, look?: (indexed: GitOptions) => Promise<void>): Promise<string> {
  const folder = await git(['rev-parse', '--absolute-git-dir'], inside);
  const [ours, theirs] = [join(folder, 'raymond-index'), join(folder, 'index')];
  const index = `${ours}.${randomUUID()}`;
  try {
    // The cached data of an index saves reading the files.
    for (const known of [ours, theirs]) if (!(await exists(index))) await copyFile(known, index).catch(() => undefined); // There is none yet.
    const indexed = { ...inside, index };
    await look?.(indexed);
    await add(indexed);
    const tree = await git(['write-tree'], indexed);
    await rename(index, ours);
    return tree;
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function add(indexed: GitOptions): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return void (await git(['add', '--all', '.'], indexed));
    } catch (error) {
      // Another process wrote or removed a file while it was read.
      if (!(error instanceof GitError) || tries === TRIES || indexed.signal?.aborted === true) throw error;
      await delay(PAUSE_MS);
    }
  }
}
