// Positions in files, and texts that know the position of each of their characters. A state of a YAML package is part of a larger file, and
// a script's output lacks the quotes of its source: both are traced back to the file. Pure.

/** A line and column in a file, both from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Maps a line and column of a text to its position in the file. */
export type Locate = (line: number, column: number) => Position;

/** A text whose lines have positions in a file. */
export class PositionedText {
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

  /** The position of a line of the text. */
  atLine(line: number, column = 1): Position {
    return this.locate(line, column);
  }

  /** The line number, from 1, of a character. */
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

/** A text assembled from pieces of a file, with the file offset of each of its characters. */
export class TracedText {
  text = '';
  private readonly offsets: number[] = [];

  /** Adds a text that starts at `offset` in the file; if `collapsed`, all its characters map to `offset`. */
  add(text: string, offset: number, collapsed = false): void {
    this.text += text;
    for (let index = 0; index < text.length; index++) this.offsets.push(collapsed ? offset : offset + index);
  }

  /** Appends another traced text. */
  append(other: TracedText): void {
    this.text += other.text;
    for (const offset of other.offsets) this.offsets.push(offset);
  }

  /** A substring with its offsets. */
  slice(from: number, to?: number): TracedText {
    const part = new TracedText();
    part.text = this.text.slice(from, to);
    part.offsets.push(...this.offsets.slice(from, to));
    return part;
  }

  /** The file offset of a character. */
  offsetOf(index: number): number {
    return this.offsets[index] ?? (this.offsets.at(-1) ?? 0) + 1;
  }
}

/** Orders positions by file, line and column. */
export function comparePositions(one: Position, other: Position): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}
