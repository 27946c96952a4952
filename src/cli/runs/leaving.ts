// How a command leaves a run that it follows, on a signal: with the background engine it pauses the run, with
// --foreground it stops the engine after the current turns, and when it only watches it just ends.
import { pauseRun } from '../../client/steering.js';
import type { RunView } from '../../client/look/runs.js';
import type { ClientContext } from '../context.js';
import { DRAIN_SECONDS, wantedDrain } from '../../engine/ensure.js';
import { messageOf } from '../../protocol/text.js';
import { hearSignals } from '../io.js';
import type { LiveView } from '../view/live.js';
import { INTERACTIVE_SECONDS, type ForegroundEngine } from './foreground-engine.js';

/** What is followed, and by which kind of command. */
interface LeavingOptions {
  readonly runId: string;
  readonly view: Pick<LiveView, 'note'>;
  /** The engine in this process, once there is one. */
  readonly here: () => ForegroundEngine | undefined;
  /** True for a command that has made the run continue. */
  readonly steers: boolean;
  /** Seconds that turns may take after SIGTERM. */
  readonly drain: number | undefined;
}

/** A command that a signal may end. */
interface Leaving {
  /** Aborted when the command should stop following. */
  readonly signal: AbortSignal;
  /** Resolves when the user insists. */
  readonly insisted: Promise<void>;
  /** True since the first signal. */
  readonly isLeaving: boolean;
  /** The last message of a command that leaves an open run; the run's end, when it ended meanwhile. */
  finish(): Promise<RunView | undefined>;
  off(): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Listens for signals until `off`. */
export function leavingOf(context: ClientContext, options: LeavingOptions): Leaving {
  return new SignalledLeaving(context, options);
}

class SignalledLeaving implements Leaving {
  isLeaving = false;
  readonly insisted: Promise<void>;
  private readonly stop = new AbortController();
  private readonly interruption: ReturnType<typeof hearSignals>;
  private late: NodeJS.Timeout | undefined;
  private asking: Promise<void> = Promise.resolve();
  /** Seconds that turns may take; absent = no limit was set. */
  private seconds: number | undefined;
  private isSaid = false;
  private readonly startedAt = Date.now();

  constructor(
    private readonly context: ClientContext,
    private readonly options: LeavingOptions,
  ) {
    const names = options.steers ? SIGNALS : (['SIGINT'] as const);
    this.interruption = hearSignals(context.io, { names, onSignal: (signal) => this.onSignal(signal) });
    this.insisted = this.interruption.insisted.then(() => this.insist());
  }

  get signal(): AbortSignal {
    return this.stop.signal;
  }

  async finish(): Promise<RunView | undefined> {
    await this.asking;
    const { here, runId } = this.options;
    const engine = here();
    if (engine === undefined) return undefined;
    const last = await engine.finishTurns(runId, this.seconds ?? INTERACTIVE_SECONDS);
    if (last?.open !== false) this.showResumeCommand();
    return last;
  }

  off(): void {
    clearTimeout(this.late);
    this.interruption.off();
  }

  private onSignal(signal: NodeJS.Signals): void {
    this.isLeaving = true;
    const { here, runId, steers, view } = this.options;
    const { mode, io } = this.context;
    this.seconds = this.graceOf(signal);
    const { seconds } = this;
    const latest = seconds === undefined ? '' : `, in ${seconds} s at the latest`;
    if (here() !== undefined) {
      view.note(`stopping after the current turns${latest}; press Ctrl-C again to stop now`);
      return this.stop.abort();
    }
    if (signal === 'SIGHUP' || mode.kind === 'cluster' || !steers) {
      const where = mode.kind === 'cluster' ? ', on the workers of its fleet' : '';
      io.say(`the run continues without this command${where}; show it with: raymond status ${runId}`);
      return this.stop.abort();
    }
    const said = `pausing ${runId} after the current turns${latest}; press Ctrl-C again to pause now`;
    this.asking = pauseRun(this.context, { runId }).then(
      () => view.note(said),
      (error: unknown) => {
        view.note(messageOf(error));
        this.stop.abort();
      },
    );
    if (seconds !== undefined) this.late = setTimeout(() => void this.pauseNow(), seconds * 1000);
  }

  private async insist(): Promise<void> {
    const { here, steers } = this.options;
    this.context.io.hurry();
    if (steers && this.context.mode.kind === 'local') this.showResumeCommand();
    const engine = here();
    if (engine !== undefined) await engine.abandon();
    else if (steers && this.context.mode.kind === 'local') await this.pauseNow();
    this.stop.abort();
  }

  private showResumeCommand(): void {
    const { runId, view } = this.options;
    if (!this.isSaid) view.note(`continue the run with: raymond resume ${runId}`);
    this.isSaid = true;
  }

  private async pauseNow(): Promise<void> {
    const { runId, view } = this.options;
    await pauseRun(this.context, { runId, now: true }).catch((error: unknown) => view.note(messageOf(error)));
  }

  /** A supervisor that stops an unattended process does not wait for long. */
  private graceOf(signal: NodeJS.Signals): number | undefined {
    const { io, project } = this.context;
    if (signal === 'SIGINT') return undefined;
    const byDefault = io.stderr.isTTY === true ? undefined : DRAIN_SECONDS;
    const wanted = wantedDrain(project.raymondDir, this.startedAt);
    return wanted ?? this.options.drain ?? project.config.drain ?? byDefault;
  }
}
