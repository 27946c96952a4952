// The small tools for text.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { clip, defined, lineCounter, nearest, utf8Length, visible } from '../../src/protocol/text.js';
import { anyText } from '../support/any-text.js';

test('the length in UTF-8 is that of the encoded bytes', () => {
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
  expect(utf8Length('\ud800x')).toBe(4);
});

test.each([
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['a😀b', 3, 'a…'],
])('%s cut to %i characters', (text, max, cut) => {
  expect(clip(text, max)).toBe(cut);
});

test('lines are counted up to and without the character asked for', () => {
  const lineOf = lineCounter('a\nb\n\nc');
  expect([0, 1, 2, 4, 5].map(lineOf)).toEqual([1, 1, 2, 3, 4]);
});

test.each([
  ['retrun', ['input', 'return'], 'return'],
  ['cwd', ['input', 'cd'], 'cd'],
  ['CD', ['cd'], 'cd'],
  ['to', ['cd'], undefined],
  ['b', ['a'], undefined],
  ['target', ['input', 'return'], undefined],
  ['WORKER', ['WORKERS', 'worker'], 'worker'],
  ['dead', ['input', 'delay'], undefined],
  ['nxet', ['next', 'timeout'], 'next'],
  ['x', [], undefined],
])('%s among %j is nearest to %s', (name, candidates, near) => {
  expect(nearest(name, candidates)).toBe(near);
});

test.each([
  ['a\u001b[31mred', 'a␛[31mred'],
  ['title\u001b]0;owned\u0007', 'title␛]0;owned␇'],
  ['over\rwritten', 'over␍written'],
  ['line\r\nline\n\tindented', 'line\nline\n\tindented'],
  ['\u007f \u0000', '␡ ␀'],
  ['\u009b2J', '\\u009b2J'],
  ['\u202etxt.exe', '\\u202etxt.exe'],
  ['naïve — 漢字 👩‍💻', 'naïve — 漢字 👩‍💻'],
])('%j is shown as %j', (text, seen) => {
  expect(visible(text)).toBe(seen);
});

test('only fields without a value are left out of a record', () => {
  const record: { readonly a?: string; readonly b: number; readonly c?: boolean | null } = defined({
    a: undefined as string | undefined,
    b: 0,
    c: null,
  });
  expect(Object.entries(record)).toEqual([
    ['b', 0],
    ['c', null],
  ]);
});
