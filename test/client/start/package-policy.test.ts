// Opening a package checks the frontmatter of every prompt that can be reached, before anything is started.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { openPackage, type OpenPackage } from '../../../src/client/start/package.js';
import { folder } from '../../support/folder.js';

const HERE = { cwd: '/', cacheDir: '/none', check: { ignore: [] } };

const SAMPLES = fileURLToPath(new URL('../../../workflows', import.meta.url));

const goto = (target: string): string => `---\nallowed_transitions:\n  - { tag: goto, target: ${target} }\n---\nGo.\n`;
const WRONG = '---\neffort: low\nmodel: gpt 4\n---\nGo.\n';

async function open(files: Readonly<Record<string, string>>): Promise<OpenPackage & { readonly path: string }> {
  const path = await folder(files);
  return { ...(await openPackage(path, HERE)), path };
}

test.each([
  ['in the entry', { 'START.md': WRONG }, 'START.md:3: model: expected the name'],
  ['behind a tag in a script', { 'START.sh': 'echo "<goto>A</goto>"', 'A.md': WRONG }, 'A.md:3: model: '],
  ['behind a policy', { 'START.md': goto('A.md'), 'A.md': WRONG }, 'A.md:3: model: '],
  [
    'behind the return of a policy',
    { 'START.md': goto('A').replace('goto', 'call').replace(' }', ', return: B }'), 'A.md': 'A', 'B.md': WRONG },
    'B.md:3: model: ',
  ],
  [
    'that names no state',
    { 'START.md': goto('NXET'), 'NEXT.md': 'x' },
    'START.md:3: there is no state "NXET", did you mean NEXT.md?',
  ],
])('a mistake %s refuses the package with file and line', async (_title, files, message) => {
  const opened = open(files);
  await expect(opened).rejects.toMatchObject({ code: 'InvalidWorkflow' });
  await expect(opened).rejects.toThrow(message);
  await expect(opened).rejects.toThrow(/^\/.*\/\w+\.md:3: /);
});

test('all mistakes of a file are reported at once', async () => {
  const opened = open({ 'START.md': '---\nmodel: x x\neffort: y\n---\n' });
  await expect(opened).rejects.toThrow(/START\.md:2: model: .*\n.*START\.md:3: effort: /);
});

test.each([
  ['a prompt that nothing leads to', { 'START.md': 'x', 'OTHER.md': WRONG }],
  ['a script', { 'START.sh': `: '${WRONG}'\necho "<result>x</result>"` }],
  ['a README', { 'START.md': 'x', 'README.md': WRONG }],
  [
    'a name in the text of a prompt with a policy',
    { 'START.md': `${goto('A')}Never write <goto>NOWHERE</goto>.`, 'A.md': 'x' },
  ],
])('%s is not checked', async (_title, files) => {
  await expect(open(files)).resolves.toMatchObject({ name: expect.stringMatching(/./) });
});

test('a prompt that only a policy leads to needs Claude', async () => {
  const { needsClaude } = await open({ 'START.txt': '', 'START.md': goto('B'), 'B.sh': 'echo "<result>x</result>"' });
  expect(needsClaude).toBe(true);
});

test('the sample workflows are right', async () => {
  const names = await readdir(SAMPLES, { withFileTypes: true });
  const folders = names.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(folders.length).toBeGreaterThan(5);
  for (const name of folders) await expect(openPackage(join(SAMPLES, name), HERE)).resolves.toMatchObject({ name });
});

const ASKING = '---\nallowed_transitions:\n  - { tag: result }\n  - { tag: ask, next: A }\n---\nGo.\n';
const END = 'echo "<result>done</result>"';
const SILENT = '---\nallowed_transitions:\n  - { tag: result }\n---\nNever <ask next="A">me</ask>.\n';

test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  ['a policy allows', { 'START.md': goto('A'), 'A.md': ASKING, 'OTHER.md': ASKING }, ['A.md:4']],
  ['a script prints', { 'START.sh': '# so\necho \'<ask next="A">Which?</ask>\'', 'A.sh': END }, ['START.sh:2']],
  [
    'a script prints in one of several ways',
    { 'START.sh': 'if x; then\ncat <<E\nHm.\n<ask next="A">?</ask>\nE\nfi\necho "<goto>A</goto>"', 'A.sh': END },
    ['START.sh:4'],
  ],
  ['a script only speaks of', { 'START.sh': '# <ask next="A">?</ask>\necho "<goto>A</goto>"', 'A.sh': END }, []],
  [
    'a prompt without a policy is told of',
    { 'START.md': 'Go on.\nOr <ask next="A">?</ask>', 'A.md': 'A' },
    ['START.md:2'],
  ],
  ['a prompt cannot reach', { 'START.md': SILENT, 'A.md': ASKING }, []],
])('a question that %s is known before the start, with its line', async (_what, files, places) => {
  const { asks, path } = await open(files);
  expect(asks).toEqual(places.map((place) => join(path, place)));
});
