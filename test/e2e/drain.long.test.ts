// A worker of a fleet that is asked to stop: its turns get their time, a cancel still reaches them, and what is left continues elsewhere.
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place, processesWith, type Called } from '../support/cli.js';
import { ensureServer } from '../../dist/server/index.js';
import { join } from 'node:path';
import { fakeWith, documentOf } from '../support/fakes.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { until } from '../support/until.js';

let place: Place;
let fake: FakeClaude;
let address: string;
const workers: ResultPromise[] = [];

beforeAll(async () => {
  fake = await fakeWith();
  place = await Place.at(
    {
      'long/START.sh':
        'touch "started-$RAYMOND_WORKFLOW_ID"; until [ -f go ]; do sleep 0.05; done; echo "<result>x</result>"\n',
      'paid/START.md': 'Begin.',
    },
    fake.env,
  );
  ({ address } = await ensureServer({ raymondDir: join(place.cwd, '.raymond'), report: () => undefined }));
}, 120_000);

afterEach(async () => {
  for (const worker of workers.splice(0)) {
    worker.kill('SIGKILL');
    await worker;
  }
});

/** A worker of the fleet, and what it has logged. */
async function working(drain: number): Promise<{ readonly worker: ResultPromise; readonly log: () => string }> {
  const worker = place.begin(['worker', '--address', address, '--drain', String(drain)], { timeout: 0 });
  workers.push(worker);
  let log = '';
  worker.stderr?.on('data', (chunk) => (log += String(chunk)));
  await until(() => log.includes('"polling"'), { what: 'the worker' });
  return { worker, log: () => log };
}

async function started(workflow: string, id: string): Promise<void> {
  expect((await place.raymond(['start', workflow, '--address', address, '--id', id, '--detach'])).stdout).toBe(id);
}

const ended = (id: string, exitCode: number): Promise<Called> =>
  until(
    async () => {
      const called = await place.raymond(['result', id, '--address', address, '--json']);
      return called.exitCode === exitCode ? called : undefined;
    },
    { what: `the end of ${id}` },
  );

test('a cancel reaches a turn of a worker that drains', async () => {
  const first = await working(600);
  await started('long', 'cancelled');
  await place.made('started-cancelled');
  first.worker.kill('SIGTERM');
  await until(() => first.log().includes('"draining"'), { what: 'the drain' });
  await working(600);
  await place.raymond(['cancel', 'cancelled', '--address', address]);
  expect(documentOf(await ended('cancelled', 5)).status).toBe('cancelled');
  expect((await first.worker).exitCode).toBe(0);
  expect(await processesWith('RAYMOND_WORKFLOW_ID=cancelled')).toEqual([]);
}, 120_000);

test('a second signal ends a turn now, and another worker does it again', async () => {
  const first = await working(600);
  await started('long', 'taken-up');
  await place.made('started-taken-up');
  first.worker.kill('SIGTERM');
  await until(() => first.log().includes('"draining"'), { what: 'the drain' });
  first.worker.kill('SIGTERM');
  expect((await first.worker).exitCode).toBe(130);
  expect(await processesWith('RAYMOND_WORKFLOW_ID=taken-up')).toEqual([]);
  await place.write('go');
  await working(600);
  expect(documentOf(await ended('taken-up', 0))).toMatchObject({ status: 'completed', result: 'x' });
}, 120_000);

test('when its time is over a prompt turn stops, what it has cost is counted, and another worker does it again', async () => {
  await fake.setRules([
    { raw: '', results: [{ text: 'so far', costUsd: 0.3 }], hang: 'after', ignoreSigterm: true, times: 1 },
    { text: '<result>done</result>', costUsd: 0.2 },
  ]);
  const first = await working(1);
  await started('paid', 'paid');
  await until(async () => (await fake.calls()).length === 1, { what: 'the prompt turn' });
  first.worker.kill('SIGTERM');
  await first.worker;
  expect(await processesWith('RAYMOND_WORKFLOW_ID=paid')).toEqual([]);
  await working(600);
  const { status, costUsd } = documentOf(await ended('paid', 0));
  expect(status).toBe('completed');
  expect(costUsd).toBeCloseTo(0.5);
}, 120_000);
