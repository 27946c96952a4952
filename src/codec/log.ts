// The lines that the codecs write: each matter once, and names, which may come from a stranger, quoted.
import { clip } from '../protocol/text.js';

/** Takes a line for whoever runs the worker or command. */
export type Log = (line: string) => void;

const LONGEST_NAME = 120;

/** A name in quotation marks, cut, without a character that could move a cursor. */
export function quoted(name: string): string {
  const text = JSON.stringify(clip(name, LONGEST_NAME));
  return text.replaceAll(/\p{C}/gu, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`);
}

/** After so many, nothing more is told: a stranger could send ever new names. */
const MOST_MATTERS = 10_000;

/** Tells each matter once, however often it is met: what is tried again or replayed comes by here every time. */
export class Once {
  private readonly told = new Set<string>();

  constructor(private readonly log: Log) {}

  /** Writes the line when `matter` is new. */
  tell(matter: string, line: string): void {
    if (this.told.has(matter) || this.told.size >= MOST_MATTERS) return;
    this.told.add(matter);
    this.log(line);
  }
}
