// What the worker imports: starts processes through a launcher that is forked when it is first needed, and forked
// again when it has died. Holds no state but the present connection.
import { fileURLToPath } from 'node:url';
import { Connection, type ConnectionOptions } from './connection.js';
import type { ProcessSpec, SweepFilter } from './messages.js';
import type { OutputHandler, RunningProcess } from './running.js';

export type { AttemptMarker, OutputStream, ProcessEnd, ProcessSpec, SweepFilter } from './messages.js';
export type { OutputHandler, RunningProcess } from './running.js';

const CONFIRM_TIMEOUT_MS = 10_000;

/** For how long turns go on without `confirm()` (10 s) and the launcher's compiled file. */
export type LauncherOptions = Partial<ConnectionOptions>;

/** Starts processes from a small child process, which kills them all when this process dies. */
export class Launcher {
  readonly #options: ConnectionOptions;
  #connection: Connection | undefined;

  private constructor(options: LauncherOptions) {
    this.#options = {
      confirmTimeoutMs: options.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS,
      entry: options.entry ?? fileURLToPath(new URL('./main.js', import.meta.url)),
    };
  }

  /** A launcher whose process is forked at the first need. It does not keep this process from exiting. */
  static start(options: LauncherOptions = {}): Launcher {
    return new Launcher(options);
  }

  /** Forks the launcher's process now, while this process is small; otherwise the first `run` does. */
  warm(): void {
    this.#connect();
  }

  /** The pid of the launcher's process, once it was forked. */
  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Starts a process and hands its output to `onOutput`, chunk after chunk. */
  run(spec: ProcessSpec, onOutput: OutputHandler): RunningProcess {
    return this.#connect().run(spec, onOutput);
  }

  /** Kills every process on this host that belongs to another attempt of the turn; resolves with their number when none lives. */
  sweep(filter: SweepFilter): Promise<number> {
    return this.#connect().sweep(filter);
  }

  /** This process is alive and connected to its server: its turns may go on. */
  confirm(): void {
    this.#connection?.confirm();
  }

  /** Ends the launcher and, at once, everything that it still runs (that is told as lost). */
  async close(): Promise<void> {
    await this.#connection?.close();
  }

  #connect(): Connection {
    if (this.#connection?.isOpen !== true) this.#connection = new Connection(this.#options);
    return this.#connection;
  }
}
