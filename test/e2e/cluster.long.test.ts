// A worker that is stopped while it executes a turn, and the one that continues.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ResultPromise } from 'execa';
import { execa } from 'execa';
import { findCli } from '../../dist/server/find.js';
import { freePort } from '../support/free-port.js';
import { Place } from '../support/cli.js';
import { composeCommand } from '../support/compose.js';
import { until } from '../support/until.js';

let server: PromiseLike<unknown> & { kill(signal: 'SIGKILL'): boolean };
let address: string;
let place: Place;
const workers: ResultPromise[] = [];

beforeAll(async () => {
  const { path } = await findCli({ report: () => undefined });
  const ports = [await freePort(), await freePort(), await freePort()];
  address = `127.0.0.1:${ports[0]}`;
  server = devServer(path, ports);
  place = await Place.at({
    'flow/START.sh': 'echo "<goto>NEXT</goto>"\n',
    'flow/NEXT.sh':
      'touch started; until [ ! -f wait ]; do sleep 0.05; done; echo x >> turns; echo "<result>from the fleet $RAYMOND_INPUT</result>"\n',
  });
  await until(async () => (await place.raymond(['list', '--address', address])).exitCode === 0, {
    what: 'the server',
    timeoutMs: 60_000,
  });
}, 120_000);

afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill('SIGKILL');
    await worker;
  }
});
afterAll(async () => {
  server.kill('SIGKILL');
  await server;
});

/** A plain dev server that is gone with this process. */
function devServer(path: string, ports: readonly number[]): typeof server {
  const [port, http, metrics] = ports.map(String);
  const flags = ['--port', port ?? '', '--http-port', http ?? '', '--metrics-port', metrics ?? ''];
  return execa(path, ['server', 'start-dev', '--headless', ...flags], { reject: false, stdio: 'ignore' });
}

/** Starts the worker exactly as the compose file would. */
function startWorker(): ResultPromise {
  const [program, ...args] = composeCommand('worker', { ...process.env, RAYMOND_WORKER_ADDRESS: address });
  expect(program).toBe('raymond');
  const worker = place.begin(args, { timeout: 0 });
  workers.push(worker);
  return worker;
}

async function polling(worker: ResultPromise): Promise<void> {
  let log = '';
  worker.stderr?.on('data', (chunk) => (log += String(chunk)));
  await until(() => log.includes('"polling"'), { what: 'the worker' });
}

test('SIGTERM lets the running turn of a worker end; another worker continues from there', async () => {
  await place.write('wait');
  const first = startWorker();
  await polling(first);
  const { stdout } = await place.raymond(['start', 'flow', '--address', address, '--id', 'drained', '--detach']);
  expect(stdout).toBe('drained');
  await place.made('started');
  first.kill('SIGTERM');
  await rm(join(place.cwd, 'wait'));
  expect((await first).exitCode).toBe(0);
  await polling(startWorker());
  const ended = await until(
    async () => {
      const called = await place.raymond(['result', 'drained', '--address', address]);
      return called.exitCode === 0 ? called : undefined;
    },
    { timeoutMs: 60_000 },
  );
  expect(ended.stdout).toBe('from the fleet');
}, 120_000);
