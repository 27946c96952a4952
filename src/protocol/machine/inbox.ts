// What an agent has received and not used yet, and what it knows only as long as one execution lasts. Signals write into the inbox and do
// nothing else; hold.ts reads it. Plain, immutable data.
import type { Failure } from '../failure.js';
import type { Lease, WantedLease } from '../leases.js';
import type { Value } from '../text.js';
import type { AgentState, Hold, Move, OperatorNote, StoredAgent } from './agent.js';
import type { LiveStatus } from './status.js';
import type { ChainedEnd, WorkEnd } from './turn-end.js';
import type { Answer } from './wait.js';
import type { PlaceAnswer, Snapshot } from './workspace.js';

/** What an operator asked of one agent, in the order of arrival. A cancel is not in this list: it ends every hold. */
export type Order =
  | { readonly kind: 'pause'; readonly by: string; readonly now?: boolean }
  /** `by` = who asks for it; absent when the run resumes all of its agents. */
  | { readonly kind: 'resume'; readonly by?: string }
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'note'; readonly note: OperatorNote };

/** What has arrived. */
export interface Inbox {
  readonly orders: readonly Order[];
  readonly cancelled?: true;
  /** How the activity in progress ended. */
  readonly workEnd?: WorkEnd;
  /** The turns that the last activity did after the one that it was asked for. */
  readonly chain: readonly ChainedEnd[];
  readonly answer?: Answer;
  /** The question whose time is over, whatever the clock says. */
  readonly expired?: string;
  /** The results of the agents forked up to number `last`. */
  readonly results?: { readonly last: number; readonly results: Value };
  /** The run lets a prompt turn start, and `turns - 1` after it. */
  readonly grant?: { readonly turnId: string; readonly usd?: number; readonly turns?: number };
  /** The run wants back what it set aside for turns that have not started. */
  readonly recalled?: true;
  /** The request for a lease that was granted. */
  readonly leased?: string;
  readonly place?: PlaceAnswer & { readonly askId?: string };
  /** The workspace is about to move: `quiet` when the run knows that nothing is done in it. */
  readonly moves?: 'asked' | 'quiet';
}

/** What prompt turns may spend without asking; absent `usd` = no limit. */
export interface Allowance {
  readonly turns: number;
  readonly usd?: number;
}

/** An activity in progress: a turn, reading the agent's own record, or what a pending transition needs before it is applied. */
export type Work = 'turn' | 'restore' | 'save' | 'push';

/** What is known in this execution only. */
export interface Memory {
  /** The agent's record is in the artifact store; until it is read, only what has arrived is known. */
  readonly stored?: Value;
  readonly work?: Work;
  /** The work in progress was interrupted. */
  readonly interrupted?: true;
  /** How many of the operator's notes the turn in progress was given. */
  readonly notesGiven: number;
  /** The last report to the run; absent = none in this execution. */
  readonly reported?: { readonly status: LiveStatus; readonly at: number };
  /** A prompt turn ended: what was set aside for it is free. */
  readonly mustReport?: true;
  /** The snapshot of the workspace that the run knows. */
  readonly savedSnapshot?: Snapshot;
  /** The files of the agent that is about to end are on their branch. */
  readonly pushed?: true;
  readonly standing?: Allowance;
  /** The turn that the last report asked for. */
  readonly asked?: string;
  /** The run answers what reports ask for. */
  readonly answersReports?: true;
  readonly leases: LeaseMemory;
  /** How the agent ends, unless an order arrives first. */
  readonly ending?: Ending;
  /** Questions to the run so far, for their ids. */
  readonly questions: number;
}

/** What an agent knows of leases. */
export interface LeaseMemory {
  /** What states turned out to need, by scope and name. */
  readonly wanted: Readonly<Record<string, WantedLease>>;
  /** The request that waits or was granted. */
  readonly request?: WantedLease;
  /** The lease that the next turn has. */
  readonly granted?: Lease;
  /** A request that is not needed any more. */
  readonly toRelease?: WantedLease;
  readonly patienceMs: number;
}

/** How an agent ends. */
export type Ending =
  | { readonly kind: 'completed'; readonly agent: AgentState; readonly result: Value }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'cancelled' };

/** An agent between two decisions. */
export interface Agent {
  readonly record: AgentState;
  readonly inbox: Inbox;
  readonly memory: Memory;
}

/** An agent that waits longer for a lease lets its worker ask again, less and less often. */
export const LEASE_PATIENCE_MS = { first: 60_000, longest: 3_600_000 } as const;

/** An agent at the start of an execution. */
export function newAgent(given: AgentState | StoredAgent): Agent {
  const stored = 'record' in given ? { stored: given.record } : {};
  const record = 'record' in given ? unread(given) : given;
  const { snapshot } = record.workspace ?? {};
  return {
    record,
    inbox: { orders: [], chain: [] },
    memory: {
      ...stored,
      notesGiven: 0,
      questions: 0,
      leases: { wanted: {}, patienceMs: LEASE_PATIENCE_MS.first },
      ...(snapshot === undefined ? {} : { savedSnapshot: snapshot }),
    },
  };
}

/** What stands for a record that has yet to be read: it keeps the orders that arrive meanwhile. */
function unread({ id, state }: StoredAgent): AgentState {
  const scope = { kind: 'directory', path: '' } as const;
  return { id, state, scope, via: '', cwd: '', home: '', stack: [], attributes: {}, forks: 0, turn: 0 };
}

/** The agent with this hold, or with none. */
export function holding(agent: Agent, hold: Hold | undefined): Agent {
  const { hold: _before, ...record } = agent.record;
  return { ...agent, record: hold === undefined ? record : { ...record, hold } };
}
