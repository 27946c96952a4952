// What a workspace holds on a disk that loses its power.
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { flushToDisk } from '../../src/host/files.js';
import { FolderStore } from '../../src/store/folder.js';
import { checkOut, generationOf } from '../../src/workspaces/checkout.js';
import { git } from '../../src/workspaces/git.js';
import { takeSnapshot } from '../../src/workspaces/snapshot.js';
import { CutDisk, describeOnCutDisk } from '../support/cut-disk.js';
import { folder } from '../support/folder.js';

const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };

describeOnCutDisk('a workspace on a host that loses its power', () => {
  test('has the files of all recorded turns, and none that another try would not write', async () => {
    const disk = await CutDisk.mount();
    const { path, store, base } = await workspaceOn(disk);
    await writeFile(join(path, 'recorded'), 'kept');
    await takeSnapshot({ path, env, store, base, limitBytes: 1 << 20, generation: 1 });
    await writeFile(join(path, 'in-progress'), 'lost');
    disk.cutPower();
    const read = async (name: string): Promise<string> => await readFile(join(path, name), 'utf8').catch(() => '');
    expect([await read('README.md'), await read('recorded'), await read('in-progress')]).toEqual(['hello', 'kept', '']);
    expect(await generationOf(path)).toBe(1);
    expect(await git(['rev-parse', 'HEAD'], { cwd: path, env })).toBe(base);
  });

  test('has no object of git that is empty: the next snapshot succeeds', async () => {
    const disk = await CutDisk.mount();
    const { path, store, base } = await workspaceOn(disk);
    await writeFile(join(path, 'answer'), 'of the turn');
    execFileSync('git', ['-C', path, 'hash-object', '-w', 'answer'], { env });
    // The disk learns that the object exists, and not yet what is in it.
    await flushToDisk(join(path, 'README.md'));
    disk.cutPower();
    await writeFile(join(path, 'answer'), 'of the turn');
    const snapshot = await takeSnapshot({ path, env, store, base, limitBytes: 1 << 20, generation: 1 });
    expect(await git(['show', `${snapshot.commit}:answer`], { cwd: path, env })).toBe('of the turn');
  });

  test('is not there when its record was lost, so that it is made again', async () => {
    const { path } = await workspaceOn(await CutDisk.mount());
    await writeFile(join(path, '.git', 'raymond.json'), '');
    expect(await generationOf(path)).toBeUndefined();
  });
});

async function workspaceOn({ path: root }: CutDisk): Promise<{ path: string; store: FolderStore; base: string }> {
  const repo = await folder({ 'README.md': 'hello' });
  for (const args of [
    ['init', '--quiet', '-b', 'main'],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'first'],
  ])
    await git(args, { cwd: repo, env });
  const base = await git(['rev-parse', 'HEAD'], { cwd: repo, env });
  const store = new FolderStore(await folder());
  const path = join(root, 'run', 'main');
  const request = { path, origin: { repo, commit: base }, branch: 'raymond/run/main', isOwn: true, generation: 1 };
  await checkOut(request, { root, env, store });
  return { path, store, base };
}
