// The turns of one worker that are in progress, and the stop of new ones. Turns that arrive while
// the worker finishes are held until it stops, so that its workflows can process how the last turns
// ended; the report that a held turn carries is delivered. Turns that wait for a slot go back to the queue.
import { Context } from '@temporalio/activity';
import { deliverReport } from '../activities/attempt/receipts.js';
import { turnFailure } from '../activities/failure.js';
import type { Activities, TurnRequest } from '../contract/turns.js';
import { turnKey, type HeldTurns } from '../protocol/ids.js';
import type { Slots } from '../activities/slots/slots.js';

/** Counts turns and holds back new ones. */
export class TurnGate {
  private readonly underWay = new Set<Promise<unknown>>();
  private readonly held = new Set<string>();
  private closed = false;
  private release: () => void = () => undefined;
  private readonly released = new Promise<void>((resolve) => (this.release = resolve));

  constructor(private readonly slots: readonly Slots[]) {}

  /** The same activities, with their turns behind this gate. */
  guard(activities: Activities): Activities {
    return {
      ...activities,
      runPrompt: (request) => this.pass(request, () => activities.runPrompt(request)),
      runScript: (request) => this.pass(request, () => activities.runScript(request)),
    };
  }

  /**
   * Starts no more turns; resolves when those in progress have ended, with the turns that were and
   * will be held back.
   */
  async close(): Promise<HeldTurns> {
    this.closed = true;
    this.closeSlots();
    await Promise.allSettled(this.underWay);
    return this.held;
  }

  /** Returns the held turns to the queue. */
  giveBack(): void {
    this.closed = true;
    this.closeSlots();
    this.release();
  }

  private closeSlots(): void {
    for (const slots of this.slots) slots.close(notBegun());
  }

  private async pass<T>(request: TurnRequest, turn: () => Promise<T>): Promise<T> {
    if (this.closed) {
      const context = Context.current();
      const { workflowExecution, activityId } = context.info;
      await deliverReport(context, request).catch(() => undefined); // The turn delivers it when it starts on another worker.
      this.held.add(turnKey(workflowExecution?.workflowId ?? 'none', activityId));
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
  return turnFailure('WorkerLost', 'the worker stopped before this turn started');
}
