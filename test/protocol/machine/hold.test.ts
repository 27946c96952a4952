// Every hold and every order: what comes of it, row by row, as docs/reference/orders.md has it; and the faults that made this table.
import { describe, expect, test } from '@jest/globals';
import type { ForkProgress } from '../../../src/protocol/machine/agent.js';
import { newAgent, type Agent, type Order } from '../../../src/protocol/machine/inbox.js';
import { statusOf } from '../../../src/protocol/machine/status.js';
import type { Transition } from '../../../src/protocol/machine/transition.js';
import { reopened } from '../../../src/protocol/machine/wait.js';
import {
  AGENT,
  HELD,
  HOLD_NAMES,
  LATER,
  MOVE,
  NOTE,
  NOW,
  PAUSE,
  WITHDRAW,
  held,
  kindOf,
  ordered,
  received,
  settled,
  type HoldName,
} from './holds.js';

const RESUME: Order = { kind: 'resume' };
const GOTO: Order = { kind: 'move', move: MOVE };

/** What an agent does after an order, and what holds it then. */
function outcome(agent: Agent): string {
  const { last, agent: after } = settled(agent);
  const does = last.kind === 'end' ? last.ending.kind : last.kind;
  return does === 'wait' ? `waits: ${kindOf(after)}` : `${does}: ${after.record.state}`;
}

