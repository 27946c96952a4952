// A Temporal server as a cluster: `raymond fleet worker`, `setup` and `start --address`, with the worker's command line of the compose file.
// The server is a plain dev server without Raymond's search attributes, as a cluster has none at first.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
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

test('a start without a worker says how to start one; the worker of the compose file then runs it', async () => {
  const started = place.begin(['start', 'flow', '--address', address, '--id', 'fleet-1']);
  let said = '';
  started.stderr?.on('data', (chunk) => (said += String(chunk)));
  await until(() => said.includes('no worker polls'), { what: 'the hint' });
  expect(said).toContain(`raymond fleet worker --address ${address} --namespace default --task-queue raymond`);
  await polling(startWorker());
  const { stdout, exitCode } = await started;
  expect({ stdout, exitCode }).toEqual({ stdout: 'from the fleet', exitCode: 0 });
  // The turns are reported from the histories, as they are in the embedded mode.
  expect(said).toMatch(/main START\.sh → NEXT\.sh \(goto\)[^]*main NEXT\.sh → result "from the fleet"/);
}, 120_000);

test('setup without a cluster says that there is nothing to do, and starts no server', async () => {
  const at = await Place.at();
  expect(await at.raymond(['setup'])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining('already has its search attributes; name a cluster with --address'),
  });
  expect((await at.raymond(['list'])).stderr).toMatch(/^no runs/);
});

test('setup registers the search attributes, again changes nothing, and a start then sets them', async () => {
  expect((await place.raymond(['setup', '--address', address])).stdout).toContain('RaymondCostUsd');
  expect((await place.raymond(['setup', '--address', address])).stdout).toBe('all search attributes are registered');
  await polling(startWorker());
  expect(await place.raymond(['start', 'flow', '--address', address, '--id', 'fleet-2'])).toMatchObject({
    exitCode: 0,
  });
  const { path } = await findCli({ report: () => undefined });
  const found = async (): Promise<string> =>
    (await execa(path, ['workflow', 'count', '--address', address, '--query', 'RaymondRun = "fleet-2"'])).stdout;
  await until(async () => (await found()).includes('2'), { what: 'run and agent in visibility' });
}, 120_000);
