// Hooks as people set them: each event as JSON on a real run, tried again while they fail, never in the way of a run, told once.
import { chmod, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place, processesWith } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

/** Notes each event that it gets as a line of `events`. */
const NOTE = '#!/bin/sh\ncat >> events\n';

const ASK = 'echo \'<ask next="SAY" timeout="1h">Which colour?</ask>\'\n';
const SAY = 'echo "<result>$RAYMOND_INPUT</result>"\n';

/** A config with the same command for each of these events. */
function config(command: string, ...events: readonly string[]): string {
  return ['[raymond]', ...events.map((event) => `hook_${event} = ${JSON.stringify(command)}`), ''].join('\n');
}

const ALL = config('./note.sh', 'ask', 'fail', 'done', 'budget', 'limit');

async function placeWith(files: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) {
  const place = await Place.sharing({ '.raymond/config.toml': ALL, 'note.sh': NOTE, ...files }, env);
  await chmod(join(place.cwd, 'note.sh'), 0o755);
  return place;
}

interface Told {
  readonly event: string;
  readonly runId: string;
}

async function eventsOf(place: Place): Promise<readonly Told[]> {
  const lines = ((await place.read('events')) ?? '').split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line) as Told);
}

const at = expect.stringMatching(/^\d{4}-.*Z$/);
const uiUrl = expect.stringContaining('/namespaces/default/workflows/');

test('a question and the end of a run are told once, also when another process takes the run up', async () => {
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

test('an agent that fails is told each time that it does, and so is a run that ends failed', async () => {
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

test('a run over its budget is told', async () => {
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

test('a wait for a usage limit is told with its end, a wait before another try is not', async () => {
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

test('a hook that fails twice is called a third time, and then no more', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('./flaky.sh', 'ask'),
    'flaky.sh': 'echo try >> tries; [ "$(wc -l < tries)" -ge 3 ] && cat >> events\n',
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  await chmod(join(place.cwd, 'flaky.sh'), 0o755);
  const asked = await place.raymond(['start', 'flow', '--id', 'flaky', '--on-ask', 'exit']);
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('warning') });
  expect(await place.raymond(['resume', 'flaky', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  expect(await eventsOf(place)).toHaveLength(1);
  expect(await place.read('tries')).toBe('try\ntry\ntry\n');
});

test('a hook that always fails is one warning, does not fail the run, and is called again by the next process', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('echo broken >&2; exit 7', 'ask'),
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  const asked = await place.raymond(['start', 'flow', '--id', 'one', '--on-ask', 'exit']);
  expect(asked.exitCode).toBe(2);
  expect(asked.stderr.match(/warning: .*/g)).toEqual([
    expect.stringMatching(/^warning: hook_ask failed 3 times \(exit code 7\); what it printed: .*one\.hooks\.log$/),
  ]);
  expect(await place.read('.raymond/runs/one.hooks.log')).toBe('broken\nbroken\nbroken\n');
  await place.write('.raymond/config.toml', ALL);
  await place.raymond(['answer', 'one', 'blue']);
  expect((await eventsOf(place)).map(({ event }) => event).sort()).toEqual(['ask', 'done']);
});

test('what a process was telling when it was killed, the next one tells', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('[ -f up ] && cat >> events || { touch trying; sleep 1; exit 1; }', 'ask'),
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  const killed = place.begin(['start', 'flow', '--id', 'killed', '--on-ask', 'wait']);
  await place.made('trying');
  killed.kill('SIGKILL');
  await killed;
  await place.write('up');
  expect(await place.raymond(['resume', 'killed', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['ask']);
});

test('a hook that hangs holds the end of a run for 10 s at most, and nothing of it stays', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('touch hangs; sleep 600; true', 'ask', 'done'),
    'flow/START.sh': 'echo "<result>done</result>"\n',
  });
  const running = place.begin(['start', 'flow', '--id', 'hung'], { env: { HUNG_HOOK: place.cwd } });
  const begun = await place.made('hangs').then(() => Date.now());
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done' });
  expect(stderr).toContain('warning: hooks did not end within 10 s and were stopped');
  expect(Date.now() - begun).toBeLessThan(25_000);
  await until(async () => (await processesWith(`HUNG_HOOK=${place.cwd}`)).length === 0, {
    what: 'the end of the hook',
  });
});

test('a try that takes longer than hook_timeout is ended with all of its processes, and tried again', async () => {
  const hangs = 'echo try >> tries; [ "$(wc -l < tries)" -ge 3 ] && cat >> events || { sleep 600 & wait; }';
  const place = await placeWith({
    '.raymond/config.toml': `${config(hangs, 'done')}hook_timeout = 0.3\n`,
    'flow/START.sh': 'echo "<result>done</result>"\n',
  });
  const env = { SLOW_HOOK: place.cwd };
  const { exitCode, stderr } = await place.bin(['start', 'flow', '--id', 'slow'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
  expect(await place.read('tries')).toBe('try\ntry\ntry\n');
  expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['done']);
  expect(await processesWith(`SLOW_HOOK=${place.cwd}`)).toEqual([]);
});

test('a hook that hangs ends with the process that called it, also with kill -9', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('touch hangs; sleep 600; true', 'ask'),
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  const killed = place.begin(['start', 'flow', '--id', 'leashed', '--on-ask', 'wait'], {
    env: { LEASHED_HOOK: place.cwd },
  });
  await place.made('hangs');
  killed.kill('SIGKILL');
  await killed;
  await until(async () => (await processesWith(`LEASHED_HOOK=${place.cwd}`)).length === 0, {
    what: 'the end of the hook',
  });
});

test('hooks are not called by whoever only watches a run that is served here', async () => {
  const place = await placeWith({ 'flow/START.sh': 'touch begun; until [ -f go ]; do sleep 0.05; done\n' + SAY });
  const running = place.begin(['start', 'flow', '--id', 'seen', '--input', 'x']);
  await place.made('begun');
  const watching = place.begin(['watch', 'seen']);
  await place.write('go');
  expect((await Promise.all([running, watching])).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['done']);
});

test('on a cluster whoever follows a run calls them, one of several; the worker calls none', async () => {
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
