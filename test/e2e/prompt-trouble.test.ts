// Trouble with the model service, the account, the installation and the budget: what people see, what is tried again, what it costs.
import { localTime } from '../../src/cli/view/format.js';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place, type Called } from '../support/cli.js';
import { flagOf } from '../support/fake-claude.js';
import { documentOf, fakeWith, sessionsOf, transcriptsOf } from '../support/fakes.js';
import { until } from '../support/until.js';
import { DONE, STATES, WITHOUT_CLAUDE, expectPaused, refused } from './prompt-trouble-place.js';

let place: Place;
beforeAll(async () => {
  place = await Place.sharing(STATES);
});

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
  test('not logged in pauses the run at once; resume continues', async () => {
    const rule = refused('authentication_failed', 'Not logged in · Please run /login');
    await expectPaused(place, { rule, words: 'not logged in' });
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
  const env = WITHOUT_CLAUDE;
  let bare: Place;
  beforeAll(async () => {
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
});
