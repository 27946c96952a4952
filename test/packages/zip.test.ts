// Zip packages: how they may be laid out, what is refused, and that no file gets more than it deserves.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/host/sha256.js';
import { MAX_ENTRIES, MAX_FILE_BYTES, MAX_PACKAGE_BYTES } from '../../src/packages/limits.js';
import type { Packed } from '../../src/packages/packed.js';
import { readZip } from '../../src/packages/zip.js';
import { folder } from '../support/folder.js';
import { thrownBy } from './thrown.js';
import { zipFile, zipOf, type ZipEntry } from './zip-file.js';

async function read(bytes: Buffer, name = 'flow.zip'): Promise<Packed> {
  return await readZip(join(await folder({ [name]: bytes }), name));
}

function textsOf({ files }: Packed): Record<string, string> {
  return Object.fromEntries([...files].map(([name, { content }]) => [name, content.toString()]));
}

const state: ZipEntry = { name: '1_START.md', content: 'Hello\n' };

describe('what is accepted', () => {
  test.each<[string, readonly ZipEntry[], Record<string, string>]>([
    ['files at the top', [state, { name: 'B.sh', content: 'true' }], { '1_START.md': 'Hello\n', 'B.sh': 'true' }],
    [
      'files in one folder',
      [
        { name: 'flow/1_START.md', content: 'Hello\n' },
        { name: 'flow/B.sh', content: 'true' },
      ],
      { '1_START.md': 'Hello\n', 'B.sh': 'true' },
    ],
    [
      'entries for folders',
      [{ name: 'flow/' }, { name: 'flow/A.md', content: 'a' }, { name: 'flow/sub/' }],
      { 'A.md': 'a' },
    ],
    ['files in "."', [{ name: './' }, { name: './A.md', content: 'a' }], { 'A.md': 'a' }],
    [
      'what the Finder adds',
      [
        { name: 'flow/A.md', content: 'a' },
        { name: '__MACOSX/flow/._A.md', content: 'x' },
      ],
      { 'A.md': 'a' },
    ],
    ['stored files', [{ ...state, stored: true }], { '1_START.md': 'Hello\n' }],
    ['empty files', [{ name: 'A.md' }, { name: 'B.md', stored: true }], { 'A.md': '', 'B.md': '' }],
    ['names of all scripts', [{ name: 'größe 日本.md', content: 'a' }], { 'größe 日本.md': 'a' }],
    ['UTF-8 names that do not say so', [{ name: 'größe.md', content: 'a', flags: 0 }], { 'größe.md': 'a' }],
    ['entries that another system made', [{ ...state, mode: 0 }], { '1_START.md': 'Hello\n' }],
  ])('%s', async (_title, entries, files) => {
    expect(textsOf(await read(zipFile(entries)))).toEqual(files);
  });

  test('as much as is allowed', async () => {
    const most = Array.from({ length: MAX_ENTRIES }, (_, index) => ({ name: `S${index}.md` }));
    expect((await read(zipFile(most))).files.size).toBe(MAX_ENTRIES);
    const largest = { name: 'A.md', content: Buffer.alloc(MAX_FILE_BYTES, 'a'), stored: true };
    expect((await read(zipFile([largest]))).size).toBe(MAX_FILE_BYTES);
  });

  test('files remember that they are programs', async () => {
    const { files } = await read(
      zipFile([{ name: 'A.sh' }, { name: 'A.md' }, { name: 'tool', mode: 0o100755 }, { name: 'data' }]),
    );
    expect([...files].filter(([, { executable }]) => executable).map(([name]) => name)).toEqual(['A.sh', 'tool']);
  });
});

