// Times, durations and columns for people.
import { expect, test } from '@jest/globals';
import { dollars } from '../../../src/protocol/text.js';
import { columns, shortened } from '../../../src/cli/view/columns.js';
import { duration, localTime } from '../../../src/cli/view/format.js';

test.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [850, '850 ms'],
  [4200, '4.2 s'],
  [59_900, '59 s'],
  [125_000, '2 m 05 s'],
  [3_600_000 + 7 * 60_000, '1 h 07 m'],
  [4 * 86_400_000 + 6 * 3_600_000, '4 d 06 h'],
])('%i ms are %s', (ms, text) => {
  expect(duration(ms)).toBe(text);
});

test('a time is shown in the zone of the reader, with its name', () => {
  const time = new Date(Date.UTC(2026, 10, 22, 23, 5, 9));
  expect(localTime(time, 'UTC')).toBe('2026-11-22 23:05:09 UTC');
  expect(localTime(time, 'Asia/Tokyo')).toMatch(/^2026-11-23 08:05:09 (GMT\+9|JST)$/);
});

test('dollars are reported to the cent, small ones in four digits; a text is one line of so many columns', () => {
  expect([0, 0.004, 0.1 + 0.2, 12].map(dollars)).toEqual(['$0.00', '$0.0040', '$0.30', '$12.00']);
  expect(shortened('  one\n two\tthree ', 20)).toBe('one two three');
  expect(shortened('日本語のテキスト', 7)).toBe('日本語…');
  expect(shortened('abc', 0)).toBe('');
});

test('columns stand under each other, also under wide characters, without spaces at the end', () => {
  expect(
    columns([
      ['A', 'B', 'C'],
      ['日本', 'x', ''],
      ['abc', '', 'z'],
    ]),
  ).toBe('A     B  C\n日本  x\nabc      z');
});
