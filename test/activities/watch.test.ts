// How the end of a turn is reported to metrics and traces, and whom the money is charged to.
import { expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { turnFailure } from '../../src/activities/failure.js';
import { chargedByModel, endOfError, tokensOf, watchTurn, type TurnEnd } from '../../src/activities/watch.js';

const spent = (model: string, costUsd: number): TurnEnd['spending'][number] => {
  return { model, costUsd, inputTokens: 3, outputTokens: 2, cacheReadTokens: 1, cacheWriteTokens: 0 };
};
const charged = (costUsd: number, ...spending: TurnEnd['spending']): readonly (readonly [string, number])[] =>
  chargedByModel({ outcome: 'transition', costUsd, spending }).map((one) => [one.model, one.costUsd]);

test('a turn is charged to its models; what an earlier attempt left behind goes to the first of them', () => {
  expect(charged(0.75, spent('a', 0.5), spent('b', 0.25))).toEqual([
    ['a', 0.5],
    ['b', 0.25],
  ]);
  expect(charged(1, spent('a', 0.5), spent('b', 0.25))).toEqual([
    ['a', 0.75],
    ['b', 0.25],
  ]);
  expect(charged(0.5)).toEqual([['unknown', 0.5]]);
  expect(charged(0)).toEqual([]);
});

test('a failure is reported by its type, message and cost; a torn off turn was cancelled', () => {
  expect(endOfError(turnFailure('UsageLimit', 'not now', { costUsd: 0.5 }), [])).toEqual({
    outcome: 'UsageLimit',
    failure: 'not now',
    costUsd: 0.5,
    spending: [],
  });
  expect(endOfError(new CancelledFailure('over'), [])).toMatchObject({ outcome: 'cancelled', costUsd: 0 });
});

test('all watchers hear of a turn, and their variables come together', () => {
  const heard: string[] = [];
  const watcher = (name: string) => ({
    begin: () => ({
      environment: { [name]: '1' },
      end: ({ outcome }: TurnEnd) => void heard.push(`${name} ${outcome}`),
    }),
  });
  const turn = {
    runId: 'r',
    agentId: 'main',
    state: 'A.md',
    turn: 1,
    attempt: 1,
    kind: 'prompt',
    attributes: {},
  } as const;
  const watch = watchTurn([watcher('A'), watcher('B')], turn);
  expect(watch.environment).toEqual({ A: '1', B: '1' });
  watch.end({ outcome: 'problem', costUsd: 0, spending: [] });
  expect(heard).toEqual(['A problem', 'B problem']);
});

test('the tokens of an attempt are those of all models; without any there are none to tell', () => {
  const of = (inputTokens: number, cacheReadTokens: number): Parameters<typeof tokensOf>[0][number] => {
    return { model: 'm', costUsd: 1, inputTokens, outputTokens: 1, cacheReadTokens, cacheWriteTokens: 0 };
  };
  expect(tokensOf([of(3, 10), of(4, 0)])).toEqual({ input: 7, output: 2, cacheRead: 10, cacheWrite: 0 });
  expect(tokensOf([])).toBeUndefined();
});
