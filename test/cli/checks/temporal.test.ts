// What `raymond doctor` makes of a clock.
import { expect, test } from '@jest/globals';
import { clockCheck } from '../../../src/cli/checks/temporal.js';
import { skewOf } from '../../../src/client/fleet/cluster.js';

test.each([
  [1500, 'between the two looks', 0],
  [900, 'before both: ours is ahead', 100],
  [2300, 'after both: ours is behind', -300],
])('the server at %i, %s: %i', (server, _what, skew) => {
  expect(skewOf(server, { before: 1000, after: 2000 })).toBe(skew);
});

test.each([
  [0, 'ok', "same as the server's"],
  [-1900, 'ok', "same as the server's"],
  [2000, 'warning', "2.0 s ahead of the server's"],
  [-75_300, 'warning', "75.3 s behind the server's"],
])('a clock that is %i ms ahead: %s', (ms, status, detail) => {
  expect(clockCheck(ms)).toMatchObject({ status, detail: expect.stringContaining(detail) });
});
