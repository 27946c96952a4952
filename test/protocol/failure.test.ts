// The table of failures: how patiently each is met.
import { expect, test } from '@jest/globals';
import { FAILURES, isFailureType, ruleOf, waitSeconds } from '../../src/protocol/failure.js';

test.each([
  ['ClaudeFailed', [1, 2]],
  ['ApiTrouble', [5, 10, 20, 40, 80, 160, 300, 300]],
  ['RateLimited', [60, 120, 240, 480, 900, 900]],
] as const)('%s is tried again after growing waits', (type, waits) => {
  const { retry } = ruleOf(type);
  expect(waits.map((_, n) => retry && waitSeconds(retry, n + 1))).toEqual(waits);
  expect(retry?.tries).toBeGreaterThanOrEqual(waits.length);
});

test('unclassified failures have three attempts in all, then pause', () => {
  expect(FAILURES.ClaudeFailed).toMatchObject({ then: 'pause', retry: { tries: 2 } });
});

test('only types of the table are failure types', () => {
  expect(isFailureType('ScriptFailed')).toBe(true);
  expect(['toString', 'Other', null, undefined].some(isFailureType)).toBe(false);
});
