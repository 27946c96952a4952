// The one gate for money: what a prompt turn may spend, and what is set aside for turns that are under way. Pure. What was spent is
// booked by ledger.ts, which also gives back what was set aside.
import type { Ledger } from './contract.js';
import { exactly, restUsd } from './ledger.js';

/** The answer to an agent that asks: go on (with at most `usd`), wait until others have reported, or nothing is left. */
type Allowance =
  | { readonly kind: 'granted'; readonly ledger: Ledger; readonly usd?: number }
  | { readonly kind: 'wait' }
  | { readonly kind: 'over' };

/** A turn of a run that has seen none is taken to cost this part of the budget. */
const FIRST_SHARE = 0.1;

/**
 * Allows a turn of an agent. All agents may spend what is left, but for what is set aside for the others' turns: as much as
 * the dearest turn so far. So agents work side by side while there is plenty, and one after the other for the last cents.
 */
export function allow(
  ledger: Ledger,
  {
    agentId,
    turnId,
    budgetUsd,
  }: { readonly agentId: string; readonly turnId: string; readonly budgetUsd?: number | undefined },
): Allowance {
  const rest = restUsd(ledger, budgetUsd);
  if (rest === undefined || budgetUsd === undefined) return { kind: 'granted', ledger };
  const { [agentId]: _own, ...others } = ledger.grants ?? {};
  const aside = Object.values(others).reduce((sum, { usd }) => sum + usd, 0);
  const usd = exactly(rest - aside);
  if (usd <= 0) return Object.keys(others).length > 0 ? { kind: 'wait' } : { kind: 'over' };
  const expected = Math.min(usd, ledger.dearestUsd ?? budgetUsd * FIRST_SHARE);
  return { kind: 'granted', usd, ledger: { ...ledger, grants: { ...others, [agentId]: { turnId, usd: expected } } } };
}
