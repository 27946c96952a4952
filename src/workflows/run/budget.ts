// What a prompt turn may spend, and what is set aside for turns in progress: the one place where that is decided. Spending is booked by
// ledger.ts, which also gives back what was set aside.
import { exactly } from '../../protocol/text.js';
import type { Ledger } from './ledger.js';

/**
 * The answer to an agent that asks: go on (with at most `usd`, also with the `turns - 1` prompt turns that may follow), wait until others have
 * reported, or nothing is left.
 */
type Allowance =
  | { readonly kind: 'granted'; readonly usd?: number; readonly turns: number }
  | { readonly kind: 'wait' }
  | { readonly kind: 'over' };

/** A turn of a run that has seen none is taken to cost this part of the budget. */
const FIRST_SHARE = 0.1;

/** The part of what nobody has been promised that one agent may spend without asking again. */
const STANDING_SHARE = 0.5;

/** After so many turns at the latest an agent asks again. */
const MOST_TURNS = 50;

/**
 * Allows a turn of an agent, and sets aside for it. All agents may spend what is left, but for what is set aside for the others'
 * turns: as much as the dearest turn so far. So agents run in parallel while the budget is large, and one at a time for the last
 * cents. While there is plenty an agent may also go on without asking.
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

/** How many turns may follow each other, of which each is expected to cost so much. */
function standingTurns(freeUsd: number, expectedUsd: number): number {
  const turns = Math.floor((freeUsd * STANDING_SHARE) / expectedUsd);
  return Math.max(1, Math.min(MOST_TURNS, turns));
}

/** The result of a run that went over its budget. */
export function budgetMessage(spent: number, budget: number): string {
  return `Workflow terminated: budget exceeded ($${spent.toFixed(4)} > $${budget.toFixed(4)})`;
}
