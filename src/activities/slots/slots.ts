// A bounded number of turns at once on one worker. What comes when all slots are taken waits in a fair line (fair-line.ts), can be told its
// place there, and can leave it.
import { DEFAULT_PRIORITY } from '../../protocol/priority.js';
import { FairLine, type Claim } from './fair-line.js';
import type { LinePlace, TurnRequest } from '../types.js';

/** What a turn brings into the line. */
export function claimOf({ runId, workflow = '', settings }: TurnRequest): Claim {
  return { priority: settings.priority ?? DEFAULT_PRIORITY, workflow, runId };
}

/** What a turn brings that wants a slot; an aborted `signal` takes it out of the line. */
export interface SlotRequest {
  readonly claim: Claim;
  readonly signal: AbortSignal;
}

/** How many turns have a slot, and how many wait for one. */
interface Occupancy {
  readonly size: number;
  readonly used: number;
  readonly waiting: number;
}

/** A turn in the line for a slot. */
interface Waiting {
  readonly enter: () => void;
  readonly leave: (reason: Error) => void;
}

/** Places are for people: of a long line they are found out once in so many milliseconds. */
const PLACES_MS = 1000;

/** `size` slots. */
export class Slots {
  private used = 0;
  private readonly line = new FairLine();
  private readonly waiting = new Map<Claim, Waiting>();
  private places: { readonly at: number; readonly of: ReadonlyMap<Claim, number> } | undefined;
  private changed: () => void = () => undefined;
  /** Nobody is to begin anything more in a slot. */
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
      this.line.release(request.claim);
      this.used -= 1;
      this.fill();
    }
  }

  /** Where a claim stands in the line; undefined when it does not wait. */
  placeOf(claim: Claim): LinePlace | undefined {
    if (!this.waiting.has(claim)) return undefined;
    const now = performance.now();
    if (this.places === undefined || this.places.at + PLACES_MS <= now || !this.places.of.has(claim))
      this.places = { at: now, of: new Map(this.line.order().map((one, index) => [one, index + 1])) };
    const of = this.line.length;
    return { place: Math.min(this.places.of.get(claim) ?? of, of), of };
  }

  /** Sends those away that wait in the line: their work rejects with `reason`. Who has a slot begins nothing more in it. */
  close(reason: Error): void {
    this.isClosed = true;
    for (const [claim, { leave }] of [...this.waiting]) {
      this.forget(claim);
      leave(reason);
    }
    this.changed();
  }

  private async enter({ claim, signal }: SlotRequest): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => {
        this.forget(claim);
        this.changed();
        reject(signal.reason as Error);
      };
      const over = (): void => signal.removeEventListener('abort', abort);
      signal.addEventListener('abort', abort, { once: true });
      this.waiting.set(claim, { enter: () => (over(), resolve()), leave: (reason) => (over(), reject(reason)) });
      this.line.add(claim);
      this.fill();
    });
  }

  private forget(claim: Claim): void {
    this.waiting.delete(claim);
    this.line.remove(claim);
  }

  private fill(): void {
    while (this.used < this.size) {
      const claim = this.line.take();
      if (claim === undefined) break;
      this.used += 1;
      this.waiting.get(claim)?.enter();
      this.waiting.delete(claim);
    }
    this.changed();
  }
}
