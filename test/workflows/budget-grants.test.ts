// The one gate for money: side by side while there is plenty, one after the other for the last cents.
import { describe, expect, test } from '@jest/globals';
import { allow } from '../../src/workflows/budget.js';
import type { Ledger } from '../../src/workflows/contract.js';
import { book } from '../../src/workflows/ledger.js';
import { ledgerOf, STATUSES } from './ledgers.js';

const { running } = STATUSES;
const books: Ledger = ledgerOf({ main: running, a: running, b: running });
const ask = (ledger: Ledger, agentId: string, budgetUsd?: number) =>
  allow(ledger, { agentId, turnId: `r/${agentId}/1`, budgetUsd });
const spent = (ledger: Ledger, agentId: string, costUsd: number) =>
  book(ledger, { agentId, state: 'A.md', costUsd, status: running });

function granted(
  ledger: Ledger,
  agentId: string,
  budgetUsd: number,
): { readonly ledger: Ledger; readonly usd?: number } {
  const allowance = ask(ledger, agentId, budgetUsd);
  if (allowance.kind !== 'granted') throw new Error(`not granted: ${allowance.kind}`);
  return allowance;
}

test('without a budget every turn may start', () => {
  expect(ask(books, 'main')).toEqual({ kind: 'granted', ledger: books });
});

test('an agent alone may spend all that is left', () => {
  expect(granted(spent(books, 'main', 3), 'main', 10).usd).toBe(7);
});

describe('several agents', () => {
  test('before the first turn is known, a tenth of the budget is set aside for each', () => {
    const first = granted(books, 'main', 10);
    const second = granted(first.ledger, 'a', 10);
    expect([first.usd, second.usd, granted(second.ledger, 'b', 10).usd]).toEqual([10, 9, 8]);
  });

  test('afterwards as much as the dearest turn has cost', () => {
    const first = granted(spent(books, 'main', 4), 'main', 10);
    expect(first.usd).toBe(6);
    const second = granted(first.ledger, 'a', 10);
    expect(second.usd).toBe(2);
    expect(ask(second.ledger, 'b', 10)).toEqual({ kind: 'wait' });
  });

  test('whoever waited is let in when another one has reported', () => {
    const both = granted(granted(spent(books, 'main', 4), 'main', 10).ledger, 'a', 10).ledger;
    expect(granted(spent(both, 'main', 1), 'b', 10).usd).toBe(3);
  });

  test('when nothing is left and nobody can give anything back, the budget is over', () => {
    expect(ask(spent(books, 'main', 10), 'a', 10)).toEqual({ kind: 'over' });
  });

  test('when nothing is left but a turn is under way, its end is awaited', () => {
    const first = granted(spent(books, 'main', 4), 'main', 10);
    expect(ask(spent(first.ledger, 'a', 6), 'b', 10)).toEqual({ kind: 'wait' });
  });
});

test('asking twice sets aside once', () => {
  const once = granted(books, 'main', 10);
  expect(granted(once.ledger, 'main', 10)).toEqual(once);
});
