// Places that cannot be written: one typed error that says which, why and what to do, and nothing is left behind.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { explainingWrites, makePrivateFolder, UnwritableError } from '../../src/host/files.js';
import { builtFolder } from '../support/built.js';
import { describeOnTinyDisk, onTinyDisk } from '../support/tiny-disk.js';

const root = mkdtempSync(join(tmpdir(), 'raymond-unwritable-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const disk = join(root, 'disk');
mkdirSync(disk);

// Does one thing, and prints its error and what lies on the disk afterwards.
writeFileSync(
  join(root, 'try.mjs'),
  `import { readdirSync } from 'node:fs';
const [built, disk, name] = process.argv.slice(2);
const { acquireLock, waitForLock } = await import(built + '/host/lock.js');
const { makePrivateFolder, writeFileAtomic } = await import(built + '/host/files.js');
const things = {
  lock: () => acquireLock(disk + '/it'),
  wait: () => waitForLock(disk + '/it', { timeoutMs: 1000 }),
  file: () => writeFileAtomic(disk + '/it', 'some text'),
  folder: () => makePrivateFolder(disk + '/it/deep'),
};
const error = await things[name]().catch((thrown) => thrown);
const { path, code, message } = error;
console.log(JSON.stringify({ name: error.name, path, code, message, left: readdirSync(disk) }));
`,
);

describeOnTinyDisk('on a disk', () => {
  const full = { why: 'the disk is full (ENOSPC); free some space and try again', code: 'ENOSPC', left: ['x'] };
  const readOnly = { why: 'the file system is read-only (EROFS); make it writable,', code: 'EROFS', left: [] };
  test.each([
    { size: 'full', thing: 'lock', ...full },
    { size: 'full', thing: 'wait', ...full },
    { size: 'full', thing: 'file', ...full },
    { size: 'read-only', thing: 'lock', ...readOnly },
    { size: 'read-only', thing: 'file', ...readOnly },
    { size: 'read-only', thing: 'folder', ...readOnly },
  ] as const)('that is $size, a $thing is refused in one sentence', ({ size, thing, code, why, left }) => {
    const command = [process.execPath, join(root, 'try.mjs'), builtFolder(), disk, thing];
    expect(JSON.parse(onTinyDisk({ folder: disk, size }, command))).toEqual({
      name: 'UnwritableError',
      path: join(disk, 'it'),
      code,
      message: expect.stringContaining(`cannot write ${join(disk, 'it')}: ${why}`),
      left,
    });
  });
});

test('a file where a folder should be is named', async () => {
  writeFileSync(join(root, 'file'), '');
  const error = await makePrivateFolder(join(root, 'file', 'a', 'b')).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UnwritableError);
  expect(error).toMatchObject({ path: join(root, 'file'), message: expect.stringContaining('a file is in the way') });
});

test('an error that says nothing about writing passes unchanged', async () => {
  const error = Object.assign(new Error('gone'), { code: 'ENOENT' });
  await expect(explainingWrites('/x', () => Promise.reject(error))).rejects.toBe(error);
});
