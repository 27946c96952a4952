// Keeps the output of a process within bounds: all of it, its end, or its last lines.
import type { RecentOutput } from '../../contract/turns.js';

/** The end of a turn's output, for later. */
export class SaidText {
  private readonly pieces: string[] = [];
  private length = 0;
  private total = 0;
  private isCut = false;

  constructor(private readonly limit = 1024 * 1024) {}

  add(text: string): void {
    this.pieces.push(text);
    this.length += text.length;
    this.total += text.length;
    while (this.length > this.limit && this.pieces.length > 1) {
      this.length -= this.pieces.shift()?.length ?? 0;
      this.isCut = true;
    }
  }

  /** Its last characters, and where they end in all of it; undefined for an empty text. */
  recent(characters: number): RecentOutput | undefined {
    if (this.total === 0) return undefined;
    let text = '';
    for (let at = this.pieces.length - 1; at >= 0 && text.length < characters; at -= 1)
      text = `${this.pieces[at] ?? ''}${text}`;
    return { end: this.total, text: text.slice(-characters) };
  }

  /** The text; if it was longer than `limit` characters it starts with `…`. */
  text(): string {
    const whole = this.pieces.join('');
    return this.isCut || whole.length > this.limit ? `…${whole.slice(-this.limit)}` : whole;
  }
}

/** The most that a script may print to stdout, in bytes. */
export const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/** The last bytes of a stream, for error messages. */
export class OutputTail {
  private kept: Buffer = Buffer.alloc(0);
  private isCut = false;

  constructor(private readonly limit = 4096) {}

  add(chunk: Buffer): void {
    const joined = Buffer.concat([this.kept, chunk.subarray(-this.limit)]);
    this.isCut ||= this.kept.length + chunk.length > this.limit;
    this.kept = joined.subarray(-this.limit);
  }

  /** The tail as text, without surrounding white space. A cut one starts with a whole line if it has one. */
  text(): string {
    const text = this.kept.toString('utf8');
    const whole = this.isCut ? text.slice(text.indexOf('\n') + 1) : text;
    return (whole.trim() === '' ? text : whole).trim();
  }
}

/** A whole stream up to `MAX_OUTPUT_BYTES`. */
export class OutputText {
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  /** True when the output is too long to be read for tags. */
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
