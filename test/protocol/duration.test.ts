// Spans of time as people write them.
import { describe, expect, test } from '@jest/globals';
import { parseDuration } from '../../src/protocol/duration.js';

describe('a duration', () => {
  test.each([
    ['90', 90],
    ['0', 0],
    ['90s', 90],
    ['1.5m', 90],
    ['.5h', 1800],
    ['2.H', 7200],
    ['7d', 604_800],
    [' 1w ', 604_800],
    ['0.25', 0.25],
  ])('%j is %d seconds', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  test.each(['', '-1', '-1s', 's', '.', '1 m', '1ms', '1h30m', '1,5m', '1e3', 'NaN', 'Infinity', '9'.repeat(400)])(
    '%j is none',
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
