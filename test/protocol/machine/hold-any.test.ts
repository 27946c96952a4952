// The invariants of hold.ts on random sequences of orders, messages and times.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AgentState } from '../../../src/protocol/machine/agent.js';
import { newAgent, type Agent, type Order } from '../../../src/protocol/machine/inbox.js';
import { statusOf } from '../../../src/protocol/machine/status.js';
import type { WorkEnd } from '../../../src/protocol/machine/work-end.js';
import { HELD, HOLD_NAMES, held, NOW, received, settled, type Settled } from './holds.js';

const order: fc.Arbitrary<Order> = fc.oneof(
  fc.record({ kind: fc.constant('pause' as const), by: fc.constant('ann'), now: fc.boolean() }),
  fc.constant({ kind: 'resume' as const }),
  fc.record({
    kind: fc.constant('move' as const),
    move: fc.record({
      kind: fc.constant('goto' as const),
      target: fc.constantFrom('A.sh', 'B.md'),
      by: fc.constant('ann'),
      now: fc.boolean(),
    }),
  }),
  fc.constant({ kind: 'withdraw' as const }),
  fc.record({ kind: fc.constant('note' as const), note: fc.record({ text: fc.string(), by: fc.constant('ann') }) }),
);

const report = (target: string): WorkEnd => ({
  kind: 'reported',
  report: { outcome: { kind: 'transition', transition: { kind: 'goto', target } }, costUsd: 0.1 },
  chain: [],
});

/** The same of a turn that knows that it has delivered the report that it carried. */
const delivering = (target: string): WorkEnd => {
  const end = report(target);
  return end.kind === 'reported' ? { ...end, report: { ...end.report, delivered: true } } : end;
};

const end: fc.Arbitrary<WorkEnd> = fc.oneof(
  fc.constantFrom('A.sh', 'B.md').map(report),
  fc.constantFrom('A.sh', 'B.md').map(delivering),
  fc
    .constantFrom('ApiTrouble' as const, 'NeedsPerson' as const, 'UsageLimit' as const, 'ClaudeFailed' as const)
    .map((type): WorkEnd => ({ kind: 'failed', failure: { type, message: type, costUsd: 0.1 } })),
  fc.constant<WorkEnd>({ kind: 'stopped', costUsd: 0.1 }),
);

/** What happens to an agent: an order, the end of its work, money, or time that passes. */
type Event =
  | { readonly kind: 'order'; readonly order: Order }
  | { readonly kind: 'end'; readonly end: WorkEnd }
  | { readonly kind: 'grant' }
  | { readonly kind: 'time'; readonly ms: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  order.map((one): Event => ({ kind: 'order', order: one })),
  end.map((one): Event => ({ kind: 'end', end: one })),
  fc.constant<Event>({ kind: 'grant' }),
  fc.integer({ min: 1, max: 600_000 }).map((ms): Event => ({ kind: 'time', ms })),
);

const start = fc.constantFrom(...HOLD_NAMES);

/** One step of a story: the agent before the event, and after its decisions. */
interface Step extends Settled {
  readonly event: Event;
  readonly before: Agent;
  readonly now: number;
}

function story(name: (typeof HOLD_NAMES)[number], events: readonly Event[]): readonly Step[] {
  const steps: Step[] = [];
  let now = NOW;
  let agent = held(name);
  for (const one of events) {
    if (one.kind === 'time') now += one.ms;
    const before = arrived(agent, one);
    const after = settled(before, { now });
    steps.push({ event: one, before: agent, now, ...after });
    agent = after.agent;
    if (after.last.kind === 'end' && after.last.ending.kind === 'cancelled') break;
  }
  return steps;
}

function arrived(agent: Agent, one: Event): Agent {
  const { record, inbox, memory } = agent;
  if (one.kind === 'order') return received(agent, { orders: [...inbox.orders, one.order] });
  if (one.kind === 'grant') return received(agent, { grant: { turnId: `r/main/${record.turn + 1}`, turns: 1 } });
  // Only a turn ends like this, and only one that was interrupted stops.
  const isTurn =
    memory.work === 'turn' && (one.kind !== 'end' || one.end.kind !== 'stopped' || memory.interrupted === true);
  return one.kind === 'end' && isTurn ? received(agent, { workEnd: one.end }) : agent;
}

const stories = (check: (steps: readonly Step[]) => void): void =>
  fc.assert(
    fc.property(start, fc.array(event, { maxLength: 30 }), (name, events) => check(story(name, events))),
    { numRuns: 500 },
  );

