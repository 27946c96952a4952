// What a worker of a fleet tells a supervisor of processes over HTTP, and in its log.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { showsHealth, startHealthWorker, type HealthWorker } from '../support/health-worker.js';
import { until } from '../support/until.js';

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

test('a worker that has no cluster yet is starting', async () => {
  const mute = createServer().listen(0, '127.0.0.1');
  const address = await until(() => mute.address(), { what: 'a server that never answers' });
  await showsHealth(await worker(`127.0.0.1:${(address as { port: number }).port}`), 'starting');
  mute.close();
});

test('an address that is taken is refused before anything is started', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  const { port } = (await until(() => taken.address(), { what: 'a port' })) as { port: number };
  const words = ['worker', '--address', cluster.address, '--health', `127.0.0.1:${port}`];
  expect(await place.bin(words)).toMatchObject({
    exitCode: 69,
    stderr: expect.stringContaining(
      `health cannot be served at 127.0.0.1:${port}: the port is in use; choose another address with --health`,
    ),
  });
  taken.close();
});
