// How the page says times, money and ends of turns.
import { expect, test } from '@jest/globals';
import { bytes, counted, duration, endOf } from '../../src/page/words.js';

test('durations have the units that people would say', () => {
  expect([12, 1500, 59_900, 184_000, 7_500_000, 273_600_000].map(duration)).toEqual([
    '12 ms',
    '1.5 s',
    '59 s',
    '3 min 4 s',
    '2 h 5 min',
    '3 d 4 h',
  ]);
});

test('one is one, and files have sizes', () => {
  expect([counted(1, 'agent'), counted(2, 'agent'), bytes(46), bytes(1234), bytes(2_500_000)]).toEqual([
    '1 agent',
    '2 agents',
    '46 B',
    '1.2 kB',
    '2.5 MB',
  ]);
});

test('a turn came to its tag and where that led, or to what went wrong', () => {
  expect(endOf({ end: { kind: 'transition', transition: { kind: 'goto', target: 'NEXT.md' } } })).toEqual({
    text: 'goto → NEXT.md',
    tone: 'good',
  });
  expect(endOf({ end: { kind: 'transition', transition: { kind: 'ask', next: 'END.sh' } } }).text).toBe('ask → END.sh');
  expect(endOf({ end: { kind: 'problem', message: 'no tag', text: 'hm' } })).toEqual({ text: 'no tag', tone: 'ask' });
  // A person wanted it.
  expect(endOf({ end: { kind: 'cancelled' } }).tone).toBe('wait');
});
