// The output of a turn is printed once, whether it comes while the turn runs or with its record.
import { describe, expect, test } from '@jest/globals';
import { Streamed } from '../../../src/cli/view/streamed.js';

/** What is printed of a turn whose heartbeats have these parts of `all`, and then of its record. */
function printed(
  all: string,
  parts: readonly (readonly [from: number, to: number])[],
  record = all,
): readonly string[] {
  const streamed = new Streamed();
  const live = parts.map(([from, to]) =>
    streamed.next('main', { turn: 1, state: 'A.sh', end: to, text: all.slice(from, to) }),
  );
  return [...live, streamed.rest({ agentId: 'main', number: 1 }, record)];
}

const ALL = 'one\ntwo\nthree\nfour';

describe('of a turn', () => {
  test.each<[string, readonly (readonly [number, number])[], readonly string[]]>([
    ['that nobody saw running, all comes at its end', [], [ALL]],
    ['whole lines come at once, the rest at its end', [[0, 6]], ['one\n', 'two\nthree\nfour']],
    [
      'parts that overlap come once',
      [
        [0, 8],
        [4, 14],
      ],
      ['one\ntwo\n', 'three\n', 'four'],
    ],
    [
      'the same part twice comes once',
      [
        [0, 8],
        [0, 8],
      ],
      ['one\ntwo\n', '', 'three\nfour'],
    ],
    [
      'lines after a gap wait for its end',
      [
        [0, 4],
        [8, 14],
      ],
      ['one\n', '', 'two\nthree\nfour'],
    ],
  ])('%s', (_what, parts, expected) => {
    expect(printed(ALL, parts)).toEqual(expected);
  });

  test('of whose long output only the end is recorded, nothing comes twice', () => {
    expect(printed(ALL, [[0, 8]], '…two\nthree\nfour')).toEqual(['one\ntwo\n', '…two\nthree\nfour']);
    expect(
      printed(
        ALL,
        [
          [0, 4],
          [4, 8],
        ],
        ALL,
      ),
    ).toEqual(['one\n', 'two\n', 'three\nfour']);
  });

  test('that another attempt ran, the whole output of that comes', () => {
    expect(printed(ALL, [[0, 8]], 'other\n')).toEqual(['one\ntwo\n', 'other\n']);
  });
});

test('a heartbeat that comes after the record of its turn adds nothing', () => {
  const streamed = new Streamed();
  const beat = { turn: 1, state: 'A.sh', end: 4, text: 'one\n' };
  expect(streamed.next('main', beat)).toBe('one\n');
  expect(streamed.rest({ agentId: 'main', number: 1 }, 'one\n')).toBe('');
  expect(streamed.next('main', beat)).toBe('');
  expect(streamed.next('other', beat)).toBe('one\n');
  expect(streamed.next('main', { ...beat, turn: 2 })).toBe('one\n');
});
