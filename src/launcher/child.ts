// One process of a turn, once it was started: hands on its output, stops it, and says once how it ended. Runs in the launcher.
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { point } from '../host/faults.js';
import type { ProcessIdentity } from '../host/process.js';
import type { Journal } from './journal.js';
import type { OutputStream, ProcessEnd, ProcessSpec } from './messages.js';
import { Output } from './pipes.js';
import { identifyChild } from './process-list.js';
import { Family, signalGroup } from './process-tree.js';

const STRAY_GRACE_MS = 1000;

/** Who hears about a process. */
export interface Listener {
  started(identity: ProcessIdentity | undefined): void;
  output(stream: OutputStream, chunk: Buffer): void;
  ended(end: ProcessEnd): void;
}

/** A process that lives, and the two streams in which its output is read. */
export interface LiveProcess {
  readonly process: ChildProcess & { readonly pid: number };
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** A process that was started. */
export class Child {
  readonly #process: LiveProcess['process'];
  readonly #spec: ProcessSpec;
  readonly #listener: Listener;
  readonly #output: Output;
  readonly #journal: Journal | undefined;
  #state: 'running' | 'stopping' | 'exited' | 'disowned' = 'running';
  #killTimer: NodeJS.Timeout | undefined;
  /** Everything that belongs to the attempt. */
  readonly family: Family;

  constructor(spawned: LiveProcess, parts: { spec: ProcessSpec; journal: Journal | undefined; listener: Listener }) {
    this.#process = spawned.process;
    this.#spec = parts.spec;
    this.#journal = parts.journal;
    this.#listener = parts.listener;
    const identity = identifyChild(spawned.process.pid);
    this.family = Family.ofAttempt(parts.spec.marker.attempt, identity);
    this.#listener.started(identity);
    this.#output = new Output(spawned, (stream, chunk, counts) => this.#take(stream, chunk, counts));
    spawned.process.once('exit', (code, signal) => void this.#finish(code, signal));
  }

  /** The reader has taken this many bytes of output. */
  acknowledge(bytes: number): void {
    if (this.#state !== 'disowned') this.#output.acknowledge(bytes);
  }

  /** SIGTERM to the group, after the grace SIGKILL; whatever is left of the attempt then is swept when the process has ended. */
  stop(): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    this.family.refresh();
    signalGroup(this.#process.pid, 'SIGTERM');
    this.#killTimer = setTimeout(() => {
      this.family.refresh();
      this.killGroup();
    }, this.#spec.graceMs);
  }

  /** The turn does not count any more: nothing is forwarded from now on. Whoever calls this ends the family, then calls `close`. */
  disown(): void {
    this.#state = 'disowned';
    clearTimeout(this.#killTimer);
    this.#output.discard();
  }

  /** SIGKILL to the group, if its leader has not been reaped. */
  killGroup(): void {
    if (this.#process.exitCode === null && this.#process.signalCode === null) signalGroup(this.#process.pid, 'SIGKILL');
  }

  /** After its family was ended: tells the end. */
  close(): void {
    this.#end({ kind: 'lost' }, { close: true });
  }

  async #finish(code: number | null, signal: string | null): Promise<void> {
    if (this.#state === 'disowned') return;
    const stopped = this.#state === 'stopping';
    this.#state = 'exited';
    clearTimeout(this.#killTimer);
    const keeps = this.#spec.children === 'keep' && code === 0 && !stopped;
    const strays = keeps ? 0 : await this.family.end({ graceMs: STRAY_GRACE_MS });
    await this.#allRead();
    if (this.#isDisowned()) return;
    this.#end(stopped ? { kind: 'stopped' } : endOf(code, signal, strays), { close: !keeps });
  }

  /** A pipe may be held open by somebody else; a journal has an end, but it may be far. */
  async #allRead(): Promise<void> {
    await this.#journal?.finish();
    await this.#output.drained();
  }

  #end(end: ProcessEnd, { close }: { close: boolean }): void {
    if (close) this.#output.close();
    else this.#output.discard();
    this.#listener.ended(end);
  }

  #take(stream: OutputStream, chunk: Buffer, counts: boolean): void {
    if (!counts) return;
    point('launcher-before-output');
    this.#listener.output(stream, chunk);
    point('launcher-after-output');
  }

  #isDisowned(): boolean {
    return this.#state === 'disowned';
  }
}

function endOf(code: number | null, signal: string | null, strays: number): ProcessEnd {
  return code === null ? { kind: 'signalled', signal: signal ?? 'unknown' } : { kind: 'exited', code, strays };
}
