// Opening a workflow folder before a run: which state begins, whether Claude is needed, and what is wrong before anything is spent.
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../../src/host/sha256.js';
import { ClientError } from '../../../src/client/error.js';
import { openPackage } from '../../../src/client/start/package.js';
import { zipOf } from '../../packages/zip-file.js';
import { folder } from '../../support/folder.js';

const at = (cwd: string) => ({ cwd, cacheDir: join(cwd, '.raymond/registry') });
const HERE = at('/');
/** The same, refusing what lint calls an error. */
const checked = (cwd: string) => ({ ...at(cwd), check: { ignore: [] } });
const GO = 'echo "<goto>NEXT</goto>"\n';

/** What a package is refused for. */
async function refusalOf(opening: Promise<unknown>): Promise<string> {
  const error = await opening.catch((thrown: unknown) => thrown);
  if (!(error instanceof ClientError)) throw new Error('not refused', { cause: error });
  expect(error.code).toBe('InvalidWorkflow');
  return error.message;
}

describe('a folder', () => {
  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['START.md', { 'START.md': '', 'A.md': '' }, 'START.md'],
    ['START.sh', { 'START.sh': '' }, 'START.sh'],
    ['1_START.md', { '1_START.md': '' }, '1_START.md'],
    ['1_START.sh', { '1_START.sh': '', 'README.txt': '' }, '1_START.sh'],
    ['START.md beside one for Windows', { 'START.md': '', 'START.bat': '' }, 'START.md'],
  ])('begins at %s', async (_what, files, entry) => {
    const path = await folder(files);
    expect(await openPackage(path, HERE)).toMatchObject({
      name: basename(path),
      scope: { kind: 'directory', path },
      entry,
    });
  });

  test('is found from where one stands, with or without a slash at its end', async () => {
    const path = await folder({ 'START.sh': '' });
    for (const argument of [basename(path), `./${basename(path)}/`, `${basename(path)}/../${basename(path)}`]) {
      expect(await openPackage(argument, at(dirname(path)))).toMatchObject({ name: basename(path), scope: { path } });
    }
  });

  test('may be a link, and its states, too', async () => {
    const real = await folder({ 'start-here.sh': GO, 'NEXT.sh': '' });
    await symlink('start-here.sh', join(real, 'START.sh'));
    const outer = await folder();
    await symlink(real, join(outer, 'flow'));
    expect(await openPackage('flow', at(outer))).toMatchObject({ name: 'flow', entry: 'START.sh', needsClaude: false });
  });
});

test('questions are known that other workflows ask, from the states that can be reached there', async () => {
  const path = await folder({
    'flow/START.sh': 'echo "<call-workflow return=\\"END\\">../first</call-workflow>"\n',
    'flow/END.sh': 'echo "<result>x</result>"\n',
    'flow/UNUSED.sh': 'echo "<reset-workflow>../unused</reset-workflow>"\n',
    'first/START.sh': 'echo "<fork-workflow next=\\"LAST\\">../second/HERE</fork-workflow>"\n',
    'first/LAST.sh': 'echo "<result>x</result>"\n',
    'second/START.sh': 'echo "<ask next=\\"HERE\\">not reached</ask>"\n',
    'second/HERE.sh': '\necho "<ask next=\\"HERE\\">Again?</ask>"\n',
    'unused/START.sh': 'echo "<ask next=\\"START\\">not reached</ask>"\n',
  });
  expect((await openPackage(join(path, 'flow'), checked('/'))).asks).toEqual([join(path, 'second/HERE.sh:2')]);
});

test('a state file can be started by its name', async () => {
  const path = await folder({ 'START.sh': GO, 'NEXT.md': '' });
  const opened = await openPackage(join(path, 'NEXT.md'), HERE);
  expect(opened).toMatchObject({ name: basename(path), scope: { path }, entry: 'NEXT.md', needsClaude: true });
});

