// How long an agent may say nothing before the run looks whether it still exists.
import { expect, test } from '@jest/globals';
import { entry } from './ledgers.js';
import { Liveness } from '../../src/workflows/liveness.js';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const [a, b] = [entry('a', { kind: 'running' }), entry('b', { kind: 'running' })];
const due = (silence: Liveness, now: number) => silence.tooLong([a, b], now).map(({ id }) => id);

test('an agent that never spoke is looked for when its patience is over, counted from the beginning', () => {
  const silence = new Liveness(5 * MINUTE, 1000);
  expect(silence.msLeft([a], 1000)).toBe(5 * MINUTE);
  expect(due(silence, 1000 + 5 * MINUTE - 1)).toEqual([]);
  expect(due(silence, 1000 + 5 * MINUTE)).toEqual(['a', 'b']);
});

test('a word of one agent does not hide the silence of another', () => {
  const silence = new Liveness(5 * MINUTE, 0);
  silence.heardFrom('a', 4 * MINUTE);
  expect(due(silence, 5 * MINUTE)).toEqual(['b']);
  expect(silence.msLeft([a, b], 4 * MINUTE)).toBe(MINUTE);
});

test('who is found silent again and again is looked for ever more seldom, at last once a day', () => {
  const silence = new Liveness(5 * MINUTE, 0);
  const waits = Array.from({ length: 12 }, () => {
    silence.foundAlive('a', 0);
    return silence.msLeft([a], 0);
  });
  expect(waits.slice(0, 3)).toEqual([10 * MINUTE, 20 * MINUTE, 40 * MINUTE]);
  expect(waits.at(-1)).toBe(DAY);
  silence.heardFrom('a', 0);
  expect(silence.msLeft([a], 0)).toBe(5 * MINUTE);
});

test('the wait is never nothing, and without agents it is a day', () => {
  const silence = new Liveness(1, 0);
  expect(silence.msLeft([a], 10 * MINUTE)).toBe(1);
  expect(silence.msLeft([], 0)).toBe(DAY);
});
