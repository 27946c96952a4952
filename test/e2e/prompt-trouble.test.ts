// Trouble with the model service, the account, the installation and the budget: what people see, what is tried again, what it costs.
import { localTime } from '../../src/cli/view/format.js';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { delimiter, dirname } from 'node:path';
import { Place, type Called } from '../support/cli.js';
import { flagOf, type FakeRule } from '../support/fake-claude.js';
import { documentOf, fakeWith, sessionsOf, transcriptsOf } from '../support/fakes.js';
import { until } from '../support/until.js';

const DONE = '<result>done</result>';
const STATES = {
  'one/START.md': 'Do it.\n',
  'loop/START.md': 'Again.\n',
  'script/START.sh': 'echo "<result>ok</result>"\n',
};

let place: Place;
beforeAll(async () => {
  place = await Place.sharing(STATES);
});

/** How the CLI ends a turn that the service refused. */
function refused(assistantError: string, text: string, more: FakeRule = {}): FakeRule {
  return { isError: true, assistantError, text, costUsd: 0, ...more };
}

describe('trouble of the model service', () => {
  test('is waited out and tried again in a new session; the wait and its reason are shown', async () => {
    const overloaded = refused('server_error', 'API Error: Repeated 529 Overloaded errors', { apiErrorStatus: 529 });
    const fake = await fakeWith({ ...overloaded, times: 1, costUsd: 0.01 }, { text: DONE, costUsd: 0.02 });
    const running = place.begin(['start', 'one', '--id', 'busy', '--json'], { env: fake.env });
    const waiting = await until(async () => {
      const { stdout } = await place.raymond(['status', 'busy']);
      return stdout.includes('waiting') ? stdout : undefined;
    });
    expect(waiting).toMatch(/main {2}waiting {2}START\.md .*until \d{4}-\S+ \S+ \S+\n[^]*529 Overloaded/);
    const { stdout, exitCode } = await running;
    expect(exitCode).toBe(0);
    expect(documentOf({ stdout: String(stdout) })).toMatchObject({
      status: 'completed',
      result: 'done',
      costUsd: 0.03,
    });
    const [first, second] = await fake.calls();
    expect(second!.at - first!.at).toBeGreaterThan(4900);
    expect(await transcriptsOf(fake)).toEqual(sessionsOf([second!]));
  });

  test('that a longer wait would fix is not waited for when a person says resume', async () => {
    const fake = await fakeWith(
      { ...refused('rate_limit', 'API Error: Request rejected (429)', { apiErrorStatus: 429 }), times: 1 },
      { text: DONE },
    );
    const running = place.begin(['start', 'one', '--id', 'slow'], { env: fake.env });
    await until(async () => (await place.raymond(['status', 'slow'])).stdout.includes('waiting'));
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(await place.raymond(['resume', 'slow'], { env: fake.env })).toMatchObject({ stdout: 'done', exitCode: 0 });
    // The first wait after a 429 is a minute.
    const [first, second] = await fake.calls();
    expect(second!.at - first!.at).toBeLessThan(60_000);
  });

  test('with the request itself fails the agent at once', async () => {
    const text = "There's an issue with the selected model (opus)";
    const fake = await fakeWith(refused('model_not_found', text, { apiErrorStatus: 404 }));
    const { stdout, stderr, exitCode } = await place.raymond(['start', 'one', '--id', 'nomodel'], { env: fake.env });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr.split(text)).toHaveLength(2);
    expect(stderr).toContain('correct `model` in the state or the config');
    expect(stderr).toContain('raymond resume nomodel');
    expect(await fake.calls()).toHaveLength(1);
    expect(await transcriptsOf(fake)).toEqual([]);
  });
});

describe('an account that cannot be used', () => {
  test.each([
    ['not logged in', refused('authentication_failed', 'Not logged in · Please run /login'), 'not logged in'],
    ['without credit', refused('billing_error', 'Credit balance is too low', { apiErrorStatus: 400 }), 'no credit'],
    [
      'at a limit without an end',
      refused('rate_limit', "You've hit your monthly spend limit."),
      'A usage limit of Claude',
    ],
  ])('%s pauses the run at once; resume continues', async (_what, rule, words) => {
    const fake = await fakeWith({ ...rule, times: 1 }, { text: DONE });
    const paused = await place.raymond(['start', 'one', '--json'], { env: fake.env });
    expect(paused.exitCode).toBe(3);
    expect(paused.stderr.split(words)).toHaveLength(2);
    expect(await fake.calls()).toHaveLength(1);
    const { runId } = documentOf(paused);
    expect(await place.raymond(['resume', runId], { env: fake.env })).toMatchObject({ stdout: 'done', exitCode: 0 });
    expect(await fake.calls()).toHaveLength(2);
  });

  test('until a known time makes the agent wait for it, and status says until when', async () => {
    const resetsAt = Math.ceil(Date.now() / 1000) + 3600;
    const limit = refused('rate_limit', "You've hit your 5-hour limit", { apiErrorStatus: 429 });
    const fake = await fakeWith({ ...limit, rateLimit: { status: 'rejected', resetsAt }, times: 1 }, { text: DONE });
    const running = place.begin(['start', 'one', '--id', 'limited'], { env: fake.env });
    const told = `main  waiting  START.md  $0.00  until ${localTime(new Date(resetsAt * 1000))}`;
    await until(async () => (await place.raymond(['status', 'limited'])).stdout.includes(told), { what: told });
    const document = documentOf(await place.raymond(['status', 'limited', '--json']));
    expect(document).toMatchObject({ status: 'running', agents: [{ id: 'main', status: 'waiting' }] });
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(await place.raymond(['resume', 'limited'], { env: fake.env })).toMatchObject({
      stdout: 'done',
      exitCode: 0,
    });
    expect(await fake.calls()).toHaveLength(2);
  });
});

