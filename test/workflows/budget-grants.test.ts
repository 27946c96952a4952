// The one gate for money: side by side while there is plenty, one after the other for the last cents.
import { describe, expect, test } from '@jest/globals';
import { allow } from '../../src/workflows/budget.js';
import type { Ledger } from '../../src/workflows/ledger.js';
import { ledgerOf, STATUSES } from './ledgers.js';

const { running } = STATUSES;
const fresh = (): Ledger => ledgerOf({ main: running, a: running, b: running });
const ask = (ledger: Ledger, agentId: string, budgetUsd?: number) =>
  allow(ledger, { agentId, turnId: `r/${agentId}/1`, budgetUsd });

function spent(ledger: Ledger, agentId: string, costUsd: number): Ledger {
  ledger.book({ agentId, state: 'A.md', costUsd, status: running });
  return ledger;
}

/** What the agent may spend. */
function granted(ledger: Ledger, agentId: string, budgetUsd: number): number | undefined {
  const allowance = ask(ledger, agentId, budgetUsd);
  if (allowance.kind !== 'granted') throw new Error(`not granted: ${allowance.kind}`);
  return allowance.usd;
}

test('without a budget every turn may start', () => {
  expect(ask(fresh(), 'main')).toEqual({ kind: 'granted' });
});

test('an agent alone may spend all that is left', () => {
  expect(granted(spent(fresh(), 'main', 3), 'main', 10)).toBe(7);
});

describe('several agents', () => {
  test('before the first turn is known, a tenth of the budget is set aside for each', () => {
    const ledger = fresh();
    expect(['main', 'a', 'b'].map((id) => granted(ledger, id, 10))).toEqual([10, 9, 8]);
  });

  test('afterwards as much as the dearest turn has cost', () => {
    const ledger = spent(fresh(), 'main', 4);
    expect([granted(ledger, 'main', 10), granted(ledger, 'a', 10)]).toEqual([6, 2]);
    expect(ask(ledger, 'b', 10)).toEqual({ kind: 'wait' });
  });

  test('whoever waited is let in when another one has reported', () => {
    const ledger = spent(fresh(), 'main', 4);
    granted(ledger, 'main', 10);
    granted(ledger, 'a', 10);
    expect(granted(spent(ledger, 'main', 1), 'b', 10)).toBe(3);
  });

  test('when nothing is left and nobody can give anything back, the budget is over', () => {
    expect(ask(spent(fresh(), 'main', 10), 'a', 10)).toEqual({ kind: 'over' });
  });

  test('when nothing is left but a turn is under way, its end is awaited', () => {
    const ledger = spent(fresh(), 'main', 4);
    granted(ledger, 'main', 10);
    expect(ask(spent(ledger, 'a', 6), 'b', 10)).toEqual({ kind: 'wait' });
  });
});

test('asking twice sets aside once', () => {
  const ledger = fresh();
  expect([granted(ledger, 'main', 10), granted(ledger, 'main', 10)]).toEqual([10, 10]);
  expect(ledger.reservedUsd).toBe(1);
});
