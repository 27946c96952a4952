// Environment variables for tests: a value that makes no sense starts no run.
import { describe, expect, test } from '@jest/globals';
import { testKnob } from '../../../src/client/start/test-knobs.js';

describe.each(['RAYMOND_TURNS_PER_HISTORY', 'RAYMOND_HOST_SILENCE'] as const)('%s', (name) => {
  test.each(['abc', '0', '-1', '1.5', '1e3', 'NaN', 'Infinity', '9999999999', ' 3'])('is refused as "%s"', (text) => {
    const refused = { code: 'InvalidUsage', message: expect.stringContaining(`${name}: expected a whole number`) };
    expect(() => testKnob({ [name]: text }, name)).toThrow(expect.objectContaining(refused));
  });

  test('is taken as a number, and not there when it is absent or empty', () => {
    expect(testKnob({ [name]: '3' }, name)).toBe(3);
    expect(testKnob({ [name]: '' }, name)).toBeUndefined();
    expect(testKnob({}, name)).toBeUndefined();
  });
});
