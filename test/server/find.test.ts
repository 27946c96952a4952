import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  BUILT_VERSION,
  DOWNLOADED_VERSION,
  inspectCli,
  installedCli,
  installFolder,
} from '../../src/server/temporal-cli.js';
import { findCli } from '../../src/server/find.js';
import { setEnvironment } from '../support/environment.js';
import { onlyTemporary, script } from './project.js';

let root: string;
let bin: string;
let lines: string[];
let restore: () => void;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'raymond-find-'));
  bin = join(root, 'bin');
  mkdirSync(bin);
  lines = [];
  restore = setEnvironment({
    PATH: bin,
    XDG_CACHE_HOME: join(root, 'cache'),
    RAYMOND_TEMPORAL_CLI: undefined,
    RAYMOND_TEMPORAL_DOWNLOAD_URL: 'http://127.0.0.1:9/', // nothing listens on the discard port
  });
  onlyTemporary(installFolder());
});
afterEach(() => {
  restore();
  rmSync(root, { recursive: true, force: true });
});

const report = (line: string): number => lines.push(line);

/** A stand-in for the CLI that counts how often it is asked. */
function fakeCli(folder: string, answer: string, name = 'temporal'): string {
  return script(folder, name, [`echo asked >> ${root}/asked`, `echo "${answer}"`]);
}

const version = (server: string): string => `temporal version 1.2.3 (Server ${server}, UI 2.42.1)`;
const asked = (): number => readFileSync(join(root, 'asked'), 'utf8').trim().split('\n').length;

describe('the order of search', () => {
  test('the environment wins over the configuration, and both over PATH and cache', async () => {
    const fromEnvironment = fakeCli(root, version('1.30.1'), 'a');
    const fromConfig = fakeCli(root, version('1.30.2'), 'b');
    fakeCli(bin, version('1.30.3'));
    fakeCli(installFolder(), version('1.30.4'));
    process.env.RAYMOND_TEMPORAL_CLI = fromEnvironment;
    expect(await findCli({ cli: fromConfig, report })).toEqual({ path: fromEnvironment, serverVersion: '1.30.1' });
    process.env.RAYMOND_TEMPORAL_CLI = '';
    expect(await findCli({ cli: fromConfig, report })).toEqual({ path: fromConfig, serverVersion: '1.30.2' });
    expect(lines).toEqual([]);
  });

  test('PATH wins over the cache', async () => {
    const path = fakeCli(bin, version('1.30.3'));
    fakeCli(installFolder(), version('1.30.4'));
    expect(await findCli({ report })).toEqual({ path, serverVersion: '1.30.3' });
  });

  test('without one on PATH the cache is used', async () => {
    const path = fakeCli(installFolder(), version('1.30.4'));
    expect(await findCli({ report })).toEqual({ path, serverVersion: '1.30.4' });
  });

  test('in the cache a downloaded one wins over one that Go built', async () => {
    const built = fakeCli(installFolder(BUILT_VERSION), version('1.30.3'));
    expect(await findCli({ report })).toEqual({ path: built, serverVersion: '1.30.3' });
    const downloaded = fakeCli(installFolder(DOWNLOADED_VERSION), version('1.30.4'));
    expect(await findCli({ report })).toEqual({ path: downloaded, serverVersion: '1.30.4' });
  });

  test.each([
    ['an unrelated program', 'temporal database tool 4.2', /not the Temporal CLI/],
    ['a CLI that is too old', 'temporal version 0.10.7 (server 1.20.0) (ui 2.10.3)', /1\.20\.0.*newer is needed/],
  ])('%s on PATH is passed over with a word about it', async (_, answer, reason) => {
    const onPath = fakeCli(bin, answer);
    const cached = fakeCli(installFolder(), version('1.30.4'));
    expect((await findCli({ report })).path).toBe(cached);
    expect(lines).toEqual([expect.stringMatching(reason)]);
    expect(lines[0]).toContain(onPath);
  });

  test('when nothing is found the error lists every place with its reason, and the choices', async () => {
    const onPath = fakeCli(bin, 'something else');
    const error = await findCli({ report }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'ServerError', code: 'NoTemporalCli' });
    const { message } = error as Error;
    expect(message).toMatch(new RegExp(`- ${onPath}: it is not the Temporal CLI`));
    expect(message).toMatch(/- official download: cannot download from 127\.0\.0\.1:9: \w+/);
    expect(message).toMatch(/- go install \(v1\.5\.1\): there is no `go` on PATH/);
    for (const choice of ['RAYMOND_TEMPORAL_CLI', 'temporal_cli', installedCli(), 'Go 1.25', '--address']) {
      expect(message).toContain(choice);
    }
    expect(existsSync(installedCli())).toBe(false);
  });
});

