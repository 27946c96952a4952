// Who asks for an allowance, and the answers: what a prompt turn may spend, as far as the run's budget lets it start (budget.ts).
import { allow } from './budget.js';
import type { Ledger } from './ledger.js';
import { grantTurn, recallGrant } from './to-agents.js';

/** A prompt turn that asks whether it may start. */
interface Ask {
  readonly agentId: string;
  readonly turnId: string;
}

/** What an answer depends on. */
interface Conditions {
  /** What the run may cost; absent = no limit. */
  readonly budgetUsd: number | undefined;
  /** Called when that is used up. */
  readonly onExhausted: () => void;
  /** True when no turn shall start any more. */
  readonly isStopping: () => boolean;
}

/** The allowances of one run. */
export class Allowances {
  private readonly asks: Ask[] = [];
  private readonly toRecall = new Set<string>();

  constructor(
    private readonly runId: string,
    private readonly ledger: Ledger,
  ) {}

  /** A turn asks; asking twice is the same ask. */
  ask(ask: Ask): void {
    if (!this.asks.some(({ turnId }) => turnId === ask.turnId)) this.asks.push(ask);
  }

  /** What the agents were promised was of another budget: all of them ask before their next turns. */
  recall(): void {
    for (const agentId of this.ledger.reserves.standing) this.toRecall.add(agentId);
  }

  /** Answers those for whom there is something; the others go on waiting. */
  async grant({ budgetUsd, onExhausted, isStopping }: Conditions): Promise<void> {
    const rest = this.ledger.restUsd(budgetUsd);
    // Others have spent what was to last for all: from now on there is no more than the turns that are under way.
    if (rest !== undefined && rest <= this.ledger.reserves.usd) this.recall();
    for (const agentId of this.toRecall) await recallGrant(this.runId, agentId);
    this.toRecall.clear();
    const waiting = this.asks.splice(0);
    for (let ask = waiting.shift(); ask !== undefined; ask = waiting.shift()) {
      if (isStopping() || !this.ledger.roster.isLive(ask.agentId)) continue;
      const allowance = allow(this.ledger, { ...ask, budgetUsd });
      if (allowance.kind === 'over') onExhausted();
      if (allowance.kind === 'wait') {
        // There is nothing for the others either; all are answered with the news of the next report.
        this.asks.push(ask, ...waiting);
        for (const { agentId } of this.asks) this.ledger.waitForBudget(agentId, true);
        return;
      }
      if (allowance.kind !== 'granted') continue;
      this.ledger.waitForBudget(ask.agentId, false);
      const { usd, turns } = allowance;
      await grantTurn(this.runId, { ...ask, turns, ...(usd === undefined ? {} : { usd }) });
    }
  }
}
