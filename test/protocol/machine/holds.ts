// An agent for every hold, and what drives one in tests: decisions are taken until the agent waits, ends or starts an activity.
import type { AgentState, Hold, Move } from '../../../src/protocol/machine/agent.js';
import { next, type Action, type Context } from '../../../src/protocol/machine/hold.js';
import { newAgent, type Agent, type Inbox, type Order } from '../../../src/protocol/machine/inbox.js';

export const NOW = 1_000_000;
export const LATER = NOW + 60_000;

/** An agent of a run without a budget, between two turns. */
export const AGENT: AgentState = {
  id: 'main',
  scope: { kind: 'directory', path: '/p' },
  state: 'WORK.sh',
  via: 'goto',
  cwd: '/w',
  home: '/w',
  stack: [],
  attributes: {},
  forks: 1,
  turn: 3,
};

export const CONTEXT: Context = {
  runId: 'r',
  now: NOW,
  skipsWaits: false,
  rejectsAsks: false,
  hidesRejectedAsks: false,
  carriesReports: true,
  leavesMoneyToRun: true,
  pauseAtLimit: false,
  movesFromTrouble: false,
  asksForUnsaved: true,
  pushes: false,
  isFull: false,
};

const failure = { type: 'NeedsPerson', message: 'main, WORK.sh: log in' } as const;
const workspace = { owner: 'main', path: '/ws/r/main', place: { host: 'a', queue: 'q@a', generation: 1 } };

/** A record for each kind of hold, and for each reason of one. */
export const HELD = {
  nothing: AGENT,
  'pending-transition': { ...AGENT, hold: { kind: 'pending', transition: { kind: 'goto', target: 'NEXT.sh' } } },
  ask: { ...AGENT, hold: { kind: 'ask', id: 'ask_main_3', prompt: 'Go?', next: 'NEXT.sh', until: LATER } },
  delay: { ...AGENT, hold: { kind: 'delay', until: LATER } },
  await: { ...AGENT, hold: { kind: 'await', next: 'NEXT.sh' } },
  paused: { ...AGENT, pausedBy: 'ann', hold: { kind: 'paused', by: 'ann' } },
  'retry, at a time': {
    ...AGENT,
    hold: { kind: 'retry', failure: { type: 'ApiTrouble', message: 'busy' }, until: LATER },
    nextTurn: { tries: { ApiTrouble: 2 } },
  },
  'retry, when resumed': { ...AGENT, hold: { kind: 'retry', failure }, nextTurn: { tries: { NeedsPerson: 1 } } },
  'usage limit': {
    ...AGENT,
    state: 'ASK.md',
    hold: { kind: 'retry', failure: { type: 'UsageLimit', message: 'limit' }, until: LATER, resetsAt: LATER },
    nextTurn: { tries: { UsageLimit: 1 }, limited: { default: LATER } },
  },
  money: { ...AGENT, state: 'ASK.md', hold: { kind: 'money', turnId: 'r/main/4', since: NOW - 5000, until: LATER } },
  lease: {
    ...AGENT,
    hold: {
      kind: 'lease',
      limiter: '_limits/q',
      requestId: 'main-4-1',
      keys: ['db'],
      places: 'a slot of db (1 in use)',
      since: NOW - 5000,
      until: LATER,
    },
  },
  workspace: {
    ...AGENT,
    workspace,
    hold: {
      kind: 'workspace',
      askId: '1-1',
      until: LATER,
      loss: { generation: 1, why: 'silent' },
      failure: { type: 'HostLost', message: 'waits for a' },
    },
  },
  'files not saved': {
    ...AGENT,
    workspace: { ...workspace, unsaved: { type: 'DiskTrouble', message: 'full' } },
    hold: {
      kind: 'retry',
      failure: { type: 'DiskTrouble', message: 'full' },
      then: { kind: 'pending', transition: { kind: 'goto', target: 'NEXT.sh' } },
    },
    nextTurn: { tries: { DiskTrouble: 1 } },
  },
} as const satisfies Readonly<Record<string, AgentState>>;

export type HoldName = keyof typeof HELD;

export const HOLD_NAMES = Object.keys(HELD) as readonly HoldName[];

export const PAUSE: Order = { kind: 'pause', by: 'bob' };
export const NOTE: Order = { kind: 'note', note: { text: 'hello', by: 'bob' } };
export const WITHDRAW: Order = { kind: 'withdraw' };
export const MOVE: Move = { kind: 'goto', target: 'FIX.sh', by: 'ann' };

/** The agent of a hold as its execution has it: its status is known, its lease is asked for. */
export function held(name: HoldName): Agent {
  const { record, inbox, memory } = newAgent(HELD[name]);
  const { hold } = record;
  const leases =
    hold?.kind === 'lease'
      ? { wanted: { '/p WORK.sh': hold }, request: hold, askAgainMs: 60_000 }
      : { wanted: {}, askAgainMs: 60_000 };
  return settled({ record, inbox, memory: { ...memory, leases } }).agent;
}

/** The same agent after some orders. */
export function ordered(agent: Agent, ...orders: readonly Order[]): Agent {
  return received(agent, { orders: [...agent.inbox.orders, ...orders] });
}

/** The same agent when something has arrived. */
export function received(agent: Agent, arrived: Partial<Inbox>): Agent {
  return { ...agent, inbox: { ...agent.inbox, ...arrived } };
}

/** What an agent does until it waits, ends or starts an activity. */
export interface Settled {
  readonly agent: Agent;
  readonly actions: readonly Action[];
  readonly last: Action;
}

const RESTS: ReadonlySet<Action['kind']> = new Set(['wait', 'turn', 'work', 'fork', 'renew', 'end']);

/** Takes decisions until the agent waits, ends or starts an activity. */
export function settled(agent: Agent, context: Partial<Context> = {}): Settled {
  const actions: Action[] = [];
  for (let now = agent; actions.length < 100;) {
    const decision = next(now, { ...CONTEXT, ...context });
    actions.push(decision.action);
    now = decision.agent;
    if (RESTS.has(decision.action.kind)) return { agent: now, actions, last: decision.action };
  }
  throw new Error(`an agent that does not come to rest: ${JSON.stringify(actions.slice(-3))}`);
}

/** The kind of what holds an agent. */
export function kindOf({ record: { hold } }: Agent): Hold['kind'] | 'nothing' {
  return hold?.kind ?? 'nothing';
}
