// One attempt of a script turn on a real worker's equipment: what its process gets, and how each end of it is reported.
import { chmod, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { folder } from '../../support/folder.js';
import { until } from '../../support/until.js';
import { TestWorker, failureOf } from '../test-worker.js';

const ENDS = 'echo "<result>ok</result>"\n';
const read = (...path: readonly string[]): Promise<string | undefined> =>
  readFile(join(...path), 'utf8').catch(() => undefined);

/** Waits until the script of this worker has made a file. */
const made = (worker: TestWorker, name: string): Promise<unknown> =>
  until(async () => (await read(worker.cwd, name)) !== undefined, { what: `the file ${name}` });

/** A script that puts its environment into the file `env`, one variable per NUL. */
const TELLS_ENVIRONMENT = `cat /proc/self/environ > env\n${ENDS}`;

async function environmentOf(worker: TestWorker): Promise<Readonly<Record<string, string>>> {
  const text = (await read(worker.cwd, 'env')) ?? '';
  const pairs = text.split('\0').filter((line) => line !== '');
  return Object.fromEntries(pairs.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

describe('the environment of a script', () => {
  test('is exactly that of the worker and that of its turn', async () => {
    const environment = {
      HOME: '/home/user',
      SECRET: 'kept',
      CLAUDECODE: '1',
      RAYMOND_OUTER: 'x',
      RAYMOND_INPUT: 'old',
    };
    const worker = await TestWorker.with({ 'START.sh': TELLS_ENVIRONMENT }, { environment });
    await worker.turn({ agent: { turn: 6, attributes: { item: 'a b', RAYMOND_RUN: 'no', PATH2: '' } } });
    // What bash itself adds.
    const { PWD, SHLVL: _level, _: _command, ...rest } = await environmentOf(worker);
    expect(PWD).toBe(worker.cwd);
    expect(rest).toEqual({
      PATH: process.env['PATH'],
      HOME: '/home/user',
      SECRET: 'kept',
      item: 'a b',
      PATH2: '',
      RAYMOND_WORKFLOW_ID: worker.runId,
      RAYMOND_AGENT_ID: 'main',
      RAYMOND_STATE_DIR: worker.scope,
      RAYMOND_STATE_FILE: join(worker.scope, 'START.sh'),
      RAYMOND_TURN_ID: `${worker.runId}/main/7`,
      RAYMOND_TASK_FOLDER: expect.stringMatching(new RegExp(`/tasks/${worker.runId}/main$`)),
      RAYMOND_ATTEMPT: expect.stringMatching(/^[0-9a-f]{24}-1$/),
    });
  });

  test('lets no fork attribute and no PATH choose what runs it', async () => {
    const planted = await folder({
      bash: 'echo "<result>planted</result>"',
      'plan.md': 'echo "<result>planned</result>"',
    });
    await chmod(join(planted, 'bash'), 0o755);
    const environment = { PATH: `${planted}:${process.env['PATH']}` };
    const worker = await TestWorker.with({ 'START.sh': ENDS }, { environment });
    const attributes = { BASH_ENV: join(planted, 'plan.md') };
    const { outcome, warnings } = await worker.turn({ agent: { attributes } });
    expect(outcome).toMatchObject({ transition: { payload: 'ok' } });
    expect(warnings).toEqual([expect.stringContaining('BASH_ENV cannot be a variable of a script')]);
  });

  test.each([
    ['an input', false, { RAYMOND_INPUT: 'value' }],
    ['a result', true, { RAYMOND_INPUT: 'value', RAYMOND_RESULT: 'value' }],
  ])('has %s as a variable and as a private file, which is gone after the turn', async (_what, returning, expected) => {
    const worker = await TestWorker.with({
      'START.sh': `stat -c %a "$RAYMOND_INPUT_FILE" > mode; cat "$RAYMOND_INPUT_FILE" > seen\n${TELLS_ENVIRONMENT}`,
    });
    await worker.turn({ agent: { pending: { value: 'value', returning } } });
    const { RAYMOND_INPUT_FILE: file = '', RAYMOND_RESULT_FILE, ...env } = await environmentOf(worker);
    expect(Object.fromEntries(Object.keys(expected).map((name) => [name, env[name]]))).toEqual(expected);
    expect('RAYMOND_RESULT' in env).toBe(returning);
    expect(RAYMOND_RESULT_FILE).toBe(returning ? file : undefined);
    expect([await read(worker.cwd, 'seen'), await read(worker.cwd, 'mode')]).toEqual(['value', '600\n']);
    expect(await read(file)).toBeUndefined();
    expect(await readdir(join(worker.raymondDir, 'tmp'))).toEqual([]);
  });

  test('has a value of more than 100 KiB only as a file, with a warning', async () => {
    const worker = await TestWorker.with({ 'START.sh': `wc -c < "$RAYMOND_INPUT_FILE" > size\n${TELLS_ENVIRONMENT}` });
    const value = await worker.context.artifacts.value('x'.repeat(100 * 1024 + 1));
    const { warnings } = await worker.turn({ agent: { pending: { value, returning: false } } });
    expect(warnings).toEqual([expect.stringContaining('RAYMOND_INPUT cannot be set')]);
    expect(await environmentOf(worker)).not.toHaveProperty('RAYMOND_INPUT');
    expect(await read(worker.cwd, 'size')).toBe('102401\n');
  });

  test('names the same turn and another attempt when it is tried again', async () => {
    const worker = await TestWorker.with({ 'START.sh': TELLS_ENVIRONMENT });
    await worker.turn();
    const first = await environmentOf(worker);
    worker.restart();
    await worker.turn({}, 2);
    const second = await environmentOf(worker);
    expect(second['RAYMOND_TURN_ID']).toBe(first['RAYMOND_TURN_ID']);
    expect(second['RAYMOND_ATTEMPT']).toBe(first['RAYMOND_ATTEMPT']?.replace(/-1$/, '-2'));
  });
});

describe('a script that ends by itself', () => {
  test('reports its transition, its time and the hash of its file', async () => {
    const worker = await TestWorker.with({ 'START.sh': `cat; ${ENDS}` });
    expect(await worker.turn()).toEqual({
      outcome: { kind: 'transition', transition: { kind: 'result', payload: 'ok' } },
      costUsd: 0,
      durationMs: expect.any(Number),
      stateSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      output: '<result>ok</result>\n',
    });
    expect(worker.progress.map(({ kind }) => kind)).toEqual(['started', 'said', 'ended']);
  });

  test.each([
    ['an exit code', 'echo why >&2; exit 7', 'the script ended with exit code 7\nwhy'],
    ['an exit code after a tag', 'echo "<result>x</result>"; exit 1', 'the script ended with exit code 1'],
    ['a signal', 'kill -KILL $$', 'the script was killed by SIGKILL'],
    ['a syntax error', 'if', 'exit code 2\n'],
  ])('by %s fails for good, with what it said', async (_how, script, message) => {
    const worker = await TestWorker.with({ 'START.sh': script });
    const failure = await failureOf(worker.turn());
    expect(failure).toMatchObject({ type: 'ScriptFailed', retryable: false, costUsd: 0 });
    expect(failure.message).toContain(`main, START.sh: `);
    expect(failure.message).toContain(message);
  });

  test('is not held by a child that holds its output, and leaves that child alone', async () => {
    const worker = await TestWorker.with({ 'START.sh': `sleep 300 &\necho $! > child\n${ENDS}` });
    await worker.turn();
    const child = Number(await read(worker.cwd, 'child'));
    expect(process.kill(child, 0)).toBe(true);
    process.kill(child);
  });
});

describe('a script that is ended', () => {
  const SLEEPS = 'trap "touch asked; exit 0" TERM\ntouch started\nsleep 300 & wait\n';

  test('for its silence fails, and nothing of it is left', async () => {
    const worker = await TestWorker.with({ 'START.sh': 'echo noise; sleep 300' });
    const playing = worker.play({
      agent: { id: 'idle1' },
      settings: { permissions: 'accept-edits', idleSeconds: 0.3 },
    });
    expect(await failureOf(playing.report)).toMatchObject({
      type: 'ScriptFailed',
      message: 'idle1, START.sh: stopped after 0.3 s without output (timeout)',
    });
    expect(await worker.processesOf('idle1')).toEqual([]);
  });

  test('is not taken for silent as long as it prints', async () => {
    const worker = await TestWorker.with({ 'START.sh': `for i in 1 2 3 4 5 6; do echo $i; sleep 0.5; done\n${ENDS}` });
    const settings = { permissions: 'accept-edits', idleSeconds: 2 } as const;
    expect(await worker.turn({ settings })).toMatchObject({ outcome: { transition: { payload: 'ok' } } });
  });

  test.each([
    ['a cancel is a value', 'cancel'],
    ["the worker's end is a loss, to be tried again", 'worker shutdown'],
    ['an attempt that no longer counts is a loss', 'not found'],
  ] as const)('%s; the script was asked first and its children are gone', async (_title, why) => {
    const worker = await TestWorker.with({ 'START.sh': SLEEPS });
    const id = `ended_${why.replace(' ', '_')}`;
    const playing = worker.play({ agent: { id } });
    await made(worker, 'started');
    playing.end(why);
    if (why === 'cancel') expect(await playing.report).toMatchObject({ outcome: { kind: 'cancelled' }, costUsd: 0 });
    else expect(await failureOf(playing.report)).toMatchObject({ type: 'WorkerLost', retryable: true });
    expect(await read(worker.cwd, 'asked')).toBe('');
    expect(await worker.processesOf(id)).toEqual([]);
  });

  test('while it waits for a slot never starts', async () => {
    const worker = await TestWorker.with(
      { 'START.sh': SLEEPS, 'TOUCH.sh': 'touch touched' },
      { settings: { maxScripts: 1 } },
    );
    const first = worker.play();
    await made(worker, 'started');
    const second = worker.play({ agent: { id: 'second', state: 'TOUCH.sh' } });
    second.end('cancel');
    await expect(second.report).rejects.toMatchObject({ name: 'CancelledFailure' });
    first.end('cancel');
    await first.report;
    expect(await read(worker.cwd, 'touched')).toBeUndefined();
  });

  test('with its launcher is a loss', async () => {
    const worker = await TestWorker.with({ 'START.sh': SLEEPS });
    const playing = worker.play();
    await made(worker, 'started');
    process.kill(worker.context.launcher.pid!, 'SIGKILL');
    expect(await failureOf(playing.report)).toMatchObject({ type: 'WorkerLost', retryable: true });
  });
});

test('a heartbeat says where the turn is, and whether it waits or runs', async () => {
  const worker = await TestWorker.with(
    { 'START.sh': 'until [ -f go ]; do sleep 0.05; done; echo "<result>ok</result>"' },
    { settings: { maxScripts: 1 } },
  );
  const [first, second] = [worker.play(), worker.play({ agent: { turn: 4 } })];
  await until(() => first.heartbeats.length > 0 && second.heartbeats.length > 0, { what: 'heartbeats' });
  await writeFile(join(worker.cwd, 'go'), '');
  await Promise.all([first.report, second.report]);
  const common = { host: hostname(), pid: process.pid, startTime: expect.any(String), state: 'START.sh' };
  expect(first.heartbeats[0]).toEqual({ ...common, turn: 1, phase: 'running' });
  expect(second.heartbeats[0]).toEqual({ ...common, turn: 5, phase: 'queued', queue: { position: 1, of: 1 } });
});

test('a second attempt first ends what is left of the first, and of no other turn', async () => {
  const worker = await TestWorker.with({
    'START.sh': `if [ "\${RAYMOND_ATTEMPT##*-}" = 1 ]; then setsid sleep 300 & fi\n${ENDS}`,
  });
  const left = (agent: string): Promise<readonly number[]> => worker.processesOf(agent);
  await worker.turn({ agent: { id: 'stray1' } });
  await worker.turn({ agent: { id: 'stray2' } });
  // A process that is about to replace its program has no environment for a moment.
  const some = async (agent: string): Promise<readonly number[] | undefined> => {
    const pids = await left(agent);
    return pids.length > 0 ? pids : undefined;
  };
  const others = await until(() => some('stray2'), { what: 'the process of the other turn' });
  await until(() => some('stray1'), { what: 'the process of the turn' });
  worker.restart();
  await worker.turn({ agent: { id: 'stray1' } }, 2);
  expect(await left('stray1')).toEqual([]);
  expect(await left('stray2')).toEqual(others);
  for (const pid of others) process.kill(pid);
});

test.each([
  ['a state that is gone', { state: 'GONE.sh' }, `main, GONE.sh: on host ${hostname()}: cannot read /`],
  ['a working directory that is gone', { cwd: '/no/such/place' }, 'there is no directory /no/such/place'],
])('%s is a failure that says what and where', async (_what, agent, message) => {
  const worker = await TestWorker.with({ 'START.sh': ENDS });
  const failure = await failureOf(worker.turn({ agent }));
  expect(failure).toMatchObject({ type: 'StateUnreadable', retryable: false, costUsd: 0 });
  expect(failure.message).toContain(message);
});

test.each([
  {
    what: 'has become another kind',
    state: 'P.md',
    change: async (path: string) => await rename(join(path, 'P.md'), join(path, 'P.sh')),
    says: /P\.md is missing in \/\S+, but P\.sh exists; continue with it: raymond goto \S+ main P\.sh$/,
  },
  {
    what: 'is gone',
    state: 'P.md',
    change: async (path: string) => await rm(join(path, 'P.md')),
    says: /cannot read \/\S+P\.md: it does not exist.*; restore it, or continue at another state: raymond goto \S+ main STATE$/,
  },
  {
    what: 'was in a folder that is gone',
    state: 'START.sh',
    change: async (path: string) => await rm(path, { recursive: true }),
    says: /the folder \/\S+ was deleted or moved; restore it or create a link, then resume$/,
  },
])('a state that $what says what to do', async ({ state, change, says }) => {
  const worker = await TestWorker.with({ 'START.sh': ENDS, 'P.md': 'Do it.\n' });
  await change(worker.scope);
  const failure = await failureOf(worker.turn({ agent: { state } }));
  expect(failure).toMatchObject({ type: 'StateUnreadable', message: expect.stringMatching(says) });
});

test('a value whose artifact is gone is a failure that names it', async () => {
  const worker = await TestWorker.with({ 'START.sh': ENDS });
  const value = { sha256: 'a'.repeat(64), bytes: 40_000 };
  expect(await failureOf(worker.turn({ agent: { pending: { value, returning: false } } }))).toMatchObject({
    type: 'ArtifactMissing',
    message: expect.stringContaining(`main, START.sh: the artifact ${'a'.repeat(64)} is not at`),
  });
});
