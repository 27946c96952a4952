// The evidence of a finished Claude turn: yes-no questions about it; usage limits that are only reported in text (for
// versions and logins without a `rate_limit_event`); and the setting that would permit a denied tool.
import type { BackendEnd } from '../backend.js';
import type { ToolUse } from './events.js';
import type { TurnOutput } from './tally.js';

/** A turn that has ended: its output, how it ended, the tail of its stderr, and when. */
export interface EndedTurn {
  readonly output: TurnOutput;
  readonly end: BackendEnd;
  readonly stderr: string;
  readonly now: Date;
}

/** An answer of the model, completed. */
export function isGood({ output: { last } }: EndedTurn): boolean {
  if (last === undefined || last.isError || last.numTurns === 0) return false;
  return last.terminalReason === undefined || last.terminalReason === 'completed';
}

/** The process never reported how its turn ended. */
export function hasNoResult({ output }: EndedTurn): boolean {
  return output.results === 0;
}

/** Surely failed: an error result, or a process that ended on its own without any result. */
export function hasFailed(turn: EndedTurn): boolean {
  const { output, end } = turn;
  if (output.last !== undefined) return output.last.isError;
  return end.kind === 'exited' && end.code !== 0;
}

/** The API answered with one of these. */
export function isStatus({ output: { last } }: EndedTurn, ...statuses: readonly number[]): boolean {
  return last?.isError === true && last.apiErrorStatus !== undefined && statuses.includes(last.apiErrorStatus);
}

/** The CLI named one of these classes of error. */
export function isError({ output: { last, assistantError } }: EndedTurn, ...errors: readonly string[]): boolean {
  return last?.isError === true && assistantError !== undefined && errors.includes(assistantError);
}

/** There is no executable program of that name. */
export function isNotInstalled({ end }: EndedTurn): boolean {
  return (
    end.kind === 'unstartable' && end.what === 'command' && ['ENOENT', 'EACCES', 'EPERM', 'ENOEXEC'].includes(end.code)
  );
}

/** The same in text: a last resort, for failed turns only. */
export function isLimitInWords(turn: EndedTurn): boolean {
  return hasFailed(turn) && tellsUsageLimit(words(turn));
}

/** The CLI reported, as an event, that a usage limit rejected the request. */
export function isLimitEvent({ output: { last, rateLimit } }: EndedTurn): boolean {
  return last?.isError === true && rateLimit?.status === 'rejected' && (last.apiErrorStatus ?? 429) === 429;
}

/**
 * 5xx, overload, refused and broken connections, timeouts, answers that are not JSON: the last three have no status.
 */
export function isServiceFailure(turn: EndedTurn): boolean {
  const { last } = turn.output;
  if (last?.isError !== true) return false;
  const status = last.apiErrorStatus;
  if (status !== undefined) return status >= 500 || status === 408;
  return (
    isError(turn, 'server_error', 'overloaded') || (last.terminalReason === 'api_error' && isError(turn, 'unknown'))
  );
}

/** One clause: how a turn ended when nothing else explains it. */
export function describeEnd({ output, end }: EndedTurn): string {
  if (end.kind === 'idle') return `Claude Code printed nothing for ${end.seconds} seconds and was stopped`;
  if (end.kind === 'overtime')
    return `Claude Code was stopped because its turn took more than ${end.seconds} seconds (max_time)`;
  if (end.kind === 'flooded') return `Claude Code printed more than ${end.bytes} bytes in one turn and was stopped`;
  const reason = output.last?.terminalReason ?? output.last?.subtype;
  if (output.last !== undefined) return `Claude Code ended its turn without an answer (${reason ?? 'no reason given'})`;
  if (end.kind === 'signalled') return `Claude Code was killed by ${end.signal} before its result`;
  return `Claude Code ended ${end.kind === 'exited' ? `with exit code ${end.code} ` : ''}before its result`;
}

/** Claude Code's own message: its error text, else the end of its stderr. */
export function words({ output, end, stderr }: EndedTurn): string {
  if (end.kind === 'unstartable') return end.message;
  if (output.last === undefined) return stderr;
  return output.last.text ?? (output.last.errors.join('\n') || stderr);
}

/** `what`, and the last message of Claude Code. */
export function explain(what: string, turn: EndedTurn): string {
  const said = words(turn).trim().split('\n').slice(-3).join('\n').slice(0, 500);
  return said === '' ? `${what}.` : `${what}. Its message: ${said}`;
}

/**
 * Known wordings: "You've hit your session limit", "You're out of extra usage", "Claude usage limit
 * reached|1749924000".
 */
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

/** True for text that reports a usage limit. */
export function tellsUsageLimit(text: string): boolean {
  return LIMIT.test(text);
}

/**
 * The time in a limit's text ("resets 5:30am (Asia/Calcutta)", "resets Nov 26, 12:02pm (UTC)"), or undefined without
 * one. Without a date it is the next such time of day; a time that has just passed is returned as it is.
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

/** A date does not repeat daily: one in the recent past is stale, not a year ahead. */
function tolerance(groups: Groups): number {
  return groups['month'] === undefined ? 2 * MINUTE : 7 * DAY;
}

function knownZone(name: string | undefined): string | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // A time zone that this platform does not know: no time is better than a wrong one.
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

/**
 * Text that a shell takes literally; an unclosed quote was cut. In double quotes `$` and backticks still run commands.
 */
const QUOTED = /\\.|'[^']*(?:'|$)|"(?:[^"\\$`]|\\.)*(?:"|$)/gs;

/**
 * The narrowest useful rule: a command by its first word, any other tool by name. Compound commands need all of Bash.
 */
export function allowedToolFor({ tool, detail }: ToolUse): string {
  if (tool !== 'Bash' || detail === undefined || /[;&|`$<>()\n]/.test(detail.replace(QUOTED, ''))) return tool;
  const [program] = detail.trim().split(/\s+/);
  return program !== undefined && /^[\w./-]+$/.test(program) ? `Bash(${program} *)` : tool;
}
