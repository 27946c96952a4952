// A followed run whose engine or Temporal server dies or freezes.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { serverStatus } from '../../dist/server/index.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';
import { BACKGROUND, FLOWS, begun, engineOf } from './engine-place.js';

test('a followed run survives the death of its engine: the following command starts it again', async () => {
  const place = await Place.at(FLOWS, BACKGROUND);
  const { call } = begun(place, 'waits', '--id', 'kept');
  await place.made('started');
  process.kill((await engineOf(place)).pid, 'SIGKILL');
  await until(async () => (await place.read('began')) === 'x\nx\n', { what: 'the turn to be done again' });
  await place.write('go');
  expect(await call).toMatchObject({ exitCode: 0, stdout: 'went' });
  expect(await place.read('began')).toBe('x\nx\n');
});

test('a followed run survives an engine that a signal stops for a while: the command says how to continue it', async () => {
  const place = await Place.at(FLOWS, BACKGROUND);
  const { call, said } = begun(place, 'waits', '--id', 'kept');
  await place.made('started');
  const { pid } = await engineOf(place);
  process.kill(pid, 'SIGSTOP');
  await until(() => said().includes(`continue it with: kill -CONT ${pid}`), { what: 'the line about the engine' });
  await place.write('go');
  process.kill(pid, 'SIGCONT');
  expect(await call).toMatchObject({ exitCode: 0, stdout: 'went' });
  expect(said().split('kill -CONT')).toHaveLength(2);
});

test('a followed run survives the death of the Temporal server, which the engine starts again', async () => {
  const place = await Place.at(FLOWS, BACKGROUND);
  const { call } = begun(place, 'waits', '--id', 'kept');
  await place.made('started');
  const status = await serverStatus({ raymondDir: join(place.cwd, '.raymond') });
  if (status.kind !== 'running') throw new Error(status.kind);
  process.kill(status.server.pid, 'SIGKILL');
  const isBack = async (): Promise<boolean> => {
    const now = await serverStatus({ raymondDir: join(place.cwd, '.raymond') });
    return now.kind === 'running' && now.server.pid !== status.server.pid;
  };
  await until(isBack, { what: 'the next server' });
  await place.write('go');
  expect(await call).toMatchObject({ exitCode: 0, stdout: 'went' });
});
