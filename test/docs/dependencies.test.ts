// docs/reference/dependencies.md: what is installed with Raymond, and the tested versions, which the program reads from one table.
import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { TESTED, testedWith } from '../../src/host/tested-versions.js';

const read = async (path: string): Promise<string> => await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = await read('docs/reference/dependencies.md');
const manifest = JSON.parse(await read('package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

test('the page has each package with its version, a date, what for and instead of what', () => {
  const rows = [
    ...page.matchAll(/^\| `(\S+)` +\| (\S+) +\| \d{4}-\d\d-\d\d +\| (?!\(say)[^|]+ +\| (?!\(say)[^|]+ +\|$/gm),
  ];
  const told = Object.fromEntries(rows.map(([, name = '', version]) => [name, version]));
  expect({ told, todo: 'npm run docs:dependencies' }).toEqual({
    told: manifest.dependencies,
    todo: 'npm run docs:dependencies',
  });
});

test('the tested versions are those that are installed, and the page names them', async () => {
  const { claudeCode, temporalSdk, ...temporal } = TESTED;
  const native = JSON.parse(await read('test/support/claude-code/package.json')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  expect(new Set(Object.values(native.optionalDependencies))).toEqual(new Set([claudeCode]));
  expect(await read('Dockerfile')).toContain(`ARG CLAUDE_CODE_VERSION=${claudeCode}\n`);
  const sdk = Object.entries(manifest.dependencies).filter(([name]) => name.startsWith('@temporalio/'));
  expect(new Set(sdk.map(([, version]) => version))).toEqual(new Set([temporalSdk]));
  for (const version of [claudeCode, temporalSdk, ...Object.values(temporal)]) expect(page).toContain(`| ${version} `);
});

test.each([
  ['2.1.329 (Claude Code)', ''],
  ['2.2.0 (Claude Code)', ' (tested with 2.1.329)'],
  ['some text', ''],
])('beside %j stands %j', (version, note) => {
  expect(testedWith(version, '2.1.329')).toBe(note);
});
