// The lines that the codecs write: each matter once, and names, which may come from a stranger, quoted.
import { clip } from '../protocol/text.js';

/** Receives a log line of a worker or command. */
export type Log = (line: string) => void;

const LONGEST_NAME = 120;

/** A name in quotation marks, cut, without a character that could move a cursor. */
export function quoted(name: string): string {
  const text = JSON.stringify(clip(name, LONGEST_NAME));
  return text.replaceAll(/\p{C}/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** After this many, no more are reported: a stranger could send endless new names. */
const MOST_MATTERS = 10_000;

/** Tells each matter once, however often it is met: what is tried again or replayed comes by here every time. */
export class Once {
  private readonly logged = new Set<string>();

  constructor(private readonly write: Log) {}

  /** Writes the line when `matter` is new. */
  log(matter: string, line: string): void {
    if (this.logged.has(matter) || this.logged.size >= MOST_MATTERS) return;
    this.logged.add(matter);
    this.write(line);
  }
}
