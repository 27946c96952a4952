// What of a workflow is covered: percentages and lines. That the ways of real runs are found, test/e2e/testing.test.ts shows.
import { expect, test } from '@jest/globals';
import { coverageLines, percentOf } from '../../src/testing/coverage.js';

const half = { covered: 1, of: 2, missing: ['B'] };
const whole = { covered: 2, of: 2, missing: [] };

test('states and ways count alike, and nothing to cover is all covered', () => {
  expect(percentOf([{ workflow: '/w', states: half, edges: whole }])).toBe(75);
  expect(percentOf([])).toBe(100);
});

test('what is missing is named', () => {
  expect(coverageLines([{ workflow: '/w', states: half, edges: half }], (path) => path.slice(1))).toEqual([
    'w: 1 of 2 states, 1 of 2 ways',
    '    not reached: B',
    '    not taken: B',
  ]);
});
