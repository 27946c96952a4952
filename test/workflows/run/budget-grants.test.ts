// The one gate for money: side by side while there is plenty, one after the other for the last cents.
import { describe, expect, test } from '@jest/globals';
import { allow, budgetMessage } from '../../../src/workflows/run/budget.js';
import type { Ledger } from '../../../src/workflows/run/ledger.js';
import { ledgerOf, STATUSES } from './ledgers.js';

const { running } = STATUSES;
const fresh = (): Ledger => ledgerOf({ main: running, a: running, b: running });
const ask = (ledger: Ledger, agentId: string, budgetUsd?: number) =>
  allow(ledger, { agentId, turnId: `r/${agentId}/1`, budgetUsd });

function spent(ledger: Ledger, agentId: string, costUsd: number): Ledger {
  ledger.apply({ agentId, state: 'A.md', costUsd, status: running });
  return ledger;
}

/** What the agent may spend. */
function granted(ledger: Ledger, agentId: string, budgetUsd: number): number | undefined {
  const allowance = ask(ledger, agentId, budgetUsd);
  if (allowance.kind !== 'granted') throw new Error(`not granted: ${allowance.kind}`);
  return allowance.usd;
}

test('without a budget every turn may start', () => {
  expect(ask(fresh(), 'main')).toEqual({ kind: 'granted', turns: 50 });
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

  test('a waiting agent is let in when another one has reported', () => {
    const ledger = spent(fresh(), 'main', 4);
    granted(ledger, 'main', 10);
    granted(ledger, 'a', 10);
    expect(granted(spent(ledger, 'main', 1), 'b', 10)).toBe(3);
  });

  test('when nothing is left and nobody can give anything back, the budget is over', () => {
    expect(ask(spent(fresh(), 'main', 10), 'a', 10)).toEqual({ kind: 'over' });
  });

  test('when nothing is left but a turn is in progress, its end is awaited', () => {
    const ledger = spent(fresh(), 'main', 4);
    granted(ledger, 'main', 10);
    expect(ask(spent(ledger, 'a', 6), 'b', 10)).toEqual({ kind: 'wait' });
  });
});

test('asking twice sets aside once', () => {
  const ledger = fresh();
  expect([granted(ledger, 'main', 10), granted(ledger, 'main', 10)]).toEqual([10, 10]);
  expect(ledger.reserves.usd).toBe(1);
});

describe('turns that need not be asked for', () => {
  /** How many turns the agent may do before it asks again. */
  const turns = (ledger: Ledger, agentId: string, budgetUsd: number): number => {
    const allowance = ask(ledger, agentId, budgetUsd);
    if (allowance.kind !== 'granted') throw new Error(`not granted: ${allowance.kind}`);
    return allowance.turns;
  };

  test('take at most half of what is left, by what the dearest turn has cost', () => {
    expect(turns(spent(fresh(), 'main', 1), 'main', 11)).toBe(5);
    expect(turns(spent(fresh(), 'main', 0.01), 'main', 10)).toBe(50);
    expect(turns(spent(fresh(), 'main', 4), 'main', 10)).toBe(1);
  });

  test('are not promised twice', () => {
    const ledger = spent(fresh(), 'main', 1);
    expect([turns(ledger, 'main', 11), turns(ledger, 'a', 11), turns(ledger, 'b', 11)]).toEqual([5, 2, 1]);
  });

  test('hold back for others no more than one turn', () => {
    const ledger = spent(fresh(), 'main', 1);
    granted(ledger, 'main', 11);
    expect(ledger.reserves.usd).toBe(1);
    expect(granted(ledger, 'a', 11)).toBe(9);
  });

  test('get fewer with each report of an agent that continues, and are free when it does not', () => {
    const ledger = spent(fresh(), 'main', 1);
    granted(ledger, 'main', 11);
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 1, status: running, standing: true });
    expect([ledger.reserves.usd, ledger.reserves.laterUsd]).toEqual([1, 3]);
    expect([...ledger.reserves.standing]).toEqual(['main']);
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 1, status: running });
    expect([ledger.reserves.usd, ledger.reserves.laterUsd, ledger.reserves.standing.size]).toEqual([0, 0, 0]);
  });
});

test.each([
  [0.06, 0.05, '$0.0600 > $0.0500'],
  [0.050001, 0.05, '$0.050001 > $0.050000'],
  [0.05, 0.05, '$0.0500 >= $0.0500'],
])('the message about %d of %d dollars says what is more', (costUsd, budgetUsd, amounts) => {
  expect(budgetMessage(costUsd, budgetUsd)).toBe(`Workflow terminated: budget exceeded (${amounts})`);
});
