// The artifact store for one attempt: it waits for the store as long as the attempt lives, and
// shows that it waits. Also stores the output of the attempt.
import { CancelledFailure, Context } from '@temporalio/activity';
import { RetryingStore } from '../../store/retrying.js';
import { StoreUnreachable, type ArtifactStore } from '../../store/store.js';
import { asRecordFailure } from '../failure.js';
import type { TurnReport } from '../../contract/turns.js';
import type { WorkerContext } from '../worker-context.js';
import type { ActivityContext } from './receipts.js';

/** How much of a turn's output is recorded in the history itself. */
const INLINE_OUTPUT_BYTES = 512;

/** The attempt, and a callback for waits for the store. */
interface StoreWait {
  readonly context: ActivityContext;
  readonly warn: (text: string) => void;
}

/** A store that waits until its server is back. */
export class AttemptStore extends RetryingStore {
  /** Why it waits, for people; undefined while it does not wait. */
  readonly line: () => string | undefined;
  private readonly plain: ArtifactStore;

  constructor(store: ArtifactStore, { context, warn }: StoreWait) {
    let line: string | undefined;
    const onWait = (why: string | undefined): void => {
      const waited = line !== undefined;
      line = why === undefined ? undefined : `waits for the store: ${why}`;
      if (line !== undefined && !waited) warn(line);
    };
    super(store, { signal: context.cancellationSignal, onWait });
    this.plain = store;
    this.line = () => line;
  }

  /** Stores the output of a turn. A cancelled turn stops waiting; everything else of it is stored. */
  async output(text: string): Promise<Pick<TurnReport, 'output'>> {
    return await keptOutput(this, text).catch((error: unknown) => {
      if (error instanceof CancelledFailure) return {};
      throw error;
    });
  }

  /** Stores the output of a turn that failed or was cancelled, if the store accepts it now. */
  async outputIfPossible(text: string): Promise<Pick<TurnReport, 'output'>> {
    // A store that accepts nothing is often the reason for the failure.
    return await keptOutput(this.plain, text).catch(() => ({}));
  }
}

/** How long work between turns waits for a store before its workflow gets a failure. */
const STORE_WAIT_MS = 10_000;

/** Uses the store between turns, with a heartbeat every few seconds. */
export async function withStoreRetries<T>(
  { artifacts, settings }: Pick<WorkerContext, 'artifacts' | 'settings'>,
  work: (store: ArtifactStore) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const alive = setInterval(() => context.heartbeat(), settings.heartbeatMs);
  const unreachable = new Unreachable(STORE_WAIT_MS);
  const signal = AbortSignal.any([context.cancellationSignal, unreachable.signal]);
  try {
    return await work(new RetryingStore(artifacts, { signal, onWait: (why) => unreachable.update(why) }));
  } catch (error) {
    throw asRecordFailure(error);
  } finally {
    clearInterval(alive);
    unreachable.update(undefined);
  }
}

/** Ends the wait for a store that has been unreachable for this long. */
class Unreachable {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly afterMs: number) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the store is waited for; undefined = it is reachable. */
  update(why: string | undefined): void {
    if (why === undefined) {
      clearTimeout(this.timer);
      this.timer = undefined;
    } else {
      this.timer ??= setTimeout(() => this.controller.abort(new StoreUnreachable(why)), this.afterMs);
    }
  }
}

async function keptOutput(store: ArtifactStore, text: string): Promise<Pick<TurnReport, 'output'>> {
  return text === '' ? {} : { output: await store.value(text, INLINE_OUTPUT_BYTES) };
}
