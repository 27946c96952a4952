// An engine that is frozen, whose folder is deleted, moved or read-only, and whose user is another one.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { identify } from '../../dist/host/process.js';
import { serverStatus } from '../../dist/server/index.js';
import { Place } from '../support/cli.js';
import { testOnTinyDisk, withTinyDisk } from '../support/tiny-disk.js';
import { testUnless } from '../support/unless.js';
import { until } from '../support/until.js';
import { BACKGROUND, FLOWS, engineOf } from './engine-place.js';

const AS_NOBODY = ['setpriv', '--reuid', '65534', '--regid', '65534', '--clear-groups'];
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
  ['deleted', (raymondDir: string) => rm(raymondDir, { recursive: true })],
  ['moved', (raymondDir: string) => rename(raymondDir, `${raymondDir}-elsewhere`)],
])('an engine whose folder is %s ends, and its server with it', async (_, remove) => {
  const place = await Place.at({ ...FLOWS, '.raymond/config.toml': '[raymond]\nidle = "2s"\n' }, BACKGROUND);
  expect(await place.raymond(['waits', '--detach'])).toMatchObject({ exitCode: 0 });
  await place.made('started');
  const raymondDir = join(place.cwd, '.raymond');
  const status = await serverStatus({ raymondDir });
  if (status.kind !== 'running') throw new Error(status.kind);
  const { pid } = await engineOf(place);
  await remove(raymondDir);
  for (const process of [pid, status.server.pid])
    await until(() => identify(process) === undefined, { what: `the end of process ${process}` });
  expect(await place.read('.raymond/engine/engine.log')).toBeUndefined();
});

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
