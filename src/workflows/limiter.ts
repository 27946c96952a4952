// The limiter workflow: the leases of one task queue. The first turn that needs a slot starts it,
// and it ends when no turn has needed one for a while. While an agent waits, the limiter regularly
// checks that the holders of leases are alive; a dead holder loses its lease.
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
import { LeaseTable, type HeldLease, type LeaseRequest, type LimiterInput } from '../protocol/leases.js';
import { activities } from './activities.js';
import { Alarm } from './run/liveness.js';
import { holdsQuery, leaseSignal, limitsSignal, releaseSignal, usesQuery, wantSignal } from './messages.js';
import { inGroups } from './run/to-agents.js';

/** The limiter ends after this many checks without a lease or a request. */
const IDLE_CHECKS = 20;

/** Grants leases until no agent needs one. */
export async function limiter(input: LimiterInput): Promise<void> {
  await new Limiter(input).serve();
}

class Limiter {
  private readonly leases: LeaseTable;
  private readonly alarm = new Alarm(() => (this.isCheckDue = true));
  private isCheckDue = false;
  private messages = 0;

  constructor(private readonly input: LimiterInput) {
    this.leases = new LeaseTable(input);
    setHandler(wantSignal, (request) => this.handle(() => this.leases.ask(request)));
    setHandler(releaseSignal, (lease) => this.handle(() => this.leases.release(lease)));
    setHandler(limitsSignal, (limits) => this.handle(() => (this.leases.limits = limits)));
    setHandler(usesQuery, () => this.leases.uses());
    setHandler(holdsQuery, (lease) => this.leases.holds(lease));
  }

  async serve(): Promise<void> {
    for (;;) {
      const known = this.messages;
      await inGroups(this.leases.grant(Date.now()), (request) => this.sendLease(request));
      if (this.messages !== known) continue;
      this.show();
      if (this.messages >= this.input.messagesPerHistory || workflowInfo().continueAsNewSuggested)
        await this.renew(known);
      const { checkMs } = this.input;
      this.alarm.set(Date.now() + (this.leases.hasWaiting ? checkMs : checkMs * IDLE_CHECKS));
      await condition(() => this.messages !== known || this.isCheckDue);
      if (this.isCheckDue && this.messages === known && this.leases.isEmpty) return;
      if (this.isCheckDue) await this.check();
    }
  }

  private handle(change: () => void): void {
    change();
    this.messages += 1;
  }

  /** An agent that no longer exists needs no lease. */
  private async sendLease(request: LeaseRequest): Promise<void> {
    const { holder, requestId } = request;
    try {
      await getExternalWorkflowHandle(holder.workflowId, holder.runId).signal(leaseSignal, { requestId });
    } catch (error) {
      if (isCancellation(error)) throw error;
      this.handle(() => this.leases.release(request));
    }
  }

  private async check(): Promise<void> {
    this.isCheckDue = false;
    const { held } = this.leases.snapshot();
    if (held.length === 0) return;
    for (const lease of await this.lostOf(held)) this.handle(() => this.leases.release(lease));
  }

  /** None when the check is not possible now: the next check tries again. */
  private async lostOf(held: readonly HeldLease[]): Promise<readonly HeldLease[]> {
    try {
      return await activities.lostHolders({ held, now: Date.now(), checkMs: this.input.checkMs });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return [];
    }
  }

  /** Messages that arrived in the meantime are handled first. */
  private async renew(known: number): Promise<void> {
    await condition(allHandlersFinished);
    if (this.messages !== known) return;
    await continueAsNew<typeof limiter>({ ...this.input, ...this.leases.snapshot() });
  }

  /** For Temporal's Web UI. */
  private show(): void {
    const rows = this.leases
      .uses()
      .map(({ key, size, used, waiting }) => `| ${key} | ${used} of ${size} | ${waiting} |`);
    setCurrentDetails(['| limit | in use | waiting |', '| --- | --- | --- |', ...rows].join('\n'));
  }
}
