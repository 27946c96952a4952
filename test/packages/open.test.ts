// Open scopes of all kinds: what they list and read, where their scripts really are, and that nobody reads an old package.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/host/sha256.js';
import { openScope } from '../../src/packages/open.js';
import type { Scope } from '../../src/protocol/scope.js';
import { folder } from '../support/folder.js';
import { until } from '../support/until.js';
import { thrownBy } from './thrown.js';
import { zipFile, zipOf } from './zip-file.js';

const files = {
  '1_START.sh': 'echo start\n',
  'B.md': 'Hello\n',
  'lib.sh': 'echo lib\n',
  'workflow.yaml': 'id: demo\n',
};
const yaml = 'id: demo\nstates:\n  1_START:\n    sh: |\n      echo start\n  B:\n    model: haiku\n    prompt: Hello\n';

async function scopeOf(kind: Scope['kind']): Promise<Scope> {
  const root = await folder({
    ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`flow/${name}`, text])),
  });
  await writeFile(join(root, 'flow.zip'), zipOf(files));
  await writeFile(join(root, 'flow.yaml'), yaml);
  return { kind, path: join(root, kind === 'directory' ? 'flow' : `flow.${kind}`) };
}

describe.each(['directory', 'zip', 'yaml'] as const)('a %s', (kind) => {
  test('lists its files and reads them', async () => {
    const scope = await openScope(await scopeOf(kind));
    const names = kind === 'yaml' ? ['1_START.sh', 'B.md'] : Object.keys(files);
    expect(await scope.list()).toEqual(names);
    expect((await scope.read('1_START.sh')).toString()).toBe('echo start\n');
  });

  test('has its scripts as real files, with the others beside them', async () => {
    const scope = await openScope(await scopeOf(kind));
    const path = await scope.scriptPath('1_START.sh', await folder());
    expect(spawnSync('bash', [path], { encoding: 'utf8' }).stdout).toBe('start\n');
    expect(await readFile(join(dirname(path), 'B.md'), 'utf8')).toBe((await scope.read('B.md')).toString());
  });

  test('has a manifest', async () => {
    const scope = await openScope(await scopeOf(kind));
    expect((await scope.manifest())?.manifest.id).toBe('demo');
  });

  test('has a hash that changes with its content and with nothing else', async () => {
    const [scope, same] = [await scopeOf(kind), await scopeOf(kind)];
    const hash = await (await openScope(scope)).hash();
    expect(await (await openScope(same)).hash()).toBe(hash);
    const changed = kind === 'directory' ? join(scope.path, 'B.md') : scope.path;
    if (kind === 'zip') await writeFile(changed, zipOf({ ...files, 'B.md': 'Hi\n' }));
    else await writeFile(changed, (await readFile(changed, 'utf8')).replace('Hello', 'Hi'));
    expect(await (await openScope(scope)).hash()).not.toBe(hash);
  });

  test('says what is not there', async () => {
    const { path } = await scopeOf(kind);
    const gone = { kind, path: `${path}x` } as Scope;
    expect(await thrownBy(async () => await (await openScope(gone)).list())).toMatch(
      /^Missing: cannot read .*x: it does not exist/,
    );
    const scope = await openScope({ kind, path });
    expect(await thrownBy(() => scope.read('C.md'))).toMatch(/^Missing: .*C\.md/);
  });

  test('shows an edit at once', async () => {
    const scope = await scopeOf(kind);
    const target = kind === 'directory' ? join(scope.path, 'B.md') : scope.path;
    for (const word of ['aaaaa', 'bbbbb', 'ccccc', 'ddddd']) {
      await writeFile(
        target,
        kind === 'zip' ? zipOf({ 'B.md': word }) : kind === 'yaml' ? yaml.replace('Hello', word) : word,
      );
      expect((await (await openScope(scope)).read('B.md')).toString()).toContain(word);
    }
  });
});

