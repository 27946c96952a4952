// The tests of all samples, with a fake Claude.
import { expect, test } from '@jest/globals';
import { Place, SAMPLES } from '../support/cli.js';

test('the tests of all samples pass, and come through all of them', async () => {
  const place = await Place.at();
  const called = await place.raymond(['test', SAMPLES, '--coverage', '100']);
  expect(called).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+ passed \(/m) });
  expect(called.stdout).toContain('coding: 5 of 5 states, 7 of 7 transitions');
});
