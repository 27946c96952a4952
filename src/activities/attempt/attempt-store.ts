// The artifact store as one attempt sees it: it waits for it for as long as it lives, and shows that it does; and what is kept there of
// what the attempt has said.
import { CancelledFailure, Context } from '@temporalio/activity';
import { PatientStore } from '../../store/patient.js';
import { StoreUnreachable, type ArtifactStore } from '../../store/store.js';
import { asRecordFailure } from '../failure.js';
import type { TurnReport } from '../types.js';
import type { Workbench } from '../workbench.js';

/** So much of what a turn said stands in the history itself. */
const INLINE_OUTPUT_BYTES = 512;

/** Whose store it is, and who hears that it must be waited for. */
interface Waiter {
  readonly context: Context;
  readonly warn: (text: string) => void;
}

/** The patient store of an attempt. */
export class AttemptStore extends PatientStore {
  /** Why it waits, as people read it; undefined while it does not. */
  readonly line: () => string | undefined;
  private readonly plain: ArtifactStore;

  constructor(store: ArtifactStore, { context, warn }: Waiter) {
    let line: string | undefined;
    const tell = (why: string | undefined): void => {
      const waited = line !== undefined;
      line = why === undefined ? undefined : `waits for the store: ${why}`;
      if (line !== undefined && !waited) warn(line);
    };
    super(store, { signal: context.cancellationSignal, tell });
    this.plain = store;
    this.line = () => line;
  }

  /** What a turn has said, kept for later. Who is cancelled meanwhile waits no longer, and loses nothing else. */
  async output(text: string): Promise<Pick<TurnReport, 'output'>> {
    return await keptOutput(this, text).catch((error: unknown) => {
      if (error instanceof CancelledFailure) return {};
      throw error;
    });
  }

  /** The same of a turn that has failed or was cancelled, if the store takes it now. */
  async outputIfPossible(text: string): Promise<Pick<TurnReport, 'output'>> {
    // A store that takes nothing is mostly why the turn has failed.
    return await keptOutput(this.plain, text).catch(() => ({}));
  }
}

/** How long work between turns waits for a store before its workflow hears that it cannot be reached. */
const STORE_WAIT_MS = 10_000;

/** Does something between turns with the store, with a sign of life every few seconds. */
export async function withPatience<T>(
  { artifacts, settings }: Pick<Workbench, 'artifacts' | 'settings'>,
  work: (store: ArtifactStore) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const alive = setInterval(() => context.heartbeat(), settings.heartbeatMs);
  const unreachable = new Unreachable(STORE_WAIT_MS);
  const signal = AbortSignal.any([context.cancellationSignal, unreachable.signal]);
  try {
    return await work(new PatientStore(artifacts, { signal, tell: (why) => unreachable.hear(why) }));
  } catch (error) {
    throw asRecordFailure(error);
  } finally {
    clearInterval(alive);
    unreachable.hear(undefined);
  }
}

/** Ends the waiting for a store that has been away for so long. */
class Unreachable {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly afterMs: number) {}

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the store is waited for; undefined = it is not. */
  hear(why: string | undefined): void {
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
