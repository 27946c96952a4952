// What people read of the end of a turn, and of what follows it.
import { expect, test } from '@jest/globals';
import { describeProblem } from '../../../src/protocol/language/problem.js';
import { failedText, transitionText, unusableText } from '../../../src/cli/view/transition-text.js';

test('a delay stands beside the tag', () => {
  expect(transitionText({ kind: 'reset', target: 'A.sh', delayMs: 4000 })).toBe('A.sh (reset, in 4 s)');
  expect(transitionText({ kind: 'goto', target: 'A.sh', delayMs: 90_000 })).toBe('A.sh (goto, in 1 m 30 s)');
  expect(transitionText({ kind: 'goto', target: 'A.sh' })).toBe('A.sh (goto)');
});

test('a failure that is tried again says so in its first line', () => {
  const message = 'main, A.sh: the script ended with exit code 1\nthe tracker is down';
  expect(failedText(message, { tried: 1, of: 3, seconds: 1 })).toBe(
    'main, A.sh: the script ended with exit code 1 (try 1 of 3, again in 1 s)\nthe tracker is down',
  );
  expect(failedText(message, undefined)).toBe(message);
});

test.each([
  [true, undefined, ' (reminder 1 of 3 follows)'],
  [true, 2, ' (reminder 3 of 3 follows)'],
  [true, 3, ' (after 3 reminders)'],
  [undefined, undefined, ''],
] as const)('a turn without a tag, remindable: %s, after reminder %s, ends with %j', (remindable, reminder, ending) => {
  const problem = { kind: 'no-tag' } as const;
  const outcome = { kind: 'problem', problem, text: '', ...(remindable === undefined ? {} : { remindable }) } as const;
  expect(unusableText(outcome, reminder)).toBe(`${describeProblem(problem)}${ending}`);
});
