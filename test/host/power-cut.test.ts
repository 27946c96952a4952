// What is still there after the power was cut: an ext4 file system that is shut down before the kernel has written what waits in memory.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { writeFileAtomic, writeFileDurable } from '../../src/host/files.js';
import { readFolder, pinned } from '../../src/packages/frozen.js';
import { HookRecord } from '../../src/cli/hooks/record.js';
import { projectSecret } from '../../src/codec/secret.js';
import { FolderStore } from '../../src/store/folder.js';
import { CutDisk, describeOnCutDisk } from '../support/cut-disk.js';
import { folder } from '../support/folder.js';

describeOnCutDisk('after a power cut', () => {
  let disk: CutDisk;
  beforeEach(async () => {
    disk = await CutDisk.mount();
  });

  test('a durable file is there; one that is only replaced as a whole is not', async () => {
    const [durable, plain] = [join(disk.path, 'durable'), join(disk.path, 'plain')];
    await writeFileDurable(durable, 'whole');
    await writeFileAtomic(plain, 'whole');
    disk.cutPower();
    expect(await readFile(durable, 'utf8')).toBe('whole');
    expect(await readFile(plain, 'utf8').catch(() => '')).toBe('');
  });

  test('artifacts and documents of the store are whole', async () => {
    const dir = join(disk.path, 'a', 'artifacts');
    const store = new FolderStore(dir);
    const source = join(await folder({ file: 'a file '.repeat(9000) }), 'file');
    const refs = [await store.put(Buffer.from('bytes '.repeat(9000))), await store.putFile(source)];
    await store.write('runs/r/run.json', '{}');
    disk.cutPower();
    const after = new FolderStore(dir);
    expect((await Promise.all(refs.map((ref) => after.text(ref)))).map(({ length }) => length)).toEqual([
      54_000, 63_000,
    ]);
    expect(await after.read('runs/r/run.json')).toBe('{}');
  });

  test('a frozen package, the secret of the project and the events that wait for their hooks are whole', async () => {
    const path = await folder({ 'START.sh': 'echo hello\n'.repeat(1000) });
    const scope = await pinned({ kind: 'directory', path }, join(disk.path, 'artifacts'));
    const { bytes } = await projectSecret(disk.path);
    const hooks = await HookRecord.open(disk.path, 'r');
    await hooks?.add([]);
    disk.cutPower();
    expect((await readFolder(scope.path)).files.get('START.sh')?.content).toHaveLength(11_000);
    expect((await projectSecret(disk.path)).bytes).toEqual(bytes);
    expect(await readdir(join(disk.path, 'runs'))).toContain('r.hooks.json');
  });
});