describe('a configured CLI that cannot be used is an error, and no other one is taken', () => {
  const cases: [string, () => string, RegExp][] = [
    ['that does not exist', () => join(root, 'no', 'temporal'), /there is no such file/],
    ['that is a folder', () => bin, /it is not a file/],
    ['that is not executable', () => plainFile(), /it is not executable/],
    ['that fails', () => script(root, 'x', ['echo "cannot do it" >&2; exit 4']), /does not run: cannot do it/],
    ['that fails without a word', () => script(root, 'x', ['exit 4']), /does not run: exit 4/],
    ['that is another program', () => script(root, 'x', ['echo hello']), /not the Temporal CLI/],
    [
      'that is too old',
      () => fakeCli(root, version('1.24.9'), 'x'),
      /its server is 1\.24\.9, 1\.25 or newer is needed/,
    ],
  ];
  function plainFile(): string {
    writeFileSync(join(root, 'plain'), '', { mode: 0o644 });
    return join(root, 'plain');
  }

  test.each(cases)('one %s', async (_, path, reason) => {
    fakeCli(bin, version('1.30.3'));
    const cli = path();
    const error = { code: 'NoTemporalCli', message: expect.stringMatching(reason) };
    await expect(findCli({ cli, report })).rejects.toMatchObject(error);
    await expect(findCli({ cli, report })).rejects.toThrow(`\`temporal_cli\` in the configuration, ${cli}`);
    process.env.RAYMOND_TEMPORAL_CLI = cli;
    await expect(findCli({ report })).rejects.toThrow(`RAYMOND_TEMPORAL_CLI, ${cli}`);
  });
});

describe('the answer to --version', () => {
  test('is remembered until the file changes', async () => {
    const path = fakeCli(bin, version('1.30.3'));
    await findCli({ report });
    await findCli({ report });
    expect(asked()).toBe(1);
    appendFileSync(path, `echo "${version('1.30.9')}" > /dev/null\n`);
    expect(await findCli({ report })).toMatchObject({ serverVersion: '1.30.3' });
    expect(asked()).toBe(2);
  });

  test('is asked again when the cache is garbled or cannot be written', async () => {
    fakeCli(bin, version('1.30.3'));
    mkdirSync(join(root, 'cache/raymond/temporal'), { recursive: true });
    writeFileSync(join(root, 'cache/raymond/temporal/versions.json'), '{"');
    expect(await findCli({ report })).toMatchObject({ serverVersion: '1.30.3' });
    rmSync(join(root, 'cache'), { recursive: true });
    writeFileSync(join(root, 'cache'), 'a file, so that no cache can be');
    expect(await findCli({ report })).toMatchObject({ serverVersion: '1.30.3' });
    expect(await findCli({ report })).toMatchObject({ serverVersion: '1.30.3' });
    expect(asked()).toBe(3);
  });

  test('is not waited for for ever', async () => {
    const path = script(bin, 'temporal', ['exec /bin/sleep 60']);
    expect(await inspectCli(path, 100)).toEqual({
      kind: 'unusable',
      reason: 'it did not answer `--version` within 0.1 s',
    });
  });

  test.each([
    ['temporal version 0.0.0-DEV (Server 1.29.1, UI 2.42.1)', '1.29.1'],
    ['temporal version 1.6.2 (Server 1.30.0-148.3, UI 2.45.0)', '1.30.0-148.3'],
    ['temporal version 0.13.2 (server 2.0.1) (ui 2.28.0)', '2.0.1'],
  ])('%s names the server %s', async (answer, expected) => {
    expect(await inspectCli(fakeCli(bin, answer))).toMatchObject({ kind: 'usable', cli: { serverVersion: expected } });
  });
});
