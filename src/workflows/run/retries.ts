// The run's small activities. Each call is short; one that fails is retried later, and meanwhile
// the run continues with everything else and shows why it waits. The caller decides what to do when
// a call is given up.
import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { isFailureType, waitSeconds, type Failure } from '../../protocol/failure.js';
import { clip, messageOf } from '../../protocol/text.js';

/** Seconds between two calls. */
const RETRY_POLICY = { tries: Infinity, first: 5, factor: 2, max: 300 };

/** The longest reason that is shown, in characters. */
const MAX_MESSAGE = 1000;

/** How a call ended: `later` = it will be repeated, `never` = it is given up. */
export type CallResult<T> = { readonly kind: 'done'; readonly value: T } | NotDone;

/** No result yet, or never. */
type NotDone = { readonly kind: 'later' } | { readonly kind: 'never' };

/** A call. `tries` = how many failures until it is given up; absent = never. */
interface Work<T> {
  /** A description for people; unique among the calls of the run. */
  readonly what: string;
  readonly call: () => Promise<T>;
  readonly tries?: number;
}

interface FailedCallState {
  readonly failure: Failure;
  readonly tries: number;
  readonly kind: NotDone['kind'];
  /** When it may be retried (epoch ms). */
  readonly at: number;
  /** The run has been woken for it. */
  readonly isDue?: true;
}

/** The calls of a run that have failed. */
export class Retries {
  private readonly waiting = new Map<string, FailedCallState>();

  /** `isHurried`: the run is being cancelled, so a failing call is given up. */
  constructor(readonly isHurried: () => boolean) {}

  /** Makes a call, unless it has failed just now. */
  async attempt<T>({ what, call, tries = Infinity }: Work<T>): Promise<CallResult<T>> {
    const before = this.waiting.get(what);
    if (before !== undefined && Date.now() < before.at && !this.isHurried()) return { kind: before.kind };
    try {
      const value = await call();
      this.waiting.delete(what);
      return { kind: 'done', value };
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return this.failed({ what, error, count: (before?.tries ?? 0) + 1, tries });
    }
  }

  private failed({ what, error, count, tries }: FailedCall): NotDone {
    const { type, message } = failureOf(error);
    const failure = { type, message: clip(`cannot ${what}: ${message}`, MAX_MESSAGE) };
    const isFinal = type === 'ArtifactMissing' || count >= tries || this.isHurried();
    const kind = isFinal ? 'never' : 'later';
    this.waiting.set(what, { failure, tries: count, kind, at: Date.now() + waitSeconds(RETRY_POLICY, count) * 1000 });
    return { kind };
  }

  /** A call did less than it should: this is shown as well. */
  note(what: string, message: string): void {
    const failure: Failure = { type: 'ArtifactMissing', message: clip(`cannot ${what}: ${message}`, MAX_MESSAGE) };
    this.waiting.set(what, { failure, tries: 1, kind: 'never', at: 0, isDue: true });
  }

  /** No one needs this call any more. */
  forget(what: string): void {
    this.waiting.delete(what);
  }

  /** When that call may be made again (epoch ms); 0 = at any time. */
  retryAt(what: string): number {
    return this.waiting.get(what)?.at ?? 0;
  }

  /**
   * When the run must wake for the next call (epoch ms); `Infinity` = no call. The run wakes once
   * for each.
   */
  wakeAt(now: number): number {
    let first = Infinity;
    for (const [what, waiting] of this.waiting) {
      if (waiting.isDue === true) continue;
      if (waiting.at <= now) this.waiting.set(what, { ...waiting, isDue: true });
      first = Math.min(first, waiting.at);
    }
    return first;
  }

  /** Why the run waits: the failure of the call that failed first. */
  get trouble(): Failure | undefined {
    const [first] = this.waiting.values();
    return first?.failure;
  }
}

interface FailedCall {
  readonly what: string;
  readonly error: ActivityFailure;
  readonly count: number;
  readonly tries: number;
}

function failureOf({ cause }: ActivityFailure): Failure {
  const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'Unforeseen';
  return { type, message: messageOf(cause) };
}
