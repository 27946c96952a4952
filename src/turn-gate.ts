// The turns of one worker that are under way, and the end of beginning new ones: what a worker gets while it finishes is held until the
// worker stops, so that its workflows can still take up how the last turns ended; what waits for a slot goes back to the queue.
import { turnFailure } from './activities/failure.js';
import type { Activities } from './activities/types.js';
import type { Slots } from './activities/workbench.js';

/** Counts turns and holds back new ones. */
export class TurnGate {
  private readonly underWay = new Set<Promise<unknown>>();
  private closed = false;
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  constructor(private readonly slots: readonly Slots[]) {}

  /** The same activities, their turns through this gate. */
  guard(activities: Activities): Activities {
    return {
      ...activities,
      runPrompt: (request) => this.pass(() => activities.runPrompt(request)),
      runScript: (request) => this.pass(() => activities.runScript(request)),
    };
  }

  /** Lets no more turns begin; resolves when those that are under way have ended. */
  async close(): Promise<void> {
    this.closed = true;
    for (const slots of this.slots) slots.dismiss(notBegun());
    await Promise.allSettled(this.underWay);
  }

  /** Gives what was held back to the queue again. */
  giveBack(): void {
    this.closed = true;
    this.release();
  }

  private async pass<T>(turn: () => Promise<T>): Promise<T> {
    if (this.closed) {
      await this.released;
      throw notBegun();
    }
    const running = turn();
    this.underWay.add(running);
    try {
      return await running;
    } finally {
      this.underWay.delete(running);
    }
  }
}

function notBegun(): Error {
  return turnFailure('WorkerLost', 'the worker stops before this turn has begun');
}
