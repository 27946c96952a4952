// What a run notes beside the reports of its agents: who waits for money, who has turned up again, and what came to nothing.
import { describe, expect, test } from '@jest/globals';
import { agentState, ledgerOf, NO_ARCHIVE, STATUSES, WAYS_TO_END } from './ledgers.js';
import { Ledger, newLedger } from '../../../src/workflows/run/ledger.js';
import type { AgentStatus } from '../../../src/contract/runs.js';

const { running, paused, completed } = STATUSES;
const { failed, lost } = WAYS_TO_END;

describe('an agent that waits for the rest of the budget', () => {
  const queued = { kind: 'queued', waitsFor: 'the rest of the budget' };

  test('is shown so until it may continue', () => {
    const ledger = ledgerOf({ main: running });
    ledger.waitForBudget('main', true);
    expect(ledger.roster.get('main')?.status).toEqual(queued);
    ledger.waitForBudget('main', false);
    expect(ledger.roster.get('main')?.status).toEqual(running);
  });

  test.each(Object.entries({ paused, completed, failed }))('is not shown so when it is %s by now', (_kind, status) => {
    const ledger = ledgerOf({ main: status });
    ledger.waitForBudget('main', true);
    expect(ledger.roster.get('main')?.status).toEqual(status);
  });

  test('keeps what else it is queued for', () => {
    const other = { kind: 'queued', waitsFor: 'limit gpu' } as const;
    const ledger = ledgerOf({ main: other });
    ledger.waitForBudget('main', false);
    expect(ledger.roster.get('main')?.status).toEqual(other);
  });
});

describe('an archived agent that speaks', () => {
  const line = { id: 'main_x1', parent: 'main', number: 1, state: 'X.md', costUsd: 2 };
  const archived = { count: 1, costUsd: 2, failed: 1, cancelled: 0, archive: 'kept' };
  const speaks = (ledger: Ledger, status: AgentStatus) =>
    ledger.apply({ agentId: 'main_x1', state: 'Y.md', costUsd: 1, status });

  test('was lost by mistake: its line comes back, its money once, and nothing has failed', () => {
    const ledger = ledgerOf({ main: { kind: 'awaiting', forks: { after: 0, last: 1 } } }, { archived });
    speaks(ledger, running);
    ledger.restore({ ...line, status: lost });
    expect(ledger.roster.get('main_x1')).toEqual({ ...line, state: 'Y.md', costUsd: 3, status: running });
    expect(ledger.roster.takeReady()).toEqual([]);
    expect([ledger.hasFailed, ledger.spentUsd, ledger.archived]).toEqual([
      false,
      3,
      { count: 0, costUsd: 0, failed: 0, cancelled: 0, archive: 'kept' },
    ]);
    expect(new Ledger(ledger.snapshot()).spentUsd).toBe(3);
  });

  test('ends well after that, and its run does, too', () => {
    const ledger = ledgerOf({ main: completed }, { archived });
    speaks(ledger, completed);
    ledger.restore({ ...line, status: lost });
    expect([ledger.hasFailed, ledger.roster.liveCount]).toEqual([false, 0]);
  });

  test('had ended by a word of its own: only the money is news', () => {
    const ledger = ledgerOf({ main: completed }, { archived });
    speaks(ledger, running);
    ledger.restore({ ...line, status: failed });
    expect(ledger.roster.get('main_x1')).toEqual({ ...line, costUsd: 3, status: failed });
    expect([ledger.hasFailed, ledger.roster.liveCount]).toEqual([true, 0]);
  });

  test('comes back once', () => {
    const ledger = ledgerOf({ main: completed }, { archived });
    speaks(ledger, running);
    ledger.restore({ ...line, status: lost });
    const once = ledger.snapshot();
    ledger.restore({ ...line, status: lost });
    expect(ledger.snapshot()).toEqual(once);
  });
});

test('agents that an archive no longer tells of count as lost', () => {
  const ledger = ledgerOf({ main: completed }, { archived: { ...NO_ARCHIVE, count: 5, costUsd: 3, failed: 2 } });
  ledger.reopen({ count: 4, archive: 'tail', missing: { message: 'gone', lost: 1 } });
  expect(ledger.archived).toEqual({ count: 4, costUsd: 3, failed: 1, cancelled: 0, archive: 'tail' });
  expect(ledger.hasFailed).toBe(true);
});

test('the latest orders that came to nothing are remembered', () => {
  const ledger = new Ledger(newLedger(agentState('main'), 1000));
  for (let n = 0; n < 7; n += 1) ledger.refuse({ agentId: `a${n}`, by: 'ann', why: 'it has completed' });
  expect(new Ledger(ledger.snapshot()).refused.map(({ agentId }) => agentId)).toEqual(['a2', 'a3', 'a4', 'a5', 'a6']);
});
