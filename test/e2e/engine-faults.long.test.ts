// An engine that is frozen, whose folder is deleted, moved or read-only, and whose user is another one.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmod, copyFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify } from '../../dist/host/process.js';
import { findCli } from '../../dist/server/find.js';
import { serverStatus } from '../../dist/server/index.js';
import { folder } from '../support/folder.js';
import { Place } from '../support/cli.js';
import { testOnTinyDisk, withTinyDisk } from '../support/tiny-disk.js';
import { testUnless } from '../support/unless.js';
import { until } from '../support/until.js';
import { BACKGROUND, FLOWS, engineOf } from './engine-place.js';

const NOBODY = '65534';
const AS_NOBODY = ['setpriv', '--reuid', NOBODY, '--regid', NOBODY, '--clear-groups'];
const PROGRAM = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
const isCallable =
  spawnSync(AS_NOBODY[0] ?? '', [...AS_NOBODY.slice(1), process.execPath, '--check', PROGRAM]).status === 0;
const NO_NOBODY = isCallable ? undefined : 'another user cannot call the program here';

describe('one engine', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.at(FLOWS, BACKGROUND);
    expect(await place.raymond(['up'])).toMatchObject({ exitCode: 0 });
  }, 60_000);

  testUnless(NO_NOBODY)('of another user is one clear error', async () => {
    await chmod(place.cwd, 0o755);
    const options = { before: AS_NOBODY, env: { HOME: place.cwd } };
    const asked = async (line: string): Promise<unknown> => await place.bin(line.split(' '), options);
    const barred = expect.stringMatching(
      /^raymond: this user may not use .*lock \(EACCES\); run raymond as its owner[^\n]*$/,
    );
    for (const line of ['up --status', 'down'])
      expect(await asked(line)).toMatchObject({ exitCode: 69, stderr: barred });
  });

  test('that is frozen is one clear error in bounded time, and ends by down', async () => {
    const { pid } = await engineOf(place);
    process.kill(pid, 'SIGSTOP');
    const text = `the engine of this project (process ${pid}) is stopped by a signal and executes nothing; continue it with: kill -CONT ${pid}`;
    const refused = { exitCode: 69, stderr: expect.stringContaining(text) };
    expect(await place.raymond(['up'])).toMatchObject(refused);
    expect(await place.raymond(['says', '--id', 'frozen'])).toMatchObject(refused);
    expect(await place.raymond(['up', '--status'])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringContaining(`frozen: ${text}`),
    });
    expect(await place.raymond(['ps'])).toMatchObject({ stdout: expect.stringMatching(`frozen +${pid}`) });
    expect(await place.raymond(['down'])).toMatchObject({ exitCode: 0, stdout: 'stopped' });
  });
});

test.each([
  ['deleted', (path: string) => rm(path, { recursive: true })],
  ['moved', async (path: string) => await rename(path, join(await folder(), 'elsewhere'))],
])('an engine whose project folder is %s ends, and its server with it', async (_, remove) => {
  const place = await Place.at({ ...FLOWS, '.raymond/config.toml': '[raymond]\nidle = "2s"\n' }, BACKGROUND);
  expect(await place.raymond(['waits', '--detach'])).toMatchObject({ exitCode: 0 });
  await place.made('started');
  const status = await serverStatus({ raymondDir: join(place.cwd, '.raymond') });
  if (status.kind !== 'running') throw new Error(status.kind);
  const { pid } = await engineOf(place);
  await remove(place.cwd);
  for (const process of [pid, status.server.pid])
    await until(() => identify(process) === undefined, { what: `the end of process ${process}` });
  expect(await place.read('.raymond/engine/engine.log')).toBeUndefined();
});

testUnless(NO_NOBODY)(
  'an engine whose folder becomes read-only pauses its runs and says why, until it can write again',
  async () => {
    const place = await Place.at(FLOWS, BACKGROUND);
    execFileSync('chown', ['-R', NOBODY, place.cwd]);
    // The cache of whoever runs the tests is closed to others.
    const cli = join(await folder(), 'temporal');
    await copyFile((await findCli({ report: () => undefined })).path, cli);
    await chmod(dirname(cli), 0o755);
    const options = {
      before: AS_NOBODY,
      env: { HOME: place.cwd, XDG_CACHE_HOME: place.cwd, RAYMOND_TEMPORAL_CLI: cli },
    };
    const call = async (line: string): ReturnType<Place['bin']> => await place.bin(line.split(' '), options);
    const allow = (change: string): unknown => execFileSync('chmod', ['-R', change, join(place.cwd, '.raymond')]);
    expect(await call('start waits --id kept --detach')).toMatchObject({ exitCode: 0 });
    await place.made('started');
    allow('a-w');
    await place.write('go');
    await until(async () => (await call('status kept')).stdout.includes('kept: paused'), { what: 'the pause' });
    expect((await call('status kept')).stdout).toMatch(
      /NEXT\.sh: .* cannot be written: this user may not write there; fix/,
    );
    expect(await call('start says')).toMatchObject({
      exitCode: 69,
      stderr: expect.stringMatching(
        /^raymond: cannot write \S+\.env: this user may not write there \(EACCES\); make it [^\n]*$/,
      ),
    });
    allow('u+w');
    expect(await call('resume kept --follow')).toMatchObject({ exitCode: 0, stdout: 'went' });
    expect(await place.read('began')).toBe('x\n');
    expect(await call('down')).toMatchObject({ exitCode: 0 });
  },
);

testOnTinyDisk('an engine whose folder is read-only is one clear error', async () => {
  const place = await Place.at(FLOWS, BACKGROUND);
  const before = withTinyDisk({ folder: join(place.cwd, '.raymond'), size: 'read-only' });
  for (const word of ['up', 'says']) {
    const { exitCode, stderr } = await place.bin([word], { before });
    expect(exitCode).toBe(69);
    expect(stderr).toMatch(
      /^raymond: cannot write .*\.raymond\/.*: the file system is read-only \(EROFS\); make it writable[^\n]*$/,
    );
  }
});
