// Where things stand: positions in files as people open them, and texts that know where each of their characters was written. A state of
// a YAML package is a text inside another one, and what a script prints has lost its quotes: both lead back to the file. Pure.

/** A place in a file, counted from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Gives the position of a line and column of a text. */
export type Locate = (line: number, column: number) => Position;

/** A text of a file. */
export class PlacedText {
  private readonly starts: number[] = [0];

  constructor(
    readonly text: string,
    private readonly locate: Locate,
  ) {
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  /** The position of a character. */
  at(offset: number): Position {
    const index = this.indexOf(offset);
    return this.locate(index + 1, offset - (this.starts[index] ?? 0) + 1);
  }

  /** The position of a line of it. */
  atLine(line: number, column = 1): Position {
    return this.locate(line, column);
  }

  /** The number of the line, from 1, in which a character stands. */
  lineOf(offset: number): number {
    return this.indexOf(offset) + 1;
  }

  private indexOf(offset: number): number {
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}

/** A text that was put together, with the offset that each of its characters has in the file it came from. */
export class TracedText {
  text = '';
  private readonly offsets: number[] = [];

  /** Adds a text whose characters stand side by side from `offset` on, or all there when it `stands` for what is there. */
  add(text: string, offset: number, stands = false): void {
    this.text += text;
    for (let index = 0; index < text.length; index++) this.offsets.push(stands ? offset : offset + index);
  }

  /** Adds another one. */
  append(other: TracedText): void {
    this.text += other.text;
    for (const offset of other.offsets) this.offsets.push(offset);
  }

  /** A part of it. */
  slice(from: number, to?: number): TracedText {
    const part = new TracedText();
    part.text = this.text.slice(from, to);
    part.offsets.push(...this.offsets.slice(from, to));
    return part;
  }

  /** The offset of a character in the file. */
  offsetOf(index: number): number {
    return this.offsets[index] ?? (this.offsets.at(-1) ?? 0) + 1;
  }
}

/** Earlier in the same file, or in a file with an earlier name. */
export function comparePositions(one: Position, other: Position): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
