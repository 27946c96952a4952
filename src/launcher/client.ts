// The worker's side of the launcher: starts it when it is first needed and after it has died, and
// sends it processes to run and to sweep. When its channel closes, all its processes count as lost,
// and this side ends what is left of them.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type {
  FromLauncher,
  LauncherSettings,
  KillTimeouts,
  ProcessSpec,
  SweepFilter,
  SweepResult,
  ToLauncher,
} from './messages.js';
import { ProcessFamily, LAUNCHER_VARIABLE, KILL_TIMEOUTS } from './process-tree.js';
import { RemoteProcess, type OutputHandler, type RunningProcess } from './running.js';

export type {
  AttemptMarker,
  OutputStream,
  KillTimeouts as Patience,
  ProcessEnd,
  ProcessSpec,
  Survivor,
  SweepFilter,
  SweepResult,
} from './messages.js';
export type { OutputHandler, RunningProcess } from './running.js';

export const CONFIRM_TIMEOUT_MS = 10_000;
const LATE_START_MS = 50;
const HANG_MS = 10_000;
/** Most scripts of a chain have ended by then. */
const LATE_MS = 20;
const INHERITED_VARIABLES = ['PATH', 'TMPDIR', 'SystemRoot', 'RAYMOND_FAULTS'];

/** How to start a launcher; each option has a default. */
export interface LauncherOptions {
  /** How long turns continue without `confirm()` (10 s). */
  readonly confirmTimeoutMs?: number;
  /** How long sweeps wait (`KILL_TIMEOUTS` in process-tree.ts). */
  readonly patience?: Partial<KillTimeouts>;
  /** How much later than its processes could end a launcher counts as hung (10 s). */
  readonly hangMs?: number;
  /** After how long a process is no longer a quick one (`LauncherSettings`). */
  readonly lateMs?: number;
  /** The launcher's program in one file. */
  readonly program?: string;
  /** Called when the launcher's process had ended and another one was started. */
  readonly onRestart?: () => void;
}

/** Starts processes from a small child process, which kills them all when this process dies. */
export class Launcher {
  readonly #settings: ConnectionSettings;
  readonly #onRestart: () => void;
  #connection: Connection | undefined;

