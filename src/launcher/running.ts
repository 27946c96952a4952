// The worker's side of one process in the launcher: its output in order, its start and its end as
// promises.
import type { ProcessIdentity } from '../host/process.js';
import type { OutputStream, ProcessEnd } from './messages.js';
import { ProcessFamily } from './process-tree.js';

const ACKNOWLEDGE_EVERY_BYTES = 256 << 10;

/** Receives a chunk of output; the next one follows when it has resolved. */
export type OutputHandler = (stream: OutputStream, chunk: Buffer) => void | Promise<void>;

/** A process that the launcher runs. */
export interface RunningProcess {
  /** Its identity, a moment after its start; undefined when it was not started, or ended before. */
  readonly started: Promise<ProcessIdentity | undefined>;
  /** How it ended, after all its output was handled; rejects with the output handler's error. */
  readonly ended: Promise<ProcessEnd>;
  /**
   * SIGTERM, and after the grace SIGKILL to all that is left of the attempt. May be called
   * repeatedly.
   */
  stop(): Promise<ProcessEnd>;
  /** SIGKILL at once. */
  kill(): Promise<ProcessEnd>;
}

/**
 * What a `RemoteProcess` needs: its attempt, the handler of its output, and a way to send messages
 * to the launcher.
 */
interface RunningParts {
  readonly attempt: string;
  readonly onOutput: OutputHandler;
  readonly stop: (how?: { readonly atOnce: true }) => void;
  readonly acknowledge: (bytes: number) => void;
}

/** Turns the messages about one process into promises. */
export class RemoteProcess implements RunningProcess {
  readonly started: Promise<ProcessIdentity | undefined>;
  readonly ended: Promise<ProcessEnd>;
  readonly #parts: RunningParts;
  #identity: ProcessIdentity | undefined;
  #resolveStarted!: (identity: ProcessIdentity | undefined) => void;
  #resolveEnded!: (end: ProcessEnd) => void;
  #handled: Promise<void> = Promise.resolve();
  #unacknowledged = 0;
  #hasEnded = false;
  #failure: { readonly error: unknown } | undefined;

  constructor(parts: RunningParts) {
    this.#parts = parts;
    this.started = new Promise((resolve) => (this.#resolveStarted = resolve));
    this.ended = new Promise<ProcessEnd>((resolve) => (this.#resolveEnded = resolve)).then(async (end) => {
      await this.#handled;
      if (this.#failure !== undefined) throw this.#failure.error;
      return end;
    });
  }

  stop(): Promise<ProcessEnd> {
    if (!this.#hasEnded) this.#parts.stop();
    return this.ended;
  }

  kill(): Promise<ProcessEnd> {
    if (!this.#hasEnded) this.#parts.stop({ atOnce: true });
    return this.ended;
  }

  /** The process has started. */
  start(identity: ProcessIdentity | undefined): void {
    this.#identity = identity;
    this.#resolveStarted(identity);
  }

  /** The next bytes of its output. */
  output(stream: OutputStream, chunk: Buffer): void {
    this.#handled = this.#handled.then(() => this.#handle(stream, chunk));
  }

  /** The process has ended. */
  end(end: ProcessEnd): void {
    this.#hasEnded = true;
    this.#resolveStarted(undefined);
    this.#resolveEnded(end);
  }

  /** All processes of the attempt on this host. */
  get family(): ProcessFamily {
    return ProcessFamily.ofAttempt(this.#parts.attempt, this.#identity);
  }

  async #handle(stream: OutputStream, chunk: Buffer): Promise<void> {
    try {
      if (this.#failure === undefined) await this.#parts.onOutput(stream, chunk);
    } catch (error) {
      // Output that cannot be stored makes the turn worthless: the process is ended, and `ended`
      // rejects with the reason.
      this.#failure = { error };
      this.#parts.stop();
    }
    this.#unacknowledged += chunk.length;
    if (this.#unacknowledged < ACKNOWLEDGE_EVERY_BYTES) return;
    this.#parts.acknowledge(this.#unacknowledged);
    this.#unacknowledged = 0;
  }
}
