// Converting packages on disk: every form into every other, whole or not at all.
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { convertPackage, type Conversion } from '../../../src/packages/convert/convert.js';
import { folder } from '../../support/folder.js';
import { zipFile } from '../zip-file.js';

const SAMPLES = fileURLToPath(new URL('../../../workflows', import.meta.url));
const FLOW = {
  'flow/workflow.yaml': '# notes\nid: flow\n',
  'flow/1_START.md': '---\r\nforce_implicit: true\r\nallowed_transitions: [{ tag: goto, target: B }]\r\n---\r\nGo.\r\n',
  'flow/B.sh': '#!/bin/bash\necho "<result>x</result>"\n',
  'flow/C.sh': 'true\n',
  'flow/D.py': 'print(1)\n',
};

/** Names, contents and executable bits of the files of a folder. */
async function contentOf(path: string): Promise<unknown> {
  const names = (await readdir(path)).sort();
  return await Promise.all(
    names.map(async (name) => {
      const { mode } = await stat(join(path, name));
      return [name, (await readFile(join(path, name))).toString('latin1'), (mode & 0o100) !== 0];
    }),
  );
}

async function refusal(conversion: Conversion): Promise<string> {
  return await convertPackage(conversion).then(
    () => 'it was converted',
    (error: unknown) => (error as Error).message,
  );
}

async function flow(): Promise<string> {
  const place = await folder(FLOW);
  await chmod(join(place, 'flow/B.sh'), 0o755);
  return place;
}

test('a folder comes back through a zip and a YAML file, and the other way round', async () => {
  const place = await flow();
  const at = (name: string): string => join(place, name);
  const ways = [
    ['flow', 'a.zip', 'a.yaml', 'a'],
    ['flow', 'b.yml', 'b.zip', 'b'],
    ['flow', 'c.zip', 'c'],
    ['flow', 'd.yaml', 'd'],
  ];
  for (const way of ways) {
    for (const [index, name] of way.slice(1).entries()) await convertPackage({ from: at(way[index]!), to: at(name) });
    expect(await contentOf(at(way.at(-1)!))).toEqual(await contentOf(at('flow')));
  }
  expect(await readFile(at('b.yml'), 'utf8')).toBe(await readFile(at('a.yaml'), 'utf8'));
});

