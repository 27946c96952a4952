// The one gate for money: what a prompt turn may spend, and what is set aside for turns that are under way. What was spent is booked by
// ledger.ts, which also gives back what was set aside.
import { dollars } from '../protocol/text.js';
import { exactly, type Ledger } from './ledger.js';

/** The answer to an agent that asks: go on (with at most `usd`), wait until others have reported, or nothing is left. */
type Allowance =
  { readonly kind: 'granted'; readonly usd?: number } | { readonly kind: 'wait' } | { readonly kind: 'over' };

/** A turn of a run that has seen none is taken to cost this part of the budget. */
const FIRST_SHARE = 0.1;

/**
 * Allows a turn of an agent, and sets aside for it. All agents may spend what is left, but for what is set aside for the others'
 * turns: as much as the dearest turn so far. So agents work side by side while there is plenty, and one after the other for the last
 * cents.
 */
export function allow(
  ledger: Ledger,
  {
    agentId,
    turnId,
    budgetUsd,
  }: { readonly agentId: string; readonly turnId: string; readonly budgetUsd?: number | undefined },
): Allowance {
  const rest = ledger.restUsd(budgetUsd);
  if (rest === undefined || budgetUsd === undefined) return { kind: 'granted' };
  const aside = exactly(ledger.reservedUsd - ledger.reservedFor(agentId));
  const usd = exactly(rest - aside);
  if (usd <= 0) return { kind: aside > 0 ? 'wait' : 'over' };
  const expected = ledger.dearestUsd > 0 ? ledger.dearestUsd : budgetUsd * FIRST_SHARE;
  ledger.reserve(agentId, { turnId, usd: Math.min(usd, expected) });
  return { kind: 'granted', usd };
}

/** The result of a run that went over its budget. */
export function budgetMessage(spent: number, budget: number): string {
  return `Workflow terminated: budget exceeded (${dollars(spent)} > ${dollars(budget)})`;
}
