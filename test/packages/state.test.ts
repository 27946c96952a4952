// Loading states from real folders: text, hash, and errors that name path and host.
import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isDirectory } from '../../src/host/files.js';
import { requireDirectory } from '../../src/activities/turn/files.js';
import { listScope, loadState } from '../../src/packages/state.js';
import { splitPrompt } from '../../src/protocol/language/state-file.js';
import { folder } from '../support/folder.js';

const scopeOf = (path: string) => ({ kind: 'directory', path }) as const;

/** The error that a call throws. */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

describe('a state', () => {
  test('is its text as it is now, under its absolute path, with the hash of its bytes', async () => {
    const path = await folder({ 'A.md': 'one' });
    const sha = (text: string) => createHash('sha256').update(text).digest('hex');
    const state = await loadState(scopeOf(path), 'A.md');
    expect(state).toMatchObject({ text: 'one', sha256: sha('one'), settings: {} });
    expect([state.positionText(), state.positionText(3), await state.realPath('/none')]).toEqual([
      join(path, 'A.md'),
      join(path, 'A.md:3'),
      join(path, 'A.md'),
    ]);
    await writeFile(join(path, 'A.md'), 'two');
    expect(await loadState(scopeOf(path), 'A.md')).toMatchObject({ text: 'two', sha256: sha('two') });
  });

  test('loses its byte order mark, so that frontmatter behind it is at the top; the hash is that of the file', async () => {
    const text = '---\nmodel: haiku\n---\nHello.\n';
    const path = await folder({ 'A.md': `\ufeff${text}`, 'B.md': text });
    const [marked, plain] = [await loadState(scopeOf(path), 'A.md'), await loadState(scopeOf(path), 'B.md')];
    expect(marked.text).toBe(text);
    expect(marked.sha256).not.toBe(plain.sha256);
    expect(splitPrompt(marked.text)).toEqual(splitPrompt(plain.text));
  });

  test.each([
    ['Latin-1', Buffer.from('caf\xe9', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffhello', 'utf16le')],
    ['cut in a character', Buffer.from('é').subarray(0, 1)],
  ])('that is %s is refused', async (_encoding, bytes) => {
    const path = await folder({ 'A.md': bytes });
    expect(await errorOf(loadState(scopeOf(path), 'A.md'))).toMatchObject({
      code: 'Unreadable',
      message: `${join(path, 'A.md')} is not UTF-8 text; save it as UTF-8`,
    });
  });

  test.each([
    ['NONE.md', 'it does not exist'],
    ['FILE.md/A.md', 'a part of its path is not a directory'],
    ['FOLDER.md', 'it is a directory'],
    ['LOOP.md', 'its links form a cycle'],
  ])('%s cannot be read: %s', async (file, reason) => {
    const path = await folder({ 'FILE.md': '' });
    await mkdir(join(path, 'FOLDER.md'));
    await symlink('LOOP.md', join(path, 'LOOP.md'));
    expect(await errorOf(loadState(scopeOf(path), file))).toMatchObject({
      name: 'ScopeError',
      message: expect.stringContaining(`cannot read ${join(path, file)}: ${reason}`),
    });
  });
});

describe('a scope', () => {
  test('lists its files by name, links too, but not its folders', async () => {
    const path = await folder({ 'B.sh': '', 'A.md': '', 'sub/C.md': '' });
    await symlink('A.md', join(path, 'LINK.md'));
    expect(await listScope(scopeOf(path))).toEqual({
      files: ['A.md', 'B.sh', 'LINK.md'],
      kind: 'directory',
      platform: 'unix',
    });
  });

  test.each([
    ['none', 'it does not exist'],
    ['file', 'a part of its path is not a directory'],
  ])('%s cannot be listed: %s', async (name, reason) => {
    const path = join(await folder({ file: '' }), name);
    expect(await errorOf(listScope(scopeOf(path)))).toMatchObject({
      name: 'ScopeError',
      message: expect.stringContaining(`cannot read ${path}: ${reason}`),
    });
  });
});

describe('a working directory', () => {
  test('must be a directory', async () => {
    const path = await folder({ file: '' });
    await expect(requireDirectory(path)).resolves.toBeUndefined();
    for (const name of ['none', 'file']) {
      expect(await errorOf(requireDirectory(join(path, name)))).toMatchObject({
        type: 'StateUnreadable',
        message: `there is no directory ${join(path, name)} on host ${hostname()}; create it, then resume`,
        nonRetryable: true,
      });
    }
  });

  test('may be a link to one', async () => {
    const path = await folder();
    await symlink(path, join(path, 'link'));
    expect(await isDirectory(join(path, 'link'))).toBe(true);
  });
});
