// Limits the turns that run at once on one worker. Further turns wait in a fair queue
// (fair-line.ts); they can read their position and leave it.
import { DEFAULT_PRIORITY } from '../../protocol/priority.js';
import { FairLine, type Waiter } from './fair-line.js';
import type { LinePosition, TurnRequest } from '../../contract/turns.js';

/** A turn's entry in the queue. */
export function waiterOf({ runId, workflow = '', settings }: TurnRequest): Waiter {
  return { priority: settings.priority ?? DEFAULT_PRIORITY, workflow, runId };
}

/** A turn's request for a slot; an aborted `signal` removes it from the queue. */
interface SlotRequest {
  readonly waiter: Waiter;
  readonly signal: AbortSignal;
}

/** How many turns have a slot, and how many wait for one. */
interface Occupancy {
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** A turn in the queue for a slot. */
interface Waiting {
  readonly enter: () => void;
  readonly leave: (reason: Error) => void;
}

/**
 * Positions are only for display: in a long queue they are computed once in this many milliseconds.
 */
const POSITIONS_MS = 1000;

/** `size` slots. */
export class Slots {
  private used = 0;
  private readonly line = new FairLine();
  private readonly waiting = new Map<Waiter, Waiting>();
  private positions: { readonly at: number; readonly of: ReadonlyMap<Waiter, number> } | undefined;
  private changed: () => void = () => undefined;
  /** No further work may start in a slot. */
  isClosed = false;

  constructor(private readonly size: number) {}

  /** Calls `listener` now and after every change. */
  watch(listener: (occupancy: Occupancy) => void): void {
    this.changed = () => listener({ size: this.size, used: this.used, waiting: this.line.length });
    this.changed();
  }

  /** Runs `work` in a slot; rejects with the signal's reason when it is aborted before a slot is free. */
  async use<T>(request: SlotRequest, work: () => Promise<T>): Promise<T> {
    await this.enter(request);
    try {
      return await work();
    } finally {
      this.line.release(request.waiter);
      this.used -= 1;
      this.fill();
    }
  }

  /** The position of a claim in the queue; undefined when it does not wait. */
  positionOf(waiter: Waiter): LinePosition | undefined {
    if (!this.waiting.has(waiter)) return undefined;
    const now = performance.now();
    if (this.positions === undefined || this.positions.at + POSITIONS_MS <= now || !this.positions.of.has(waiter))
      this.positions = { at: now, of: new Map(this.line.order().map((one, index) => [one, index + 1])) };
    const of = this.line.length;
    return { position: Math.min(this.positions.of.get(waiter) ?? of, of), of };
  }

  /**
   * Rejects the work of all waiting turns, with `reason`. Turns with a slot start nothing more in it.
   */
  close(reason: Error): void {
    this.isClosed = true;
    for (const [waiter, { leave }] of [...this.waiting]) {
      this.forget(waiter);
      leave(reason);
    }
    this.changed();
  }

  private async enter({ waiter, signal }: SlotRequest): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.forget(waiter);
        this.changed();
        reject(signal.reason as Error);
      };
      const removeListener = (): void => signal.removeEventListener('abort', abort);
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.set(waiter, {
        enter: () => (removeListener(), resolve()),
        leave: (reason) => (removeListener(), reject(reason)),
      });
      this.line.add(waiter);
      this.fill();
    });
  }

  private forget(waiter: Waiter): void {
    this.waiting.delete(waiter);
    this.line.remove(waiter);
  }

  private fill(): void {
    while (this.used < this.size) {
      const waiter = this.line.next();
      if (waiter === undefined) break;
      this.used += 1;
      this.waiting.get(waiter)?.enter();
      this.waiting.delete(waiter);
    }
    this.changed();
  }
}
