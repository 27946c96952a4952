// A held-out corpus decides whether lint can be trusted: packages that run well, and packages with one planted fault each.
import { describe, expect, test } from '@jest/globals';
import { findingsIn, heldOut } from './held-out.js';

const named = (name: 'right' | 'faults') => heldOut(name).map((one) => [one.what, one] as const);

describe('a package that runs well has neither errors nor warnings', () => {
  test.each(named('right'))('%s', async (_what, one) => {
    expect(await findingsIn(one)).toEqual([]);
  });
});

describe('a planted fault is found at its line', () => {
  test.each(named('faults'))('%s', async (_what, one) => {
    const found = (await findingsIn(one)).filter((finding) => finding.includes(` ${one.at}:`));
    expect(found).not.toEqual([]);
  });
});
