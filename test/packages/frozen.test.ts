// Frozen packages: a copy under the hash of its content, which nothing changes any more, and how it is read.
import { appendFile, chmod, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/host/sha256.js';
import { pinned } from '../../src/packages/frozen.js';
import { openScope } from '../../src/packages/open.js';
import type { Scope } from '../../src/protocol/scope.js';
import { folder } from '../support/folder.js';
import { thrownBy } from './thrown.js';
import { zipOf } from './zip-file.js';

const FILES = { 'START.sh': 'echo "$0"\n', 'notes.txt': 'x', 'inner/OTHER.sh': '' };

async function frozenFolder(): Promise<{ readonly scope: Scope; readonly origin: string; readonly store: string }> {
  const origin = await folder(FILES);
  const store = await folder();
  return { scope: await pinned({ kind: 'directory', path: origin }, store), origin, store };
}

describe('a frozen folder', () => {
  test('is a read-only copy of the files in it, named by the hash that the folder has', async () => {
    const { scope, origin, store } = await frozenFolder();
    const hash = await (await openScope({ kind: 'directory', path: origin })).hash();
    expect(scope).toEqual({ kind: 'directory', path: join(store, 'packages', hash), origin });
    expect(await readdir(scope.path)).toEqual(['START.sh', 'notes.txt']);
    expect((await stat(join(scope.path, 'START.sh'))).mode & 0o777).toBe(0o400);
    expect(await (await openScope(scope)).hash()).toBe(hash);
  });

  test('does not follow its origin, and is named after it', async () => {
    const { scope, origin } = await frozenFolder();
    await writeFile(join(origin, 'START.sh'), 'echo edited\n');
    const reader = await openScope(scope);
    expect((await reader.read('START.sh')).toString()).toBe(FILES['START.sh']);
    expect(reader.positionOf('START.sh', 1)).toBe(join(origin, 'START.sh:1'));
  });

  test('is made once, however often the same content is frozen', async () => {
    const { scope, origin, store } = await frozenFolder();
    const { ino } = await stat(scope.path);
    const again = await Promise.all([1, 2, 3].map(() => pinned({ kind: 'directory', path: origin }, store)));
    expect(again).toEqual([scope, scope, scope]);
    expect([await readdir(join(store, 'packages')), (await stat(scope.path)).ino]).toEqual([
      [basename(scope.path)],
      ino,
    ]);
  });

  test('can be made by many at the same time', async () => {
    const origin = await folder(FILES);
    const store = await folder();
    const made = await Promise.all([1, 2, 3, 4].map(() => pinned({ kind: 'directory', path: origin }, store)));
    expect(await readdir(join(store, 'packages'))).toEqual([basename(made[0]?.path ?? '')]);
  });

  test('gives its scripts a private copy, so that they cannot change it', async () => {
    const { scope } = await frozenFolder();
    const copy = await (await openScope(scope)).scriptPath('START.sh', await folder());
    expect(dirname(copy)).not.toBe(scope.path);
    await appendFile(copy, 'more');
    expect(await readFile(join(scope.path, 'START.sh'), 'utf8')).toBe(FILES['START.sh']);
  });

  test('that was changed is refused', async () => {
    const { scope } = await frozenFolder();
    await chmod(join(scope.path, 'notes.txt'), 0o600);
    await rm(join(scope.path, 'notes.txt'));
    expect(await thrownBy(() => openScope(scope))).toBe(
      `HashMismatch: the pinned package ${scope.path} was changed; remove it, and start the workflow again`,
    );
  });

  test('leaves out links to nothing, as editors make them', async () => {
    const origin = await folder(FILES);
    await symlink('nobody@nowhere.1', join(origin, '.#START.sh'));
    const scope = await pinned({ kind: 'directory', path: origin }, await folder());
    expect(await (await openScope(scope)).list()).toEqual(['START.sh', 'notes.txt']);
  });
});

test.each([
  ['zip', zipOf({ 'START.sh': 'echo zip\n' })],
  ['yaml', Buffer.from('states:\n  START:\n    sh: echo yaml\n')],
] as const)('a frozen %s is a read-only copy of the file, named by its hash', async (kind, content) => {
  const origin = join(await folder({ [`flow.${kind}`]: content }), `flow.${kind}`);
  const store = await folder();
  const scope = await pinned({ kind, path: origin }, store);
  expect(scope).toEqual({ kind, path: join(store, 'packages', `${sha256Of(content)}.${kind}`), origin });
  await rm(origin);
  const reader = await openScope(scope);
  expect((await reader.read('START.sh')).toString()).toContain(`echo ${kind}`);
  expect(reader.positionOf('START.sh')).toContain(origin);
  expect((await stat(scope.path)).mode & 0o777).toBe(0o400);
});

test('a store that cannot be written is an error that names it', async () => {
  const store = join(await folder({ file: '' }), 'file');
  const path = await folder(FILES);
  expect(await thrownBy(() => pinned({ kind: 'directory', path }, store))).toContain(
    `cannot freeze the package at ${store}`,
  );
});