describe('a workflow that cannot be started', () => {
  test.each<[string, Readonly<Record<string, string | Buffer>>, readonly string[]]>([
    [
      'is empty',
      {},
      ['has no states; a workflow consists of .md prompts or .sh scripts, one of them 1_START or START'],
    ],
    ['has only other files', { 'notes.txt': '', '.START.md': '' }, ['has no states']],
    [
      'has no beginning',
      { 'A.md': '', 'B.sh': '' },
      ['there is no entry point, 1_START or START', 'the states are A.md, B.sh', 'raymond start'],
    ],
    ['has its beginning in a folder of its own', { 'A.md': '', 'inner/START.md': '' }, ['there is no entry point']],
    ['writes its beginning small', { 'start.md': '' }, ['there is no entry point', 'start.md']],
    ['begins twice', { '1_START.md': '', 'START.sh': '' }, ['two entry points, 1_START.md and START.sh']],
    [
      'begins ambiguously',
      { 'START.md': '', 'START.sh': '' },
      ['"START" is ambiguous: START.md and START.sh both exist'],
    ],
    [
      'begins on Windows only',
      { 'START.bat': '', 'A.md': '' },
      ['"START" cannot run on this platform (found START.bat)'],
    ],
    [
      'is not UTF-8',
      { 'START.md': Buffer.from('caf\xe9', 'latin1') },
      ['START.md is not UTF-8 text; save it as UTF-8'],
    ],
    ['leads to what is not UTF-8', { 'START.sh': GO, 'NEXT.sh': Buffer.from([0xff]) }, ['NEXT.sh is not UTF-8 text']],
  ])('because it %s is refused with what to do', async (_why, files, words) => {
    const path = await folder(files);
    const message = await refusalOf(openPackage(path, checked('/')));
    expect(message).toContain(path);
    for (const word of words) expect(message).toContain(word);
  });

  test.each([
    ['a place that does not exist', 'none', 'there is no workflow at'],
    ['a state that does not exist', 'flow/NONE.md', 'there is no workflow at'],
    ['a script for Windows', 'flow/A.bat', '"A.bat" cannot run on this platform'],
  ])('because it is %s is refused', async (_what, argument, words) => {
    const cwd = await folder({ 'flow/START.sh': '', 'flow/A.bat': '' });
    const message = await refusalOf(openPackage(argument, checked(cwd)));
    expect(message).toContain(words);
    expect(message).toContain(join(cwd, argument).replace(/\/A\.bat$/, ''));
  });

  test('because a state is a link to nothing is refused when that state can be reached', async () => {
    const path = await folder({ 'START.sh': GO });
    await symlink('nothing', join(path, 'NEXT.md'));
    expect(await refusalOf(openPackage(path, checked('/')))).toContain(join(path, 'NEXT.md'));
  });

  test('because an entry is a folder is refused', async () => {
    const path = await folder({ 'A.md': '' });
    await mkdir(join(path, 'START.md'));
    expect(await refusalOf(openPackage(path, checked('/')))).toContain('there is no entry point');
  });
});

describe('Claude is needed', () => {
  test.each<[string, boolean, Readonly<Record<string, string>>]>([
    ['for a prompt that begins', true, { 'START.md': '' }],
    ['for no script alone', false, { 'START.sh': 'echo "<result>x</result>"' }],
    ['for no prompt that nothing leads to', false, { 'START.sh': 'echo "<result>x</result>"', 'A.md': '' }],
    ['behind a script', true, { 'START.sh': GO, 'NEXT.md': '' }],
    [
      'behind many scripts',
      true,
      { 'START.sh': GO, 'NEXT.sh': 'echo "<reset>A</reset>"', 'A.sh': "echo '<goto>B.md</goto>'", 'B.md': '' },
    ],
    [
      'behind a script with escaped quotes',
      true,
      { 'START.sh': 'echo "<call return=\\"A\\">B</call>"', 'A.md': '', 'B.sh': '' },
    ],
    ['where a call returns to', true, { 'START.sh': 'echo \'<call return="A">B</call>\'', 'A.md': '', 'B.sh': '' }],
    [
      'where a function leads to',
      true,
      { 'START.sh': 'echo \'<function return="A">B</function>\'', 'A.sh': '', 'B.md': '' },
    ],
    ['for a forked agent', true, { 'START.sh': 'echo \'<fork next="A">B</fork>\'', 'A.sh': '', 'B.md': '' }],
    ['where a fork goes on', true, { 'START.sh': 'echo \'<fork next="A">B</fork>\'', 'A.md': '', 'B.sh': '' }],
    [
      'in a circle without prompts never',
      false,
      { 'START.sh': GO, 'NEXT.sh': 'echo "<goto>START</goto>"', 'A.md': '' },
    ],
    ['for an example that names no state never', false, { 'START.sh': '# write <goto>SOMEWHERE</goto>\n', 'A.md': '' }],
    ['for an ambiguous name only when it runs', false, { 'START.sh': GO, 'NEXT.md': '', 'NEXT.sh': '' }],
  ])('%s: %s', async (_where, needsClaude, files) => {
    expect(await openPackage(await folder(files), HERE)).toMatchObject({ needsClaude });
  });
});

