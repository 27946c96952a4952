// Durations as authors write them.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseDuration } from '../../../src/protocol/text.js';
import { anyText } from '../../support/any-text.js';

test.each([
  ['90', 90],
  ['90s', 90],
  ['1.5m', 90],
  ['.5h', 1800],
  ['2 h', 7200],
  ['7d', 604_800],
  ['1w', 604_800],
  ['0', 0],
  [' 5m ', 300],
])('"%s" is %d seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test.each(['', 'soon', '-5', '5 minutes', '1h30m', '5M', '1e9', 'NaN', '400000000', '9999w'])(
  '"%s" is none',
  (text) => {
    expect(parseDuration(text)).toBeUndefined();
  },
);

test('whatever is written, it is none or a time of at most ten years', () => {
  const likely = fc.stringMatching(/^ ?\d{0,12}\.?\d{0,400} ?[smhdwx]?$/);
  fc.assert(
    fc.property(fc.oneof(likely, anyText()), (text) => {
      const seconds = parseDuration(text);
      if (seconds === undefined) return;
      expect(seconds).toBeGreaterThanOrEqual(0);
      expect(seconds).toBeLessThanOrEqual(3660 * 86_400);
    }),
  );
});
