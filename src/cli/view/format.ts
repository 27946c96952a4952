// Formats times, durations, dollars and tables for people. Pure; widths are the columns that a terminal gives to
// characters.
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import { visible } from '../../protocol/text.js';

/** A duration in its two largest units: `850 ms`, `4.2 s`, `2 m 05 s`, `3 h 07 m`, `4 d 06 h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.floor(seconds)} s`;
  const [minutes, hours] = [Math.floor(seconds / 60), Math.floor(seconds / 3600)];
  if (minutes < 60) return `${minutes} m ${two(Math.floor(seconds) % 60)} s`;
  return hours < 24 ? `${hours} h ${two(minutes % 60)} m` : `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

/** An ordinal: `1st`, `2nd`, `12th`. */
export function ordinal(rank: number): string {
  const teens = Math.floor(rank / 10) % 10 === 1;
  return `${rank}${teens ? 'th' : (['th', 'st', 'nd', 'rd'][rank % 10] ?? 'th')}`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}

/** A time in the reader's zone: `2026-11-22 08:11:29 UTC`; `zone` (IANA) replaces the host's. */
export function localTime(time: Date, zone?: string): string {
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
    timeZoneName: 'short',
  });
  const part = Object.fromEntries(format.formatToParts(time).map(({ type, value }) => [type, value]));
  const { year = '', month = '', day = '', hour = '', minute = '', second = '', timeZoneName = '' } = part;
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
}

/** One line of at most `width` columns, with `ellipsis` where text was cut; line breaks become spaces. */
export function shortened(text: string, width: number, ellipsis = '…'): string {
  if (width <= 0) return '';
  return cliTruncate(visible(text.replaceAll(/\s+/g, ' ').trim()), width, { truncationCharacter: ellipsis });
}

/** Rows as aligned columns, two spaces apart; the last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string {
  return new Columns().text(rows);
}

/** The same for rows that arrive in parts: a column is as wide as the rows so far need. */
export class Columns {
  private readonly widths: number[] = [];

  /** The next rows. */
  text(rows: readonly (readonly string[])[]): string {
    const { widths } = this;
    for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, stringWidth(cell))));
    const line = (row: readonly string[]): string =>
      row.map((cell, at) => cell + ' '.repeat((widths[at] ?? 0) - stringWidth(cell))).join('  ');
    return rows.map((row) => line(row).trimEnd()).join('\n');
  }
}
