// The ledger of a run as tables: who is in it, how each fares, and what it all cost.
import { describe, expect, test } from '@jest/globals';
import { agentState, entry, FAILURE, ledgerOf, NO_ARCHIVE, STATUSES, WAYS_TO_END } from './ledgers.js';
import { Ledger, newLedger } from '../../../src/workflows/run/ledger.js';
import type { LedgerAgent } from '../../../src/contract/runs.js';

const { running, waiting, paused, completed } = STATUSES;
const { failed, cancelled, lost } = WAYS_TO_END;
const fresh = () => new Ledger(newLedger(agentState('main'), 1000));
const statusesOf = (ledger: Ledger) => ledger.roster.all().map(({ status }) => status.kind);
const ids = (lines: readonly LedgerAgent[]) => lines.map(({ id }) => id);

test('a run begins with main running and nothing spent', () => {
  expect(fresh().snapshot()).toEqual({
    startedAt: 1000,
    agents: [{ id: 'main', state: 'START.sh', costUsd: 0, status: running }],
    archived: NO_ARCHIVE,
    resumptions: 0,
  });
  expect(fresh().spentUsd).toBe(0);
});

test('what travels comes back as it was', () => {
  const ledger = ledgerOf({ main: running, a: failed, b: paused, c: completed, d: lost });
  ledger.apply({ agentId: 'a', state: 'A.md', costUsd: 0.1, status: running });
  ledger.apply({ agentId: 'b', state: 'A.md', costUsd: 0.2, status: running });
  ledger.reserves.set('main', { turnId: 'r/main/1', usd: 2 });
  ledger.resume();
  const again = new Ledger(JSON.parse(JSON.stringify(ledger.snapshot())) as ReturnType<Ledger['snapshot']>);
  expect(again.snapshot()).toEqual(ledger.snapshot());
  expect([again.spentUsd, again.reserves.usd, again.hasFailed]).toEqual([0.3, 2, true]);
});

test('a report that a turn carried counts once, also after it has travelled', () => {
  const ledger = fresh();
  const change = { agentId: 'main', state: 'A.md', costUsd: 0.1, status: running, number: 1 };
  expect(ledger.has(change)).toBe(false);
  ledger.apply(change);
  const again = new Ledger(ledger.snapshot());
  expect([again.has(change), again.has({ ...change, number: 2 })]).toEqual([true, false]);
  // A report that is sent directly has no number.
  expect(again.has({ agentId: 'main', state: 'A.md', costUsd: 0.1, status: running })).toBe(false);
});

describe('entering and withdrawing', () => {
  const news = { agentId: 'main_x1', parent: 'main', state: 'X.md' };

  test('an agent that is about to start is in the ledger, running, under its parent', () => {
    const ledger = fresh();
    ledger.enter({ ...news, about: '{"item":"x"}' });
    expect(ledger.roster.get('main_x1')).toEqual({
      ...entry('main_x1', running),
      parent: 'main',
      state: 'X.md',
      about: '{"item":"x"}',
    });
    expect(ids(ledger.roster.liveAgents())).toEqual(['main', 'main_x1']);
  });

  test('an agent that was not started after all leaves the ledger as it was', () => {
    const ledger = fresh();
    ledger.enter(news);
    ledger.withdraw('main_x1');
    expect(ledger.snapshot()).toEqual(fresh().snapshot());
    expect(ledger.roster.liveCount).toBe(1);
  });

  test('what an agent that was not started has cost is not lost', () => {
    const ledger = fresh();
    ledger.enter(news);
    ledger.apply({ agentId: 'main_x1', state: 'X.md', costUsd: 0.5, status: running });
    ledger.withdraw('main_x1');
    expect([ledger.spentUsd, new Ledger(ledger.snapshot()).spentUsd]).toEqual([0.5, 0.5]);
  });

  test.each(Object.entries({ running, waiting, paused, completed, failed, cancelled, lost }))(
    'an agent that is %s stays when another start of its id is taken back',
    (_kind, status) => {
      const ledger = ledgerOf({ main: running, main_x1: status });
      const before = ledger.snapshot();
      ledger.enter(news);
      ledger.withdraw('main_x1');
      expect(ledger.snapshot()).toEqual(before);
    },
  );

  test('of two parents that take the same id only the last taker leaves with its line', () => {
    const ledger = fresh();
    ledger.enter(news);
    ledger.enter({ ...news, parent: 'main_a1' });
    ledger.withdraw('main_x1');
    expect(ledger.roster.get('main_x1')).toEqual({ ...entry('main_x1', running), parent: 'main', state: 'X.md' });
    ledger.withdraw('main_x1');
    expect(ledger.snapshot()).toEqual(fresh().snapshot());
  });

  test('taking back what was never entered changes nothing', () => {
    const ledger = fresh();
    ledger.withdraw('main_x1');
    expect(ledger.snapshot()).toEqual(fresh().snapshot());
  });
});

