// From the bytes of `--output-format stream-json` to typed events, in any chunking and with bounded memory.
// What is not understood is skipped and counted. Must never throw on input.
import type { ClaudeEvent } from './events.js';
import { LineSplitter } from './lines.js';
import { parseLine } from './parse.js';

/** Reads a stream. */
export class ClaudeStream {
  /** Lines that were no JSON object with a type. */
  notEvents = 0;
  private readonly lines: LineSplitter;

  /** `onLine` is given every line as it is, and whether it is an event. */
  constructor(
    maxLineBytes?: number,
    private readonly onLine?: (line: string, isEvent: boolean) => void,
  ) {
    this.lines = new LineSplitter(maxLineBytes);
  }

  /** Lines that were too long to read. */
  get tooLong(): number {
    return this.lines.tooLong;
  }

  /** The events that this chunk completes. */
  push(chunk: Uint8Array): readonly ClaudeEvent[] {
    return this.events(this.lines.push(chunk));
  }

  /** The events of the last line, when it lacks its newline. */
  end(): readonly ClaudeEvent[] {
    return this.events(this.lines.end());
  }

  private events(lines: readonly string[]): readonly ClaudeEvent[] {
    return lines.flatMap((line) => {
      if (line.trim() === '') return [];
      const events = parseLine(line);
      if (events === undefined) this.notEvents += 1;
      this.onLine?.(line, events !== undefined);
      return events ?? [];
    });
  }
}
