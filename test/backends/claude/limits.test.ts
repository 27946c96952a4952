// Pure unit tests of usage limits told in words: every wording that was seen, and texts that only look like one.
import { describe, expect, test } from '@jest/globals';
import { resetTime, tellsUsageLimit } from '../../../src/backends/claude/evidence.js';

describe('a usage limit is reported by', () => {
  test.each([
    "You've hit your limit · resets 1pm (Europe/Lisbon)",
    "You've hit your session limit · resets 8pm (America/New_York)",
    "You've hit your 5-hour limit · resets 8:05am (UTC)",
    "You've hit your weekly limit · resets Nov 26, 12:02pm (Europe/Lisbon)",
    "You've hit your Opus limit · resets Nov 22, 9:02am (America/New_York)",
    "You've hit your monthly spend limit.",
    "You're out of extra usage · resets 5:30am (Asia/Calcutta)",
    'Claude AI usage limit reached|1749924000',
  ])('%s', (text) => {
    expect(tellsUsageLimit(text)).toBe(true);
  });
});

test.each([
  'API Error: Request rejected (429) · too fast',
  'Prompt is too long',
  'the speed limit was hit',
  'Credit balance is too low',
  '',
])('no usage limit is reported by %j', (text) => {
  expect(tellsUsageLimit(text)).toBe(false);
});

describe('the time of a reset', () => {
  test.each([
    ['a time with minutes', 'resets 5:30am (Asia/Calcutta)', '2026-11-21T12:00:00Z', '2026-11-22T00:00:00Z'],
    ['another half-hour zone', 'resets 11:30am (Asia/Colombo)', '2026-11-21T12:00:00Z', '2026-11-22T06:00:00Z'],
    ['a whole hour', 'resets 8pm (America/New_York)', '2026-11-21T12:00:00Z', '2026-11-22T01:00:00Z'],
    ['the same day', 'resets 1pm (Europe/Lisbon)', '2026-11-21T12:02:00Z', '2026-11-21T13:00:00Z'],
    [
      'the next day, when that time is over',
      'resets 1pm (Europe/Lisbon)',
      '2026-11-21T13:30:00Z',
      '2026-11-22T13:00:00Z',
    ],
    ['midnight', 'resets 12am (UTC)', '2026-11-21T12:00:00Z', '2026-11-22T00:00:00Z'],
    ['noon', 'resets 12pm (UTC)', '2026-11-21T11:00:00Z', '2026-11-21T12:00:00Z'],
    ['a time that has just passed', 'resets 8:05am (UTC)', '2026-11-21T08:05:40Z', '2026-11-21T08:05:00Z'],
    ['a time that passed just before midnight', 'resets 11:59pm (UTC)', '2026-11-22T00:00:30Z', '2026-11-21T23:59:00Z'],
    ['another day in that zone', 'resets 9am (Pacific/Auckland)', '2026-11-21T12:00:00Z', '2026-11-21T20:00:00Z'],
    ['the end of the month', 'resets 1am (UTC)', '2026-11-30T12:00:00Z', '2026-12-01T01:00:00Z'],
    ['a date', 'resets Nov 26, 12:02pm (Europe/Lisbon)', '2026-11-21T12:02:00Z', '2026-11-26T12:02:00Z'],
    [
      'a date and a whole hour',
      'resets Nov 23, 9am (America/New_York)',
      '2026-11-21T12:00:00Z',
      '2026-11-23T14:00:00Z',
    ],
    [
      'a date with its year',
      'resets Dec 26, 2027, 7am (America/New_York)',
      '2026-11-21T12:00:00Z',
      '2027-12-26T12:00:00Z',
    ],
    ['a date of next year', 'resets Jan 2, 9am (UTC)', '2026-12-30T12:00:00Z', '2027-01-02T09:00:00Z'],
    ['a date that passed yesterday', 'resets Dec 31, 9am (UTC)', '2027-01-01T08:00:00Z', '2026-12-31T09:00:00Z'],
    [
      'a day on which clocks go forward',
      'resets 3:30am (Europe/Berlin)',
      '2027-03-27T12:00:00Z',
      '2027-03-28T01:30:00Z',
    ],
    ['a day on which clocks go back', 'resets 5am (America/New_York)', '2026-10-31T12:00:00Z', '2026-11-01T10:00:00Z'],
    ['"at" and capitals', 'Your limit will reset at 3PM (UTC).', '2026-11-21T12:00:00Z', '2026-11-21T15:00:00Z'],
    ['an epoch', 'Claude AI usage limit reached|1749924000', '2025-06-14T12:00:00Z', '2025-06-14T18:00:00Z'],
  ])('%s', (_what, text, ...[now, expected]) => {
    expect(resetTime(`You've hit your limit · ${text}`, new Date(now))?.toISOString()).toBe(
      new Date(expected).toISOString(),
    );
  });

  test.each([
    ['no time', "You've hit your limit"],
    ['an unknown zone', 'resets 5am (Mars/Olympus)'],
    ['an impossible hour', 'resets 13pm (UTC)'],
    ['an impossible minute', 'resets 5:75am (UTC)'],
    ['a time without am or pm', 'resets 5 (UTC)'],
    ['a date long past', 'resets Jan 2, 2020, 9am (UTC)'],
  ])('is not guessed from %s', (_what, text) => {
    expect(resetTime(text, new Date('2026-11-21T12:00:00Z'))).toBeUndefined();
  });

  test('without a zone is in the zone of this host', () => {
    const now = new Date(2026, 10, 21, 12, 0);
    expect(resetTime('resets 5:30pm', now)).toEqual(new Date(2026, 10, 21, 17, 30));
  });
});
