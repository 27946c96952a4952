// Splits a stream in any chunks into lines, on LF only, because a line of JSON may contain other line separators.
// Backends interpret the lines.
/** The longest line that is kept, in bytes. The result of a tool may be tens of megabytes. */
const MAX_LINE_BYTES = 32 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Splits a stream into lines; a line beyond the limit is skipped. */
export class LineSplitter {
  private parts: Uint8Array[] = [];
  private bytes = 0;

  constructor(private readonly limit = MAX_LINE_BYTES) {}

  /** The lines that this chunk completes. */
  push(chunk: Uint8Array): readonly string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      this.keep(chunk.subarray(from, at));
      lines.push(...this.take());
      from = at + 1;
    }
    this.keep(chunk.subarray(from));
    return lines;
  }

  /** The last line, when the stream ended without a newline. */
  end(): readonly string[] {
    return this.bytes === 0 ? [] : this.take();
  }

  private keep(part: Uint8Array): void {
    this.bytes += part.length;
    if (this.bytes > this.limit) this.parts = [];
    else if (part.length > 0) this.parts.push(part);
  }

  private take(): readonly string[] {
    const { parts, bytes } = this;
    this.parts = [];
    this.bytes = 0;
    return bytes <= this.limit ? [Buffer.concat(parts).toString('utf8')] : [];
  }
}