test('places are where an editor finds the line', async () => {
  const [directory, zip, yaml] = await Promise.all([scopeOf('directory'), scopeOf('zip'), scopeOf('yaml')]);
  expect((await openScope(directory)).positionOf('B.md', 3)).toBe(`${directory.path}/B.md:3`);
  expect((await openScope(zip)).positionOf('B.md', 3)).toBe(`${zip.path}/B.md:3`);
  const virtual = await openScope(yaml);
  // The lines of a prompt are those of the YAML, where its policy stands.
  expect(virtual.positionOf('B.md', 7)).toBe(`${yaml.path}:7`);
  expect(virtual.positionOf('B.md')).toBe(`${yaml.path}:6`);
  expect(virtual.positionOf('1_START.sh', 1)).toBe(`${yaml.path}:5`);
});

test('a directory passes over sub-folders, and counts a link as what it leads to', async () => {
  const root = await folder({ 'flow/A.md': 'a', 'flow/sub/B.md': 'b', 'elsewhere.md': 'c' });
  await symlink('../elsewhere.md', join(root, 'flow/C.md'));
  const scope = await openScope({ kind: 'directory', path: join(root, 'flow') });
  expect(await scope.list()).toEqual(['A.md', 'C.md']);
  const hash = await scope.hash();
  await writeFile(join(root, 'elsewhere.md'), 'changed');
  expect(await scope.hash()).not.toBe(hash);
  expect(await scope.manifest()).toBeUndefined();
});

test('a pipe in a directory holds nothing up', async () => {
  const root = await folder({ 'A.md': 'a' });
  spawnSync('mkfifo', [join(root, 'pipe')]);
  expect(await (await openScope({ kind: 'directory', path: root })).hash()).toMatch(/^[0-9a-f]{64}$/);
});

test('a zip whose manifest is wrong says so when it is asked', async () => {
  const path = join(await folder({ 'flow.zip': zipOf({ 'A.md': 'a', 'workflow.yaml': 'id: "' }) }), 'flow.zip');
  const scope = await openScope({ kind: 'zip', path });
  expect(await thrownBy(() => scope.manifest())).toMatch(/^InvalidYaml: .*flow\.zip\/workflow\.yaml:1: /);
});

describe('a copy for scripts', () => {
  const script = '1_START.sh';
  const open = async (kind: Scope['kind'] = 'zip') => await openScope(await scopeOf(kind));

  test('is private, and made once per content', async () => {
    const [below, zip] = [await folder(), await open()];
    const path = await zip.scriptPath(script, below);
    expect((await stat(dirname(path))).mode & 0o777).toBe(0o700);
    expect((await stat(path)).mode & 0o777).toBe(0o700);
    expect((await stat(join(dirname(path), 'B.md'))).mode & 0o777).toBe(0o600);
    const { ino } = await stat(path);
    expect(await (await open()).scriptPath(script, below)).toBe(path);
    expect((await stat(path)).ino).toBe(ino);
    expect(basename(dirname(path))).toMatch(/^flow-[0-9a-f]{32}$/);
  });

  test.each<[string, (path: string) => Promise<void>]>([
    ['overwritten', (path) => writeFile(path, 'echo changed\n')],
    ['removed', (path) => rm(path)],
    ['replaced by a link', (path) => rm(path).then(() => symlink('/etc/hostname', path))],
    ['gone with its folder', (path) => rm(dirname(path), { recursive: true })],
  ])('is fixed when a script was %s', async (_title, damage) => {
    const [below, zip] = [await folder(), await open()];
    const path = await zip.scriptPath(script, below);
    await damage(path);
    expect(await zip.scriptPath(script, below)).toBe(path);
    expect(await readFile(path, 'utf8')).toBe('echo start\n');
    expect(await readFile(join(dirname(path), 'lib.sh'), 'utf8')).toBe('echo lib\n');
  });

  test('another content is another copy', async () => {
    const below = await folder();
    const [zip, yaml] = [await open(), await open('yaml')];
    expect(dirname(await zip.scriptPath(script, below))).not.toBe(dirname(await yaml.scriptPath(script, below)));
  });

  test('many turns at once make one whole copy', async () => {
    const [below, zip] = [await folder(), await open()];
    const paths = await Promise.all(Array.from({ length: 20 }, () => zip.scriptPath(script, below)));
    expect(new Set(paths).size).toBe(1);
    const listed = spawnSync('ls', ['-A', dirname(paths[0]!)], { encoding: 'utf8' })
      .stdout.trim()
      .split('\n');
    expect(listed.sort()).toEqual(Object.keys(files).sort());
  });

  test('a folder that cannot be written is an error that names it', async () => {
    const root = await folder({ occupied: 'a file' });
    const zip = await open();
    expect(await thrownBy(() => zip.scriptPath(script, join(root, 'occupied')))).toMatch(
      /^Unreadable: cannot unpack .*flow\.zip below .*occupied: a file is where a folder should be/,
    );
  });
});

