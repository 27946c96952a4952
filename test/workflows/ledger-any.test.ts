// The books under events in any order: no money is lost, nobody who has ended comes back, nobody who lives goes missing.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE, agentState } from './ledgers.js';
import type { AgentStatus, Ledger } from '../../src/workflows/contract.js';
import {
  archivable,
  archived,
  book,
  enter,
  isLive,
  LISTED_COMPLETED,
  liveAgents,
  markLost,
  openLedger,
  resume,
  spentUsd,
  withdraw,
} from '../../src/workflows/ledger.js';

type Event =
  | { readonly kind: 'start' | 'notStarted' | 'lost'; readonly agentId: string }
  | { readonly kind: 'resume' }
  | { readonly kind: 'say'; readonly agentId: string; readonly costUsd: number; readonly status: AgentStatus };

const status: fc.Arbitrary<AgentStatus> = fc.constantFrom<AgentStatus>(
  { kind: 'running' },
  { kind: 'paused', failure: FAILURE },
  { kind: 'waiting', until: 1, failure: FAILURE },
  { kind: 'completed', result: 'done' },
  { kind: 'completed', result: 'done' },
  { kind: 'failed', failure: FAILURE, record: agentState('main') },
  { kind: 'cancelled', record: agentState('main') },
);
// Eighths add up exactly, in any order.
const costUsd = fc.integer({ min: 0, max: 80 }).map((eighths) => eighths / 8);
const agentId = fc.integer({ min: 0, max: 250 }).map((n) => (n === 0 ? 'main' : `main_x${n}`));
const event: fc.Arbitrary<Event> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('say' as const), agentId, costUsd, status }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constantFrom('start' as const, 'notStarted' as const, 'lost' as const), agentId }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('resume' as const) }) },
);

function happen(ledger: Ledger, event: Event): Ledger {
  switch (event.kind) {
    case 'start':
      return enter(ledger, { ...event, parent: 'main', state: 'X.md' });
    case 'notStarted':
      return withdraw(ledger, event);
    case 'lost':
      return markLost(ledger, { ids: [event.agentId] });
    case 'resume':
      return resume(ledger).ledger;
    case 'say':
      return book(ledger, { ...event, state: 'X.md' });
  }
}

/** The books after the run has put old agents into the archive. */
function tidy(ledger: Ledger): Ledger {
  const gone = archivable(ledger);
  return gone.length === 0 ? ledger : archived(ledger, { gone, archive: 'kept' });
}

const opened = openLedger(agentState('main'), 0);

describe('whatever happens in whatever order', () => {
  test('the books hold exactly the money that was reported', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 600, size: 'max' }), (events) => {
        const reported = events.reduce((sum, news) => sum + (news.kind === 'say' ? news.costUsd : 0), 0);
        expect(spentUsd(events.reduce(happen, opened))).toBe(reported);
      }),
      { numRuns: 60 },
    );
  });

  test('an agent that ended stays ended as long as it is listed', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        let ledger = opened;
        for (const news of events) {
          const before = ledger;
          ledger = happen(ledger, news);
          for (const { id, status } of Object.values(before.agents)) {
            const after = ledger.agents[id];
            if (!isLive(status) && status.kind !== 'lost' && after) expect(after.status).toEqual(status);
          }
        }
      }),
    );
  });

  test('the books stay small: completed agents are counted, one by one or as totals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), (count) => {
        const done = { state: 'X.md', costUsd: 0, status: { kind: 'completed', result: '' } } as const;
        const ids = Array.from({ length: count }, (_, n) => `main_x${n}`);
        const ledger = ids.reduce((books, agentId) => tidy(book(books, { agentId, ...done })), opened);
        const listed = Object.keys(ledger.agents).length - 1;
        expect(listed).toBeLessThan(2 * LISTED_COMPLETED);
        expect(listed + ledger.completedBefore.count).toBe(count);
      }),
      { numRuns: 20 },
    );
  });
});

test('agents that fight for one id: whoever got it stays in the books, however the messages of the others arrive', () => {
  // Every parent announces itself first; all but one take it back, and the agent itself may speak in between.
  const rivals = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(rivals, fc.infiniteStream(fc.nat()), (count, chance) => {
      const pending = Array.from({ length: count }, (_, n) => (n === 0 ? ['start', 'say'] : ['start', 'notStarted']));
      let ledger = opened;
      while (pending.some((left) => left.length > 0)) {
        const open = pending.filter((left) => left.length > 0);
        const kind = open[(chance.next().value as number) % open.length]?.shift();
        if (kind === 'say')
          ledger = happen(ledger, { kind, agentId: 'main_x1', costUsd: 1, status: { kind: 'running' } });
        else ledger = happen(ledger, { kind: kind as 'start' | 'notStarted', agentId: 'main_x1' });
      }
      expect(liveAgents(ledger).map(({ id }) => id)).toEqual(['main', 'main_x1']);
      expect(ledger.agents['main_x1']).not.toHaveProperty('claims');
      expect(spentUsd(ledger)).toBe(1);
    }),
  );
});