  private constructor(options: LauncherOptions) {
    this.#onRestart = options.onRestart ?? (() => undefined);
    this.#settings = {
      confirmTimeoutMs: options.confirmTimeoutMs ?? CONFIRM_TIMEOUT_MS,
      patience: { ...KILL_TIMEOUTS, ...options.patience },
      lateMs: options.lateMs ?? LATE_MS,
      hangMs: options.hangMs ?? HANG_MS,
      // Read now: when an update of Raymond has replaced the file, this worker still starts its own version.
      program: readFileSync(options.program ?? fileURLToPath(new URL('../program/launcher.cjs', import.meta.url))),
    };
  }

  /**
   * A launcher whose process is started when it is first needed. It does not keep this process from
   * exiting.
   */
  static start(options: LauncherOptions = {}): Launcher {
    return new Launcher(options);
  }

  /** Starts the launcher's process now, while this process is small; otherwise the first `run` does. */
  warm(): void {
    this.#connect();
  }

  /** The pid of the launcher's process, after its start. */
  get pid(): number | undefined {
    return this.#connection?.pid;
  }

  /** Starts a process and passes its output to `onOutput`, chunk by chunk. */
  run(spec: ProcessSpec, onOutput: OutputHandler): RunningProcess {
    return this.#connect().run(spec, onOutput);
  }

  /**
   * Kills every process on this host that belongs to these attempts; resolves, within a time limit,
   * when no more can be done.
   */
  sweep(filter: SweepFilter): Promise<SweepResult> {
    return this.#connect().sweep(filter);
  }

  /** This process is alive and connected to its server: its turns may continue. */
  confirm(): void {
    this.#connection?.confirm();
  }

  /** Ends the launcher and all its processes at once; they are reported as lost. */
  async close(): Promise<void> {
    await this.#connection?.close();
  }

  #connect(): Connection {
    if (this.#connection?.isOpen === true) return this.#connection;
    if (this.#connection !== undefined) this.#onRestart();
    return (this.#connection = new Connection(this.#settings));
  }
}

interface ConnectionSettings extends LauncherSettings {
  readonly program: Buffer;
  readonly hangMs: number;
}

interface PendingSweep {
  readonly filter: SweepFilter;
  readonly resolve: (result: SweepResult) => void;
}

/** The title of its process, for `ps`. */
const TITLE = 'raymond-launcher';

/** One launcher process, from start to end. */
class Connection {
  readonly #process: ChildProcess;
  readonly #patience: KillTimeouts;
  readonly #running = new Map<number, RemoteProcess>();
  readonly #sweeps = new Map<number, PendingSweep>();
  /** How long a launcher that is not hung may take to end processes, and those that it must end. */
  readonly #endMs: number;
  readonly #expected = new Map<number, NodeJS.Timeout>();
  #lastId = 0;
  #end: Promise<void> | undefined;

  constructor({ program, hangMs, ...settings }: ConnectionSettings) {
    this.#patience = settings.patience;
    const { strayMs, nestedMs, executingMs, killedMs } = settings.patience;
    this.#endMs = strayMs + nestedMs + executingMs + killedMs + hangMs;
    // `-`: it reads its program from its input.
    this.#process = spawn(process.execPath, [`--title=${TITLE}`, '-', JSON.stringify(settings)], {
      // Its own group: a signal to the worker's group must not also reach the launcher.
      detached: true,
      env: minimalEnvironment(),
      serialization: 'advanced',
      stdio: ['pipe', 'ignore', 'inherit', 'ipc'],
    });
    this.#process.stdin?.on('error', () => undefined).end(program); // When it has died, `disconnect` says so.
    this.#process.on('message', (message) => this.#receive(message as FromLauncher));
    // Not `exit`: messages from before the end are read until the channel closes.
    this.#process.once('disconnect', () => void this.#lose());
    this.#process.once('error', () => void this.#lose());
    this.#process.unref();
    this.#process.channel?.unref();
  }

  /** True until the launcher has ended or was closed. */
  get isOpen(): boolean {
    return this.#process.connected && this.#end === undefined;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  run(spec: ProcessSpec, onOutput: OutputHandler): RunningProcess {
    const id = ++this.#lastId;
    const running = new RemoteProcess({
      attempt: spec.marker.attempt,
      onOutput,
      stop: (how) => {
        this.#expect(id, spec.graceMs);
        this.#send({ kind: 'stop', id, ...how });
      },
      acknowledge: (bytes) => this.#send({ kind: 'ack', id, bytes }),
    });
    this.#running.set(id, running);
    this.#send({ kind: 'run', id, spec });
    return running;
  }

  sweep(filter: SweepFilter): Promise<SweepResult> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#sweeps.set(id, { filter, resolve });
      this.#expect(id);
      this.#send({ kind: 'sweep', id, filter });
    });
  }

  confirm(): void {
    this.#send({ kind: 'confirm' });
  }

  /** Closes the channel, so that the launcher kills its processes; resolves when it has ended. */
  async close(): Promise<void> {
    this.#process.ref();
    if (this.#process.connected) this.#process.disconnect();
    const late = setTimeout(() => this.#process.kill('SIGKILL'), this.#endMs);
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'exit');
    clearTimeout(late);
    await this.#lose();
  }

  /** A launcher that is stopped by a signal, or hangs, is killed: nothing may wait for it forever. */
  #expect(id: number, graceMs = 0): void {
    if (this.#expected.has(id)) return;
    this.#expected.set(id, setTimeout(() => this.#process.kill('SIGKILL'), this.#endMs + graceMs).unref());
  }

  #met(id: number): void {
    clearTimeout(this.#expected.get(id));
    this.#expected.delete(id);
  }

  #receive(message: FromLauncher): void {
    switch (message.kind) {
      case 'started':
        return this.#running.get(message.id)?.start(message.identity);
      case 'output':
        return this.#running.get(message.id)?.output(message.stream, message.chunk);
      case 'ended':
        this.#met(message.id);
        this.#running.get(message.id)?.end(message.end);
        return void this.#running.delete(message.id);
      case 'swept':
        this.#met(message.id);
        this.#sweeps.get(message.id)?.resolve(message.result);
        return void this.#sweeps.delete(message.id);
      default:
        // Not assertNever: the launcher's files import nothing of the protocol.
        message satisfies never;
    }
  }

  #send(message: ToLauncher): void {
    // A failed send means that the channel is broken; `disconnect` follows and reports what was
    // lost.
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  #lose(): Promise<void> {
    return (this.#end ??= this.#endEverything());
  }

  async #endEverything(): Promise<void> {
    for (const id of this.#expected.keys()) this.#met(id);
    const lost = [...this.#running.values()];
    if (lost.length > 0) {
      const family = ProcessFamily.union(lost.map((running) => running.family));
      await family.end({ patience: this.#patience });
      // A process that was being started when the launcher was killed shows its marker only a moment later.
      await delay(LATE_START_MS);
      await family.end({ patience: this.#patience });
    }
    for (const running of lost) running.end({ kind: 'lost' });
    for (const { filter, resolve } of this.#sweeps.values())
      resolve(await ProcessFamily.ofAttempts(filter).end({ patience: this.#patience }));
  }
}

/**
 * The launcher's own environment: enough to find ps, and the variable that identifies a
 * launcher.
 */
function minimalEnvironment(): NodeJS.ProcessEnv {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', [LAUNCHER_VARIABLE]: '1' };
}
