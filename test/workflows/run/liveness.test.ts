// How long an agent may say nothing before the run looks whether it still exists.
import { expect, test } from '@jest/globals';
import { Liveness } from '../../../src/workflows/run/liveness.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Agents that have spoken at the beginning. */
function agents(...ids: readonly string[]): Liveness {
  const liveness = new Liveness(5 * MINUTE);
  for (const id of ids) liveness.markActive(id, 0);
  return liveness;
}

test('an agent is looked for when its patience is over', () => {
  const liveness = agents('a', 'b');
  expect(liveness.msUntilNext(0)).toBe(5 * MINUTE);
  expect(liveness.silentAgents(5 * MINUTE - 1, 9)).toEqual([]);
  expect(liveness.silentAgents(5 * MINUTE, 9)).toEqual(['a', 'b']);
  expect(liveness.silentAgents(5 * MINUTE, 1)).toEqual(['a']);
});

test('a word of one agent does not hide the silence of another', () => {
  const liveness = agents('a', 'b');
  liveness.markActive('a', 4 * MINUTE);
  expect(liveness.silentAgents(5 * MINUTE, 9)).toEqual(['b']);
  expect(liveness.msUntilNext(4 * MINUTE)).toBe(MINUTE);
});

test('who is found silent again and again is looked for ever more seldom, at last once a day', () => {
  const liveness = agents('a');
  const waits = Array.from({ length: 12 }, () => {
    liveness.markAlive('a', 0);
    return liveness.msUntilNext(0);
  });
  expect(waits.slice(0, 3)).toEqual([10 * MINUTE, 20 * MINUTE, 40 * MINUTE]);
  expect(waits.at(-1)).toBe(DAY);
  liveness.markActive('a', 0);
  expect(liveness.msUntilNext(0)).toBe(5 * MINUTE);
});

test('agents of different patience are all looked for in time', () => {
  const liveness = agents('a', 'b');
  liveness.markAlive('a', 5 * MINUTE);
  expect(liveness.silentAgents(14 * MINUTE, 9)).toEqual(['b']);
  expect(liveness.silentAgents(15 * MINUTE, 9)).toEqual(['b', 'a']);
});

test('the wait is never nothing, and without agents it is a day', () => {
  const liveness = agents('a');
  expect(liveness.msUntilNext(10 * MINUTE)).toBe(1);
  liveness.forget('a');
  expect(liveness.msUntilNext(0)).toBe(DAY);
  expect(liveness.silentAgents(DAY, 9)).toEqual([]);
});
