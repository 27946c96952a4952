// The two output streams of one process: forwards their bytes in order, never more ahead of the reader than a window,
// and knows when the output up to the exit has been forwarded. Does not know what the bytes mean.
import type { Readable } from 'node:stream';
import { setImmediate as looked, setTimeout as delay } from 'node:timers/promises';
import type { OutputStream } from './messages.js';

/** How many bytes of one process may be on their way, not yet acknowledged by the reader. */
export const WINDOW_BYTES = 1 << 20;

const TICK_MS = 10;
const SILENT_TICKS = 2;
const LONGEST_DRAIN_TICKS = 10;

/** Called for each chunk; `counts` is false once nothing is forwarded any more. */
export type Sink = (stream: OutputStream, chunk: Buffer, counts: boolean) => void;

/** Reads both streams of a process at the pace of their reader. */
export class Output {
  readonly #streams: readonly Readable[];
  readonly #allClosed: Promise<unknown>;
  #forwarding = true;
  #closed = false;
  #unacknowledged = 0;
  #total = 0;

  constructor(streams: Readonly<Record<OutputStream, Readable>>, sink: Sink) {
    this.#streams = [streams.stdout, streams.stderr];
    this.#read('stdout', streams.stdout, sink);
    this.#read('stderr', streams.stderr, sink);
    this.#allClosed = Promise.all(
      this.#streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))),
    ).then(() => (this.#closed = true));
  }

  /** The reader has taken this many bytes. */
  acknowledge(bytes: number): void {
    this.#unacknowledged -= bytes;
    this.#flow();
  }

  /** Forwards nothing more, but goes on reading: a process that still writes must not meet a closed pipe. */
  discard(): void {
    this.#forwarding = false;
    this.#unacknowledged = 0;
    this.#flow();
  }

  /** Closes the streams. */
  close(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  /**
   * Resolves when everything that was written before now has been read. A stream that somebody else still holds open
   * counts as read when it is silent, or after 100 ms of reading (far more than a pipe can hold).
   */
  async drained(): Promise<void> {
    let [ticks, silent, seen] = [0, 0, this.#total];
    while (!this.#closed && silent < SILENT_TICKS && ticks < LONGEST_DRAIN_TICKS) {
      await Promise.race([this.#allClosed, delay(TICK_MS)]);
      // In a busy process one timer follows the other without a look at the streams between them.
      await looked();
      if (this.#isFull()) continue;
      ticks += 1;
      silent = this.#total === seen ? silent + 1 : 0;
      seen = this.#total;
    }
  }

  #read(name: OutputStream, stream: Readable, sink: Sink): void {
    // A pipe that cannot be read has ended: `close` follows and the exit tells the rest.
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      this.#total += chunk.length;
      if (this.#forwarding) this.#unacknowledged += chunk.length;
      sink(name, chunk, this.#forwarding);
      if (this.#isFull()) this.#streams.forEach((each) => each.pause());
    });
  }

  #isFull(): boolean {
    return this.#unacknowledged >= WINDOW_BYTES;
  }

  #flow(): void {
    if (!this.#isFull()) this.#streams.forEach((stream) => stream.resume());
  }
}
