// The pages about the architecture name every folder of src, and only files that are there.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';

const root = fileURLToPath(new URL('../..', import.meta.url));
const main = await readFile(join(root, 'ARCHITECTURE.md'), 'utf8');
const explanations = (await readdir(join(root, 'docs/explanation'))).map((name) => `docs/explanation/${name}`);
const { stdout } = await execa('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
const files = stdout.split('\n').map((path) => `/${path}`);

test('the map has a row for every folder of src', async () => {
  const folders = (await readdir(join(root, 'src'), { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(folders.filter(({ name }) => !main.includes(`| \`src/${name}\` `)).map(({ name }) => name)).toEqual([]);
});

test.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', ...explanations])('%s names only files that exist', async (page) => {
  const text = await readFile(join(root, page), 'utf8');
  const named = [...text.matchAll(/`([\w./-]+\.(?:ts|tsx|mjs|js))`/g)].map(([, path]) => path ?? '');
  expect(named.filter((path) => !files.some((file) => file.endsWith(`/${path}`)))).toEqual([]);
});

test('every fault on the page of faults has a test', async () => {
  const text = await readFile(join(root, 'docs/explanation/faults.md'), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!-|Fault |What Raymond waits for )/.test(line));
  expect(rows.length).toBeGreaterThan(40);
  expect(rows.filter((row) => !/`test\/\S+\.test\.ts`/.test(row))).toEqual([]);
});