describe('a layout that is none', () => {
  test.each<[string, readonly string[], string]>([
    ['nothing', [], 'it contains no files; zip the states'],
    ['folders only', ['flow/'], 'it contains no files'],
    ['several folders', ['a/A.md', 'b/B.md'], 'it contains several folders ("a/A.md" and "b/B.md"); zip one workflow'],
    ['a file beside a folder', ['a/A.md', 'B.md'], 'at the top and in a folder ("a/A.md" and "B.md")'],
    ['a folder beside a file', ['B.md', 'a/A.md'], 'at the top and in a folder ("B.md" and "a/A.md")'],
    ['a folder in a folder', ['a/b/A.md'], '"a/b/A.md" is in a nested folder'],
    ['a name twice', ['A.md', 'B.md', 'A.md'], 'it contains "A.md" and "A.md"; remove one'],
    ['names that differ in case', ['A.md', 'a.MD'], 'it contains "A.md" and "a.MD"; remove one'],
    ['names that differ in form', ['\u00e9.md', 'e\u0301.md'], 'remove one'],
    ['a name of the root', ['/etc/A.md'], 'the name "/etc/A.md" points outside the zip'],
    ['a name of a drive', ['C:A.md'], 'the name "C:A.md" points outside the zip'],
    ['a name of a parent', ['../A.md'], 'the name "../A.md" points outside the zip'],
    ['a folder that is a parent', ['a/../'], 'the name "a/../" points outside the zip'],
    ['a name without a folder name', ['a//A.md'], 'the name "a//A.md" points outside the zip'],
    ['a name that is nothing', [''], 'points outside the zip'],
    ['a name that is the folder', ['a/.'], '"a/." is not a valid file name'],
    ['a backslash', ['a\\A.md'], 'contains a backslash'],
    ['a NUL', ['A\0.md'], String.raw`the name "A\u0000.md" contains a control character`],
    ['a line break', ['A\n.md'], 'contains a control character'],
  ])('%s', async (_title, names, words) => {
    const thrown = await thrownBy(() => read(zipFile(names.map((name) => ({ name })))));
    expect(thrown).toMatch(/^Layout: cannot use .*flow\.zip: /);
    expect(thrown).toContain(words);
  });
});