describe('whatever happens to an agent', () => {
  test('H1: no order is lost: it is in the record, or has taken effect', () => {
    stories((steps) => {
      for (const { event: one, agent, before } of steps) {
        expect(agent.inbox.orders).toEqual([]);
        if (one.kind !== 'order') continue;
        const { record } = agent;
        if (one.order.kind === 'pause') expect(record.pausedBy).toBe('ann');
        if (one.order.kind === 'resume') expect(record.pausedBy).toBeUndefined();
        if (one.order.kind === 'note') expect(record.operatorNotes?.at(-1)).toEqual(one.order.note);
        if (one.order.kind === 'withdraw')
          expect(record.operatorNotes?.length ?? 0).toBe(agent.memory.work === 'turn' ? agent.memory.notesGiven : 0);
        if (one.order.kind === 'move')
          expect(record.move ?? transitionOf(record) ?? record.state).toEqual(
            record.move === undefined ? one.order.move.target : one.order.move,
          );
        // A move waits for nothing but an activity in progress.
        if (one.order.kind === 'move' && before.memory.work === undefined) expect(record.move).toBeUndefined();
      }
    });
  });

  test('H2: a paused agent never starts a turn', () => {
    stories((steps) => {
      for (const { agent, actions } of steps)
        if (agent.record.pausedBy !== undefined) expect(actions.map(({ kind }) => kind)).not.toContain('turn');
    });
  });

  test('H3: every hold ends by a cancel', () => {
    stories((steps) => {
      for (const { agent } of steps) {
        const { agent: told } = settled(received(agent, { cancelled: true }));
        const over =
          told.memory.work === undefined ? told : received(told, { workEnd: { kind: 'stopped', costUsd: 0 } });
        expect(settled(over).last).toMatchObject({ kind: 'end', ending: { kind: 'cancelled' } });
      }
    });
  });

  test('H4: a hold survives continue-as-new with its tries and times', () => {
    stories((steps) => {
      for (const { agent, now } of steps.filter(({ last }) => last.kind === 'wait')) {
        if (agent.memory.work !== undefined) continue;
        const travelled = JSON.parse(JSON.stringify(agent.record)) as AgentState;
        const { record } = settled(newAgent(travelled), { now }).agent;
        expect(record.nextTurn).toEqual(travelled.nextTurn);
        if (['ask', 'delay', 'await', 'paused', 'retry'].includes(travelled.hold?.kind ?? ''))
          expect(record.hold).toEqual(travelled.hold);
        else expect(record.hold?.kind).toBe(travelled.hold?.kind);
      }
    });
  });

  test('H5: the run knows what the hold says; who waits for its budget it knows itself', () => {
    stories((steps) => {
      for (const { agent, now } of steps.filter(({ last }) => last.kind === 'wait')) {
        const { memory, record } = agent;
        const status = record.hold?.kind === 'money' ? { kind: 'running' } : statusOf(record, now);
        if (memory.work === undefined) expect(memory.reported?.status).toEqual(status);
      }
    });
  });

  test('money that comes while an agent waits for it starts its turn', () => {
    stories((steps) => {
      for (const { event: one, before, agent } of steps) {
        const { hold, pausedBy } = before.record;
        if (one.kind === 'grant' && hold?.kind === 'money' && pausedBy === undefined)
          expect(agent.memory.work).toBe('turn');
      }
    });
  });

  test('every dollar is reported, and none twice under another number', () => {
    stories((steps) => {
      const spent = steps.flatMap(({ event: one, before }) => {
        const isTaken = one.kind === 'end' && arrived(before, one) !== before;
        if (!isTaken || one.end.kind === 'saved' || one.end.kind === 'pushed' || one.end.kind === 'restored') return [];
        return [0.1];
      });
      const told = steps.flatMap(({ actions }) => actions.flatMap((one) => (one.kind === 'report' ? [one] : [])));
      const carried = steps.flatMap(({ before, event: { kind, ...one } }, index) => {
        const isKnown = kind === 'end' && 'end' in one && one.end.kind === 'reported' && one.end.report.delivered;
        const isLast = index === steps.length - 1;
        return [
          isKnown === true ? before.record.carried : undefined,
          isLast ? steps[index]?.agent.record.carried : undefined,
        ];
      });
      const numbered = new Map(
        [...told, ...carried].flatMap((one) => (one?.number === undefined ? [] : [[one.number, one.costUsd]])),
      );
      const direct = told.flatMap(({ number, costUsd }) => (number === undefined ? [costUsd] : []));
      expect(sum([...direct, ...numbered.values()])).toBeCloseTo(sum(spent), 9);
    });
  });
});

const sum = (all: readonly number[]): number => all.reduce((before, one) => before + one, 0);

function transitionOf({ hold }: AgentState): string | undefined {
  const pending =
    hold?.kind === 'retry' || hold?.kind === 'workspace'
      ? 'then' in hold
        ? hold.then
        : 'pending' in hold
          ? hold.pending
          : undefined
      : hold;
  return pending?.kind === 'pending' && 'target' in pending.transition ? pending.transition.target : undefined;
}

test('each hold of the table is one that an agent can have', () => {
  expect(HOLD_NAMES.map((name) => HELD[name].hold?.kind)).toEqual(
    expect.arrayContaining(['pending', 'ask', 'delay', 'await', 'paused', 'retry', 'money', 'lease', 'workspace']),
  );
});
