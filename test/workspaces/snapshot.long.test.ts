// What a workspace holds comes to another host whole: files, modes, links, the agent's own commits and its branch. Two roots stand for two hosts
// that share nothing but a repository and a store.
import { chmod, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import type { Snapshot } from '../../src/protocol/machine/agent.js';
import { FolderStore } from '../../src/store/folder.js';
import { checkOut, generationOf } from '../../src/workspaces/checkout.js';
import { git } from '../../src/workspaces/git.js';
import { RepositoryError } from '../../src/workspaces/mirror.js';
import { readChain, SnapshotTooLarge, takeSnapshot } from '../../src/workspaces/snapshot.js';
import { folder } from '../support/folder.js';

const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
let repo: string;
let commit: string;
let store: FolderStore;
const run = (cwd: string, ...args: readonly string[]): Promise<string> => git(args, { cwd, env });

beforeEach(async () => {
  repo = await folder({ 'README.md': 'hello\n', 'src/main.ts': 'main\n', '.gitignore': 'node_modules/\n' });
  await run(repo, 'init', '--quiet', '-b', 'main');
  await run(repo, 'add', '.');
  await run(repo, 'commit', '--quiet', '-m', 'first');
  commit = await run(repo, 'rev-parse', 'HEAD');
  store = new FolderStore(await folder());
});

/** A host with the workspace on it. */
async function host({
  snapshot,
  at = commit,
  generation = 1,
}: { snapshot?: Snapshot; at?: string; generation?: number } = {}): Promise<string> {
  const root = await folder();
  const path = join(root, 'run', 'main');
  await checkOut(
    {
      path,
      origin: { repo, commit: at, ref: 'main' },
      branch: 'raymond/run/main',
      isOwn: true,
      generation,
      ...(snapshot === undefined ? {} : { snapshot }),
    },
    { root, env, store },
  );
  return path;
}

const snapshotOf = (path: string, previous?: Snapshot, limitBytes = 1 << 20): Promise<Snapshot> =>
  takeSnapshot({ path, env, store, base: commit, limitBytes, ...(previous === undefined ? {} : { previous }) });

test('a workspace is at the commit, on a branch of its own, with the real repository as its origin', async () => {
  const path = await host();
  expect(await readFile(join(path, 'src', 'main.ts'), 'utf8')).toBe('main\n');
  expect(await run(path, 'branch', '--show-current')).toBe('raymond/run/main');
  expect(await run(path, 'status', '--porcelain')).toBe('');
  expect(await run(path, 'remote', 'get-url', 'origin')).toBe(repo);
  expect(await run(path, 'rev-parse', 'origin/main')).toBe(commit);
});

test('what was changed, added, removed, made executable, linked and committed is the same on another host', async () => {
  const one = await host();
  await writeFile(join(one, 'README.md'), 'changed\n');
  await run(one, 'add', '.');
  await run(one, 'commit', '--quiet', '-m', 'the agent commits');
  await rm(join(one, 'src', 'main.ts'));
  await mkdir(join(one, 'new', 'deep'), { recursive: true });
  await writeFile(join(one, 'new', 'deep', 'ünï 日本.sh'), '#!/bin/sh\n');
  await chmod(join(one, 'new', 'deep', 'ünï 日本.sh'), 0o755);
  await symlink('README.md', join(one, 'link'));
  await mkdir(join(one, 'node_modules'));
  await writeFile(join(one, 'node_modules', 'big.js'), 'ignored');
  const first = await snapshotOf(one);
  await writeFile(join(one, 'later.txt'), 'later\n');
  const second = await snapshotOf(one, first);
  const two = await host({ snapshot: second });
  expect(await run(two, 'status', '--porcelain')).toBe(await run(one, 'status', '--porcelain'));
  expect(await run(two, 'log', '--format=%H %s')).toBe(await run(one, 'log', '--format=%H %s'));
  expect(await run(two, 'branch', '--show-current')).toBe('raymond/run/main');
  // Git knows neither what is ignored nor folders that are empty.
  const kept = (await readdir(one)).filter((name) => name !== 'node_modules' && name !== 'src');
  expect((await readdir(two)).sort()).toEqual(kept.sort());
  // The same files again: git says so by the names of their trees.
  const [here, there] = [await snapshotOf(one), await snapshotOf(two)];
  expect(await run(two, 'rev-parse', `${there.commit}^{tree}`)).toBe(
    await run(one, 'rev-parse', `${here.commit}^{tree}`),
  );
});

test('the last snapshot of an agent is not on a host to which the workspace has moved with one of another agent', async () => {
  const one = await host();
  await writeFile(join(one, 'mine'), 'mine');
  const mine = await snapshotOf(one);
  await writeFile(join(one, 'theirs'), 'theirs');
  const theirs = await snapshotOf(one);
  const two = await host({ snapshot: theirs });
  await writeFile(join(two, 'later'), 'later');
  const three = await host({ snapshot: await snapshotOf(two, mine) });
  expect(await readdir(three)).toEqual(expect.arrayContaining(['mine', 'theirs', 'later', 'README.md']));
});

test('nothing has changed: the same snapshot', async () => {
  const path = await host();
  await writeFile(join(path, 'a'), 'a');
  const first = await snapshotOf(path);
  expect(await snapshotOf(path, first)).toEqual(first);
});

test('snapshots of a workspace are numbered in the order in which they were begun', async () => {
  const path = await host();
  const take = (): Promise<Snapshot> => takeSnapshot({ path, env, store, base: commit, limitBytes: 1, generation: 4 });
  const together = await Promise.all([take(), take(), take()]);
  const numbers = [...together, await take()].map(({ order }) => order);
  expect(numbers).toEqual([1, 2, 3, 4].map((number) => ({ generation: 4, number })));
  expect((await snapshotOf(path)).order).toBeUndefined();
});

test('staged changes is neither touched nor lost on the same host', async () => {
  const path = await host();
  await writeFile(join(path, 'staged'), 'x');
  await writeFile(join(path, 'not'), 'x');
  await run(path, 'add', 'staged');
  await snapshotOf(path);
  expect(await run(path, 'status', '--porcelain')).toBe('A  staged\n?? not');
});

test('agents that share a workspace may end their turns at the same time, and write while others end theirs', async () => {
  const path = await host();
  const over = new AbortController();
  const writer = (async () => {
    for (let n = 0; !over.signal.aborted; n += 1) {
      await writeFile(join(path, `busy-${n % 5}`), `${n}\n`.repeat(1000));
      await rm(join(path, `busy-${(n + 2) % 5}`), { force: true });
    }
  })();
  await Promise.all(Array.from({ length: 8 }, () => snapshotOf(path))).finally(() => over.abort());
  await writer;
  expect((await readdir(join(path, '.git'))).filter((name) => name.startsWith('raymond-index'))).toEqual([
    'raymond-index',
  ]);
});

test('after twenty packs one takes their place, and restores the same', async () => {
  const path = await host();
  let last: Snapshot | undefined;
  for (let turn = 1; turn <= 22; turn += 1) {
    await writeFile(join(path, `file-${turn}`), `turn ${turn}\n`);
    last = await snapshotOf(path, last);
  }
  expect((await readChain(store, last!)).packs).toHaveLength(2);
  const elsewhere = await host({ snapshot: last! });
  expect((await readdir(elsewhere)).filter((name) => name.startsWith('file-'))).toHaveLength(22);
});

test('too much is refused before it is written down, with the largest file and what to do', async () => {
  const path = await host();
  await writeFile(join(path, 'huge.bin'), Buffer.alloc(3 << 20));
  await expect(snapshotOf(path)).rejects.toThrow(
    /3 MiB .* more than the 1 MiB .* huge\.bin \(3 MiB\).*\.gitignore.*workspace_limit/,
  );
  await expect(snapshotOf(path)).rejects.toBeInstanceOf(SnapshotTooLarge);
  expect(await run(path, 'count-objects')).toContain('0 objects');
});

test('a place that was made in vain is made again when its agent has worked elsewhere since', async () => {
  const elsewhere = await host();
  await writeFile(join(elsewhere, 'first.txt'), '1');
  const first = await snapshotOf(elsewhere);
  const root = await folder();
  const path = join(root, 'run', 'main');
  const request = { path, origin: { repo, commit }, branch: 'b', isOwn: true, generation: 2 };
  await checkOut({ ...request, snapshot: first }, { root, env, store });
  await writeFile(join(elsewhere, 'second.txt'), '2');
  const second = await snapshotOf(elsewhere, first);
  await checkOut({ ...request, snapshot: second }, { root, env, store });
  expect(await readFile(join(path, 'second.txt'), 'utf8')).toBe('2');
});

test('a place that was made is not made again; a later one sets what it finds aside', async () => {
  const path = await host();
  const root = join(path, '..', '..');
  await writeFile(join(path, 'work'), 'x');
  const again = { path, origin: { repo, commit }, branch: 'b', isOwn: true, generation: 1 };
  await checkOut(again, { root, env, store });
  expect(await readdir(path)).toContain('work');
  await checkOut({ ...again, generation: 3 }, { root, env, store });
  expect(await generationOf(path)).toBe(3);
  expect(await readdir(path)).not.toContain('work');
  const [left] = (await readdir(join(path, '..'))).filter((name) => name.startsWith('main.left-'));
  expect(await readdir(join(path, '..', left!))).toContain('work');
});

test('a repository that is not there, and a commit that is gone, say which and what to do', async () => {
  await rm(join(repo, '.git'), { recursive: true });
  await expect(host()).rejects.toThrow(RepositoryError);
  await expect(host()).rejects.toThrow(`the repository ${repo} cannot be cloned:`);
  await run(repo, 'init', '--quiet', '-b', 'main');
  await expect(host({ at: 'f'.repeat(40) })).rejects.toThrow(
    /no longer has the commit main \(f{40}\); start the run with another --ref/,
  );
});