describe('what is refused, and the code and words of it', () => {
  const half = Buffer.alloc(MAX_FILE_BYTES / 2, 'ab ');
  test.each<[string, Buffer, string]>([
    ['a name that is not UTF-8', zipFile([{ name: Buffer.from([0x81, 0x2e]) }]), 'Layout: .* is not UTF-8'],
    ['an encrypted file', zipFile([{ ...state, flags: 1 }]), 'Layout: .*"1_START.md" is encrypted'],
    ['strong encryption', zipFile([{ ...state, flags: 0x41 }]), 'Corrupt: .*strong encryption'],
    ['a link', zipFile([{ ...state, mode: 0o120777 }]), 'Layout: .*"1_START.md" is a link or a device'],
    ['a device', zipFile([{ ...state, mode: 0o020666 }]), 'Layout: .*link or a device'],
    ['another packing', zipFile([{ ...state, method: 12 }]), 'Corrupt: .*not supported \\(method 12\\)'],
    ['a wrong checksum', zipFile([{ ...state, declaredCrc: 1 }]), 'Corrupt: .*"1_START.md" is damaged'],
    ['a file larger than it says', zipFile([{ ...state, declaredSize: 2 }]), 'Corrupt: .*larger than it says'],
    ['a file smaller than it says', zipFile([{ ...state, declaredSize: 99 }]), 'Corrupt: .*is damaged'],
    ['nothing that says it is something', zipFile([{ ...state, declaredSize: 0 }]), 'Corrupt: .*larger than it says'],
    ['stored sizes that differ', zipFile([{ ...state, stored: true, declaredSize: 2 }]), 'Corrupt: .*size mismatch'],
    ['a file that ends outside', zipFile([{ ...state, declaredPackedSize: 5000 }]), 'Corrupt: '],
    ['no deflate', zipFile([{ ...state, packed: Buffer.from('not packed') }]), 'Corrupt: .*is damaged'],
    ['too many files', zipFile(Array.from({ length: MAX_ENTRIES + 1 }, (_, n) => ({ name: `${n}` }))), 'TooLarge: '],
    ['too many files by its own words', zipFile([state], 60_000), 'TooLarge: .*more than 1000 files'],
    ['fewer files than it says', zipFile([state], 2), 'Corrupt: '],
    [
      'a file that is too large',
      zipFile([{ name: 'A', content: Buffer.alloc(MAX_FILE_BYTES + 1), stored: true }]),
      'TooLarge: .*"A" has more than 16777216 bytes',
    ],
    [
      'a file that says it is huge',
      zipFile([{ ...state, zip64: [2n ** 52n, 10n] }]),
      'TooLarge: .*"1_START.md" has more than',
    ],
    [
      'a file that says it is small in zip64',
      zipFile([{ name: 'A', content: half, zip64: [10n, BigInt(deflateRawSync(half).length)] }]),
      'Corrupt: .*larger than it says',
    ],
    [
      'a bomb',
      zipFile([{ name: 'A', content: Buffer.alloc(MAX_FILE_BYTES) }]),
      'TooLarge: .*"A" grows more than 200 times',
    ],
    ['an empty file', Buffer.alloc(0), 'Corrupt: '],
    ['no zip', Buffer.from('#!/bin/sh\n'), 'Corrupt: .*not a zip file'],
    ['data after the end', Buffer.concat([zipFile([state]), Buffer.from('x')]), 'Corrupt: '],
    ['a truncated file', zipFile([state]).subarray(0, -10), 'Corrupt: '],
    ['a file without its beginning', zipFile([state]).subarray(10), 'Corrupt: '],
  ])('%s', async (_title, bytes, words) => {
    expect(await thrownBy(() => read(bytes))).toMatch(new RegExp(`^${words}`));
  });

  test('files that are too much together, though each says little of the others', async () => {
    // All entries share the data of the first one, so that the file stays small.
    const content = Buffer.from(
      Array.from({ length: MAX_FILE_BYTES / 8 }, (_, n) => n.toString(36).padStart(7)).join(' '),
    );
    const packed = deflateRawSync(content);
    const bytes = zipFile(Array.from({ length: 5 }, (_, n) => ({ name: `${n}`, content, packed })));
    expect(bytes.length).toBeLessThan(MAX_PACKAGE_BYTES);
    expect(await thrownBy(() => read(bytes))).toMatch(/^TooLarge: .*more than 67108864 bytes/);
  });

  test('an archive that is larger than all its files may be', async () => {
    const path = join(await folder(), 'flow.zip');
    await writeFile(path, Buffer.alloc(MAX_PACKAGE_BYTES + 1));
    expect(await thrownBy(() => readZip(path))).toMatch(/^TooLarge: .*flow\.zip: it has 67108865 bytes/);
  });

  test('what is no file', async () => {
    const path = join(await folder(), 'flow.zip');
    expect(await thrownBy(() => readZip(path))).toMatch(/^Missing: cannot read .*flow\.zip: it does not exist/);
    await mkdir(path);
    expect(await thrownBy(() => readZip(path))).toMatch(/^Unreadable: .*flow\.zip: it is a directory/);
  });
});

describe('a SHA-256 in the name', () => {
  const bytes = zipOf({ '1_START.md': 'Hello\n' });
  const right = sha256Of(bytes);
  const wrong = right.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  test.each([
    ['is checked', `flow-${right}.zip`],
    ['may be written in capitals', `flow-${right.toUpperCase()}.zip`],
    ['may be all of the name', `${right}.zip`],
    ['is none when it is too short', `flow-${right.slice(1)}.zip`],
  ])('%s', async (_title, name) => {
    expect((await read(bytes, name)).sha256).toBe(right);
  });

  test.each([
    ['that is another one', `flow-${wrong}.zip`, `it has ${right}`],
    ['in a longer run of digits', `a${right}.zip`, 'more than one SHA-256'],
    ['that is there twice', `${right}-${right}.zip`, 'more than one SHA-256'],
  ])('%s is an error', async (_title, name, words) => {
    const thrown = await thrownBy(() => read(bytes, name));
    expect(thrown).toMatch(/^HashMismatch: /);
    expect(thrown).toContain(words);
  });
});