test('every sample comes back from YAML as it was', async () => {
  const place = await folder();
  const samples = (await readdir(SAMPLES, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const { name } of samples) {
    const entries = await readdir(join(SAMPLES, name));
    const without = entries.filter((entry) => !/\.(md|sh|bat|ps1)$/.test(entry) || entry === 'README.md');
    const copy = join(place, `${name}.zip`);
    await convertPackage({ from: join(SAMPLES, name), to: copy, without });
    await convertPackage({ from: copy, to: join(place, name) });
    await convertPackage({ from: join(place, name), to: join(place, `${name}.yaml`) });
    await convertPackage({ from: join(place, `${name}.yaml`), to: join(place, `${name}-back`) });
    expect(await contentOf(join(place, `${name}-back`))).toEqual(await contentOf(join(place, name)));
  }
  expect(samples.length).toBeGreaterThan(0);
});

test('a zip keeps its marks, also of a script that is none for others; one without marks has programs by their names', async () => {
  const place = await folder({
    'marked.zip': zipFile([
      { name: 'f/A.sh', content: 'true\n', mode: 0o100644 },
      { name: 'f/B.md', content: 'x\n', mode: 0o100755 },
    ]),
    'plain.zip': zipFile([{ name: 'A.sh', content: 'true\n', mode: 0 }]),
  });
  await convertPackage({ from: join(place, 'marked.zip'), to: join(place, 'marked') });
  await convertPackage({ from: join(place, 'plain.zip'), to: join(place, 'plain') });
  expect(await contentOf(join(place, 'marked'))).toEqual([
    ['A.sh', 'true\n', false],
    ['B.md', 'x\n', true],
  ]);
  expect(await contentOf(join(place, 'plain'))).toEqual([['A.sh', 'true\n', true]]);
});

describe('nothing is written when', () => {
  test.each<[string, Partial<Conversion>, string]>([
    [
      'the target is there',
      { to: 'there.zip' },
      'there.zip already exists; choose another path, or replace it with --force',
    ],
    ['there is no folder for it', { to: 'no/x.zip' }, '/no; create it first'],
    ['the form is the same', { to: 'other' }, 'flow is a folder already; a name with .yaml makes a YAML file'],
    ['there is no source', { from: 'nothing', to: 'x.zip' }, 'there is no workflow at'],
    [
      'the new name promises another hash',
      { to: `x-${'0'.repeat(64)}.zip` },
      `x-${'0'.repeat(64)}.zip does not match the SHA-256 in its name`,
    ],
    [
      'a file to be left behind is not there',
      { to: 'x.zip', without: ['nope'] },
      '--without nope: there is no such file',
    ],
    [
      'a folder holds more than a package',
      { from: 'there.zip', to: 'mixed', force: true },
      'mixed holds sub, which was not made by this command; choose another path',
    ],
  ])('%s', async (_title, { from = 'flow', to = '', ...how }, message) => {
    const place = await folder({
      ...FLOW,
      'there.zip': zipFile([{ name: 'A.md', content: 'x' }]),
      'mixed/sub/precious': 'x',
    });
    const before = await readdir(place, { recursive: true });
    expect(await refusal({ from: join(place, from), to: join(place, to), ...how })).toContain(message);
    expect(await readdir(place, { recursive: true })).toEqual(before);
  });

  test('a form cannot hold it: all that stands in the way is reported at once', async () => {
    const place = await folder({ ...FLOW, 'flow/items.txt': 'x', 'flow/V1.2.md': 'y', 'flow/sub/x.md': 'z' });
    await symlink('nowhere', join(place, 'flow/link'));
    const message = await refusal({ from: join(place, 'flow'), to: join(place, 'x.yaml') });
    expect(message.split('\n')).toEqual([
      expect.stringContaining('flow/link: this is neither a file nor a link to one'),
      expect.stringContaining(
        'flow/sub: a package cannot contain a folder; move it out, or leave it behind with --without sub',
      ),
    ]);
    const without = ['link', 'sub'];
    const inYaml = await refusal({ from: join(place, 'flow'), to: join(place, 'x.yaml'), without });
    expect(inYaml.split('\n')).toEqual([
      expect.stringContaining('flow/V1.2.md: the name "V1.2" contains a dot'),
      expect.stringContaining('flow/items.txt: a YAML file holds prompts and scripts only'),
    ]);
    expect((await readdir(place)).sort()).toEqual(['flow']);
  });
});

test('--force replaces a package whole', async () => {
  const place = await flow();
  await mkdir(join(place, 'old'));
  await writeFile(join(place, 'old/OLD.md'), 'old');
  await convertPackage({ from: join(place, 'flow'), to: join(place, 'x.yaml') });
  await convertPackage({ from: join(place, 'x.yaml'), to: join(place, 'old'), force: true });
  await convertPackage({ from: join(place, 'flow'), to: join(place, 'x.yaml'), force: true });
  expect(await contentOf(join(place, 'old'))).toEqual(await contentOf(join(place, 'flow')));
  expect((await readdir(place)).sort()).toEqual(['flow', 'old', 'x.yaml']);
});

test('what counts from the place of a package is reported when that changes', async () => {
  const place = await folder({
    'flow/workflow.yaml': 'id: flow\nworking_directory: ..\n',
    'flow/START.sh': 'echo "<call-workflow return=\\"START\\">../other/</call-workflow>"\n',
    'out/keep': '',
  });
  const moved = await convertPackage({ from: join(place, 'flow'), to: join(place, 'out/flow.yaml') });
  expect(moved.warnings).toEqual([
    expect.stringMatching(/START\.sh names \.\.\/other\/: this is relative to the package/),
    expect.stringMatching(/working_directory of .*flow is \.\.: this is relative/),
  ]);
  const beside = await convertPackage({ from: join(place, 'flow'), to: join(place, 'flow.yaml') });
  expect(beside.warnings).toEqual([]);
});
