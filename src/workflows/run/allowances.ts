// The requests for allowances, and the replies: what a prompt turn may spend, as far as the run's
// budget lets it start (budget.ts).
import { patched } from '@temporalio/workflow';
import { defined } from '../../protocol/text.js';
import { allow } from './budget.js';
import type { AllowanceAsk } from '../../contract/runs.js';
import type { Ledger } from './ledger.js';
import { grantTurn, inGroups, recallGrant } from './to-agents.js';

/** A request with its reply. */
type Granted = Parameters<typeof grantTurn>[1];

/** What a reply depends on. */
interface Conditions {
  /** The run's budget; absent = no limit. */
  readonly budgetUsd: number | undefined;
  /** Called when the budget is used up. */
  readonly onExhausted: () => void;
  /** True when no further turn may start. */
  readonly isStopping: () => boolean;
  /** The requests wait for the next history. */
  readonly isLate: boolean;
}

/** The allowances of one run. */
export class Allowances {
  private readonly asks: AllowanceAsk[];
  private readonly toRecall = new Set<string>();

  constructor(
    private readonly runId: string,
    private readonly ledger: Ledger,
    asks: readonly AllowanceAsk[] = [],
  ) {
    this.asks = [...asks];
  }

  /** The requests without a reply, for the next history. */
  get waiting(): readonly AllowanceAsk[] {
    return this.asks;
  }

  /** A turn requests an allowance; a repeated request changes nothing. */
  ask(ask: AllowanceAsk): void {
    if (!this.asks.some(({ turnId }) => turnId === ask.turnId)) this.asks.push(ask);
  }

  /**
   * The agents' allowances were parts of another budget: all request new ones before their next
   * turns.
   */
  recall(): void {
    for (const agentId of this.ledger.reserves.standing) this.toRecall.add(agentId);
  }

  /** Answers the requests for which budget is free; the others wait. */
  async grant({ budgetUsd, onExhausted, isStopping, isLate }: Conditions): Promise<void> {
    const rest = this.ledger.restUsd(budgetUsd);
    // Other agents have spent the shared budget: only the turns in progress are paid from
    // now on.
    if (rest !== undefined && rest <= this.ledger.reserves.usd) this.recall();
    for (const agentId of this.toRecall) await recallGrant(this.runId, agentId);
    this.toRecall.clear();
    if (isLate) return;
    const together = this.asks.length > 1 && patched('grants-go-together');
    const granted: Granted[] = [];
    const send = async (one: Granted): Promise<void> => await grantTurn(this.runId, one);
    const waiting = this.asks.splice(0);
    for (let ask = waiting.shift(); ask !== undefined; ask = waiting.shift()) {
      if (isStopping() || !this.ledger.roster.isLive(ask.agentId)) continue;
      const allowance = allow(this.ledger, { ...ask, budgetUsd });
      if (allowance.kind === 'over') onExhausted();
      if (allowance.kind === 'wait') {
        // No budget is left for the others either; they get their replies after the next report.
        this.asks.push(ask, ...waiting);
        for (const { agentId } of this.asks) this.ledger.waitForBudget(agentId, true);
        break;
      }
      if (allowance.kind !== 'granted') continue;
      this.ledger.waitForBudget(ask.agentId, false);
      const { usd, turns } = allowance;
      granted.push({ ...ask, turns, ...defined({ usd }) });
      if (!together) await inGroups(granted.splice(0), send);
    }
    // In one workflow task, not in one for each.
    await inGroups(granted, send);
  }
}
