// The output of a process, from its pipes to its reader. These are real pipes: what Node calls a
// pipe is a socket, and on Linux a socket cannot be opened by name, so `echo oops >/dev/stderr`
// would fail in a script. Node has no pipe(2), so named pipes are created, opened and unlinked.
// They are read in order, at the pace of their reader, and to their end.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import type { OutputStream } from './messages.js';

const BATCH = 32;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** One pipe: `writer` is passed to a process and then closed here. */
export interface Pipe {
  readonly reader: Readable;
  readonly writer: number;
}

/** A pool of pipes; one that was read to its end is used again. */
export class Pipes {
  /** Each pipe is kept by an open read end, through which it is opened again. */
  readonly #free: number[] = [];
  #available = process.platform === 'linux';

  /** Creates the first pipes, so that the first turn does not wait for them. */
  constructor() {
    this.#refill();
  }

  /**
   * Provides `count` pipes to `use`, or none where pipes cannot be created (then Node's are used).
   * Their write ends are closed after `use`: reading ends when the process has closed its own.
   */
  lend<T>(count: number, use: (pipes: readonly Pipe[]) => T): T {
    const taken: Pipe[] = [];
    try {
      while (taken.length < count) {
        const pipe = this.#take();
        if (pipe === undefined) break;
        taken.push(pipe);
      }
      return use(taken);
    } catch (error) {
      for (const { reader } of taken) reader.destroy();
      throw error;
    } finally {
      for (const { writer } of taken) closeSync(writer);
    }
  }

  #take(): Pipe | undefined {
    if (this.#free.length === 0) this.#refill();
    const held = this.#free.pop();
    if (held === undefined) return undefined;
    const path = `/proc/self/fd/${held}`;
    const reader = new Socket({ fd: openSync(path, READ), readable: true, writable: false });
    reader.once('close', () => this.#giveBack(held, reader.readableEnded));
    return { reader, writer: openSync(path, constants.O_WRONLY) };
  }

  #giveBack(held: number, ended: boolean): void {
    // Before its end was read, another process may still write into it.
    if (ended) this.#free.push(held);
    else closeSync(held);
  }

  #refill(): void {
    if (!this.#available) return;
    try {
      this.#free.push(...makePipes());
    } catch {
      // No mkfifo, or no folder for a named pipe: Node's sockets work for all scripts that do not
      // open /dev/stderr.
      this.#available = false;
    }
  }
}

function makePipes(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'raymond-pipes-'));
  try {
    const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
    execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    return paths.map((path) => openSync(path, READ));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The most bytes of a process that its reader has not acknowledged. */
const WINDOW_BYTES = 1 << 20;

const TICK_MS = 10;
const SILENT_TICKS = 2;
const LONGEST_DRAIN_TICKS = 10;

/** Called for each chunk; `counts` is false once nothing is forwarded any more. */
type Sink = (stream: OutputStream, chunk: Buffer, counts: boolean) => void;

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

  /**
   * Forwards nothing more, but continues to read: a process that still writes must not meet a
   * closed pipe.
   */
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
   * Resolves when everything that was written before has been read. A stream that another process
   * holds open counts as read when it is silent, or after 100 ms of reading (far more than a pipe
   * can hold).
   */
  async drained(): Promise<void> {
    let [ticks, silent, seen] = [0, 0, this.#total];
    while (!this.#closed && silent < SILENT_TICKS && ticks < LONGEST_DRAIN_TICKS) {
      await Promise.race([this.#allClosed, delay(TICK_MS)]);
      // In a busy process, timers may follow each other without a read between them.
      await immediate();
      if (this.#isFull()) continue;
      ticks += 1;
      silent = this.#total === seen ? silent + 1 : 0;
      seen = this.#total;
    }
  }

  #read(name: OutputStream, stream: Readable, sink: Sink): void {
    // A pipe that cannot be read has ended: `close` follows, and the exit reports the rest.
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
