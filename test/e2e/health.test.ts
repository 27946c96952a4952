// What a worker of a fleet tells a supervisor of processes over HTTP, and in its log.
import { createServer } from 'node:net';
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

test('a worker that has no cluster yet is starting', async () => {
  const mute = createServer().listen(0, '127.0.0.1');
  const address = await until(() => mute.address(), { what: 'a server that never answers' });
  await shows(await worker(`127.0.0.1:${(address as { port: number }).port}`), 'starting');
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
