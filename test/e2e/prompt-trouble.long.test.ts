// Trouble with the model service, the account, the installation and the budget, further: the rarer kinds of each.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { flagOf } from '../support/fake-claude.js';
import { documentOf, fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';
import { DONE, STATES, WITHOUT_CLAUDE, expectPaused, refused } from './prompt-trouble-place.js';

let place: Place;
beforeAll(async () => {
  place = await Place.sharing(STATES);
});

describe('trouble of the model service', () => {
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
});

describe('an account that cannot be used', () => {
  test.each([
    ['without credit', refused('billing_error', 'Credit balance is too low', { apiErrorStatus: 400 }), 'no credit'],
    [
      'at a limit without an end',
      refused('rate_limit', "You've hit your monthly spend limit."),
      'A usage limit of Claude',
    ],
  ])('%s pauses the run at once; resume continues', async (_what, rule, words) => {
    await expectPaused(place, { rule, words });
  });
});

describe('without Claude Code', () => {
  test('a run that meets a prompt later is paused, and continues when it is installed', async () => {
    const late = await Place.sharing({ 'late/START.sh': 'echo "<goto>$NEXT</goto>"\n', 'late/ASK.md': 'Do it.\n' });
    const paused = await late.raymond(['start', 'late', '--id', 'later'], { env: { ...WITHOUT_CLAUDE, NEXT: 'ASK' } });
    expect(paused).toMatchObject({ stdout: '', exitCode: 3 });
    expect(paused.stderr).toContain('Claude Code cannot be started: install it');
    const fake = await fakeWith({ text: DONE });
    expect(await late.raymond(['resume', 'later'], { env: fake.env })).toMatchObject({ stdout: 'done', exitCode: 0 });
  });
});

describe('a budget', () => {
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