describe('a package that stays the same', () => {
  const old = (path: string): Promise<void> => utimes(path, 1_000_000_000, 1_000_000_000);

  test('is read only once', async () => {
    const scope = await scopeOf('zip');
    await until(async () => Date.now() - (await stat(scope.path)).ctimeMs > 200, { what: 'a settled file' });
    const [first, second] = [await (await openScope(scope)).read('B.md'), await (await openScope(scope)).read('B.md')];
    expect(second).toBe(first);
  });

  test('is read again when another file takes its place, with the same size and time', async () => {
    const scope = await scopeOf('zip');
    const [a, b] = ['aaaaa', 'bbbbb'].map((word) => zipFile([{ name: 'B.md', content: word, stored: true }]));
    expect(a!.length).toBe(b!.length);
    await writeFile(scope.path, a!);
    await old(scope.path);
    await until(async () => Date.now() - (await stat(scope.path)).ctimeMs > 200, { what: 'a settled file' });
    expect((await (await openScope(scope)).read('B.md')).toString()).toBe('aaaaa');
    const next = `${scope.path}.next`;
    await writeFile(next, b!);
    await old(next);
    await rename(next, scope.path);
    expect((await (await openScope(scope)).read('B.md')).toString()).toBe('bbbbb');
  });

  test('that was wrong is read again after it was fixed', async () => {
    const scope = await scopeOf('yaml');
    await writeFile(scope.path, 'states: []');
    await until(async () => Date.now() - (await stat(scope.path)).ctimeMs > 200, { what: 'a settled file' });
    expect(await thrownBy(() => openScope(scope))).toMatch(/^InvalidYaml: /);
    await writeFile(scope.path, yaml);
    expect(await (await openScope(scope)).list()).toEqual(['1_START.sh', 'B.md']);
  });

  test('and is gone is missed at once', async () => {
    const scope = await scopeOf('zip');
    await openScope(scope);
    await rm(scope.path);
    await mkdir(scope.path);
    expect(await thrownBy(() => openScope(scope))).toMatch(/^Unreadable: .*: it is a directory/);
  });
});

test('a downloaded zip is held to the hash in its name', async () => {
  const bytes = zipOf(files);
  const root = await folder({ [`${sha256Of(bytes)}.zip`]: zipOf({ 'A.md': 'other' }) });
  const path = join(root, `${sha256Of(bytes)}.zip`);
  const scope = { kind: 'zip', path, url: `http://127.0.0.1:9/${sha256Of(bytes)}.zip` } as const;
  expect(await thrownBy(() => openScope(scope))).toMatch(/^HashMismatch: /);
});

describe('a folder with what is no plain file of a bounded size', () => {
  const hostile = async (): Promise<Scope> => {
    const path = await folder({ 'START.sh': '', 'HUGE.md': '' });
    execFileSync('mkfifo', [join(path, 'PIPE.md')]);
    await symlink('/dev/zero', join(path, 'ZERO.md'));
    await truncate(join(path, 'HUGE.md'), 10 * 1024 ** 3);
    return { kind: 'directory', path };
  };

  test.each([
    ['PIPE.md', 'Unreadable', 'it is a pipe, not a file'],
    ['ZERO.md', 'Unreadable', 'it is a device, not a file'],
    ['HUGE.md', 'TooLarge', 'it has 10737418240 bytes, more than the limit of 67108864'],
  ])('refuses to read %s, by its name', async (file, code, why) => {
    const scope = await hostile();
    const path = join(scope.path, file);
    expect(await thrownBy(async () => (await openScope(scope)).read(file))).toContain(
      `${code}: cannot read ${path}: ${why}`,
    );
  });

  test('has a hash that follows its files, and reads none without end', async () => {
    const scope = await hostile();
    const hash = await (await openScope(scope)).hash();
    await truncate(join(scope.path, 'HUGE.md'), 11 * 1024 ** 3);
    expect(await (await openScope(scope)).hash()).not.toBe(hash);
  });
});