describe('a package in one file', () => {
  const zip = zipOf({ 'START.sh': GO, 'NEXT.md': '', 'workflow.yaml': 'id: demo\ncolour: red\n' });
  const yaml = 'states:\n  START:\n    sh: |\n      echo "<goto>NEXT.sh</goto>"\n  NEXT:\n    prompt: Hi\n';

  test('has an entry, a manifest, warnings and a hash', async () => {
    const path = join(await folder({ [`flow-${sha256Of(zip)}.zip`]: zip }), `flow-${sha256Of(zip)}.zip`);
    const opened = await openPackage(path, HERE);
    expect(opened).toMatchObject({
      name: 'flow',
      scope: { kind: 'zip', path },
      entry: 'START.sh',
      needsClaude: true,
      manifest: { id: 'demo' },
      warnings: [expect.stringContaining(`${path}/workflow.yaml:2: unknown key "colour"`)],
    });
    expect(await opened.sha256()).toBe(sha256Of(zip));
  });

  test('of YAML is followed by names whatever their extension', async () => {
    const path = join(await folder({ 'flow.yml': yaml }), 'flow.yml');
    expect(await openPackage(path, HERE)).toMatchObject({ name: 'flow', entry: 'START.sh', needsClaude: true });
    expect(await openPackage(`${path}/NEXT.sh`, HERE)).toMatchObject({
      entry: 'NEXT.md',
      scope: { kind: 'yaml', path },
    });
  });

  test('is frozen where it should be, and known by its origin', async () => {
    const root = await folder({ 'flow/START.sh': 'a', 'flow.yaml': yaml });
    const opened = await openPackage('flow', { ...at(root), pinDir: join(root, 'store') });
    const copy = join(root, 'store/packages', await opened.sha256());
    expect(opened).toMatchObject({
      name: 'flow',
      scope: { kind: 'directory', path: copy, origin: join(root, 'flow') },
    });
    expect(await openPackage('flow.yaml/NEXT', { ...at(root), pinDir: join(root, 'store') })).toMatchObject({
      name: 'flow',
      entry: 'NEXT.md',
      scope: { kind: 'yaml', origin: join(root, 'flow.yaml') },
    });
  });

  test('says before the first turn what is likely to waste one, of the states that can be reached', async () => {
    const root = await folder({
      'flow/START.md': '---\nmodle: haiku\n---\nThen <goto>NEXT</goto>',
      'flow/NEXT.md': 'Say it.\n',
      'flow/LATER.md': 'Never.\n',
    });
    const { warnings } = await openPackage('flow', checked(root));
    expect([...warnings].sort()).toEqual([
      expect.stringMatching(/NEXT\.md:1: NEXT\.md names no transition.*\(dead-end-state\)$/),
      expect.stringMatching(/START\.md:2: unknown key "modle"; write model \(unknown-field\)$/),
    ]);
  });

  test('is not frozen when it cannot be started', async () => {
    const root = await folder({ 'flow/START.sh': '# raymond: retries=x\n' });
    expect(await refusalOf(openPackage('flow', { ...checked(root), pinDir: join(root, 'store') }))).toContain(
      `${join(root, 'flow/START.sh')}:1: retries: expected`,
    );
    expect(await readdir(root)).toEqual(['flow']);
  });
});
