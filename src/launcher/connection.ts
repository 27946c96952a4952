// One launcher process as the worker sees it, from fork to end: carries the messages, and when the channel closes takes
// everything that ran for lost and ends what is left of it. Whether another launcher is forked is decided in client.ts.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { FromLauncher, ProcessSpec, SweepFilter, ToLauncher } from './messages.js';
import { Running, type OutputHandler, type RunningProcess } from './running.js';
import { Family, LAUNCHER_VARIABLE } from './sweep.js';

const LATE_START_MS = 50;
const INHERITED_VARIABLES = ['PATH', 'TMPDIR', 'SystemRoot', 'RAYMOND_FAULTS'];

/** What a launcher process is started with. */
export interface ConnectionOptions {
  readonly confirmTimeoutMs: number;
  readonly entry: string;
}

interface PendingSweep {
  readonly filter: SweepFilter;
  readonly resolve: (count: number) => void;
}

/** A forked launcher and what it does for this process. */
export class Connection {
  readonly #process: ChildProcess;
  readonly #running = new Map<number, Running>();
  readonly #sweeps = new Map<number, PendingSweep>();
  #lastId = 0;
  #end: Promise<void> | undefined;

  constructor({ confirmTimeoutMs, entry }: ConnectionOptions) {
    this.#process = fork(entry, [String(confirmTimeoutMs)], {
      // A group of its own: a signal to the worker's group must not reach the leash together with the worker.
      detached: true,
      env: minimalEnvironment(),
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#process.on('message', (message) => this.#receive(message as FromLauncher));
    // Not `exit`: what was sent before the end is still read until the channel says that it is closed.
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
    const running = new Running({
      attempt: spec.marker.attempt,
      onOutput,
      stop: () => this.#send({ kind: 'stop', id }),
      acknowledge: (bytes) => this.#send({ kind: 'ack', id, bytes }),
    });
    this.#running.set(id, running);
    this.#send({ kind: 'run', id, spec });
    return running;
  }

  sweep(filter: SweepFilter): Promise<number> {
    const id = ++this.#lastId;
    return new Promise((resolve) => {
      this.#sweeps.set(id, { filter, resolve });
      this.#send({ kind: 'sweep', id, filter });
    });
  }

  confirm(): void {
    this.#send({ kind: 'confirm' });
  }

  /** Closes the channel, on which the launcher kills what it runs; resolves when it has ended. */
  async close(): Promise<void> {
    this.#process.ref();
    if (this.#process.connected) this.#process.disconnect();
    if (this.#process.exitCode === null && this.#process.signalCode === null) await once(this.#process, 'exit');
    await this.#lose();
  }

  #receive(message: FromLauncher): void {
    switch (message.kind) {
      case 'started':
        return this.#running.get(message.id)?.start(message.identity);
      case 'output':
        return this.#running.get(message.id)?.output(message.stream, message.chunk);
      case 'ended':
        this.#running.get(message.id)?.end(message.end);
        return void this.#running.delete(message.id);
      case 'swept':
        this.#sweeps.get(message.id)?.resolve(message.count);
        return void this.#sweeps.delete(message.id);
      default:
        // Not assertNever: the launcher's files import nothing of the protocol.
        message satisfies never;
    }
  }

  #send(message: ToLauncher): void {
    // A send that fails means that the channel has broken; `disconnect` follows and tells what was lost.
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  #lose(): Promise<void> {
    return (this.#end ??= this.#endEverything());
  }

  async #endEverything(): Promise<void> {
    const lost = [...this.#running.values()];
    if (lost.length > 0) {
      const family = Family.union(lost.map((running) => running.family));
      await family.end();
      // A process that was being started when the launcher was killed shows its marker only a moment later.
      await delay(LATE_START_MS);
      await family.end();
    }
    for (const running of lost) running.end({ kind: 'lost' });
    for (const { filter, resolve } of this.#sweeps.values()) resolve(await Family.ofAttempts(filter).end());
  }
}

/** The launcher's own environment: enough to find setpriv and ps, and the variable by which a launcher is recognised. */
function minimalEnvironment(): NodeJS.ProcessEnv {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inherited), LC_ALL: 'C', [LAUNCHER_VARIABLE]: '1' };
}
