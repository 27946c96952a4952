// Real pipes for the output of processes. What Node calls a pipe is a socket, and on Linux a socket cannot be opened by
// name: `echo oops >/dev/stderr` fails in a script. Node has no pipe(2), so named pipes are made, opened, and unlinked.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const BATCH = 32;
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** One pipe: `writer` is given to a process and then closed here. */
export interface Pipe {
  readonly reader: Readable;
  readonly writer: number;
}

/** Pipes to take; one that was read to its end is used again. */
export class Pipes {
  /** Each pipe is held by an open end for reading, by which it is opened anew. */
  readonly #free: number[] = [];
  #available = process.platform === 'linux';

  /** Makes the first pipes, so that the first turn does not wait for them. */
  constructor() {
    this.#refill();
  }

  /**
   * Lends so many pipes, or none where none can be made (then Node's have to do). Their ends for writing are closed
   * after `use`: only then, when the process has closed its own, does reading come to an end.
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
    // Without its end having been read, somebody may still write into it.
    if (ended) this.#free.push(held);
    else closeSync(held);
  }

  #refill(): void {
    if (!this.#available) return;
    try {
      this.#free.push(...makePipes());
    } catch {
      // No mkfifo, or no place for a named pipe: Node's sockets serve all but scripts that open /dev/stderr.
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
