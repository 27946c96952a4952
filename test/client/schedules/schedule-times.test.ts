// When a schedule starts its runs: what a person writes, for Temporal, and what Temporal has, for a person.
import { describe, expect, test } from '@jest/globals';
import { calendarOf, spanText, specOf, timesText } from '../../../src/client/schedules/schedule-times.js';

describe('times for Temporal', () => {
  test("keep cron's words as a comment, which Temporal would forget", () => {
    expect(specOf({ cron: ['0 2 * * *', '@daily # mine'] }).cronExpressions).toEqual([
      '0 2 * * * # 0 2 * * *',
      '@daily # mine',
    ]);
  });

  test('are refused when there are none, or too many of them', () => {
    expect(() => specOf({})).toThrow(/give the times/);
    expect(() => specOf({ every: [500] })).toThrow(/expected at least one second/);
  });

  test('are in a zone that exists', () => {
    expect(specOf({ every: [60_000], timezone: 'Europe/Berlin' }).timezone).toBe('Europe/Berlin');
    expect(() => specOf({ every: [60_000], timezone: 'Berlin' })).toThrow(/there is no time zone "Berlin"/);
  });
});

describe('a calendar', () => {
  test.each([
    '{"hour":2}',
    '{"dayOfWeek":"MONDAY","hour":[2,{"start":8,"end":18,"step":2}],"minute":30}',
    '{"dayOfMonth":{"start":1,"end":7},"month":["MAY","JUNE"],"year":2027,"second":"*","comment":"often"}',
  ])('%s is one', (text) => {
    expect(calendarOf(text)).toEqual(JSON.parse(text));
  });

  test.each<[text: string, said: RegExp]>([
    ['monday', /"monday" is not a JSON object/],
    ['{}', /give at least one of its fields/],
    ['{"comment":"x"}', /give at least one of its fields/],
    ['{"hours":2}', /hours/],
    ['{"dayOfWeek":"Mon"}', /dayOfWeek/],
    ['{"hour":{"start":2}}', /hour/],
  ])('%s is none', (text, said) => {
    expect(() => calendarOf(text)).toThrow(said);
  });
});

describe('times for people', () => {
  const ALL = {
    second: [{ start: 0, end: 0, step: 1 }],
    minute: [{ start: 0, end: 45, step: 15 }],
    hour: [{ start: 2, end: 2, step: 1 }],
    dayOfMonth: [{ start: 1, end: 31, step: 1 }],
    month: [{ start: 'JANUARY' as const, end: 'DECEMBER' as const, step: 1 }],
    year: [],
    dayOfWeek: [{ start: 'MONDAY' as const, end: 'FRIDAY' as const, step: 1 }],
  };

  test('are the comment of a calendar, else what it does not leave open', () => {
    expect(timesText({ calendars: [{ ...ALL, comment: '0 2 * * *' }, ALL] })).toEqual([
      '0 2 * * *',
      'second 0, minute 0-45/15, hour 2, dayOfWeek MONDAY-FRIDAY',
    ]);
  });

  test('are intervals with their offsets', () => {
    const intervals = [
      { every: 900_000, offset: 0 },
      { every: 86_400_000, offset: 7_200_000 },
    ];
    expect(timesText({ intervals })).toEqual(['every 15m', 'every 1d + 2h']);
  });
});

test.each([
  [1500, '1.5s'],
  [90_000, '90s'],
  [5_400_000, '90m'],
  [129_600_000, '36h'],
  [0, '0s'],
])('%d ms are %s', (ms, text) => {
  expect(spanText(ms)).toBe(text);
});
