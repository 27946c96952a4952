// The output of a process, from its pipes to its reader. These are real pipes: what Node calls a
// pipe is a socket, and on Linux a socket cannot be opened by name, so `echo oops >/dev/stderr`
// would fail in a script. Node has no pipe(2), so named pipes are created, opened and unlinked.
// They are read in order, at the pace of their reader, and to their end.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as immediate, setTimeout as delay } from 'node:timers/promises';
import type { OutputStream } from './messages.js';

const BATCH = 32;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** One pipe: `writer` is passed to a process and then closed here. */
interface Pipe {
  readonly reader: PipeReader;
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
    const reader = new PipeReader(held);
    reader.once('close', () => this.#giveBack(held, reader.readableEnded));
    return { reader, writer: openSync(pathOf(held), constants.O_WRONLY) };
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

function pathOf(held: number): string {
  return `/proc/self/fd/${held}`;
}

const CHUNK_BYTES = 64 << 10;

/** The largest pipe that the kernel gives to a user. */
const MAX_PIPE_BYTES = 1 << 20;

/**
 * Reads a pipe through its kept end. What a quick process has written is read at its end, in one go; from `follow` on,
 * everything is read as it comes.
 */
class PipeReader extends Readable {
  readonly #held: number;
  #socket: Socket | undefined;
  #isOver = false;

  constructor(held: number) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#held = held;
  }

  /** Reads as the output comes. */
  follow(): void {
    if (this.#socket !== undefined || this.#isOver || this.destroyed) return;
    const socket = this.#open();
    if (socket === undefined) return;
    // The end is not reported to a reader that opens the pipe after the last writer has closed it.
    if (this.#drain()) return void socket.destroy();
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      if (!this.push(chunk)) socket.pause();
    });
    socket.once('end', () => this.push(null));
    socket.once('error', (error) => this.destroy(error));
  }

  /** The process has ended: reads what is there, and follows only if another process holds the pipe. */
  finish(): void {
    if (this.#socket !== undefined || this.#isOver || this.destroyed) return;
    if (!this.#drain()) this.follow();
  }

  /** Reads what is in the pipe; true at its end. */
  #drain(): boolean {
    for (let total = 0; total < MAX_PIPE_BYTES && !this.#isOver;) {
      const chunk = this.#readNow();
      if (chunk === undefined) break;
      this.#isOver = chunk.length === 0;
      this.push(this.#isOver ? null : chunk);
      total += chunk.length;
    }
    return this.#isOver;
  }

  override _read(): void {
    this.#socket?.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket?.destroy();
    done(error);
  }

  #open(): Socket | undefined {
    try {
      return new Socket({ fd: openSync(pathOf(this.#held), READ), readable: true, writable: false });
    } catch (error) {
      this.destroy(error as Error);
      return undefined;
    }
  }

  /** What is in the pipe; empty at its end, undefined while a process may still write. */
  #readNow(): Buffer | undefined {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    try {
      return chunk.subarray(0, readSync(this.#held, chunk));
    } catch {
      return undefined; // EAGAIN
    }
  }
}

function makePipes(): number[] {
  const folder = mkdtempSync(join(tmpdir(), 'raymond-pipes-'));
  try {
    const paths = Array.from({ length: BATCH }, (_, index) => join(folder, String(index)));
    execFileSync('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore', timeout: 10_000 });
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
    this.follow();
    this.#forwarding = false;
    this.#unacknowledged = 0;
    this.#flow();
  }

  /** The process is not a quick one. */
  follow(): void {
    for (const stream of this.#streams) if (stream instanceof PipeReader) stream.follow();
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
    for (const stream of this.#streams) if (stream instanceof PipeReader) stream.finish();
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
