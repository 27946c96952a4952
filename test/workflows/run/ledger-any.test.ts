// The ledger under events in any order: no money is lost, nobody who has ended comes back, nobody who lives goes missing.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FAILURE, agentState } from './ledgers.js';
import { LISTED_ENDED } from '../../../src/workflows/run/roster.js';
import type { AgentStatus } from '../../../src/contract/runs.js';
import { Ledger, newLedger } from '../../../src/workflows/run/ledger.js';
import { hasEnded, isLive } from '../../../src/workflows/run/roster.js';

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
  { kind: 'failed', failure: FAILURE, record: 'kept' },
  { kind: 'cancelled', record: 'kept' },
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

function happen(ledger: Ledger, event: Event): void {
  switch (event.kind) {
    case 'start':
      return ledger.enter({ ...event, parent: 'main', state: 'X.md' });
    case 'notStarted':
      return ledger.withdraw(event.agentId);
    case 'lost':
      return ledger.markLost(event.agentId);
    case 'resume':
      return void ledger.resume();
    case 'say':
      return ledger.apply({ ...event, state: 'X.md' });
  }
}

/** Puts old agents into the archive, as the run does. */
function tidy(ledger: Ledger): void {
  const { roster } = ledger;
  if (roster.endedCount < 2 * LISTED_ENDED) return;
  ledger.archive(
    roster
      .endedAgents()
      .slice(0, roster.endedCount - LISTED_ENDED)
      .filter(hasEnded),
    'kept',
  );
}

const open = () => new Ledger(newLedger(agentState('main'), 0));

describe('whatever happens in whatever order', () => {
  test('the ledger holds exactly the money that was reported, also when it travels', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 600, size: 'max' }), (events) => {
        const ledger = open();
        for (const news of events) {
          happen(ledger, news);
          tidy(ledger);
        }
        const reported = events.reduce((sum, news) => sum + (news.kind === 'say' ? news.costUsd : 0), 0);
        expect([ledger.spentUsd, new Ledger(ledger.snapshot()).spentUsd]).toEqual([reported, reported]);
      }),
      { numRuns: 60 },
    );
  });

  test('an agent that ended stays ended as long as it is listed', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 80 }), (events) => {
        const ledger = open();
        for (const news of events) {
          const before = ledger.roster.all();
          happen(ledger, news);
          for (const { id, status } of before) {
            const after = ledger.roster.get(id);
            if (!isLive(status) && status.kind !== 'lost' && after) expect(after.status).toEqual(status);
          }
        }
      }),
    );
  });

  test('counts and indexes are what the lines say', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 200, size: 'max' }), (events) => {
        const ledger = open();
        for (const news of events) happen(ledger, news);
        const { roster } = ledger;
        const lines = roster.all();
        const ids = (some: readonly { readonly id: string }[]) => some.map(({ id }) => id).sort();
        expect(ids(roster.liveAgents())).toEqual(ids(lines.filter(({ status }) => isLive(status))));
        expect(ids(roster.endedAgents())).toEqual(
          ids(lines.filter(({ id, status }) => !isLive(status) && id !== 'main')),
        );
        for (const kind of ['running', 'paused', 'waiting', 'completed', 'failed', 'cancelled', 'lost'] as const)
          expect(roster.count(kind)).toBe(lines.filter(({ status }) => status.kind === kind).length);
        expect(ledger.hasFailed).toBe(lines.some(({ status: { kind } }) => kind === 'failed' || kind === 'lost'));
      }),
      { numRuns: 60 },
    );
  });

  test.each(['completed', 'failed', 'cancelled', 'lost'] as const)(
    'the ledger stays small however many agents are %s',
    (kind) => {
      const failure = { ...FAILURE, message: 'x'.repeat(8000) };
      const record = { sha256: 'f'.repeat(64), bytes: 1 };
      const ways = {
        completed: { kind, result: 'r' },
        failed: { kind, failure, record },
        cancelled: { kind, record },
        lost: { kind, record },
      };
      const ledger = open();
      for (let n = 1; n <= 1000; n += 1) {
        ledger.apply({ agentId: `main_x${n}`, state: 'X.md', costUsd: 0, status: ways[kind] as AgentStatus });
        tidy(ledger);
      }
      const listed = ledger.roster.all().length - 1;
      expect(listed).toBeLessThan(2 * LISTED_ENDED);
      expect(listed + ledger.archived.count).toBe(1000);
      expect(JSON.stringify(ledger.snapshot()).length).toBeLessThan(256 * 1024);
    },
  );
});

test('agents that fight for one id: the agent that got it stays in the ledger, however the messages of the others arrive', () => {
  // Every parent announces itself first; all but one take it back, and the agent itself may speak in between.
  const rivals = fc.integer({ min: 1, max: 6 });
  fc.assert(
    fc.property(rivals, fc.infiniteStream(fc.nat()), (count, chance) => {
      const pending = Array.from({ length: count }, (_, n) => (n === 0 ? ['start', 'say'] : ['start', 'notStarted']));
      const ledger = open();
      while (pending.some((left) => left.length > 0)) {
        const left = pending.filter((some) => some.length > 0);
        const kind = left[(chance.next().value as number) % left.length]?.shift();
        if (kind === 'say') happen(ledger, { kind, agentId: 'main_x1', costUsd: 1, status: { kind: 'running' } });
        else happen(ledger, { kind: kind as 'start' | 'notStarted', agentId: 'main_x1' });
      }
      expect(ledger.roster.liveAgents().map(({ id }) => id)).toEqual(['main', 'main_x1']);
      expect(ledger.roster.get('main_x1')).not.toHaveProperty('claims');
      expect(ledger.spentUsd).toBe(1);
    }),
  );
});
