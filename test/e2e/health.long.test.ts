// The health of a worker while its cluster is away, and while it drains.
import { hostname } from 'node:os';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { freeAddress } from '../support/metrics-page.js';
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

interface Worker {
  readonly process: ResultPromise;
  readonly ask: (path: string) => Promise<{ readonly code: number; readonly status: string } | undefined>;
  readonly log: () => readonly Record<string, unknown>[];
}

async function worker(temporal: string): Promise<Worker> {
  const address = await freeAddress();
  const words = ['worker', '--address', temporal, '--task-queue', 'fleet', '--health', address];
  const process = place.begin(words, { timeout: 0 });
  running.push(process);
  let text = '';
  process.stderr?.on('data', (chunk) => (text += String(chunk)));
  const ask: Worker['ask'] = async (path) => {
    const response = await fetch(`http://${address}${path}`).catch(() => undefined); // not there yet
    if (response === undefined) return undefined;
    return { code: response.status, ...((await response.json()) as { status: string }) };
  };
  const lines = (): readonly string[] => text.split('\n').filter((line) => line.startsWith('{'));
  return { process, ask, log: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>) };
}

async function shows({ ask }: Worker, status: string): Promise<void> {
  const isIt = async (): Promise<boolean> => (await ask('/readyz'))?.status === status;
  await until(isIt, { what: `a worker that is ${status}`, timeoutMs: 30_000, everyMs: 100 });
  expect(await ask('/readyz')).toEqual({ code: status === 'ready' ? 200 : 503, status });
  expect(await ask('/healthz')).toEqual({ code: 200, status: 'alive' });
}

test('a worker that polls is ready, one whose cluster does not answer is disconnected, and ready again', async () => {
  const one = await worker(cluster.address);
  await shows(one, 'ready');
  expect(await one.ask('/')).toEqual({ code: 404, status: 'use /healthz or /readyz' });
  process.kill(cluster.pid, 'SIGSTOP');
  try {
    await shows(one, 'disconnected');
  } finally {
    process.kill(cluster.pid, 'SIGCONT');
  }
  await shows(one, 'ready');
  one.process.kill('SIGTERM');
  expect(await one.process).toMatchObject({ exitCode: 0 });
}, 60_000);

test('a worker with a turn drains until that has ended, and logs in JSON which turn it was', async () => {
  const one = await worker(cluster.address);
  await shows(one, 'ready');
  const words = ['--id', 'slow', '--address', cluster.address, '--task-queue', 'fleet', '--detach'];
  await place.raymond(['start', 'slow', ...words]);
  await place.made('started');
  one.process.kill('SIGTERM');
  await shows(one, 'draining');
  await place.write('go');
  expect(await one.process).toMatchObject({ exitCode: 0 });
  const turn = { runId: 'slow', agentId: 'main', state: 'START.sh', turn: 1, attempt: 1 };
  const where = { host: hostname(), pid: one.process.pid, queue: 'fleet' };
  expect(one.log()).toContainEqual(expect.objectContaining({ msg: 'ended', ...turn, ...where }));
  expect(await one.ask('/healthz')).toBeUndefined();
}, 60_000);
