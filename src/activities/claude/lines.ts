// From bytes in any chunking to whole lines of text: characters that a chunk splits stay whole, memory stays bounded.
// Must not know what the lines mean.

/** The longest line that is kept, in bytes. A tool result of a model's turn may well be tens of megabytes. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Splits a stream into lines; a line beyond the limit is skipped and counted in `tooLong`. */
export class LineSplitter {
  tooLong = 0;
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
    if (bytes <= this.limit) return [Buffer.concat(parts).toString('utf8')];
    this.tooLong += 1;
    return [];
  }
}
