// The journal of an attempt: the file that a process prints into, and from which its output is read
// while it grows. Output is on disk before any process reads it, so it survives the death of the
// worker, of this process, or of both.
import { closeSync, fstatSync, mkdirSync, openSync, readSync, watch, type FSWatcher } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { flushToDisk } from '../host/files.js';

const CHUNK_BYTES = 64 << 10;

/** How often files are checked on file systems that report no changes (some network disks). */
const LOOK_EVERY_MS = 100;

/**
 * What is appended to a file from now on, as a stream; `writer` is for the process that appends.
 */
export class Journal extends Readable {
  readonly #path: string;
  readonly #reader: number;
  readonly #writer: number;
  readonly #closed: Promise<void>;
  readonly #looks: NodeJS.Timeout;
  readonly #watcher: FSWatcher | undefined;
  #at: number;
  #waiting = false;
  #finishing = false;

  /** Creates the file (0600) and its folders (0700); throws the operating system's error. */
  constructor(path: string) {
    super({ highWaterMark: CHUNK_BYTES });
    this.#path = path;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#writer = openSync(path, 'a', 0o600);
    this.#reader = openSync(path, 'r');
    this.#at = fstatSync(this.#reader).size;
    this.#closed = new Promise((resolve) => this.once('close', resolve));
    this.#watcher = watchFile(path, () => this.#look());
    this.#looks = setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  /** Opens the file for appending while `use` spawns the process; may be called once. */
  lend<T>(use: (writer: number) => T): T {
    try {
      return use(this.#writer);
    } finally {
      closeSync(this.#writer);
    }
  }

  /** The process has ended: resolves when everything has been read. */
  async finish(): Promise<void> {
    this.#finishing = true;
    this.#look();
    await this.#closed;
    // Spending must survive a power failure. The worker flushes the journal before it reports; this is for a worker that
    // no longer does. A disk that cannot flush is not the turn's fault.
    for (const path of [this.#path, dirname(this.#path)]) void flushToDisk(path).catch(() => undefined);
  }

  override _read(): void {
    try {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const length = readSync(this.#reader, chunk, 0, CHUNK_BYTES, this.#at);
      this.#at += length;
      if (length > 0) this.push(chunk.subarray(0, length));
      else if (this.#finishing) this.push(null);
      else this.#waiting = true;
    } catch (error) {
      this.destroy(error as Error);
    }
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#looks);
    this.#watcher?.close();
    closeSync(this.#reader);
    done(error);
  }

  #look(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this._read();
  }
}

function watchFile(path: string, onChange: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(path, { persistent: false }, onChange);
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    return undefined; // no more watches for this user: looking every now and then has to do
  }
}
