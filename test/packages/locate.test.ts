// Where …-workflow tags and start arguments lead, on a real tree of packages of all kinds.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openArgument, resolveWorkflow } from '../../src/packages/locate.js';
import { sha256Of } from '../../src/host/sha256.js';
import type { Scope } from '../../src/protocol/scope.js';
import { folder } from '../support/folder.js';
import { thrownBy } from './thrown.js';
import { zipOf } from './zip-file.js';

const inner = zipOf({ '1_START.md': 'a', 'CHECK.sh': 'true' });
const sha256 = sha256Of(inner);
const published = `pub-${sha256}.zip`;
const yaml = 'states:\n  START: {prompt: a}\n  CHECK: {sh: "true"}\n';

let root: string;
let server: Server;
let base: string;

beforeAll(async () => {
  root = await folder({
    'here/1_START.md': 'a',
    'here/LOCAL.md': 'a',
    'here/sub/START.sh': 'true',
    'other/START.md': 'a',
    'other/OTHER_ENTRY.md': 'a',
    'other/NAME.sh': 'true',
    'other/notes.txt': 'a',
    'empty/LONELY.md': 'a',
    'two/START.md': 'a',
    'both/A.md': 'a',
    'both/A.sh': 'true',
    'two/1_START.md': 'a',
    'here.zip': inner,
    'Packed.zip': inner,
    'broken.zip': 'no zip',
    [`wrong-${'0'.repeat(64)}.zip`]: inner,
    'single.yaml': yaml,
    'broken.yaml': 'states: []',
  });
  server = createServer((request, response) => {
    if (request.url?.endsWith(`${sha256}.zip`)) response.end(inner);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

/** `kind path entry abbreviation` with the root left out; or the kind of problem; or code and words. */
async function resolved(specifier: string, scope: Scope): Promise<string> {
  const answer = await resolveWorkflow({ specifier, scope, platform: 'unix' });
  switch (answer.kind) {
    case 'workflow':
      return `${answer.scope.kind} ${answer.scope.path.replace(`${root}/`, '')} ${answer.entry} ${answer.abbreviation}`;
    case 'problem':
      return answer.problem.kind;
    case 'unusable':
      return `${answer.error.code}: ${answer.error.message.replaceAll(`${root}/`, '')}`;
  }
}

describe('a specifier of a directory', () => {
  test.each([
    ['../other', 'directory other START.md other'],
    ['../other/', 'directory other START.md other'],
    ['sub', 'directory here/sub START.sh sub'],
    ['../other/OTHER_ENTRY.md', 'directory other OTHER_ENTRY.md other_'],
    ['../other/NAME', 'directory other NAME.sh other'],
    ['../other/NAME.sh', 'directory other NAME.sh other'],
    ['../other/notes.txt', 'directory other notes.txt other'],
    ['LOCAL', 'directory here LOCAL.md here'],
    ['../Packed.zip', 'zip Packed.zip 1_START.md packed'],
    ['../Packed.zip/CHECK', 'zip Packed.zip CHECK.sh packed'],
    ['../single.yaml', 'yaml single.yaml START.md single'],
    ['../single.yaml/CHECK.md', 'yaml single.yaml CHECK.sh single'],
    ['../other/NONE', 'unknown-state'],
    ['../other/NONE.md', 'unknown-state'],
    ['../empty/', 'no-entry'],
    ['../two', 'two-entries'],
    ['../Packed.zip/NONE', 'unknown-state'],
    ['../single.yaml/NONE', 'unknown-state'],
  ])('%s', async (specifier, expected) => {
    expect(await resolved(specifier, { kind: 'directory', path: join(root, 'here') })).toBe(expected);
  });

  test.each([
    ['../none/', 'Missing: there is no workflow at none; a path is relative to here'],
    ['../none/NAME', 'Missing: there is no workflow at none/NAME'],
    ['../othr', 'Missing: there is no workflow at othr; did you mean other?'],
    ['../none/NAME.md', 'Missing: cannot read none: it does not exist'],
    ['../none.zip', 'Missing: cannot read none.zip'],
    ['../none.yaml/NAME', 'Missing: cannot read none.yaml'],
    ['../broken.zip', 'Corrupt: cannot use broken.zip'],
    ['../broken.yaml', 'InvalidYaml: broken.yaml:1: '],
    [`../wrong-${'0'.repeat(64)}.zip`, 'HashMismatch: '],
    ['../Packed.zip/CHECK/', 'InvalidName: '],
    ['http://127.0.0.1/x.zip', 'InvalidName: '],
    ['', 'InvalidName: the name of a workflow is empty'],
  ])('%s is refused with a reason', async (specifier, words) => {
    expect(await resolved(specifier, { kind: 'directory', path: join(root, 'here') })).toContain(words);
  });
});

test('a zip and a YAML file name their neighbours as a folder of their name would', async () => {
  expect(await resolved('../other', { kind: 'zip', path: join(root, 'here.zip') })).toBe(
    'directory other START.md other',
  );
  expect(await resolved('sub', { kind: 'zip', path: join(root, 'here.zip') })).toBe('directory here/sub START.sh sub');
  expect(await resolved('../Packed.zip', { kind: 'yaml', path: join(root, 'single.yaml') })).toContain(
    'zip Packed.zip',
  );
});

test('a downloaded package names others beside it, which are downloaded into the same cache', async () => {
  const cacheDir = join(await folder(), 'registry');
  const url = `${base}/flows/first-${'1'.repeat(64)}.zip`;
  const scope: Scope = { kind: 'zip', path: join(cacheDir, `${'1'.repeat(64)}.zip`), url };
  expect(await resolveWorkflow({ specifier: `../${published}/CHECK`, scope, platform: 'unix' })).toEqual({
    kind: 'workflow',
    scope: { kind: 'zip', path: join(cacheDir, `${sha256}.zip`), url: `${base}/flows/${published}` },
    entry: 'CHECK.sh',
    abbreviation: 'pub-' + sha256.slice(0, 2),
  });
  expect(await resolved(`../none-${'2'.repeat(64)}.zip`, scope)).toMatch(/^Download: .*answered 404/);
  expect(await resolved(join(root, 'other/'), scope)).toMatch(/^InvalidName: /);
});

describe('a start argument', () => {
  const open = async (argument: string) =>
    await openArgument(argument, { cwd: root, cacheDir: join(await folder(), 'registry'), platform: 'unix' });

  test.each([
    ['other', 'directory other'],
    ['./other/', 'directory other'],
    ['other/NAME.sh', 'directory other NAME.sh'],
    ['other/NAME', 'directory other NAME.sh'],
    ['other/notes.txt', 'directory other notes.txt'],
    ['Packed.zip', 'zip Packed.zip'],
    ['Packed.zip/CHECK', 'zip Packed.zip CHECK.sh'],
    ['Packed.zip/CHECK.sh', 'zip Packed.zip CHECK.sh'],
    ['single.yaml', 'yaml single.yaml'],
    ['single.yaml/CHECK', 'yaml single.yaml CHECK.sh'],
    ['single.yaml/START.md', 'yaml single.yaml START.md'],
  ])('%s', async (argument, expected) => {
    for (const written of [argument, join(root, argument)]) {
      const { scope, entry } = await open(written);
      const path = scope.path.replace(`${root}/`, '');
      expect([scope.kind, path, ...(entry === undefined ? [] : [entry])].join(' ')).toBe(expected);
    }
  });

  test.each([
    ['', 'InvalidName: the name of the workflow is empty; give a folder of states, a state file, a .zip or a .yaml'],
    ['none', 'Missing: there is no workflow at none; give a folder'],
    ['othr', 'Missing: there is no workflow at othr; did you mean other?'],
    ['other/NMAE', 'Missing: there is no workflow at other/NMAE; did you mean NAME.sh?'],
    ['both/A', 'Missing: both: "A" is ambiguous: A.md and A.sh both exist'],
    ['none/NAME', 'Missing: there is no workflow at none/NAME; give a folder'],
    ['Packed.zip/NONE', 'Missing: Packed.zip: there is no state "NONE"'],
    ['single.yaml/NONE', 'Missing: single.yaml: there is no state "NONE"'],
    ['none.zip', 'Missing: cannot read none.zip: it does not exist'],
    ['none.yaml/X', 'Missing: cannot read none.yaml: it does not exist'],
    ['broken.zip', 'Corrupt: cannot use broken.zip: '],
    ['broken.yaml/A', 'InvalidYaml: broken.yaml:1: '],
    ['ftp://host/x.zip', 'InvalidName: "ftp://host/x.zip" is not an http or https address'],
    ['https://host/flow.zip', 'InvalidName: "https://host/flow.zip" does not end with a zip file that has its SHA-256'],
  ])('%j is refused with what to do', async (argument, words) => {
    expect((await thrownBy(() => open(argument))).replaceAll(`${root}/`, '')).toContain(words);
  });

  test('an address is fetched, and may name a state', async () => {
    expect(await open(`${base}/${published}`)).toMatchObject({ scope: { kind: 'zip', url: `${base}/${published}` } });
    const { scope, entry } = await open(`${base}/${published}/CHECK`);
    expect(scope).toEqual({
      kind: 'zip',
      path: expect.stringMatching(`registry/${sha256}\\.zip$`),
      url: `${base}/${published}`,
    });
    expect(entry).toBe('CHECK.sh');
  });
});
