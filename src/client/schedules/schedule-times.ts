// The times of a schedule: from a person's words to Temporal's form, and back.
import type { CalendarSpec, ScheduleDescription, ScheduleSpec } from '@temporalio/client';
import { z } from 'zod';
import { ClientError } from '../error.js';
import { issueText } from '../../protocol/text.js';

/** When to start runs: at every time that any of these gives. */
export interface ScheduleTimes {
  /** Cron expressions: `0 2 * * *`, also with seconds before or years after, or `@daily`. */
  readonly cron?: readonly string[];
  /** Milliseconds, counted from 1970 in UTC: `24 h` is every midnight there. */
  readonly every?: readonly number[];
  /** Temporal's calendars, such as `{ dayOfWeek: 'MONDAY', hour: 2, minute: 30 }`. */
  readonly calendar?: readonly CalendarSpec[];
  /** The time zone of cron and calendars, such as `Europe/Berlin`; absent = UTC. */
  readonly timezone?: string;
}

/** The same for Temporal. Throws `InvalidUsage`. */
export function specOf({ cron = [], every = [], calendar = [], timezone }: ScheduleTimes): ScheduleSpec {
  if (cron.length + every.length + calendar.length === 0)
    throw new ClientError('InvalidUsage', 'give the times of the runs with --cron, --every or --calendar');
  if (every.some((ms) => ms < 1000)) throw new ClientError('InvalidUsage', '--every: expected at least one second');
  return {
    // Temporal keeps the parsed form of cron expressions; the text itself only as a comment.
    cronExpressions: cron.map((words) => (words.includes('#') ? words : `${words} # ${words}`)),
    intervals: every.map((ms) => ({ every: ms })),
    calendars: [...calendar],
    ...(timezone === undefined ? {} : { timezone: knownZone(timezone) }),
  };
}

function knownZone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone === '' ? 'UTC' : timezone;
  } catch {
    const example = 'such as Europe/Berlin or UTC';
    throw new ClientError(
      'InvalidUsage',
      `there is no time zone "${timezone}"; use a name of the IANA list, ${example}`,
    );
  }
}

/** A line for each of a schedule's times. */
export function timesText({ calendars = [], intervals = [] }: ScheduleDescription['spec']): readonly string[] {
  return [
    ...calendars.map(({ comment, ...fields }) => (comment === undefined || comment === '' ? plain(fields) : comment)),
    ...intervals.map(({ every, offset }) => `every ${spanText(every)}${offset > 0 ? ` + ${spanText(offset)}` : ''}`),
  ];
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
] as const;

/** Milliseconds in the form of flags: `90s`, `15m`, `36h`, `7d`. */
export function spanText(ms: number): string {
  const [name, unit] = UNITS.find(([, unit]) => ms > 0 && ms % unit === 0) ?? ['s', 1000];
  return `${ms / unit}${name}`;
}

type CalendarFields = Omit<NonNullable<ScheduleDescription['spec']['calendars']>[number], 'comment'>;

/** A field that matches everything is left out. */
function plain(fields: CalendarFields): string {
  const everything = [
    { start: 1, end: 31 },
    { start: 'JANUARY', end: 'DECEMBER' },
    { start: 'SUNDAY', end: 'SATURDAY' },
  ];
  const words = Object.entries(fields).flatMap(([name, ranges]: [string, CalendarFields[keyof CalendarFields]]) => {
    const [first] = ranges;
    const isAll = everything.some(({ start, end }) => first?.start === start && first.end === end && first.step === 1);
    if (first === undefined || isAll) return [];
    return [`${name} ${ranges.map(rangeText).join(',')}`];
  });
  return words.join(', ');
}

function rangeText({ start, end, step }: CalendarFields[keyof CalendarFields][number]): string {
  const range = start === end ? `${start}` : `${start}-${end}`;
  return step > 1 && start !== end ? `${range}/${step}` : range;
}

/** A calendar as a person writes it in JSON. Throws `InvalidUsage`. */
export function calendarOf(text: string): CalendarSpec {
  const example = `such as '{"dayOfWeek":"MONDAY","hour":2,"minute":30}'`;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ClientError('InvalidUsage', `--calendar: "${text}" is not a JSON object; write one ${example}`);
  }
  const read = calendar.safeParse(json);
  if (read.success) return read.data as CalendarSpec;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  throw new ClientError(
    'InvalidUsage',
    `--calendar: ${where === '' ? '' : `${where}: `}${issueText(issue?.message ?? 'invalid')}; write one ${example}`,
  );
}

const MONTHS = z.enum([
  'JANUARY',
  'FEBRUARY',
  'MARCH',
  'APRIL',
  'MAY',
  'JUNE',
  'JULY',
  'AUGUST',
  'SEPTEMBER',
  'OCTOBER',
  'NOVEMBER',
  'DECEMBER',
]);
const DAYS = z.enum(['SUNDAY', 'MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY']);

const number = (least: number, most: number): z.ZodNumber => z.number().int().min(least).max(most);

/** A value, a range of them with both ends, or a list of either. */
function some(value: z.ZodType): z.ZodType {
  const range = z.strictObject({ start: value, end: value, step: number(1, 1000).optional() });
  const one = z.union([value, range]);
  return z.union([z.literal('*'), one, z.array(one).min(1)], { error: 'not a value of it' }).optional();
}

const calendar = z
  .strictObject({
    second: some(number(0, 59)),
    minute: some(number(0, 59)),
    hour: some(number(0, 23)),
    dayOfMonth: some(number(1, 31)),
    month: some(MONTHS),
    year: some(number(2000, 2100)),
    dayOfWeek: some(DAYS),
    comment: z.string().optional(),
  })
  .refine(({ comment: _, ...fields }) => Object.keys(fields).length > 0, 'give at least one of its fields');
