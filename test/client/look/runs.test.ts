// Reading a run: what it shows of money is rounded as money is.
import { expect, test } from '@jest/globals';
import { inDollars } from '../../../src/client/look/runs.js';

test('three times five cents are fifteen, also of each agent', () => {
  const sum = 0.05 * 3;
  expect(String(sum)).not.toBe('0.15');
  const agents = [{ id: 'main', status: 'completed', state: 'A.md', costUsd: sum }] as const;
  expect(inDollars({ costUsd: sum, agents })).toEqual({ costUsd: 0.15, agents: [{ ...agents[0], costUsd: 0.15 }] });
});
