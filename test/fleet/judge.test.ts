// What the judge of a fleet's trial counts as lost money.
import { expect, test } from '@jest/globals';
import { judge, type Ended } from './judge.js';
import type { Noted } from './notes.js';

const note = (kind: Noted['kind'], attempt: string, at: number): Noted => ({
  ...{ kind, attempt, at, host: 'h1', agent: 'main', turn: 1, state: 'A.md', pid: 1 },
  usd: kind === 'C' || kind === 'P' ? 0.09 : 0,
});
const attempt = (name: string, begin: number): readonly Noted[] => [
  note('B', name, begin),
  ...(['C', 'P', 'E'] as const).map((kind) => note(kind, name, begin + 500)),
];

/** A run whose turn was charged twice by one host, and booked once. */
function ended(powerCuts: Ended['powerCuts']): Ended {
  const agents = [{ id: 'main', status: 'completed', state: 'A.md', costUsd: 0.09 }];
  const document = { runId: 'r', status: 'completed', result: 'end', costUsd: 0.09, budgetUsd: 10, agents, asks: [] };
  return {
    document,
    notes: [...attempt('a', 1000), ...attempt('b', 60_000)],
    conversations: { torn: [], said: {} },
    trees: {},
    orphans: [],
    powerCuts,
  };
}

test.each([
  ['in the moment of a power cut of its host is not lost money', [{ host: 'h1', at: 1300 }], []],
  ['long before a power cut of its host is', [{ host: 'h1', at: 12_000 }], ['0.09 USD are not accounted for']],
  ['at a power cut of another host is', [{ host: 'h2', at: 1300 }], ['0.09 USD are not accounted for']],
])('a turn that was charged %s', (_what, powerCuts, problems) => {
  expect(judge(ended([]), ended(powerCuts)).problems).toEqual(problems);
});

test('a turn that was recorded must be booked, even when its host lost its power after it', () => {
  const { notes, ...rest } = ended([{ host: 'h1', at: 60_600 }]);
  const unbooked = {
    ...rest,
    document: { ...rest.document, costUsd: 0 },
    notes: notes.filter((one) => one.attempt === 'b'),
  };
  expect(judge(ended([]), unbooked).problems).toEqual(['0.09 USD are not accounted for']);
});
