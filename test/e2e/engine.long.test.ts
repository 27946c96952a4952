// The engine of a project, further: of another version, with nothing to do, without its port, and behind a command that follows a run.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { identify } from '../../dist/host/process.js';
import { serverStatus } from '../../dist/server/index.js';
import { Place, processesWith } from '../support/cli.js';
import { until } from '../support/until.js';
import { BACKGROUND, FLOWS, begun, claimVersion, ended, engineOf, expectReplaced } from './engine-place.js';

describe('one engine', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.at(FLOWS, BACKGROUND);
    await place.raymond(['up']);
  }, 60_000);

  test('whose record is of an older format is replaced', async () => {
    await expectReplaced(place, 'unknown');
  });

  test('of another version does not hold up an order: it is replaced after its turns', async () => {
    await place.raymond(['waits', '--id', 'busy', '--detach']);
    await place.made('started');
    const { pid } = await engineOf(place);
    await claimVersion(place, '0.0.1');
    const { stderr, exitCode } = await place.raymond(['tell', 'busy', 'main', 'hello']);
    expect(exitCode).toBe(0);
    expect(stderr).toContain('the engine of version 0.0.1 is replaced');
    expect(await place.raymond(['tell', 'busy', 'main', 'again'])).toMatchObject({ exitCode: 0 });
    expect(identify(pid)).toBeDefined();
    await place.write('go');
    expect(await ended(place, 'busy')).toBe('went');
    const isNew = async (): Promise<boolean> => {
      const now = await engineOf(place);
      return now.status === 'running' && now.pid !== pid;
    };
    await until(isNew, { what: 'the engine of this version' });
  });
});

describe('a followed run', () => {
  test('continues when its terminal closes', async () => {
    const place = await Place.at(FLOWS, BACKGROUND);
    const { call, said } = begun(place, 'waits', '--id', 'left');
    await place.made('started');
    call.kill('SIGHUP');
    expect(await call).toMatchObject({ exitCode: 130 });
    expect(said()).toContain('the run continues without this command');
    await place.write('go');
    expect(await ended(place, 'left')).toBe('went');
  });

  test('is paused at once by a second Ctrl-C', async () => {
    const place = await Place.at(FLOWS, BACKGROUND);
    const { call, said } = begun(place, 'waits', '--id', 'torn');
    await place.made('started');
    call.kill('SIGINT');
    await until(() => said().includes('pausing torn'), { what: 'the pause' });
    call.kill('SIGINT');
    expect(await call).toMatchObject({ exitCode: 130 });
    await until(async () => (await processesWith('RAYMOND_WORKFLOW_ID=torn')).length === 0, {
      what: 'the end of the turn',
    });
  });
});

test('an engine without anything to do ends, and its server with it', async () => {
  const place = await Place.at({ ...FLOWS, '.raymond/config.toml': '[raymond]\nidle = "1s"\n' }, BACKGROUND);
  expect(await place.raymond(['says'])).toMatchObject({ exitCode: 0 });
  const raymondDir = join(place.cwd, '.raymond');
  await until(async () => (await serverStatus({ raymondDir })).kind === 'stopped', { what: 'the end of the server' });
  expect((await place.raymond(['up', '--status'])).stdout).toMatch(/^stopped: the engine of /);
});

test('an engine whose usual port is taken answers at another one', async () => {
  const taken = createServer().listen(8234, '127.0.0.1');
  // Another engine of this host may have it already: taken is taken.
  await once(taken, 'listening').catch(() => undefined);
  const place = await Place.sharing(FLOWS, BACKGROUND);
  const { stdout, exitCode } = await place.raymond(['up', '--json']);
  const { origin } = JSON.parse(stdout) as { readonly origin: string };
  taken.close();
  expect({ exitCode, origin }).toEqual({ exitCode: 0, origin: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  expect(origin).not.toMatch(/:8234$/);
});
