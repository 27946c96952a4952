// Listening to the process of a turn: what it says goes to the live view, its `<print>`s as soon as they are whole, a bounded part of it
// is kept to be read for tags or quoted in a message. Knows when Claude has said enough; does not judge.
import { StringDecoder } from 'node:string_decoder';
import type { ClaudeEvent } from '../backends/claude/events.js';
import { ClaudeStream } from '../backends/claude/stream.js';
import { TurnTally, type TurnOutput } from '../backends/claude/tally.js';
import { point } from '../host/faults.js';
import { PrintScanner } from '../protocol/print.js';
import type { Attempt } from './attempt.js';

/** Takes the process's stdout; `enough` resolves when it lives on for `graceMs` after its result. */
export class Listener {
  readonly enough: Promise<void>;
  private readonly stream: ClaudeStream;
  private readonly tally = new TurnTally();
  private readonly spoken: LiveOutput;
  private timer: NodeJS.Timeout | undefined;
  private ring: () => void = () => undefined;

  constructor(
    private readonly attempt: Attempt,
    private readonly graceMs: number,
  ) {
    this.stream = new ClaudeStream(undefined, attempt.debug?.prompt());
    this.spoken = new LiveOutput(attempt);
    this.enough = new Promise((resolve) => (this.ring = resolve));
  }

  hear(chunk: Uint8Array): void {
    for (const event of this.stream.push(chunk)) this.take(event);
  }

  /** What the turn came to; no output may follow. */
  finish(): TurnOutput {
    for (const event of this.stream.end()) this.take(event);
    clearTimeout(this.timer);
    return this.tally.output();
  }

  private take(event: ClaudeEvent): void {
    if (event.kind === 'result') point('result-heard');
    this.tally.add(event);
    if (event.kind === 'result') this.timer ??= setTimeout(this.ring, this.graceMs).unref();
    // Whatever follows a result shows that the process is not idle yet.
    else this.timer?.refresh();
    this.tell(event);
  }

  private tell(event: ClaudeEvent): void {
    if (event.kind === 'said') {
      if (event.text !== '') this.spoken.words(event.text);
      const tools = event.tools.map(({ tool, detail }) => `[${tool}${detail === undefined ? '' : ` ${detail}`}]`);
      if (tools.length > 0) this.attempt.tell({ kind: 'said', text: tools.join('\n') });
    } else if (event.kind === 'api-retry') {
      this.attempt.tell({
        kind: 'said',
        text: `the model service has trouble${event.status === undefined ? '' : ` (${event.status})`}; Claude tries again`,
      });
    }
  }
}

/** Hands one stream of words on to the live view. */
export class LiveOutput {
  private readonly decoder = new StringDecoder('utf8');
  private readonly prints = new PrintScanner();

  constructor(private readonly attempt: Attempt) {}

  /** Bytes of a stream, in any chunking. */
  bytes(chunk: Buffer): void {
    const text = this.decoder.write(chunk);
    if (text !== '') this.words(text);
  }

  /** Words that are text already. */
  words(text: string): void {
    this.attempt.tell({ kind: 'said', text });
    for (const print of this.prints.push(text)) this.attempt.tell({ kind: 'printed', text: print });
  }
}

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