describe('booking', () => {
  test('costs add up without a trace of binary fractions; state and status are the latest', () => {
    const ledger = fresh();
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0.1, status: running });
    ledger.apply({ agentId: 'main', state: 'B.md', costUsd: 0.2, status: waiting });
    expect(ledger.roster.all()).toEqual([{ id: 'main', state: 'B.md', costUsd: 0.3, status: waiting }]);
    expect(ledger.spentUsd).toBe(0.3);
  });

  test('an agent that nobody entered is entered by its first word', () => {
    const ledger = fresh();
    ledger.apply({ agentId: 'main_x1', state: 'X.md', costUsd: 1, status: running });
    expect(ledger.roster.get('main_x1')).toEqual({ id: 'main_x1', state: 'X.md', costUsd: 1, status: running });
  });

  test.each(Object.entries({ completed, failed, cancelled }))(
    'an agent that is %s stays so, and its late costs count',
    (_kind, status) => {
      const ledger = ledgerOf({ main: running, main_x1: status });
      ledger.apply({ agentId: 'main_x1', state: 'X.md', costUsd: 2, status: running });
      expect(ledger.roster.get('main_x1')).toMatchObject({ status: { kind: status.kind }, costUsd: 2 });
      expect(ledger.spentUsd).toBe(2);
    },
  );

  test('an agent that was taken for lost and speaks is what it says', () => {
    const ledger = ledgerOf({ main: lost });
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0, status: completed });
    expect(ledger.roster.get('main')?.status).toEqual(completed);
    expect(ledger.hasFailed).toBe(false);
  });

  test("the result of main is the run's, another agent's is not", () => {
    const ledger = fresh();
    ledger.apply({ agentId: 'main_x1', state: 'X.md', costUsd: 0, status: completed });
    expect(ledger.result).toBeUndefined();
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0, status: completed });
    expect(ledger.result).toBe('done');
  });

  test('a line is short, however long the text of a failure is', () => {
    const ledger = fresh();
    const failure = { ...FAILURE, message: 'x'.repeat(8000) };
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0, status: { kind: 'failed', failure, record: 'kept' } });
    expect(JSON.stringify(ledger.snapshot()).length).toBeLessThan(1500);
  });
});

describe('the archive', () => {
  const many = (count: number, status = completed as LedgerAgent['status']): Ledger => {
    const ledger = ledgerOf({ main: running });
    for (let n = 1; n <= count; n += 1) ledger.apply({ agentId: `main_x${n}`, state: 'X.md', costUsd: 0.5, status });
    return ledger;
  };

  test.each([
    ['completed', completed, { failed: 0, cancelled: 0 }],
    ['failed', failed, { failed: 3, cancelled: 0 }],
    ['lost', lost, { failed: 3, cancelled: 0 }],
    ['cancelled', cancelled, { failed: 0, cancelled: 3 }],
  ])(
    'takes agents that are %s, and the ledger still knows how the run fares and what it cost',
    (_kind, status, sums) => {
      const ledger = many(5, status);
      const failedBefore = ledger.hasFailed;
      ledger.archive(ledger.roster.endedAgents().slice(0, 3) as never, 'kept here');
      expect(ledger.archived).toEqual({ count: 3, costUsd: 1.5, archive: 'kept here', ...sums });
      expect(ids(ledger.roster.all())).toEqual(['main', 'main_x4', 'main_x5']);
      expect([ledger.spentUsd, new Ledger(ledger.snapshot()).spentUsd]).toEqual([2.5, 2.5]);
      expect([ledger.hasFailed, new Ledger(ledger.snapshot()).hasFailed]).toEqual([failedBefore, failedBefore]);
    },
  );

  test('never takes main', () => {
    const ledger = many(3);
    ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 0, status: completed });
    expect(ids(ledger.roster.endedAgents())).toEqual(['main_x1', 'main_x2', 'main_x3']);
  });

  test('gives agents back to a resumption with what they have cost', () => {
    const ledger = many(2, failed);
    const [first] = ledger.roster.endedAgents();
    ledger.archive(ledger.roster.endedAgents() as never, 'kept here');
    ledger.reopen({ count: 0, resumable: 'a page' });
    expect([ledger.hasFailed, ledger.spentUsd, ledger.resumable]).toEqual([false, 1, 'a page']);
    if (first !== undefined) ledger.restart(first);
    expect(ledger.archived).toEqual({ ...NO_ARCHIVE, costUsd: 0.5 });
    expect([ledger.spentUsd, new Ledger(ledger.snapshot()).spentUsd]).toEqual([1, 1]);
    expect(ids(ledger.roster.liveAgents())).toEqual(['main', 'main_x1']);
  });
});

describe('losing and resuming', () => {
  test('only agents that had not ended can be lost', () => {
    const ledger = ledgerOf({ main: running, a: paused, b: waiting, c: completed, d: failed, e: cancelled });
    for (const id of ['main', 'a', 'b', 'c', 'd', 'e', 'nobody']) ledger.markLost(id, 'kept');
    expect(statusesOf(ledger)).toEqual(['lost', 'lost', 'lost', 'completed', 'failed', 'cancelled']);
    expect(ledger.roster.get('main')?.status).toEqual({ kind: 'lost', record: 'kept' });
  });

  test('a resumption frees the agents that are held, and no others', () => {
    const ledger = ledgerOf({ main: running, a: paused, b: waiting, c: failed, d: completed });
    expect(ledger.resume()).toEqual(['a', 'b']);
    expect(ledger.resumptions).toBe(1);
    expect(statusesOf(ledger)).toEqual(['running', 'running', 'running', 'failed', 'completed']);
  });
});

test.each([
  { of: 'no budget', budget: undefined, rest: undefined },
  { of: 'a budget of 10', budget: 10, rest: 7 },
  { of: 'a budget that is used up', budget: 3, rest: 0 },
  { of: 'an overdrawn budget', budget: 2, rest: 0 },
])('of $of $rest is left after 3 were spent', ({ budget, rest }) => {
  const ledger = fresh();
  ledger.apply({ agentId: 'main', state: 'A.md', costUsd: 3, status: running });
  expect(ledger.restUsd(budget)).toBe(rest);
});
