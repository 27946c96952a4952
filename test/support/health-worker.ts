// A worker of a fleet with its health address, for tests.
import { expect } from '@jest/globals';
import type { ResultPromise } from 'execa';
import type { Place } from './cli.js';
import { freeAddress } from './metrics-page.js';
import { until } from './until.js';

/** A worker that runs. */
export interface HealthWorker {
  readonly process: ResultPromise;
  readonly ask: (path: string) => Promise<{ readonly code: number; readonly status: string } | undefined>;
  readonly log: () => readonly Record<string, unknown>[];
}

/** Starts one for the cluster at an address. */
export async function startHealthWorker(place: Place, temporal: string): Promise<HealthWorker> {
  const address = await freeAddress();
  const words = ['worker', '--address', temporal, '--task-queue', 'fleet', '--health', address];
  const process = place.begin(words, { timeout: 0 });
  let text = '';
  process.stderr?.on('data', (chunk) => (text += String(chunk)));
  const ask: HealthWorker['ask'] = async (path) => {
    const response = await fetch(`http://${address}${path}`).catch(() => undefined); // not there yet
    if (response === undefined) return undefined;
    return { code: response.status, ...((await response.json()) as { status: string }) };
  };
  const lines = (): readonly string[] => text.split('\n').filter((line) => line.startsWith('{'));
  return { process, ask, log: () => lines().map((line) => JSON.parse(line) as Record<string, unknown>) };
}

/** Waits until it shows a status. */
export async function showsHealth({ ask }: HealthWorker, status: string): Promise<void> {
  const isIt = async (): Promise<boolean> => (await ask('/readyz'))?.status === status;
  await until(isIt, { what: `a worker that is ${status}`, timeoutMs: 30_000, everyMs: 100 });
  expect(await ask('/readyz')).toEqual({ code: status === 'ready' ? 200 : 503, status });
  expect(await ask('/healthz')).toEqual({ code: 200, status: 'alive' });
}
