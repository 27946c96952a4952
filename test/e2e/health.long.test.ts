// The health of a worker while its cluster is away, and while it drains.
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { showsHealth, startHealthWorker, type HealthWorker } from '../support/health-worker.js';

let place: Place;
let cluster: { readonly address: string; readonly pid: number };
const running: ResultPromise[] = [];

beforeAll(async () => {
  place = await Place.at({
    'slow/START.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
  });
  const { stdout } = await (await Place.at()).raymond(['server', 'start', '--json']);
  cluster = JSON.parse(stdout) as typeof cluster;
}, 60_000);
afterAll(async () => {
  for (const one of running.splice(0)) {
    one.kill('SIGKILL');
    await one;
  }
});

async function worker(temporal: string): Promise<HealthWorker> {
  const started = await startHealthWorker(place, temporal);
  running.push(started.process);
  return started;
}

test('a worker that polls is ready, one whose cluster does not answer is disconnected, and ready again', async () => {
  const one = await worker(cluster.address);
  await showsHealth(one, 'ready');
  expect(await one.ask('/')).toEqual({ code: 404, status: 'use /healthz or /readyz' });
  process.kill(cluster.pid, 'SIGSTOP');
  try {
    await showsHealth(one, 'disconnected');
  } finally {
    process.kill(cluster.pid, 'SIGCONT');
  }
  await showsHealth(one, 'ready');
  one.process.kill('SIGTERM');
  expect(await one.process).toMatchObject({ exitCode: 0 });
}, 60_000);

test('a worker with a turn drains until that has ended, and logs in JSON which turn it was', async () => {
  const one = await worker(cluster.address);
  await showsHealth(one, 'ready');
  const words = ['--id', 'slow', '--address', cluster.address, '--task-queue', 'fleet', '--detach'];
  await place.raymond(['start', 'slow', ...words]);
  await place.made('started');
  one.process.kill('SIGTERM');
  await showsHealth(one, 'draining');
  await place.write('go');
  expect(await one.process).toMatchObject({ exitCode: 0 });
  const turn = { runId: 'slow', agentId: 'main', state: 'START.sh', turn: 1, attempt: 1 };
  const where = { host: hostname(), pid: one.process.pid, queue: 'fleet' };
  expect(one.log()).toContainEqual(expect.objectContaining({ msg: 'ended', ...turn, ...where }));
  expect(await one.ask('/healthz')).toBeUndefined();
}, 60_000);
