// Brings a run to its end with the commands that a person would use: start, then resume or answer, again and again. Where a fleet serves it,
// the same commands only ask for what is to happen. Must not know why a command ended.
import { join } from 'node:path';
import { enginePid } from '../../dist/engine/record.js';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import type { Called, Place } from '../support/cli.js';
import type { RunJson } from '../support/fakes.js';
import { until } from '../support/until.js';
import type { Form } from './faults.js';
import type { Fleet } from './fleet.js';

/** A run on its way. */
export interface Driving {
  readonly place: Place;
  readonly runId: string;
  readonly env: Readonly<Record<string, string>>;
  readonly form: Form;
  /** Of the form `fleet`. */
  readonly fleet?: Fleet;
  /** How much its states have done. */
  readonly done: () => Promise<number>;
}

/** What was called, and what came of it. */
export interface Command extends Called {
  readonly args: readonly string[];
  readonly ms: number;
}

interface Asked extends RunJson {
  readonly asks: readonly { readonly askId: string; readonly prompt: string }[];
}

/** With twenty times as much work as processors, a command took 45 s until its first turn. */
const COMMAND_MS = 180_000;
/** A run whose states do nothing for so long does not end. How long a whole run takes depends on what else the machine does. */
const STALLED_MS = 600_000;
/** A turn whose worker died waits for its heartbeat timeout, and may meet the next kill. */
const FLEET_MS = 300_000;

/** Drives a run. */
export class Driver {
  readonly commands: Command[] = [];
  over = false;
  /** The command that follows the run at the moment. */
  command: number | undefined;
  private progress = { done: 0, at: Date.now() };

  constructor(private readonly driving: Driving) {}

  /** A process that executes the run at the moment. */
  get serving(): number | undefined {
    const { form, fleet, place } = this.driving;
    if (form === 'engine') return enginePid(join(place.cwd, '.raymond'));
    return fleet === undefined ? this.command : fleet.someone;
  }

  /** Calls commands until the run has completed; gives its document. Throws when the run does nothing any more. */
  async drive(): Promise<RunJson> {
    try {
      for (let next = this.start(); ;) {
        const called = await this.call(next);
        const status = await this.settled();
        if (typeof status === 'object' && status.status === 'completed') return status;
        await this.checkProgress(statusOf(status));
        next = this.nextAfter(called, status);
      }
    } finally {
      this.over = true;
    }
  }

  /** How many turns of the run are recorded as failed scripts. */
  async scriptsFailed(): Promise<number> {
    const { runId, place } = this.driving;
    const args = ['history', runId, '--json', ...this.fleetFlags()];
    const { stdout } = await place.bin(args, { timeout: COMMAND_MS });
    const { turns } = DOCUMENTS.history.parse(JSON.parse(stdout));
    return turns.filter(({ end }) => end.kind === 'failed' && end.failure.type === 'ScriptFailed').length;
  }

  private start(): readonly string[] {
    return ['start', 'flow', '--id', this.driving.runId, '--budget', '0'];
  }

  /** The run when no command and no worker moves it any more; undefined while there is no run. */
  private async settled(): Promise<Asked | 'unknown' | undefined> {
    if (this.driving.fleet === undefined) return await this.status();
    let status: Asked | 'unknown' | undefined;
    const rests = async (): Promise<boolean> => statusOf((status = await this.status())) !== 'running';
    await until(rests, { what: `an end of ${this.driving.runId}`, timeoutMs: FLEET_MS, everyMs: 200 });
    return status;
  }

  private async status(): Promise<Asked | 'unknown' | undefined> {
    const { runId, place } = this.driving;
    const args = ['status', runId, '--json', ...this.fleetFlags()];
    const { stdout, stderr, exitCode } = await place.bin(args, { timeout: COMMAND_MS });
    if (exitCode === 0) return JSON.parse(stdout) as Asked;
    if (stderr.includes('there is no run')) return undefined;
    // The server was killed: questions start none, the next order does.
    if (exitCode === 69) return 'unknown';
    throw new Error(`raymond status ${runId} ended with ${exitCode}: ${stderr}`);
  }

  private async checkProgress(status: string): Promise<void> {
    const done = await this.driving.done();
    if (done !== this.progress.done) this.progress = { done, at: Date.now() };
    if (Date.now() - this.progress.at < STALLED_MS) return;
    const last = this.commands
      .slice(-3)
      .map(({ args, exitCode, ms }) => `${args[0]} (exit code ${exitCode}, ${ms} ms)`);
    const called = `${this.commands.length} commands, the last were ${last.join(', ')}`;
    throw new Error(
      `${this.driving.runId} has done nothing for ${STALLED_MS / 1000} s, its status is ${status}; ${called}`,
    );
  }

  private nextAfter({ args, exitCode }: Command, status: Asked | 'unknown' | undefined): readonly string[] {
    if (status === undefined) return this.start();
    const { runId } = this.driving;
    const [ask] = status !== 'unknown' && status.status === 'asking' ? status.asks : [];
    // An answer that was refused has come through just before its command was killed.
    const follows = this.driving.form === 'engine' ? ['--follow'] : [];
    if (ask === undefined || (args[0] === 'answer' && exitCode === 64)) return ['resume', runId, ...follows];
    return ['answer', runId, ask.askId, `${ask.prompt}.answered`, ...follows];
  }

  private async call(what: readonly string[]): Promise<Command> {
    const { place, env, fleet } = this.driving;
    const begun = Date.now();
    const args = [...what, ...(fleet === undefined ? ['--json', '--on-ask', 'exit'] : this.fleetFlags(what[0]))];
    const running = place.begin(args, { env: { ...env, TEMPORAL_DEBUG: undefined }, timeout: COMMAND_MS });
    this.command = running.pid;
    const { stdout, stderr, exitCode } = await running;
    this.command = undefined;
    const command = { args, stdout: String(stdout), stderr: String(stderr), exitCode, ms: Date.now() - begun };
    this.commands.push(command);
    return command;
  }

  private fleetFlags(command?: string): readonly string[] {
    const { fleet } = this.driving;
    if (fleet === undefined) return [];
    return command === 'start' ? [...fleet.servingFlags, '--detach'] : fleet.flags;
  }
}

function statusOf(known: Asked | 'unknown' | undefined): string {
  return typeof known === 'object' ? known.status : (known ?? 'missing');
}
