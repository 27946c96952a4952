// The messages of the two workflow types: signals, updates and queries. Stays compatible with histories in test/replay.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AgentState, Move, OperatorNote, StoredAgent, HostLoss, Workspace } from '../protocol/machine/agent.js';
import { LIMITER, type LeaseName, type LeaseRequest, type LimitUse, type Limits } from '../protocol/leases.js';
import type { ForksEnded } from '../protocol/machine/inbox.js';
import type { Answer } from '../protocol/machine/wait.js';
import type { PlacementAnswer, Relocation } from '../protocol/machine/workspace.js';
import type { Value } from '../protocol/text.js';
import type {
  AgentStatus,
  LedgerSnapshot,
  RefusedOrder,
  Revival,
  RunInput,
  RunSummary,
  UnreportedTurn,
} from '../contract/runs.js';

/** An agent that is about to be started, its parent's fork of this number. */
export interface Starting {
  readonly agentId: string;
  readonly parent: string;
  readonly number: number;
  readonly state: string;
  /** The owner of the workspace it works in, if that is another agent. */
  readonly shares?: string;
  /** Its fork attributes as JSON. */
  readonly about?: Value;
}

/**
 * `by` = who ordered it. Turns in progress end first; with `now` they are interrupted, and run
 * again later.
 */
export interface Pause {
  readonly by: string;
  readonly now?: boolean;
}

/** To the run: an agent is about to start others. */
export const startingSignal = defineSignal<[readonly Starting[]]>('starting');
/** To the run: that agent was not started, because its id was in use. */
export const notStartedSignal = defineSignal<[{ readonly agentId: string; readonly parent: string }]>('notStarted');
/** To the run: an agent asks whether a prompt turn may start. */
export const allowanceSignal =
  defineSignal<[{ readonly agentId: string; readonly turnId: string; readonly state: string }]>('allowance');
/** What an agent spent, and its status. */
export interface Report {
  readonly agentId: string;
  readonly state: string;
  readonly costUsd: number;
  readonly status: AgentStatus;
  /**
   * It continues with a prompt turn: the one that it requests, or one for which it needs no
   * request.
   */
  readonly asks?: string;
  readonly standing?: true;
  /** A turn carried it, and it may arrive more than once. */
  readonly number?: number;
}

/** To the run: what an agent spent, and its status. */
export const reportSignal = defineSignal<[Report]>('report');
/** How an agent ended; `awaited`: it used the results of its forks up to this number. */
interface AgentEnd extends Pick<Report, 'agentId' | 'state' | 'status'> {
  readonly awaited?: number;
}

/** To the run: an agent has ended. It sends nothing after this. */
export const endedSignal = defineSignal<[AgentEnd]>('ended');
/** To `main`: send `ended`, because the run is about to continue as new, and a new execution gets no result of it. */
export const sendEndSignal = defineSignal('sendEnd');

/**
 * An agent's question where its workspace is; `lost` = the generation of a placement whose host
 * became silent.
 */
export interface PlacementRequest {
  readonly agentId: string;
  /** An id that the reply repeats. */
  readonly askId?: string;
  readonly workspace: Workspace;
  readonly lost?: HostLoss;
}

export type { PlacementAnswer as PlaceAnswer };

/** What the run replies about the host of an agent's workspace. */
export type PlacementMessage =
  | (PlacementAnswer & Pick<PlacementRequest, 'askId'>)
  /**
   * It is about to move: report when no work is in progress there, and ask again before the next
   * turn.
   */
  | { readonly kind: 'moves' };

/** To the run: an agent asks where its workspace is. */
export const placementRequestSignal = defineSignal<[PlacementRequest]>('place');
/** To an agent: the answer, or that the workspace moves. */
export const placementSignal = defineSignal<[PlacementMessage]>('placed');
/** To the run: the files of a workspace after a turn. */
export const savedSignal = defineSignal<[{ readonly agentId: string; readonly workspace: Workspace }]>('saved');
/**
 * To the run: no work of the agent is in progress in its workspace, and none starts before it has
 * asked again; these are its files.
 */
