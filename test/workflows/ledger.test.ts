// The books of a run as tables: who is in them, how each fares, and what it all cost.
import { describe, expect, test } from '@jest/globals';
import { agentState, entry, ledgerOf, STATUSES, WAYS_TO_END } from './ledgers.js';
import {
  archivable,
  archived,
  book,
  enter,
  liveAgents,
  LISTED_COMPLETED,
  markLost,
  openLedger,
  restUsd,
  resume,
  revive,
  spentUsd,
  withdraw,
} from '../../src/workflows/ledger.js';

const { running, waiting, paused, completed } = STATUSES;
const { failed, cancelled, lost } = WAYS_TO_END;
const fresh = openLedger(agentState('main'), 1000);

test('a run begins with main running and nothing spent', () => {
  expect(fresh).toEqual({
    startedAt: 1000,
    agents: { main: { id: 'main', state: 'START.sh', costUsd: 0, status: running } },
    completedBefore: { count: 0, costUsd: 0 },
    resumptions: 0,
  });
});

describe('entering and withdrawing', () => {
  const news = { agentId: 'main_x1', parent: 'main', state: 'X.md' };

  test('an agent that is about to start is in the books, running, under its parent', () => {
    const ledger = enter(fresh, news);
    expect(ledger.agents['main_x1']).toEqual({ ...entry('main_x1', running), parent: 'main', state: 'X.md' });
    expect(Object.keys(ledger.agents)).toEqual(['main', 'main_x1']);
  });

  test('an agent that was not started after all leaves the books as they were', () => {
    expect(withdraw(enter(fresh, news), news)).toEqual(fresh);
  });

  test.each(Object.entries({ running, waiting, paused, completed, failed, cancelled, lost }))(
    'an agent that is %s stays when another start of its id is taken back',
    (_kind, status) => {
      const before = ledgerOf({ main: running, main_x1: status });
      expect(withdraw(enter(before, news), news)).toEqual(before);
    },
  );

  test('of two parents that take the same id only the last taker leaves with its entry', () => {
    const other = { ...news, parent: 'main_a1' };
    const both = enter(enter(fresh, news), other);
    expect(withdraw(both, news).agents['main_x1']).toEqual({
      ...entry('main_x1', running),
      parent: 'main',
      state: 'X.md',
    });
    expect(withdraw(withdraw(both, news), other)).toEqual(fresh);
    const three = enter(both, { ...news, parent: 'main_b1' });
    expect(liveAgents(withdraw(withdraw(three, news), other)).map(({ id }) => id)).toEqual(['main', 'main_x1']);
  });

  test('taking back what was never entered changes nothing', () => {
    expect(withdraw(fresh, news)).toBe(fresh);
  });
});

describe('booking', () => {
  test('costs add up, state and status are the latest', () => {
    const once = book(fresh, { agentId: 'main', state: 'A.md', costUsd: 0.25, status: running });
    const twice = book(once, { agentId: 'main', state: 'B.md', costUsd: 0.5, status: waiting });
    expect(twice.agents).toEqual({ main: { id: 'main', state: 'B.md', costUsd: 0.75, status: waiting } });
  });

  test('an agent that nobody entered is entered by its first word', () => {
    const ledger = book(fresh, { agentId: 'main_x1', state: 'X.md', costUsd: 1, status: running });
    expect(ledger.agents['main_x1']).toEqual({ id: 'main_x1', state: 'X.md', costUsd: 1, status: running });
  });

  test.each(Object.entries({ completed, failed, cancelled }))(
    'an agent that is %s stays so, and its late costs count',
    (_kind, status) => {
      const ledger = book(ledgerOf({ main: running, main_x1: status }), {
        agentId: 'main_x1',
        state: 'X.md',
        costUsd: 2,
        status: running,
      });
      expect(ledger.agents['main_x1']).toMatchObject({ status: { kind: status.kind }, costUsd: 2 });
      expect(spentUsd(ledger)).toBe(2);
    },
  );

  test('an agent that was taken for lost and speaks is what it says', () => {
    const change = { agentId: 'main', state: 'A.md', costUsd: 0, status: completed };
    expect(book(ledgerOf({ main: lost }), change).agents['main']?.status).toEqual(completed);
  });

  test("the result of main is the run's, another agent's is not", () => {
    const other = book(fresh, { agentId: 'main_x1', state: 'X.md', costUsd: 0, status: completed });
    expect(other.result).toBeUndefined();
    expect(book(other, { agentId: 'main', state: 'A.md', costUsd: 0, status: completed }).result).toBe('done');
  });
});

