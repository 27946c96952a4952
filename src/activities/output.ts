// What is kept in memory of a process's output: a bounded whole for reading tags, or a bounded tail for messages.
// Must not grow without bound, whatever a process prints.

/** The most that a script may print to stdout, in bytes. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The last bytes of a stream, for error messages. */
export class OutputTail {
  private kept: Buffer = Buffer.alloc(0);

  constructor(private readonly limit = 4096) {}

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.kept, chunk.subarray(-this.limit)]);
    this.kept = joined.subarray(-this.limit);
  }

  /** The tail as text, without surrounding white space; broken characters at the cut become U+FFFD. */
  text(): string {
    return this.kept.toString('utf8').trim();
  }
}

/** A whole stream up to `MAX_OUTPUT_BYTES`. */
export class OutputText {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** True once more was printed than can be read for tags. */
  overflowed = false;

  constructor(private readonly limit = MAX_OUTPUT_BYTES) {}

  add(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes > this.limit) {
      this.overflowed = true;
      this.chunks.length = 0;
      return;
    }
    this.chunks.push(chunk);
  }

  /** The text; invalid UTF-8 becomes U+FFFD. Empty after an overflow. */
  text(): string {
    return Buffer.concat(this.chunks).toString('utf8');
  }
}
