import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { adoptDatabase, databaseFile, prepareDatabase } from '../../src/server/database.js';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'raymond-database-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function write(serverVersion: string, suffix = ''): void {
  writeFileSync(`${databaseFile(dir, serverVersion)}${suffix}`, `${serverVersion}${suffix}`);
}

/** What each file of the folder was written as. */
function contents(): Record<string, string> {
  return Object.fromEntries(readdirSync(dir).map((name) => [name, readFileSync(join(dir, name), 'utf8')]));
}

test.each([
  ['an older patch of the same minor version', '1.29.1', '1.29.4'],
  ['a newer patch', '1.29.4', '1.29.1'],
  ['a minor version with the same tables', '1.31.2', '1.32.0'],
])('a version without a database continues that of %s, with its log', async (_, from, to) => {
  write(from);
  write(from, '-wal');
  expect(await adoptDatabase(dir, to)).toBe(from);
  expect(contents()).toEqual({ [`temporal-${to}.db`]: from, [`temporal-${to}.db-wal`]: `${from}-wal` });
});

test.each([
  ['1.29.1', '1.32.0'],
  ['1.30.2', '1.31.2'],
  ['1.3.0', '1.31.0'],
])('the database of %s, whose tables are others, is left alone by %s', async (from, to) => {
  write(from);
  write(from, '-wal');
  expect(await adoptDatabase(dir, to)).toBeUndefined();
  expect(contents()).toEqual({ [`temporal-${from}.db`]: from, [`temporal-${from}.db-wal`]: `${from}-wal` });
});

test('a version that has a database keeps it', async () => {
  write('1.31.2');
  write('1.32.0');
  expect(await adoptDatabase(dir, '1.32.0')).toBeUndefined();
  expect(contents()).toEqual({ 'temporal-1.31.2.db': '1.31.2', 'temporal-1.32.0.db': '1.32.0' });
});

test('a database whose creation was interrupted is not continued', async () => {
  await prepareDatabase(databaseFile(dir, '1.31.2'));
  write('1.31.2');
  expect(await adoptDatabase(dir, '1.32.0')).toBeUndefined();
  expect(existsSync(databaseFile(dir, '1.31.2'))).toBe(true);
});

test('a log follows its database when an earlier start ended between the two', async () => {
  write('1.32.0');
  write('1.31.2', '-wal');
  expect(await adoptDatabase(dir, '1.32.0')).toBeUndefined();
  expect(contents()).toEqual({ 'temporal-1.32.0.db': '1.32.0', 'temporal-1.32.0.db-wal': '1.31.2-wal' });
});
