// What an agent has received but not used yet, and what it knows only during one execution. Signals write into the
// inbox and do nothing else; hold.ts reads it. Plain, immutable data.
import type { Failure } from '../failure.js';
import type { Lease, WantedLease } from '../leases.js';
import type { Value } from '../text.js';
import type { AgentState, Hold, Move, OperatorNote, StoredAgent, Snapshot } from './agent.js';
import type { LiveStatus } from './status.js';
import type { ChainedEnd, WorkEnd } from './work-end.js';
import type { Answer } from './wait.js';
import type { PlacementAnswer } from './workspace.js';

/** The orders for one agent, in order of arrival. A cancel is not in this list: it ends every hold. */
export type Order =
  | { readonly kind: 'pause'; readonly by: string; readonly now?: boolean }
  /** `by` = who asks for it; absent when the run resumes all of its agents. */
  | { readonly kind: 'resume'; readonly by?: string }
  | { readonly kind: 'move'; readonly move: Move }
  | { readonly kind: 'note'; readonly note: OperatorNote }
  /** Removes the notes that no prompt has received. */
  | { readonly kind: 'withdraw' };

/** The results of the agents forked after number `after`, up to `last`; older runs leave `after` out. */
export interface ForksEnded {
  readonly after?: number;
  readonly last: number;
  readonly results: Value;
}

/** What has arrived. */
export interface Inbox {
  readonly orders: readonly Order[];
  readonly cancelled?: true;
  /** How the activity in progress ended. */
  readonly workEnd?: WorkEnd;
  /** The turns that the last activity ran after its first one. */
  readonly chain: readonly ChainedEnd[];
  readonly answer?: Answer;
  /** The question that has expired, whatever the clock says. */
  readonly expired?: string;
  readonly results?: ForksEnded;
  /** The run allows one prompt turn to start, and `turns - 1` after it. */
  readonly grant?: { readonly turnId: string; readonly usd?: number; readonly turns?: number };
  /** The run wants back the money that it reserved for turns that have not started. */
  readonly recalled?: true;
  /** The request for a lease that was granted. */
  readonly leased?: string;
  readonly placement?: PlacementAnswer & { readonly askId?: string };
  /** The workspace is about to move: `quiet` when the run knows that no turn uses it. */
  readonly moves?: 'asked' | 'quiet';
}

/** What prompt turns may spend without asking; absent `usd` = no limit. */
export interface Allowance {
  readonly turns: number;
  readonly usd?: number;
}

/**
 * An activity in progress: a turn, reading the agent's own record, or the work before a pending transition is applied.
 */
export type Work = 'turn' | 'restore' | 'save' | 'push';

/** State of this execution only. */
export interface Memory {
  /** The agent's record is in the artifact store; until it is read, only messages are known. */
  readonly stored?: Value;
  readonly work?: Work;
  /** The notes of that record are withdrawn. */
  readonly withdrawn?: true;
  /** The work in progress was interrupted. */
  readonly interrupted?: true;
  /** How many of the operators' notes the turn in progress received. */
  readonly notesGiven: number;
  /** The last report to the run; absent = none in this execution. */
  readonly reported?: { readonly status: LiveStatus; readonly at: number };
  /** A prompt turn ended: its reserved money is free. */
  readonly mustReport?: true;
  /** The snapshot of the workspace that the run knows. */
  readonly savedSnapshot?: Snapshot;
  /** The files of the ending agent are on their branch. */
  readonly pushed?: true;
  readonly standing?: Allowance;
  /** The turn that the last report asked money for. */
  readonly requestedTurn?: string;
  /** Whether the run answers what reports ask for. */
  readonly answersReports?: true;
  readonly leases: LeaseMemory;
  /** How the agent ends, unless an order arrives first. */
  readonly ending?: Ending;
  /** Requests to the run so far, for their ids. */
  readonly questions: number;
}

/** What an agent knows of leases. */
interface LeaseMemory {
  /** The leases that states turned out to need, by scope and name. */
  readonly wanted: Readonly<Record<string, WantedLease>>;
  /** The request that waits or was granted. */
  readonly request?: WantedLease;
  /** The lease of the next turn. */
  readonly granted?: Lease;
  /** A request that is not needed any more. */
  readonly toRelease?: WantedLease;
  readonly askAgainMs: number;
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

/** The longer an agent waits for a lease, the less often its worker asks again. */
export const LEASE_ASK_AGAIN_MS = { first: 60_000, longest: 3_600_000 } as const;

/** An agent at the start of an execution. */
export function newAgent(given: AgentState | StoredAgent): Agent {
  const stored = 'record' in given ? { stored: given.record } : {};
  const record = 'record' in given ? unreadRecord(given) : given;
  const { snapshot } = record.workspace ?? {};
  return {
    record,
    inbox: { orders: [], chain: [] },
    memory: {
      ...stored,
      notesGiven: 0,
      questions: 0,
      leases: { wanted: {}, askAgainMs: LEASE_ASK_AGAIN_MS.first },
      ...(snapshot === undefined ? {} : { savedSnapshot: snapshot }),
    },
  };
}

/** A stand-in for a record that is not read yet: it keeps orders that arrive meanwhile. */
function unreadRecord({ id, state }: StoredAgent): AgentState {
  const scope = { kind: 'directory', path: '' } as const;
  return { id, state, scope, via: '', cwd: '', home: '', stack: [], attributes: {}, forks: 0, turn: 0 };
}

/** The agent with this hold, or without one. */
export function holding(agent: Agent, hold: Hold | undefined): Agent {
  const { hold: _before, ...record } = agent.record;
  return { ...agent, record: hold === undefined ? record : { ...record, hold } };
}

/** True for the results of all agents that an agent has forked and not awaited: a message may have come for an `<await>` before. */
export function areAwaited({ forks, awaited = 0 }: AgentState, { after = awaited, last }: ForksEnded): boolean {
  return last === forks && after === awaited;
}
