// What is recorded of a turn beside how it ended: what it took, and when it waited.
import { describe, expect, test } from '@jest/globals';
import { factsOf, failedFacts, queueOf } from '../../src/history/recorded-turn.js';
import { defined } from '../../src/protocol/text.js';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1) + seconds * 1000);
const TOKENS = { input: 10, output: 5, cacheRead: 3000, cacheWrite: 0 };

describe('what a turn took', () => {
  test('is recorded of one that came to something, and of one that failed', () => {
    const taken = { account: 'mine', tokens: TOKENS, queuedMs: 2000 };
    const report = { outcome: { kind: 'cancelled' }, costUsd: 1, durationMs: 5, ...taken } as const;
    expect(factsOf({ kind: 'report', report })).toMatchObject(taken);
    const details = { type: 'ScriptFailed', costUsd: 1, retries: 2, ...taken } as const;
    expect(factsOf({ kind: 'failure', message: 'no', details })).toEqual({
      end: {
        kind: 'failed',
        failure: { type: 'ScriptFailed', message: 'no' },
        retry: { tried: 1, of: 3, seconds: 1 },
      },
      costUsd: 1,
      ...taken,
    });
  });

  test.each([
    [undefined, { tried: 1, of: 3, seconds: 1 }],
    [
      { ScriptFailed: 1, ApiTrouble: 5 },
      { tried: 2, of: 3, seconds: 2 },
    ],
    [{ ScriptFailed: 2 }, undefined],
  ])('with the failures %j before, names the next try %j', (tries, retry) => {
    const { end } = failedFacts('no', { type: 'ScriptFailed', costUsd: 0, retries: 2 }, tries);
    expect(end).toEqual({ kind: 'failed', failure: { type: 'ScriptFailed', message: 'no' }, ...defined({ retry }) });
  });
});

describe('a turn waited', () => {
  test('for a worker, and on it for its place', () => {
    const turn = { scheduledAt: at(0), startedAt: at(3), attempts: 1 };
    expect(queueOf(turn, 2000)).toEqual({ queuedAt: at(0), ranAt: at(5) });
    expect(queueOf(turn)).toEqual({ queuedAt: at(0), ranAt: at(3) });
  });

  test('not when it began at once', () => {
    expect(queueOf({ scheduledAt: at(0), startedAt: at(0.05), attempts: 1 })).toEqual({});
  });

  test('when it was tried again, no longer than on its last worker: before that it had begun already', () => {
    const turn = { scheduledAt: at(0), startedAt: at(30), attempts: 2 };
    expect(queueOf(turn)).toEqual({});
    expect(queueOf(turn, 2000)).toEqual({ queuedAt: at(30), ranAt: at(32) });
  });
});