describe('without Claude Code', () => {
  let env: Readonly<Record<string, string>>;
  let bare: Place;
  beforeAll(async () => {
    const tools = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'));
    env = { PATH: [dirname(process.execPath), ...tools].join(delimiter) };
    bare = await Place.at(STATES);
  });

  test('a workflow with prompts is refused before anything is started', async () => {
    const { stdout, stderr, exitCode } = await bare.raymond(['start', 'one'], { env });
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 69 });
    expect(stderr.trim().split('\n')).toEqual([expect.stringMatching(/no "claude" on PATH.*npm install -g/)]);
    expect(await bare.read('.raymond/temporal')).toBeUndefined();
    expect(await bare.raymond(['list', '--json'])).toMatchObject({ stdout: '[]', exitCode: 0 });
    expect(await bare.raymond(['server', 'status'])).toMatchObject({ exitCode: 1 });
  });

  test('a workflow of scripts runs', async () => {
    expect(await bare.raymond(['start', 'script'], { env })).toMatchObject({ stdout: 'ok', exitCode: 0 });
  });

  test('a run that meets a prompt later is paused, and continues when it is installed', async () => {
    const late = await Place.sharing({ 'late/START.sh': 'echo "<goto>$NEXT</goto>"\n', 'late/ASK.md': 'Do it.\n' });
    const paused = await late.raymond(['start', 'late', '--id', 'later'], { env: { ...env, NEXT: 'ASK' } });
    expect(paused).toMatchObject({ stdout: '', exitCode: 3 });
    expect(paused.stderr).toContain('Claude Code cannot be started: install it');
    const fake = await fakeWith({ text: DONE });
    expect(await late.raymond(['resume', 'later'], { env: fake.env })).toMatchObject({ stdout: 'done', exitCode: 0 });
  });
});

describe('a budget', () => {
  test('that is exceeded ends the run with a payload that says so; every turn was given the rest', async () => {
    const fake = await fakeWith({ text: '<goto>START</goto>', costUsd: 0.03 });
    const called = await place.raymond(['start', 'loop', '--budget', '0.05', '--id', 'spent'], { env: fake.env });
    expect(called).toMatchObject({
      stdout: 'Workflow terminated: budget exceeded ($0.0600 > $0.0500)',
      exitCode: 4,
    });
    const calls = await fake.calls();
    expect(calls.map((call) => flagOf(call, '--max-budget-usd'))).toEqual(['0.05', '0.02']);
    const result: Called = await place.raymond(['result', 'spent', '--json']);
    expect(result.exitCode).toBe(4);
    expect(documentOf(result)).toMatchObject({ status: 'over-budget', costUsd: 0.06, budgetUsd: 0.05 });
  });

  test('that Claude Code itself stops at ends the run in the same way', async () => {
    const stop = { isError: true, subtype: 'error_max_budget_usd', terminalReason: 'budget_exhausted', costUsd: 0.07 };
    const fake = await fakeWith({ ...stop, errors: ['Reached maximum budget ($0.05)'] });
    const called = await place.raymond(['start', 'one', '--budget', '0.05'], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'Workflow terminated: budget exceeded ($0.0700 > $0.0500)', exitCode: 4 });
  });

  test('of 0 is none', async () => {
    const fake = await fakeWith({ text: DONE, costUsd: 100 });
    const called = await place.raymond(['start', 'one', '--budget', '0', '--json'], { env: fake.env });
    expect(documentOf(called)).toMatchObject({ status: 'completed', costUsd: 100 });
    expect(called.stdout).not.toContain('budgetUsd');
    expect((await fake.calls()).map((call) => flagOf(call, '--max-budget-usd'))).toEqual([undefined]);
  });

  test('that is met exactly is not exceeded', async () => {
    const fake = await fakeWith({ times: 2, text: '<goto>START</goto>', costUsd: 0.1 }, { text: DONE, costUsd: 0.1 });
    const called = await place.raymond(['start', 'loop', '--budget', '0.3'], { env: fake.env });
    expect(called).toMatchObject({ stdout: 'done', exitCode: 0 });
  });
});
