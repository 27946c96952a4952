// Budgets and usage limits as people meet them on the command line: a run stops for them, says so, and continues from where it was.
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { documentOf, fakeWith, statesOf } from '../support/fakes.js';

const STATES = {
  'flow/START.md': 'Begin.\n',
  'flow/NEXT.md': 'Next.\n',
  'flow/LAST.md': 'Last.\n',
};

async function spender(): Promise<{ readonly fake: FakeClaude; readonly place: Place }> {
  const fake = await fakeWith(
    { match: '^Begin', text: '<goto>NEXT</goto>', costUsd: 1 },
    { match: '^Next', text: '<goto>LAST</goto>', costUsd: 1 },
    { match: '^Last', text: '<result>done</result>', costUsd: 1 },
  );
  return { fake, place: await Place.sharing(STATES, fake.env) };
}

test('a run over its budget ends with code 4 and says so; a larger one lets it continue, 0 lifts it', async () => {
  const { fake, place } = await spender();
  const over = await place.raymond(['start', 'flow', '--id', 'spent', '--budget', '0.5']);
  expect({ ...over, stderr: '' }).toEqual({
    stdout: 'Workflow terminated: budget exceeded ($1.0000 > $0.5000)',
    stderr: '',
    exitCode: 4,
  });
  expect(over.stderr).toContain(
    'over budget: spent, $1.00 of $0.50; to continue, raise it with: raymond budget spent AMOUNT',
  );
  const small = await place.raymond(['budget', 'spent', '1']);
  expect(small).toMatchObject({ exitCode: 64, stdout: '' });
  expect(small.stderr).toBe('raymond: the run spent has spent $1.00 already; give a larger amount, or 0 for no limit');
  for (const amount of ['much', '-1', '']) {
    const wrong = await place.raymond(['budget', 'spent', '--', amount]);
    expect(wrong).toMatchObject({ exitCode: 64, stdout: '' });
    expect(wrong.stderr).toContain('expected a number that is not negative');
  }
  const again = await place.raymond(['budget', 'spent', '1.5', '--json']);
  expect(again.exitCode).toBe(4);
  expect(documentOf(again)).toMatchObject({ status: 'over-budget', costUsd: 2, budgetUsd: 1.5 });
  const done = await place.raymond(['budget', 'spent', '0']);
  expect(done).toMatchObject({ stdout: 'done', exitCode: 0 });
  expect(done.stderr).toContain('the budget of spent is now unlimited');
  expect(statesOf(await fake.calls())).toEqual(['START.md', 'NEXT.md', 'LAST.md']);
  const late = await place.raymond(['budget', 'spent', '9']);
  expect(late).toMatchObject({ exitCode: 64 });
  expect(late.stderr).toContain('the run spent has ended (completed)');
});

test('the budget of a run that is being served is raised from another process', async () => {
  const { fake, place } = await spender();
  await place.write(
    'flow/START.sh',
    'touch started; until [ -f go ]; do sleep 0.05; done; echo "<goto>BEGIN</goto>"\n',
  );
  await place.write('flow/BEGIN.md', 'Begin.\n');
  const running = place.begin(['start', 'flow/START.sh', '--id', 'served', '--budget', '0.5']);
  await place.made('started');
  expect(await place.raymond(['budget', 'served', '5'])).toEqual({
    stdout: '',
    stderr: 'the budget of served is now $5.00',
    exitCode: 0,
  });
  await place.write('go');
  expect(await running).toMatchObject({ stdout: 'done', exitCode: 0 });
  expect(await fake.calls()).toHaveLength(3);
});

test('--no-wait pauses a run at a usage limit, and resume continues', async () => {
  const limit = { isError: true, assistantError: 'rate_limit', apiErrorStatus: 429, costUsd: 0 } as const;
  const rateLimit = { status: 'rejected', resetsAt: Math.ceil(Date.now() / 1000) + 3600 };
  const fake = await fakeWith(
    { ...limit, text: "You've hit your 5-hour limit", rateLimit, times: 1 },
    { text: '<result>after the limit</result>' },
  );
  const place = await Place.sharing({ 'flow/START.md': 'Do it.\n' }, fake.env);
  const paused = await place.raymond(['start', 'flow', '--id', 'limited', '--no-wait']);
  expect(paused).toMatchObject({ stdout: '', exitCode: 3 });
  expect(paused.stderr).toContain('once resolved, run: raymond resume limited');
  expect(await place.raymond(['resume', 'limited'])).toMatchObject({ stdout: 'after the limit', exitCode: 0 });
});
