// The limiter workflow: keeps the book of leases of one task queue. It is started by the first turn that needs a place, and ends when nobody
// has needed one for a while. A holder that is dead loses its lease: while somebody waits, holders are looked after again and again.
import {
  ActivityFailure,
  allHandlersFinished,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { LeaseBook, type HeldLease, type LeaseRequest, type LimiterInput } from '../protocol/leases.js';
import { activities } from './activities.js';
import { Alarm } from './run/liveness.js';
import { holdsQuery, leaseSignal, limitsSignal, releaseSignal, usesQuery, wantSignal } from './messages.js';
import { inGroups } from './run/to-agents.js';

/** An empty book is kept open for so many checks. */
const IDLE_CHECKS = 20;

/** Grants leases until nobody needs any. */
export async function limiter(input: LimiterInput): Promise<void> {
  await new Limiter(input).serve();
}

class Limiter {
  private readonly book: LeaseBook;
  private readonly alarm = new Alarm(() => (this.isCheckDue = true));
  private isCheckDue = false;
  private messages = 0;

  constructor(private readonly input: LimiterInput) {
    this.book = new LeaseBook(input);
    setHandler(wantSignal, (request) => this.heard(() => this.book.ask(request)));
    setHandler(releaseSignal, (lease) => this.heard(() => this.book.release(lease)));
    setHandler(limitsSignal, (limits) => this.heard(() => (this.book.limits = limits)));
    setHandler(usesQuery, () => this.book.uses());
    setHandler(holdsQuery, (lease) => this.book.holds(lease));
  }

  async serve(): Promise<void> {
    for (;;) {
      const known = this.messages;
      await inGroups(this.book.grant(Date.now()), (request) => this.tell(request));
      if (this.messages !== known) continue;
      this.show();
      if (this.messages >= this.input.messagesPerHistory || workflowInfo().continueAsNewSuggested)
        await this.renew(known);
      const { checkMs } = this.input;
      this.alarm.set(Date.now() + (this.book.hasWaiting ? checkMs : checkMs * IDLE_CHECKS));
      await condition(() => this.messages !== known || this.isCheckDue);
      if (this.isCheckDue && this.messages === known && this.book.isEmpty) return;
      if (this.isCheckDue) await this.check();
    }
  }

  private heard(change: () => void): void {
    change();
    this.messages += 1;
  }

  /** An agent that is no longer there needs no place. */
  private async tell(request: LeaseRequest): Promise<void> {
    const { holder, requestId } = request;
    try {
      await getExternalWorkflowHandle(holder.workflowId, holder.runId).signal(leaseSignal, { requestId });
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.heard(() => this.book.release(request));
    }
  }

  private async check(): Promise<void> {
    this.isCheckDue = false;
    const { held } = this.book.snapshot();
    if (held.length === 0) return;
    for (const lease of await this.lostOf(held)) this.heard(() => this.book.release(lease));
  }

  /** None when they cannot be looked for now: the next check tries again. */
  private async lostOf(held: readonly HeldLease[]): Promise<readonly HeldLease[]> {
    try {
      return await activities.lostHolders({ held, now: Date.now(), checkMs: this.input.checkMs });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return [];
    }
  }

  /** What has come in since is taken up first. */
  private async renew(known: number): Promise<void> {
    await condition(allHandlersFinished);
    if (this.messages !== known) return;
    await continueAsNew<typeof limiter>({ ...this.input, ...this.book.snapshot() });
  }

  /** For Temporal's Web UI. */
  private show(): void {
    const rows = this.book.uses().map(({ key, size, used, waiting }) => `| ${key} | ${used} of ${size} | ${waiting} |`);
    setCurrentDetails(['| limit | in use | waiting |', '| --- | --- | --- |', ...rows].join('\n'));
  }
}
