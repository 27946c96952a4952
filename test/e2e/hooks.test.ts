// Hooks as people set them: each event as JSON on a real run, told once; those that fail or hang are in hooks-trouble.long.test.ts.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';
import { ASK, eventsOf, placeWith, SAY } from './hooks-place.js';

const at = expect.stringMatching(/^\d{4}-.*Z$/);
const uiUrl = expect.stringContaining('/namespaces/default/workflows/');

test('a question and the end of a run are reported once, also when another process takes the run up', async () => {
  const place = await placeWith({ 'flow/START.sh': ASK, 'flow/SAY.sh': SAY });
  expect(await place.raymond(['start', 'flow', '--id', 'asks', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  const base = { runId: 'asks', workflow: 'flow', costUsd: 0, budgetUsd: 10, uiUrl, at };
  const asked = {
    ...base,
    event: 'ask',
    agentId: 'main',
    status: 'asking',
    askId: 'ask_main_1',
    prompt: 'Which colour?',
    until: at,
  };
  expect(await eventsOf(place)).toEqual([asked]);
  expect(await place.bin(['resume', 'asks', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  expect(await place.raymond(['answer', 'asks', 'blue'])).toMatchObject({ exitCode: 0, stdout: 'blue' });
  expect(await eventsOf(place)).toEqual([asked, { ...base, event: 'done', status: 'completed' }]);
  const left = (await readdir(join(place.cwd, '.raymond/runs'))).filter((name) => /lock|tmp/.test(name));
  expect(left).toEqual([]);
});

test('an agent that fails is reported each time that it does, and so is a run that ends failed', async () => {
  const place = await placeWith({ 'flow/START.sh': 'echo no >&2; exit 3\n' });
  for (const args of [
    ['start', 'flow', '--id', 'bad'],
    ['resume', 'bad'],
  ])
    expect(await place.raymond(args)).toMatchObject({ exitCode: 1 });
  const events = await eventsOf(place);
  expect(events).toContainEqual(
    expect.objectContaining({
      event: 'fail',
      agentId: 'main',
      status: 'failed',
      error: expect.stringContaining('START.sh'),
    }),
  );
  const ends = events.filter((event) => !('agentId' in event)).map(({ event }) => event);
  expect(ends.sort()).toEqual(['done', 'done', 'fail', 'fail']);
});

test('a run over its budget is reported', async () => {
  const fake = await fakeWith({ text: '<goto>START</goto>', costUsd: 1 });
  const place = await placeWith({ 'flow/START.md': 'Begin.\n' }, fake.env);
  expect(await place.raymond(['start', 'flow', '--id', 'spent', '--budget', '0.5'])).toMatchObject({ exitCode: 4 });
  const told = { runId: 'spent', workflow: 'flow', status: 'over-budget', costUsd: 1, budgetUsd: 0.5, uiUrl, at };
  const ends = (await eventsOf(place)).filter((event) => !('agentId' in event));
  expect(ends).toHaveLength(2);
  expect(ends).toEqual(
    expect.arrayContaining([
      { ...told, event: 'budget' },
      { ...told, event: 'done' },
    ]),
  );
});

test('a wait for a usage limit is reported with its end, a wait before another try is not', async () => {
  const resetsAt = Math.ceil(Date.now() / 1000) + 3600;
  const limit = { isError: true, assistantError: 'rate_limit', apiErrorStatus: 429, costUsd: 0 } as const;
  const fake = await fakeWith(
    {
      match: '^Trouble',
      isError: true,
      assistantError: 'server_error',
      apiErrorStatus: 529,
      text: 'overloaded',
      costUsd: 0,
    },
    { ...limit, text: "You've hit your 5-hour limit", rateLimit: { status: 'rejected', resetsAt } },
  );
  const flow = { 'flow/START.sh': 'echo "<fork>TROUBLE</fork><goto>LIMIT</goto>"\n', 'flow/LIMIT.md': 'Do it.\n' };
  const place = await placeWith({ ...flow, 'flow/TROUBLE.md': 'Trouble.\n' }, fake.env);
  const running = place.begin(['start', 'flow', '--id', 'limited']);
  const told = await until(async () => (await eventsOf(place))[0], { what: 'the limit' });
  expect(told).toMatchObject({
    event: 'limit',
    agentId: 'main',
    status: 'waiting',
    error: expect.stringContaining('limit'),
    until: new Date(resetsAt * 1000).toISOString(),
  });
  const waits = async (): Promise<boolean> =>
    /waiting[^\n]*\n[^]*waiting/.test((await place.raymond(['status', 'limited'])).stdout);
  await until(waits, { what: 'both waits' });
  running.kill('SIGTERM');
  await running;
  expect(await eventsOf(place)).toHaveLength(1);
});

test('hooks are not called by a command that only watches a run that is served here', async () => {
  const place = await placeWith({ 'flow/START.sh': 'touch begun; until [ -f go ]; do sleep 0.05; done\n' + SAY });
  const running = place.begin(['start', 'flow', '--id', 'seen', '--input', 'x']);
  await place.made('begun');
  const watching = place.begin(['watch', 'seen']);
  await place.write('go');
  expect((await Promise.all([running, watching])).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['done']);
});

test('on a cluster a command that follows a run calls them, one of several; the worker calls none', async () => {
  const cluster = await Place.at();
  const [address = ''] = /127\.0\.0\.1:\d+/.exec((await cluster.raymond(['server', 'start'])).stdout) ?? [];
  const place = await placeWith({ 'flow/START.sh': 'touch begun; until [ -f go ]; do sleep 0.05; done\n' + SAY });
  const worker = place.begin(['worker', '--address', address]);
  try {
    const starting = place.begin(['start', 'flow', '--id', 'fleet', '--input', 'x', '--address', address]);
    await place.made('begun');
    const watching = place.begin(['watch', 'fleet', '--address', address]);
    await place.write('go');
    expect((await Promise.all([starting, watching])).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['done']);
  } finally {
    worker.kill('SIGTERM');
    await worker;
  }
});
