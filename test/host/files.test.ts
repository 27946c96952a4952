import { mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { errorCode, makePrivateFolder, readJsonFile, writeFileAtomic } from '../../src/host/files.js';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'raymond-files-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('an atomic write replaces the file, keeps it private and leaves nothing else behind', async () => {
  const path = join(folder, 'a.json');
  writeFileSync(path, 'old', { mode: 0o644 });
  await writeFileAtomic(path, 'new');
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['a.json']);
});

test('a failed atomic write leaves no temporary file', async () => {
  await makePrivateFolder(join(folder, 'taken'));
  await makePrivateFolder(join(folder, 'taken', 'full'));
  await expect(writeFileAtomic(join(folder, 'taken'), 'x')).rejects.toThrow();
  expect(readdirSync(folder)).toEqual(['taken']);
});

test('a private folder and its parents are for the owner only', async () => {
  await makePrivateFolder(join(folder, 'a', 'b'));
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  expect(statSync(join(folder, 'a', 'b')).mode & 0o777).toBe(0o700);
});

test('several at once create the same folders', async () => {
  const path = join(folder, 'a', 'b', 'c');
  await Promise.all([makePrivateFolder(path), makePrivateFolder(path), makePrivateFolder(path)]);
  expect(statSync(path).isDirectory()).toBe(true);
});

test('a folder that cannot be created is an error at once', async () => {
  writeFileSync(join(folder, 'file'), '');
  await expect(makePrivateFolder(join(folder, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makePrivateFolder(join(folder, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makePrivateFolder('/proc/nowhere/a/b')).rejects.toThrow();
});

test.each([
  ['an absent file', undefined, undefined],
  ['an empty file', '', undefined],
  ['a garbled file', '{"a":', undefined],
  ['a JSON file', '{"a":1}', { a: 1 }],
])('%s reads as JSON as expected', (_, content, expected) => {
  const path = join(folder, 'x.json');
  if (content !== undefined) writeFileSync(path, content);
  expect(readJsonFile(path)).toEqual(expected);
});

test('a file that cannot be read is an error, not absent', () => {
  symlinkSync('loop', join(folder, 'loop'));
  expect(() => readJsonFile(join(folder, 'loop'))).toThrow(/ELOOP/);
});

test('only system errors have an error code', () => {
  expect(errorCode(Object.assign(new Error('x'), { code: 'ENOENT' }))).toBe('ENOENT');
  expect(errorCode(new Error('x'))).toBeUndefined();
  expect(errorCode('ENOENT')).toBeUndefined();
});
