import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { describeOnCutDisk } from '../support/cut-disk.js';
import { beforeRemoval, folder } from '../support/folder.js';
import { Disk } from './disk.js';

describeOnCutDisk('the disk of a host', () => {
  test('loses at a power-off what was not yet written, and nothing else', async () => {
    const dir = await folder({ 'disk/README': '' });
    const disk = await Disk.make({ image: join(dir, 'image'), path: join(dir, 'disk'), size: '16M' });
    beforeRemoval(() => disk.unmount());
    const read = async (name: string): Promise<string> => await readFile(join(disk.path, name), 'utf8').catch(() => '');
    await writeFile(join(disk.path, 'synced'), 'kept');
    await execa('sync', ['--file-system', disk.path]);
    await writeFile(join(disk.path, 'unsynced'), 'lost');
    expect([await read('synced'), await read('unsynced')]).toEqual(['kept', 'lost']);
    await disk.cutPower();
    await disk.mount();
    expect([await read('synced'), await read('unsynced')]).toEqual(['kept', '']);
  });

  test('comes back after a power-off, also when another process of the machine keeps it mounted', async () => {
    const dir = await folder({ 'disk/README': '' });
    const disk = await Disk.make({ image: join(dir, 'image'), path: join(dir, 'disk'), size: '16M' });
    beforeRemoval(() => disk.unmount());
    const keeper = execa('unshare', ['-m', '--propagation', 'private', 'sh', '-c', 'echo ready; exec sleep 600'], {
      reject: false,
    });
    beforeRemoval(async () => {
      keeper.kill('SIGKILL');
      await keeper;
    });
    await once(keeper.stdout, 'data');
    await disk.cutPower();
    await disk.mount();
    await writeFile(join(disk.path, 'new'), 'there');
    expect(await readFile(join(disk.path, 'new'), 'utf8')).toBe('there');
  });
});
