// A usage limit with a known end: a durable sleep of the agent, on a server and worker of our own so that the shortest wait can be short.
import { afterAll, expect, test } from '@jest/globals';
import { viewRun } from '../../dist/client/look/runs.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const SHORTEST_MS = 1500;

let fake: FakeClaude | undefined;
const path = process.env['PATH'];
const stage = new Stage({
  settings: { shortestLimitMs: SHORTEST_MS },
  env: async () => {
    fake ??= await fakeWith();
    return { ...fake.env };
  },
});
afterAll(() => {
  process.env['PATH'] = path;
});

async function limitedUntil(resetsAt: number): Promise<FakeClaude> {
  const said = { isError: true, assistantError: 'rate_limit', apiErrorStatus: 429, costUsd: 0 } as const;
  const limit = { ...said, text: "You've hit your 5-hour limit", rateLimit: { status: 'rejected', resetsAt } };
  if (fake === undefined) throw new Error('no worker has been started');
  await fake.setRules([{ ...limit, times: 1 }, { text: '<result>after the limit</result>' }]);
  return fake;
}

test('an agent sleeps until the limit ends, whether a worker lives or not, then runs the turn again', async () => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 6;
  const claude = await limitedUntil(resetsAt);
  const { runId, ended } = await stage.start({ 'START.md': 'Do it.\n' });
  const agent = await until(
    async () => (await viewRun(stage.link.client, runId)).agents.find(({ status }) => status === 'waiting'),
    { what: 'the wait' },
  );
  expect(agent).toMatchObject({ id: 'main', until: resetsAt * 1000 });
  await stage.worker?.drain();
  await stage.work();
  expect(await ended).toMatchObject({ status: 'completed', result: 'after the limit' });
  const times = (await claude.calls()).map(({ at }) => at);
  expect(times).toHaveLength(2);
  expect(times[1]).toBeGreaterThanOrEqual(resetsAt * 1000);
});

test('a limit that has already ended is waited for a little nevertheless', async () => {
  const claude = await limitedUntil(Math.floor(Date.now() / 1000) - 30);
  const before = (await claude.calls()).length;
  expect(await stage.run({ 'START.md': 'Do it.\n' })).toMatchObject({ status: 'completed' });
  const [first, second] = (await claude.calls()).slice(before);
  expect(second!.at - first!.at).toBeGreaterThanOrEqual(SHORTEST_MS);
});