export const quietSignal = defineSignal<[{ readonly agentId: string; readonly workspace: Workspace }]>('quiet');
/** To the run: what a turn spent on a host that its agent has left. Sent twice, it counts once. */
export const spentSignal = defineSignal<[Spent]>('spent');

/** Such a turn; `key` identifies one attempt of it on that host. */
export interface Spent extends UnreportedTurn {
  readonly key: string;
  readonly costUsd: number;
}

/**
 * To the run: move an agent's workspace to another host; without `to`, to any host that accepts it.
 */
export const relocateSignal = defineSignal<[Relocation]>('relocate');

/**
 * A prompt turn may start and spend at most `usd`; so may those that follow it, `turns` in total.
 * Absent `usd` = no limit, `turns` = 1.
 */
export interface Granted {
  readonly turnId: string;
  readonly usd?: number;
  readonly turns?: number;
}

/** To an agent: the turn may start. */
export const grantSignal = defineSignal<[Granted]>('grant');
/** To an agent: request an allowance before the next prompt turn. */
export const recallSignal = defineSignal('recall');
/** To the run: its new budget in USD; absent = no limit. */
export const budgetSignal = defineSignal<[{ readonly usd?: number }]>('budget');
/** To an agent: the agents that it has forked up to this number have ended; their results as JSON. */
export const forksEndedSignal = defineSignal<[ForksEnded]>('forksEnded');
/** To an agent: a person's answer to its question; rejected at once when it does not fit. */
export const answerUpdate = defineUpdate<undefined, [Answer]>('answer');
/**
 * To the run: retry the paused agents; with `afterCancel` a cancel that the run may not have seen came first. To an
 * agent: retry; `by` = the operator who resumes only this agent.
 */
export const resumeSignal = defineSignal<[{ readonly by?: string; readonly afterCancel?: boolean }]>('resume');
/** To the run: pause all agents. To an agent: pause. */
export const pauseSignal = defineSignal<[Pause]>('pause');
/** To an agent: go to another state. */
export const moveSignal = defineSignal<[Move]>('move');
/** To the run: an agent cannot carry out an operator's order. */
export const refusedSignal = defineSignal<[RefusedOrder]>('refused');
/** To the run: continue an agent from its record that ended without a result. */
export const reviveSignal = defineSignal<[Revival]>('revive');
/** To an agent: its question has expired, whatever the clock says. */
export const askExpiredSignal = defineSignal<[{ readonly askId: string }]>('timeOver');
/** To an agent: an operator's note; its next prompt begins with it. */
export const tellSignal = defineSignal<[OperatorNote]>('tell');
/** To an agent: remove the operators' notes that no prompt has received. */
export const withdrawSignal = defineSignal<[{ readonly by: string }]>('withdraw');
/**
 * To the run: a client has seen that the workflows of these agents are closed. The run checks at
 * once.
 */
export const suspectSignal = defineSignal<[{ readonly agentIds: readonly string[] }]>('suspect');
/** To an agent: checks that it exists; it does not reply. */
export const probeSignal = defineSignal('probe');

/** Of a run: its current summary. */
export const summaryQuery = defineQuery<RunSummary>('summary');
/** Of a run: its current ledger, for a run that was terminated before it could store it. */
export const ledgerQuery = defineQuery<{ readonly input: RunInput; readonly ledger: LedgerSnapshot }>('ledger');
/** Of an agent: its current record, or a reference to it. */
export const recordQuery = defineQuery<AgentState | StoredAgent>('record');

/** To a limiter: an agent requests leases for its next turn. */
export const wantSignal = defineSignal<[LeaseRequest]>(LIMITER.want);
/** To a limiter: leases are released, or no longer requested. */
export const releaseSignal = defineSignal<[LeaseName]>('release');
/** To a limiter: the new limits. */
export const limitsSignal = defineSignal<[Limits]>(LIMITER.limits);
/** To an agent: the leases that it requested are granted. */
export const leaseSignal = defineSignal<[{ readonly requestId: string }]>('lease');
/** Of a limiter: how much of each limit is in use. */
export const usesQuery = defineQuery<readonly LimitUse[]>(LIMITER.uses);
/** Of a limiter: whether a lease is granted and not revoked. */
export const holdsQuery = defineQuery<boolean, [LeaseName]>(LIMITER.holds);