/** hold → what comes of: pause · resume · goto · pause, then the hold is over · cancel */
const TABLE: Readonly<Record<HoldName, readonly [string, string, string, string]>> = {
  nothing: ['waits: paused', 'turn: WORK.sh', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  'pending-transition': ['waits: paused', 'turn: NEXT.sh', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  ask: ['waits: ask', 'waits: ask', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  delay: ['waits: delay', 'waits: delay', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  await: ['waits: await', 'waits: await', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  paused: ['waits: paused', 'turn: WORK.sh', 'waits: paused', 'cancelled: WORK.sh'],
  'retry, at a time': ['waits: retry', 'turn: WORK.sh', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  'retry, when resumed': ['waits: retry', 'turn: WORK.sh', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  'usage limit': ['waits: retry', 'waits: money', 'turn: FIX.sh', 'cancelled: ASK.md'],
  money: ['waits: paused', 'waits: money', 'turn: FIX.sh', 'cancelled: ASK.md'],
  lease: ['waits: paused', 'waits: lease', 'turn: FIX.sh', 'cancelled: WORK.sh'],
  workspace: ['waits: workspace', 'waits: workspace', 'waits: workspace', 'cancelled: WORK.sh'],
  'files not saved': ['waits: retry', 'work: WORK.sh', 'work: WORK.sh', 'cancelled: WORK.sh'],
};

test('a question that the run rejects is never shown as open: its agent fails at once', () => {
  const { actions, last } = settled(newAgent(HELD.ask), { rejectsAsks: true, hidesRejectedAsks: true });
  expect(actions.flatMap((action) => (action.kind === 'report' ? [action.status.kind] : []))).not.toContain('asking');
  expect(last).toMatchObject({ kind: 'end', ending: { kind: 'failed', failure: { type: 'AskRejected' } } });
});

describe('an agent that is held', () => {
  describe.each(HOLD_NAMES)('by %s', (name) => {
    const [paused, resumed, sent, cancelled] = TABLE[name];
    /** `nothing` and `pending-transition` do not last: they are tested before the agent has decided. */
    const fresh = (): Agent =>
      name === 'nothing' || name === 'pending-transition' ? newAgent(HELD[name]) : held(name);

    test(`and paused: ${paused}`, () => expect(outcome(ordered(fresh(), PAUSE))).toBe(paused));
    test(`and resumed: ${resumed}`, () => expect(outcome(ordered(fresh(), RESUME))).toBe(resumed));
    test(`and sent to another state: ${sent}`, () => expect(outcome(ordered(fresh(), GOTO))).toBe(sent));
    test(`and cancelled: ${cancelled}`, () => expect(outcome(received(fresh(), { cancelled: true }))).toBe(cancelled));

    test('and cancelled: refuses a retry that arrives after that, and ends', () => {
      const retry: Order = { kind: 'resume', by: 'bob' };
      const { actions, last } = settled(ordered(received(fresh(), { cancelled: true }), retry));
      expect(actions).toContainEqual({ kind: 'refuse', by: 'bob', why: 'it was being cancelled' });
      expect(last).toMatchObject({ kind: 'end', ending: { kind: 'cancelled' } });
    });

    test('keeps a pause until it is resumed, and takes no turn meanwhile', () => {
      const { agent } = settled(ordered(fresh(), PAUSE));
      const over = settled(agent, { now: LATER + 3_600_000 });
      expect(over.agent.record.pausedBy).toBe('bob');
      expect(over.actions.map(({ kind }) => kind)).not.toContain('turn');
    });

    test('takes a pause that follows a resumption', () => {
      const { agent, actions } = settled(ordered(fresh(), RESUME, PAUSE));
      expect(agent.record.pausedBy).toBe('bob');
      expect(actions.map(({ kind }) => kind)).not.toContain('turn');
    });

    test('goes where it was sent when it is resumed after that, and does not repeat its turn', () => {
      const { agent } = settled(ordered(fresh(), GOTO));
      const done = agent.record.state === 'FIX.sh' ? agent : settled(saved(agent)).agent;
      expect(settled(ordered(done, RESUME)).agent.record).toMatchObject({ state: 'FIX.sh', via: 'goto' });
    });

    test('is in its record with its tries and times', () => {
      const { agent } = settled(fresh(), { isFull: false });
      const again = settled(newAgent(JSON.parse(JSON.stringify(agent.record)) as typeof agent.record));
      expect(timesOf(again.agent)).toEqual(timesOf(agent));
    });
  });

  /** The workspace is found again, and its files are saved. */
  const saved = (agent: Agent): Agent => {
    const { work } = agent.memory;
    if (work === 'save') return received(agent, { workEnd: { kind: 'saved', snapshot: { commit: 'c', chain: 'd' } } });
    const workspace = { ...HELD.workspace.workspace, place: { host: 'b', queue: 'q@b', generation: 2 } };
    return received(agent, { placement: { kind: 'placed', workspace } });
  };

  const timesOf = ({ record: { hold, nextTurn } }: Agent): unknown =>
    hold?.kind === 'lease' || hold?.kind === 'workspace' || hold?.kind === 'money'
      ? [hold.kind, nextTurn?.tries]
      : [hold, nextTurn?.tries];
});

describe('a turn in progress', () => {
  const working = settled(newAgent(AGENT)).agent;
  const done = { kind: 'transition', transition: { kind: 'goto', target: 'NEXT.sh' } } as const;
  const over = (agent: Agent): Agent =>
    received(agent, { workEnd: { kind: 'reported', report: { outcome: done, costUsd: 0 }, chain: [] } });
  const kinds = (agent: Agent): readonly string[] => settled(agent).actions.map(({ kind }) => kind);

  test('ends by itself when the agent is paused, and the next one does not start', () => {
    const paused = settled(ordered(working, PAUSE));
    expect(paused.actions.map(({ kind }) => kind)).toEqual(['end-chain', 'wait']);
    expect(outcome(over(paused.agent))).toBe('waits: paused');
  });

  test.each<[string, Order]>([
    ['a pause', { kind: 'pause', by: 'bob', now: true }],
    ['a goto', { kind: 'move', move: { ...MOVE, now: true } }],
  ])('is interrupted once by %s that cannot wait', (_, order) => {
    const { agent, actions } = settled(ordered(working, order));
    expect(actions.map(({ kind }) => kind)).toEqual(['interrupt', 'wait']);
    expect(kinds(ordered(agent, order))).toEqual(['wait']);
  });

  test('that was interrupted is not recorded, and its cost is', () => {
    const { agent } = settled(ordered(working, { kind: 'pause', by: 'bob', now: true }));
    const after = settled(received(agent, { workEnd: { kind: 'stopped', costUsd: 0.5 } }));
    expect(after.agent.record.turn).toBe(AGENT.turn);
    expect(after.actions).toContainEqual(expect.objectContaining({ kind: 'report', costUsd: 0.5 }));
    expect(kindOf(after.agent)).toBe('paused');
  });

  test('has its transition replaced by a goto that came meanwhile', () => {
    const { agent } = settled(ordered(working, GOTO));
    expect(outcome(over(agent))).toBe('turn: FIX.sh');
  });

  test('ends with the agent when it is cancelled; its transition is kept', () => {
    const { agent, actions } = settled(received(working, { cancelled: true }));
    expect(actions.map(({ kind }) => kind)).toEqual(['interrupt', 'wait']);
    const after = settled(over(agent));
    expect(after.last).toEqual({ kind: 'end', ending: { kind: 'cancelled' } });
    expect(reopened({ agent: after.agent.record }).hold).toMatchObject({
      kind: 'pending',
      transition: done.transition,
    });
  });

  test('that fails while the agent is paused is not tried again before a resumption', () => {
    const { agent } = settled(ordered(working, PAUSE));
    const failed = received(agent, {
      workEnd: { kind: 'failed', failure: { type: 'ApiTrouble', message: 'busy', costUsd: 0 } },
    });
    expect(kinds(settled(failed, { now: NOW }).agent)).not.toContain('turn');
    expect(settled(settled(failed).agent, { now: LATER * 2 }).last.kind).toBe('wait');
  });
});

test('a lease that an interrupted turn has asked for is given back', () => {
  const { agent } = settled(ordered(settled(newAgent(AGENT)).agent, { kind: 'pause', by: 'bob', now: true }));
  const lacking = { limiter: '_limits/q', requestId: 'x', keys: ['db'], places: 'a place of db' };
  const failure = { type: 'LeaseWanted', message: 'waits', costUsd: 0, lacking } as const;
  const after = settled(received(agent, { workEnd: { kind: 'failed', failure } }));
  expect(after.actions).toContainEqual({ kind: 'release', request: lacking });
  expect(kindOf(after.agent)).toBe('paused');
});

describe('an await with a time limit', () => {
  const until = LATER + 1000;
  const waiting = (hold: object): Agent =>
    settled(newAgent({ ...AGENT, forks: 1, hold: { kind: 'await', next: 'NEXT.sh', until, ...hold } })).agent;

  test('shows when it expires, as a question does', () => {
    const status = { kind: 'awaiting', forks: { after: 0, last: 1 }, until };
    expect(statusOf(waiting({}).record, LATER)).toEqual(status);
  });

  test.each([
    { what: 'waits for it', hold: {}, now: LATER, expected: 'await' },
    { what: 'goes on at timeout_next', hold: { timeoutNext: 'LATE.sh' }, now: until, expected: 'turn: LATE.sh' },
    { what: 'fails without one', hold: {}, now: until, expected: 'failed: AwaitTimedOut' },
  ])('$what', ({ hold, now, expected }) => {
    const { agent, last } = settled(waiting(hold), { now });
    const ended =
      last.kind === 'end' && last.ending.kind === 'failed' ? `failed: ${last.ending.failure.type}` : undefined;
    expect(ended ?? (last.kind === 'turn' ? `turn: ${agent.record.state}` : kindOf(agent))).toBe(expected);
  });

  test('ignores what was sent for an await before it', () => {
    const stale = { after: 0, last: 1, results: '[]' };
    const again = settled(newAgent({ ...AGENT, forks: 1, awaited: 1, hold: { kind: 'await', next: 'NEXT.sh' } })).agent;
    expect(kindOf(settled(received(again, { results: stale })).agent)).toBe('await');
    expect(settled(received(again, { results: { ...stale, after: 1 } })).last.kind).toBe('turn');
  });

  test('begins again without it when it is resumed after its failure', () => {
    const failed = settled(waiting({}), { now: until }).agent;
    const { agent } = settled(ordered(failed, RESUME), { now: until });
    expect(agent.record.hold).toEqual({ kind: 'await', next: 'NEXT.sh' });
  });
});

test('results for forks that nobody awaits any more do not keep an agent from continuing as new', () => {
  const moved = settled(ordered(held('await'), GOTO, PAUSE)).agent;
  const late = received(moved, { results: { last: 1, results: '[]' } });
  expect(settled(late, { isFull: true }).last.kind).toBe('renew');
});

describe('an agent whose history is full', () => {
  const next = (transition: Transition, progress?: ForkProgress): string =>
    settled(
      newAgent({
        ...AGENT,
        hold: { kind: 'pending', transition, ...(progress === undefined ? {} : { progress }) },
      }),
      { isFull: true },
    ).last.kind;

  test('applies a transition first: it may be its last', () => {
    expect(next({ kind: 'result', payload: 'x' })).toBe('end');
  });

  test('continues a fork in its next history', () => {
    expect(next({ kind: 'fork', forks: [], next: 'A.sh' }, { started: 100, renumbered: 0 })).toBe('renew');
  });
});

describe('an agent that is about to end', () => {
  const failed = (): Agent =>
    settled(
      received(settled(newAgent(AGENT)).agent, {
        workEnd: { kind: 'failed', failure: { type: 'ScriptFailed', message: 'exit 1', costUsd: 0 } },
      }),
    ).agent;

  test('with a failure goes where it is sent instead', () => {
    expect(outcome(failed())).toBe('failed: WORK.sh');
    expect(outcome(ordered(failed(), GOTO))).toBe('turn: FIX.sh');
  });

  test('with a failure tries again when it is resumed', () => {
    expect(outcome(ordered(failed(), RESUME))).toBe('turn: WORK.sh');
  });

  test('because a question expired asks again without a limit when it is resumed', () => {
    const expired = settled(held('ask'), { now: LATER }).agent;
    const { agent } = settled(ordered(expired, RESUME), { now: LATER });
    expect(statusOf(agent.record, LATER)).toEqual({ kind: 'asking', ask: { id: 'ask_main_3', prompt: 'Go?' } });
  });
});

test('where time passes at once, a question is over when its tester says so, and shows its time nevertheless', () => {
  const open = settled(newAgent(HELD.ask), { now: LATER, skipsWaits: true });
  expect(statusOf(open.agent.record, LATER)).toMatchObject({ kind: 'asking', ask: { until: LATER } });
  expect(settled(received(open.agent, { expired: 'ask_main_3' }), { skipsWaits: true }).last.kind).toBe('end');
});

test('a question that expired while no worker ran goes where its state says, no matter who resumes it', () => {
  const late = { ...HELD.ask, hold: { ...HELD.ask.hold, timeoutNext: 'LATE.sh' } };
  expect(settled(ordered(newAgent(late), RESUME), { now: LATER }).agent.record.state).toBe('LATE.sh');
});

test('a question that expired while no worker ran is asked again by one resumption', () => {
  const { agent, last } = settled(ordered(newAgent(HELD.ask), RESUME), { now: LATER });
  expect(last).toEqual({ kind: 'wait', until: LATER + 24 * 3_600_000 });
  expect(agent.record.hold).toEqual({ kind: 'ask', id: 'ask_main_3', prompt: 'Go?', next: 'NEXT.sh' });
});

describe('a record that has yet to be read', () => {
  const stored = { id: 'main', state: 'WORK.sh', record: { sha256: 'a'.repeat(64), bytes: 10 } };
  const reading = settled(newAgent(stored));

  test('is read first, and orders that arrive meanwhile hold for it', () => {
    expect(reading.last).toEqual({ kind: 'work', work: 'restore' });
    const { agent } = settled(ordered(reading.agent, PAUSE, NOTE));
    const restored = settled(
      received(agent, { workEnd: { kind: 'restored', record: { agent: { ...AGENT, turn: 9 } } } }),
    );
    expect(restored.agent.record).toMatchObject({ turn: 9, pausedBy: 'bob', operatorNotes: [{ text: 'hello' }] });
    expect(kindOf(restored.agent)).toBe('paused');
  });

  test('keeps only notes that arrived after the others were withdrawn', () => {
    const { agent } = settled(ordered(reading.agent, NOTE, WITHDRAW, NOTE));
    const record = { ...AGENT, operatorNotes: [{ text: 'old', by: 'ann' }] };
    const restored = settled(received(agent, { workEnd: { kind: 'restored', record: { agent: record } } }));
    expect(restored.agent.record.operatorNotes).toEqual([{ text: 'hello', by: 'bob' }]);
  });

  test('that is missing fails the agent, which a cancel would end as well', () => {
    const missing = { kind: 'failed', failure: { type: 'ArtifactMissing', message: 'gone', costUsd: 0 } } as const;
    expect(settled(received(reading.agent, { workEnd: missing })).last).toMatchObject({
      kind: 'end',
      ending: { kind: 'failed' },
    });
    const { agent } = settled(received(reading.agent, { cancelled: true }));
    expect(settled(received(agent, { workEnd: missing })).last).toMatchObject({ ending: { kind: 'cancelled' } });
  });

  test('that cannot be read now is tried again, visibly', () => {
    const away = { kind: 'failed', failure: { type: 'StoreUnreachable', message: 'away', costUsd: 0 } } as const;
    const { agent, actions } = settled(received(reading.agent, { workEnd: away }));
    expect(actions).toContainEqual(
      expect.objectContaining({ kind: 'report', status: expect.objectContaining({ kind: 'waiting' }) }),
    );
    expect(settled(agent, { now: LATER * 2 }).last).toEqual({ kind: 'work', work: 'restore' });
  });
});

describe('an agent that waits', () => {
  test.each([
    ['before its wait is shown', 1500, {}],
    ['long after that', 60_000, {}],
    ['as it is about to report its wait', 1500, { leavesMoneyToRun: false }],
  ])('starts its turn with the money that comes %s', (_when, ms, context) => {
    const waiting = settled(settled(newAgent({ ...AGENT, state: 'ASK.md' })).agent, { now: NOW + ms / 2 }).agent;
    const granted = received(waiting, { grant: { turnId: `r/main/${AGENT.turn + 1}`, usd: 1, turns: 1 } });
    expect(settled(granted, { now: NOW + ms, ...context }).actions[0]).toMatchObject({ kind: 'turn' });
  });

  test('asks for its workspace at once when it is resumed after that could not be prepared', () => {
    const workspace = { owner: 'main', path: '/ws' };
    const then = { kind: 'workspace', askId: '1-1', until: NOW + 30_000 } as const;
    const hold = { kind: 'retry', failure: { type: 'PrepareFailed', message: 'x' }, then } as const;
    const failed = newAgent({ ...AGENT, workspace, hold });
    const { actions } = settled(ordered(failed, RESUME), { now: NOW + 2000 });
    expect(actions.map(({ kind }) => kind)).toContain('ask-place');
  });
});
