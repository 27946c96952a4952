// Texts in the columns that a terminal gives to characters. Pure. Widths take 25 ms to load: commands without a table do without.
import cliTruncate from 'cli-truncate';
import stringWidth from 'string-width';
import { visible } from '../../protocol/text.js';

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
