// Reads the output of a turn's process: sends it to the live view, with complete `<print>`s at
// once, and keeps a bounded part for tags and messages. It knows when a backend has finished its
// answer; it does not judge the answer.
import { StringDecoder } from 'node:string_decoder';
import type { Backend, BackendEvent, OutputReader } from '../../backends/backend.js';
import { point } from '../../host/faults.js';
import { PrintScanner } from '../../protocol/language/print.js';
import type { Attempt } from '../attempt/attempt.js';
import type { RecentOutput } from '../types.js';

/**
 * Reads the process's stdout; `enough` resolves when it runs on for `resultGraceMs` after its
 * answer.
 */
export class Listener {
  readonly enough: Promise<void>;
  private readonly reader: OutputReader;
  private readonly liveOutput: LiveOutput;
  private timer: NodeJS.Timeout | undefined;
  private ring: () => void = () => undefined;

  constructor(
    private readonly attempt: Attempt,
    backend: Backend,
  ) {
    this.reader = backend.reader(attempt.debug?.prompt());
    this.liveOutput = new LiveOutput(attempt);
    this.enough = new Promise((resolve) => (this.ring = resolve));
  }

  write(chunk: Uint8Array): void {
    for (const event of this.reader.push(chunk)) this.handle(event);
  }

  /** The complete output; no more may follow. */
  finish(): OutputReader {
    for (const event of this.reader.end()) this.handle(event);
    clearTimeout(this.timer);
    return this.reader;
  }

  private handle(event: BackendEvent): void {
    if (event.kind === 'answered') {
      point('result-heard');
      this.timer ??= setTimeout(this.ring, this.attempt.worker.settings.resultGraceMs).unref();
    }
    // Output after an answer shows that the process is still busy.
    else this.timer?.refresh();
    this.showEvent(event);
  }

  private showEvent(event: BackendEvent): void {
    if (event.kind === 'said') {
      if (event.text !== '') this.liveOutput.words(event.text);
      if (event.tools.length > 0) this.liveOutput.lines(event.tools);
    } else if (event.kind === 'retries') this.attempt.reportProgress({ kind: 'said', text: event.text });
  }
}

/** Sends one stream of text to the live view. */
export class LiveOutput {
  private readonly decoder = new StringDecoder('utf8');
  private readonly prints = new PrintScanner();
  private isLineOpen = false;

  constructor(private readonly attempt: Attempt) {}

  /** Bytes of a stream, in any chunking. */
  bytes(chunk: Buffer): void {
    const text = this.decoder.write(chunk);
    if (text !== '') this.words(text);
  }

  /** Text instead of bytes. */
  words(text: string): void {
    this.isLineOpen = !text.endsWith('\n');
    this.attempt.reportProgress({ kind: 'said', text });
    for (const print of this.prints.push(text)) this.attempt.reportProgress({ kind: 'printed', text: print });
  }

  /** Lines of their own. */
  lines(lines: readonly string[]): void {
    const text = `${this.isLineOpen ? '\n' : ''}${lines.join('\n')}\n`;
    this.isLineOpen = false;
    this.attempt.reportProgress({ kind: 'said', text });
  }
}

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
