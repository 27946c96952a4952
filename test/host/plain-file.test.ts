// Only plain files of a bounded size are read; all others are refused at once.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { copyPlainFile, readPlainFile, readPlainText, readPlainTextSync } from '../../src/host/plain-file.js';
import { whyUnreadable } from '../../src/packages/error.js';
import { folder } from '../support/folder.js';

let root: string;
beforeAll(async () => {
  root = await folder({ plain: 'some text', empty: '', sparse: '' });
  await mkdir(join(root, 'directory'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  await symlink('/dev/zero', join(root, 'zero'));
  await symlink(join(root, 'plain'), join(root, 'link'));
  await truncate(join(root, 'sparse'), 10 * 1024 ** 3);
});

const SMALL = 100;

test.each(['plain', 'link'])('%s is read whole', async (name) => {
  expect(await readPlainText(join(root, name), SMALL)).toBe('some text');
  expect(readPlainTextSync(join(root, name), SMALL)).toBe('some text');
});

test('a file may have as many bytes as are read, and may be empty', async () => {
  expect(await readPlainText(join(root, 'plain'), 9)).toBe('some text');
  expect(await readPlainFile(join(root, 'empty'), 0)).toHaveLength(0);
});

test('a file whose size is not known is read to its end, within the bound', async () => {
  const status = await readFile('/proc/self/cmdline');
  expect(await readPlainFile('/proc/self/cmdline', 1 << 20)).toEqual(status);
  await expect(readPlainFile('/proc/self/cmdline', 3)).rejects.toThrow(
    /cannot read .*: it has \d+ bytes, more than the limit of 3/,
  );
});

describe.each([
  ['a directory', 'directory', 'it is a directory'],
  ['a pipe that nobody writes to', 'pipe', 'it is a pipe, not a file'],
  ['a link to a device', 'zero', 'it is a device, not a file'],
  ['a file of 10 GiB', 'sparse', 'it has 10737418240 bytes, more than the limit of 100'],
])('%s', (_what, name, why) => {
  test('is refused at once, by name', async () => {
    const path = join(root, name);
    const error: unknown = await readPlainFile(path, SMALL).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ message: `cannot read ${path}: ${why}` });
    expect(whyUnreadable(error)).toBe(why);
    expect(() => readPlainTextSync(path, SMALL)).toThrow(why);
    await expect(copyPlainFile(path, { to: join(root, 'copy'), maxBytes: SMALL })).rejects.toThrow(why);
  });
});

test('a copy replaces nothing, and follows no link that lies in its place', async () => {
  const to = join(root, 'new');
  await copyPlainFile(join(root, 'plain'), { to, maxBytes: SMALL });
  expect(await readFile(to, 'utf8')).toBe('some text');
  await writeFile(join(root, 'target'), 'kept');
  await symlink(join(root, 'target'), join(root, 'planted'));
  const planted = copyPlainFile(join(root, 'plain'), { to: join(root, 'planted'), maxBytes: SMALL });
  await expect(planted).rejects.toMatchObject({ code: 'EEXIST' });
  expect(await readFile(join(root, 'target'), 'utf8')).toBe('kept');
});
