// Questions on the command line, further: a run that asks in the background, and what comes of questions that were rejected.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';
import { COLOUR, LATE, SAY } from './asks-place.js';

let place: Place;
beforeAll(async () => {
  place = await Place.at({ 'flow/START.sh': COLOUR, 'flow/SAY.sh': SAY, ...LATE });
});

describe('a process that serves a run which asks', () => {
  test('in the background continues, too', async () => {
    expect(await place.raymond(['start', 'flow', '--id', 'behind', '--detach'])).toMatchObject({ exitCode: 0 });
    await until(async () => (await place.raymond(['status', 'behind'])).stdout.includes('main asks'), {
      what: 'the question',
    });
    expect((await place.raymond(['answer', 'behind', 'blue'])).exitCode).toBe(0);
    const ended = await until(async () => {
      const called = await place.raymond(['result', 'behind']);
      return called.exitCode === 0 ? called : undefined;
    });
    expect(ended.stdout).toBe('ask_main_1: blue');
    await place.raymond(['down']);
  });
});

test('what --on-ask=reject has rejected can be asked by a resumption, which says itself what happens at questions', async () => {
  const states = { id: 'rejected', why: 'but the run has --on-ask=reject' };
  const failed = await place.raymond(['start', 'late', '--id', states.id, '--on-ask', 'reject', '--no-check']);
  expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
  expect(failed.stderr).toContain(`${states.why}; to allow questions, run: raymond resume rejected --on-ask=exit`);
  const again = await place.raymond(['resume', 'rejected']);
  expect(again).toMatchObject({ exitCode: 1 });
  expect(again.stderr).toContain(states.why);

  const asked = await place.raymond(['resume', 'rejected', '--on-ask', 'exit']);
  expect(asked).toMatchObject({ exitCode: 2, stdout: '' });
  expect(asked.stderr).toContain('  Which colour?');
  const answered = await place.raymond(['answer', 'rejected', 'blue', '--on-ask', 'exit']);
  expect(answered).toMatchObject({ exitCode: 2, stdout: '' });
  expect(answered.stderr).toContain('  And which shade?');
  expect(await place.raymond(['answer', 'rejected', 'dark'])).toMatchObject({
    stdout: 'ask_main_2: dark',
    exitCode: 0,
  });
  expect(await place.read('seen')).toBe('x\n');
});