describe('the archive', () => {
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => `main_x${n + 1}`).reduce(
      (books, agentId) => book(books, { agentId, state: 'X.md', costUsd: 0.5, status: completed }),
      ledgerOf({ main: running, main_bad: failed }),
    );
  const FULL = 2 * LISTED_COMPLETED;

  test('takes nothing until there are many completed agents', () => {
    expect(archivable(many(FULL - 1))).toEqual([]);
  });

  test('takes the older ones then, and their money stays in the books', () => {
    const ledger = many(FULL);
    const gone = archivable(ledger);
    expect(gone.map(({ id }) => id)).toEqual(Array.from({ length: LISTED_COMPLETED }, (_, n) => `main_x${n + 1}`));
    const after = archived(ledger, { gone, archive: 'kept here' });
    expect(after.completedBefore).toEqual({ count: LISTED_COMPLETED, costUsd: 50, archive: 'kept here' });
    expect(Object.keys(after.agents).slice(0, 3)).toEqual(['main', 'main_bad', `main_x${LISTED_COMPLETED + 1}`]);
    expect(spentUsd(after)).toBe(FULL / 2);
  });

  test('never takes main, even when it completed first', () => {
    const done = book(many(FULL), { agentId: 'main', state: 'A.md', costUsd: 0, status: completed });
    expect(archivable(done).map(({ id }) => id)).not.toContain('main');
  });
});

describe('losing, resuming and reviving', () => {
  test('a question that nobody answered in time is asked again without a time', () => {
    const ask = { kind: 'ask', id: 'ask_main_1', prompt: '?', next: 'A.md' } as const;
    const failure = { type: 'AskTimedOut', message: 'late' } as const;
    const record = { ...agentState('main'), hold: { ...ask, until: 5 } };
    const books = ledgerOf({ main: running });
    const main = { ...entry('main', running), status: { kind: 'failed', failure, record } } as const;
    const { agents } = revive({ ...books, agents: { main } });
    expect(agents).toEqual([{ ...agentState('main'), hold: ask }]);
  });

  test('only agents that had not ended can be lost', () => {
    const before = ledgerOf({ main: running, a: paused, b: waiting, c: completed, d: failed, e: cancelled });
    const after = markLost(before, { ids: ['main', 'a', 'b', 'c', 'd', 'e', 'nobody'] });
    expect(Object.values(after.agents).map(({ status }) => status.kind)).toEqual([
      ...['lost', 'lost', 'lost'],
      ...['completed', 'failed', 'cancelled'],
    ]);
  });

  test('a resumption frees the agents that are held, and no others', () => {
    const { ledger, agents } = resume(ledgerOf({ main: running, a: paused, b: waiting, c: failed, d: completed }));
    expect(agents).toEqual(['a', 'b']);
    expect(ledger.resumptions).toBe(1);
    expect(Object.values(ledger.agents).map(({ status }) => status.kind)).toEqual([
      ...['running', 'running', 'running'],
      ...['failed', 'completed'],
    ]);
  });

  test('agents that failed or were cancelled go on from their records; lost and completed ones do not', () => {
    const before = ledgerOf({ main: failed, a: cancelled, b: completed, c: lost });
    const { ledger, agents } = revive(before);
    expect(agents.map(({ id }) => id)).toEqual(['main', 'a']);
    expect(liveAgents(ledger).map(({ id }) => id)).toEqual(['main', 'a']);
    expect(ledger.agents['b']?.status).toEqual(completed);
    expect(ledger.agents['c']?.status).toEqual(lost);
  });
});

test.each([
  { of: 'no budget', budget: undefined, rest: undefined },
  { of: 'a budget of 10', budget: 10, rest: 7 },
  { of: 'a budget that is used up', budget: 3, rest: 0 },
  { of: 'an overdrawn budget', budget: 2, rest: 0 },
])('of $of $rest is left after 3 were spent', ({ budget, rest }) => {
  const ledger = book(fresh, { agentId: 'main', state: 'A.md', costUsd: 3, status: running });
  expect(restUsd(ledger, budget)).toBe(rest);
});
