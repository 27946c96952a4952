// The only place that decides how much a prompt turn may spend, and how much is reserved for turns in progress.
// ledger.ts records spending, and releases what was reserved.
import { exactly } from '../../protocol/text.js';
import type { Ledger } from './ledger.js';

/**
 * The reply to an agent's request: start (with at most `usd`, also for the `turns - 1` prompt turns
 * that may follow), wait for the reports of others, or nothing is left.
 */
type Allowance =
  | { readonly kind: 'granted'; readonly usd?: number; readonly turns: number }
  | { readonly kind: 'wait' }
  | { readonly kind: 'over' };

/** The expected cost of a turn in a run that has had none, as a part of the budget. */
const FIRST_SHARE = 0.1;

/** The part of the unreserved budget that one agent may spend without another request. */
const STANDING_SHARE = 0.5;

/** After this many turns an agent must send another request. */
const MOST_TURNS = 50;

/**
 * Allows a turn of an agent, and reserves its expected cost: that of the most expensive turn so
 * far. An agent may spend what is left, minus what is reserved for the turns of others. So agents
 * run in parallel while the budget is large, and one at a time when little is left. With a large
 * budget an agent may also continue without another request.
 */
export function allow(
  ledger: Ledger,
  {
    agentId,
    turnId,
    budgetUsd,
  }: { readonly agentId: string; readonly turnId: string; readonly budgetUsd?: number | undefined },
): Allowance {
  const { reserves, dearestUsd } = ledger;
  const rest = ledger.restUsd(budgetUsd);
  reserves.release(agentId);
  if (rest === undefined || budgetUsd === undefined) {
    reserves.set(agentId, { turnId, usd: 0, turns: MOST_TURNS });
    return { kind: 'granted', turns: MOST_TURNS };
  }
  const usd = exactly(rest - reserves.usd);
  if (usd <= 0) return { kind: reserves.usd > 0 ? 'wait' : 'over' };
  const expected = dearestUsd > 0 ? dearestUsd : budgetUsd * FIRST_SHARE;
  const turns = dearestUsd > 0 ? standingTurns(usd - reserves.laterUsd, expected) : 1;
  reserves.set(agentId, { turnId, usd: Math.min(usd, expected), turns });
  return { kind: 'granted', usd, turns };
}

/** How many turns of this expected cost may follow each other. */
function standingTurns(freeUsd: number, expectedUsd: number): number {
  const turns = Math.floor((freeUsd * STANDING_SHARE) / expectedUsd);
  return Math.max(1, Math.min(MOST_TURNS, turns));
}

/** The result of a run that went over its budget, with as many digits as show that. */
export function budgetMessage(spent: number, budget: number): string {
  const digits = spent > budget ? [4, 6, 8].find((count) => spent.toFixed(count) !== budget.toFixed(count)) : undefined;
  const [amount, limit] = [spent, budget].map((usd) => `$${usd.toFixed(digits ?? 4)}`);
  return `Workflow terminated: budget exceeded (${amount} ${digits === undefined ? '>=' : '>'} ${limit})`;
}
