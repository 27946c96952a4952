// `raymond test` as its users call it: the tests of all samples pass without a model, and what is not as expected is said.
import { expect, test } from '@jest/globals';
import { Place, SAMPLES } from '../support/cli.js';

test('the tests of all samples pass', async () => {
  const place = await Place.at();
  const called = await place.raymond(['test', SAMPLES]);
  expect(called).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^\d+ passed \(/m) });
});
