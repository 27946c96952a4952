// One started process of a turn: forwards its output, stops it, and reports its end once. Runs in
// the launcher.
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import { point } from '../host/faults.js';
import type { ProcessIdentity } from '../host/process.js';
import type { Journal } from './journal.js';
import type { OutputStream, KillTimeouts, ProcessEnd, ProcessSpec, SweepResult } from './messages.js';
import { Output } from './pipes.js';
import { identifyChild, identifyIfCheap } from './process-list.js';
import { ProcessFamily, signalGroup, signalProcess } from './process-tree.js';
import type { Watchdog } from './watchdog.js';

/** Receives the events of a process. */
export interface Listener {
  started(identity: ProcessIdentity | undefined): void;
  output(stream: OutputStream, chunk: Buffer): void;
  ended(end: ProcessEnd): void;
}

/** A live process, and the two streams of its output. */
export interface LiveProcess {
  readonly process: ChildProcess & { readonly pid: number };
  readonly stdout: Readable;
  readonly stderr: Readable;
}

/** What a process needs besides itself. */
interface ChildParts {
  readonly spec: ProcessSpec;
  readonly journal: Journal | undefined;
  readonly patience: KillTimeouts;
  readonly watchdog: Watchdog;
  readonly lateMs: number;
  readonly listener: Listener;
}

/** A process that was started. */
export class Child {
  readonly #process: LiveProcess['process'];
  readonly #parts: ChildParts;
  readonly #output: Output;
  readonly #lateTimer: NodeJS.Timeout;
  /** Read before its end, for a process whose children are swept: older processes need no look. */
  readonly #identityAtStart: ProcessIdentity | undefined;
  #family: ProcessFamily | undefined;
  #state: 'running' | 'stopping' | 'ended' | 'disowned' = 'running';
  #killTimer: NodeJS.Timeout | undefined;

  constructor(spawned: LiveProcess, parts: ChildParts) {
    this.#process = spawned.process;
    this.#parts = parts;
    parts.watchdog.watch(spawned.process.pid);
    if (parts.spec.children === 'sweep') this.#identityAtStart = identifyIfCheap(spawned.process.pid);
    this.#output = new Output(spawned, (stream, chunk, counts) => this.#take(stream, chunk, counts));
    this.#lateTimer = setTimeout(() => {
      parts.listener.started(identifyChild(spawned.process.pid));
      this.#output.follow();
    }, parts.lateMs);
    spawned.process.once('exit', (code, signal) => void this.#finish(code, signal));
  }

  /** Everything that belongs to the attempt. */
  get family(): ProcessFamily {
    return (this.#family ??= ProcessFamily.ofAttempt(this.#parts.spec.marker.attempt, this.#identity));
  }

  get #identity(): ProcessIdentity | undefined {
    const { pid } = this.#process;
    // After its end its number is that of its group alone, or of another process.
    return this.#identityAtStart ?? (this.#isAlive ? identifyChild(pid) : { pid, startTime: 'ended' });
  }

  /** It has not been reaped: its pid is not reused. */
  get #isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  /** The reader has taken this many bytes of output. */
  acknowledge(bytes: number): void {
    if (this.#state !== 'disowned') this.#output.acknowledge(bytes);
  }

  /**
   * SIGTERM to the group, and SIGKILL after the grace or at once; what is left of the attempt is swept when
   * the process has ended.
   */
  stop({ atOnce = false }: { readonly atOnce?: boolean }): void {
    if (this.#state !== 'running') return;
    this.#state = 'stopping';
    // What multiplies is not looked at first.
    if (atOnce) return this.#kill();
    const members = this.family.refresh();
    if (this.#parts.spec.contained === true) signalOthers(members, this.#process.pid);
    else signalGroup(this.#process.pid, 'SIGTERM');
    this.#killTimer = setTimeout(() => {
      this.family.refresh();
      this.#kill();
    }, this.#parts.spec.graceMs);
  }

  #kill(): void {
    this.killGroup();
    this.#killTimer = setTimeout(() => void this.#giveUp(), this.#parts.patience.killedMs);
  }

  /**
   * The turn is no longer current: nothing more is forwarded. The caller ends the family, then
   * calls `close`.
   */
  disown(): void {
    this.#state = 'disowned';
    clearTimeout(this.#killTimer);
    clearTimeout(this.#lateTimer);
    this.#output.discard();
  }

  /** SIGKILL to the group, if its leader has not been reaped. */
  killGroup(): void {
    if (this.#isAlive) signalGroup(this.#process.pid, 'SIGKILL');
  }

  /** Reports the end, after its family was ended. */
  close(): void {
    this.#end({ kind: 'lost' }, { close: true });
  }

  async #finish(code: number | null, signal: string | null): Promise<void> {
    if (this.#state === 'disowned' || this.#state === 'ended') return;
    const stopped = this.#state === 'stopping';
    this.#state = 'ended';
    clearTimeout(this.#killTimer);
    clearTimeout(this.#lateTimer);
    const keeps = this.#parts.spec.children === 'keep' && code === 0 && !stopped;
    const sweep = keeps
      ? NOTHING
      : await this.family.end({ graceMs: this.#parts.patience.strayMs, patience: this.#parts.patience });
    await this.#allRead();
    if (this.#isDisowned()) return;
    const end = stopped ? STOPPED : endOf(code, signal, sweep.count);
    this.#end(withSurvivors(end, sweep), { close: !keeps });
  }

  /**
   * It does not end after SIGKILL: the kernel does not release it, or it belongs to another user.
   */
  async #giveUp(): Promise<void> {
    const sweep = await this.family.end({ patience: this.#parts.patience });
    // If it is not among the survivors, its exit follows.
    if (this.#state !== 'stopping' || !sweep.survivors.some(({ pid }) => pid === this.#process.pid)) return;
    this.#state = 'ended';
    await this.#allRead();
    if (!this.#isDisowned()) this.#end(withSurvivors(STOPPED, sweep), { close: true });
  }

  /** Another process may hold a pipe open; a journal has an end, but it may be long. */
  async #allRead(): Promise<void> {
    await this.#parts.journal?.finish();
    await this.#output.drained();
  }

  #end(end: ProcessEnd, { close }: { close: boolean }): void {
    if (close) this.#output.close();
    else this.#output.discard();
    this.#parts.watchdog.release(this.#process.pid);
    this.#parts.listener.ended(end);
  }

  #take(stream: OutputStream, chunk: Buffer, counts: boolean): void {
    if (!counts) return;
    point('launcher-before-output');
    this.#parts.listener.output(stream, chunk);
    point('launcher-after-output');
  }

  #isDisowned(): boolean {
    return this.#state === 'disowned';
  }
}

function signalOthers(members: readonly ProcessIdentity[], leader: number): void {
  for (const member of members) if (member.pid !== leader) signalProcess(member, 'SIGTERM');
}

const NOTHING: SweepResult = { count: 0, survivors: [] };
const STOPPED = { kind: 'stopped' } as const;

type OwnEnd = Extract<ProcessEnd, { readonly kind: 'exited' | 'signalled' | 'stopped' }>;

function endOf(code: number | null, signal: string | null, strays: number): OwnEnd {
  return code === null ? { kind: 'signalled', signal: signal ?? 'unknown' } : { kind: 'exited', code, strays };
}

function withSurvivors(end: OwnEnd, { survivors }: SweepResult): OwnEnd {
  return survivors.length === 0 ? end : { ...end, survivors };
}
