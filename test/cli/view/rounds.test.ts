// Which rounds of a poller are shown, and how the others are counted.
import { describe, expect, test } from '@jest/globals';
import { isRepeated, Rounds, repeatedText, stepOf, type Step } from '../../../src/cli/view/rounds.js';

/** The steps `A`, `B` of main (in capitals), `w` of another agent; `A+` waits; `!` is never folded. */
function shownOf(steps: string): readonly string[] {
  const rounds = new Rounds<Step & { readonly name: string }>();
  const all = steps.split(' ').map((name) => ({
    name,
    agentId: name.startsWith('w') ? 'main_w1' : 'main',
    waits: name.endsWith('+'),
    ...(name === '!' ? {} : { key: name }),
  }));
  const shown = [...all.flatMap((step) => rounds.next(step)), ...rounds.end()];
  return shown.map((one) => (isRepeated(one) ? repeatedText(one) : one.name));
}

describe('rounds', () => {
  test.each([
    ['A+ A+ A+ A+', ['A+', '… 3 more rounds']],
    ['A+ A+', ['A+', '… 1 more round']],
    ['A B+ A B+ A B+ A', ['A', 'B+', '… 2 more rounds of 2 turns', 'A']],
    ['A+ A+ B A+ A+', ['A+', '… 1 more round', 'B', 'A+', '… 1 more round']],
    ['A A A', ['A', 'A', 'A']],
    ['A+ ! A+ A+', ['A+', '!', 'A+', '… 1 more round']],
    ['A+ w A+ w A+', ['A+', 'w', 'w', '… 2 more rounds']],
    ['A B C D E+ A B C D E+', ['A', 'B', 'C', 'D', 'E+', 'A', 'B', 'C', 'D', 'E+']],
  ])('%s are shown as %j', (steps, shown) => {
    expect(shownOf(steps)).toEqual(shown);
  });
});

test('a turn that cost money, or did not end with a transition, is never folded', () => {
  const turn = { agentId: 'main', state: 'A.md', costUsd: 0 };
  const transition = { kind: 'reset', target: 'A.md', delayMs: 4 } as const;
  const end = { kind: 'transition', transition } as const;
  expect(stepOf({ ...turn, end }, 'x')).toEqual({ agentId: 'main', key: 'A.md x', waits: true });
  expect(stepOf({ ...turn, end, costUsd: 0.1 }, 'x')).toEqual({ agentId: 'main', waits: false });
  expect(stepOf({ ...turn, end: { kind: 'cancelled' } }, 'x')).toEqual({ agentId: 'main', waits: false });
});
