// A turn in progress on this worker, and the attempts of its activity that report for it. A host that slept has sent no
// heartbeats, so the server starts the next attempt. When this worker gets it, the turn continues under it (ADR 0011).
import { setTimeout as delay } from 'node:timers/promises';
import { CompleteAsyncError, Context } from '@temporalio/activity';
import { turnFailure } from '../failure.js';
import type { TurnReport } from '../../contract/turns.js';
import type { WorkerContextSettings } from '../settings.js';
import { activityKey } from './attempt-names.js';
import { clientOf, HALF_HEARTBEAT_TIMEOUT_MS, pendingActivity, reporterOf } from './receipts.js';
import type { ActivityContext, BeatDetails } from './receipts.js';

/** The next attempt starts at most 30 s after the server gave up the last one. A turn, or its report, waits for it this long. */
const NEXT_WITHIN_SECONDS = 60;

/** The worker, and its turns in progress by their activity. */
interface TurnHost {
  readonly settings: Pick<WorkerContextSettings, 'host'>;
  readonly running: Map<string, RunningTurn>;
}

/** The work of a turn, independent of the attempts that report it. */
type TurnWork = (context: ActivityContext) => Promise<TurnReport>;

/** Executes a turn, or continues the one that an earlier attempt of this activity started on this worker. */
export async function runOrContinue(worker: TurnHost, work: TurnWork): Promise<TurnReport> {
  const context = Context.current();
  const reporter = reporterOf(context);
  if (reporter === undefined)
    return await new RunningTurn(context, { waits: false, ended: () => undefined }).begin(work);
  const key = activityKey(reporter);
  const known = worker.running.get(key);
  if (known !== undefined) return await known.continueAs(context);
  // With several workers on the queue, another worker may get the next attempt, and two must not run side by side.
  const waits = worker.settings.host === undefined;
  const turn: RunningTurn = new RunningTurn(context, {
    waits,
    ended: () => {
      if (worker.running.get(key) === turn) worker.running.delete(key);
    },
  });
  worker.running.set(key, turn);
  return await turn.begin(work);
}

interface TurnParts {
  /** The turn continues for a while without a current attempt. */
  readonly waits: boolean;
  /** Called when no further attempt can continue it. */
  readonly ended: () => void;
}

/** One turn. As a context it represents its current attempt. */
export class RunningTurn implements ActivityContext {
  private readonly controller = new AbortController();
  private work: Promise<TurnReport> | undefined;
  /** Wall-clock time, which includes the host's sleep. */
  private readonly beganAt = Date.now();
  /** The server has given up the current attempt, and the next one has not started. */
  private isGivenUp = false;
  private replaced: () => void = () => undefined;
  private readonly firstAttempt: number;
  private lastBeat: BeatDetails | undefined;
  /** When the SDK was last given a heartbeat (`performance.now`). */
  beatAt = -Infinity;

  constructor(
    private attempt: Context,
    private readonly parts: TurnParts,
  ) {
    this.firstAttempt = attempt.info.attempt;
    this.follow(attempt);
  }

  get info(): ActivityContext['info'] {
    return this.attempt.info;
  }

  get client(): ActivityContext['client'] {
    return this.attempt.client;
  }

  get cancellationDetails(): ActivityContext['cancellationDetails'] {
    return this.attempt.cancellationDetails;
  }

  get cancellationSignal(): AbortSignal {
    return this.controller.signal;
  }

  /** Sends a heartbeat for the current attempt, which says so when another attempt started the turn. */
  heartbeat(details: BeatDetails): void {
    this.lastBeat = details;
    const { attempt } = this.info;
    const now = details();
    this.attempt.heartbeat(now === undefined || attempt === this.firstAttempt ? now : { ...now, continuedBy: attempt });
    this.beatAt = performance.now();
  }

  /** Begins the work; gives its report for the first attempt. */
  async begin(work: TurnWork): Promise<TurnReport> {
    this.work = work(this);
    return await this.reportFor(this.attempt);
  }

  /** Gives the report of the same work for another attempt. */
  async continueAs(next: Context): Promise<TurnReport> {
    if (next.info.attempt <= this.info.attempt) throw turnFailure('WorkerLost', 'a later attempt does this turn');
    this.replaced();
    this.attempt = next;
    this.isGivenUp = false;
    this.follow(next);
    if (this.lastBeat !== undefined) this.heartbeat(this.lastBeat);
    return await this.reportFor(next);
  }

  private async reportFor(attempt: Context): Promise<TurnReport> {
    const replaced = new Promise<never>((_resolve, reject) => {
      // The server no longer takes a report of this attempt.
      this.replaced = () => reject(new CompleteAsyncError());
    });
    return await Promise.race([this.endFor(attempt), replaced]);
  }

  private async endFor(attempt: Context): Promise<TurnReport> {
    const [end] = await Promise.allSettled([this.work]);
    if (this.attempt === attempt) this.leave(end.status === 'fulfilled');
    return (await this.work) as TurnReport;
  }

  /** A report that the server may have rejected is kept for the next attempt. After a failure the next attempt starts again. */
  private leave(hasReport: boolean): void {
    // A shorter turn has reported before the server could give up its attempt.
    const mayBeLost = this.isGivenUp || (hasReport && Date.now() - this.beganAt > HALF_HEARTBEAT_TIMEOUT_MS);
    if (mayBeLost) setTimeout(this.parts.ended, NEXT_WITHIN_SECONDS * 1000).unref();
    else this.parts.ended();
  }

  private follow(attempt: Context): void {
    const { cancellationSignal: signal } = attempt;
    const aborted = (): void => {
      if (this.attempt !== attempt) return;
      const { notFound, timedOut, cancelRequested } = attempt.cancellationDetails ?? {};
      this.isGivenUp = (notFound === true || timedOut === true) && cancelRequested !== true;
      if (this.isGivenUp && this.parts.waits) void this.awaitNext(attempt);
      else this.controller.abort(signal.reason);
    };
    if (signal.aborted) aborted();
    else signal.addEventListener('abort', aborted, { once: true });
  }

  /** Ends the turn when no other attempt comes. */
  private async awaitNext(last: Context): Promise<void> {
    for (let seconds = 0; seconds < NEXT_WITHIN_SECONDS; seconds += 1) {
      if (this.attempt !== last) return;
      if (!(await isWanted(last))) break;
      await delay(1000, undefined, { ref: false });
    }
    if (this.attempt === last) this.controller.abort(last.cancellationSignal.reason);
  }
}

/** False when the server no longer waits for the activity, because its agent was closed. */
async function isWanted(context: Context): Promise<boolean> {
  const [client, reporter] = [clientOf(context), reporterOf(context)];
  if (client === undefined || reporter === undefined) return false;
  try {
    return (await pendingActivity(client, reporter)) !== undefined;
  } catch {
    return true; // The server cannot be reached: asked again.
  }
}
