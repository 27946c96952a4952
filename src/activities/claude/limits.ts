// Usage limits that are only told in words: the fallback for Claude Code versions and logins without a `rate_limit_event`.
// Only for texts of failed turns: a model may well talk about limits in a good one.

/** The wordings seen: "You've hit your session limit", "You're out of extra usage", "Claude usage limit reached|1749924000". */
const LIMIT = /\bhit your (?:[\w-]+ ){0,3}limit\b|\bout of extra usage\b|\busage limit reached\b/i;

const RESET = new RegExp(
  [
    /\bresets?(?: at| on)? +/,
    /(?:(?<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? +(?<day>\d{1,2})(?:, *(?<year>\d{4}))?(?:,| at)? +)?/,
    /(?<hour>\d{1,2})(?::(?<minute>\d{2}))? ?(?<half>am|pm)/,
    /(?: *\((?<zone>[^)]+)\))?/,
  ]
    .map(({ source }) => source)
    .join(''),
  'i',
);
const EPOCH = /\blimit reached\|(?<seconds>\d{9,11})\b/i;

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** True for the words by which a usage limit is told. */
export function tellsUsageLimit(text: string): boolean {
  return LIMIT.test(text);
}

/**
 * The time that a limit's words name ("resets 5:30am (Asia/Calcutta)", "resets Nov 26, 12:02pm (UTC)"), or undefined when they
 * name none. Without a date it is the next such time of day; a time that has just passed is given as it is.
 */
export function resetTime(text: string, now: Date): Date | undefined {
  const seconds = EPOCH.exec(text)?.groups?.['seconds'];
  if (seconds !== undefined) return new Date(Number(seconds) * 1000);
  const groups = RESET.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const zone = knownZone(groups['zone']);
  const [hour, minute] = [clockHour(groups), Number(groups['minute'] ?? 0)];
  if (zone === undefined || hour === undefined || minute > 59) return undefined;
  const times = candidateDates(groups, { now, zone }).map((date) => instantOf({ ...date, hour, minute }, zone));
  return times.find((time) => time.getTime() >= now.getTime() - tolerance(groups));
}

type Groups = Readonly<Record<string, string | undefined>>;

/** A date is not repeated every day: one that lies back a little is stale, not a year ahead. */
function tolerance(groups: Groups): number {
  return groups['month'] === undefined ? 2 * MINUTE : 7 * DAY;
}

function knownZone(name: string | undefined): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // a name that this platform does not know: better no time than a wrong one
  }
}

function clockHour(groups: Groups): number | undefined {
  const hour = Number(groups['hour']);
  if (hour < 1 || hour > 12) return undefined;
  return (hour % 12) + (groups['half']?.toLowerCase() === 'pm' ? 12 : 0);
}

interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

function candidateDates(
  groups: Groups,
  { now, zone }: { readonly now: Date; readonly zone: string },
): readonly LocalDate[] {
  const today = localTime(now, zone);
  const { month, day, year } = groups;
  if (month === undefined) return [-1, 0, 1].map((days) => ({ ...today, day: today.day + days }));
  const date = { month: MONTHS.indexOf(month.toLowerCase()) + 1, day: Number(day) };
  return year === undefined
    ? [today.year - 1, today.year, today.year + 1].map((each) => ({ ...date, year: each }))
    : [{ ...date, year: Number(year) }];
}

interface LocalTime extends LocalDate {
  readonly hour: number;
  readonly minute: number;
}

function instantOf(local: LocalTime, zone: string): Date {
  const asUtc = (time: LocalTime): number => Date.UTC(time.year, time.month - 1, time.day, time.hour, time.minute);
  const wanted = asUtc(local);
  let instant = wanted;
  // The second round corrects an offset that changes between the guess and the time itself (daylight saving).
  for (let round = 0; round < 2; round += 1) instant += wanted - asUtc(localTime(new Date(instant), zone));
  return new Date(instant);
}

function localTime(instant: Date, zone: string): LocalTime {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  return { year: part('year'), month: part('month'), day: part('day'), hour: part('hour'), minute: part('minute') };
}
