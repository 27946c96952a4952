// The messages of the two workflow types: signals, updates and queries. Stays compatible with histories in test/replay.
import { defineQuery, defineSignal, defineUpdate } from '@temporalio/workflow';
import type { AgentState, Move, OperatorNote, StoredAgent } from '../protocol/machine/agent.js';
import { LIMITER, type LeaseName, type LeaseRequest, type LimitUse, type Limits } from '../protocol/leases.js';
import type { ForksEnded } from '../protocol/machine/inbox.js';
import type { Answer } from '../protocol/machine/wait.js';
import type { HostLoss, PlacementAnswer, Relocation, Workspace } from '../protocol/machine/workspace.js';
import type { Value } from '../protocol/text.js';
import type {
  AgentStatus,
  LedgerSnapshot,
  RefusedOrder,
  Revival,
  RunInput,
  RunSummary,
  UnreportedTurn,
} from './contract.js';

/** An agent that is about to be started, its parent's fork of this number. */
export interface Starting {
  readonly agentId: string;
  readonly parent: string;
  readonly number: number;
  readonly state: string;
  /** Whose workspace it works in, when that is not its own. */
  readonly shares?: string;
  /** Its fork attributes as JSON. */
  readonly about?: Value;
}

/** `by` = who asks for it. Turns in progress end first; with `now` they are interrupted, and run again later. */
export interface Pause {
  readonly by: string;
  readonly now?: boolean;
}

/** To the run: agents are about to be started by another one. */
export const startingSignal = defineSignal<[readonly Starting[]]>('starting');
/** To the run: that agent was not started after all, its id was in use. */
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
  /** It goes on with a prompt turn: the one that it asks for, or one for which it need not ask. */
  readonly asks?: string;
  readonly standing?: true;
}

/** To the run: an agent says so. */
export const reportSignal = defineSignal<[Report]>('report');
/** To the run: an agent has ended; the last thing it says. */
export const endedSignal =
  defineSignal<[{ readonly agentId: string; readonly state: string; readonly status: AgentStatus }]>('ended');

/** An agent that asks where its workspace is; `lost` = the generation of a place of which it heard nothing any more. */
export interface PlacementRequest {
  readonly agentId: string;
  /** A name of its own, which the answer repeats. */
  readonly askId?: string;
  readonly workspace: Workspace;
  readonly lost?: HostLoss;
}

export type { PlacementAnswer as PlaceAnswer };

/** What an agent hears of the place of its workspace. */
export type PlacementMessage =
  | (PlacementAnswer & Pick<PlacementRequest, 'askId'>)
  /** It shall be elsewhere: say when nothing of yours is done there, and ask before the next turn. */
  | { readonly kind: 'moves' };

/** To the run: an agent asks where its workspace is. */
export const placementRequestSignal = defineSignal<[PlacementRequest]>('place');
/** To an agent: the answer, or that the workspace moves. */
export const placementSignal = defineSignal<[PlacementMessage]>('placed');
/** To the run: the files of a workspace as a turn has left them. */
export const savedSignal = defineSignal<[{ readonly agentId: string; readonly workspace: Workspace }]>('saved');
/** To the run: nothing is done for the agent in its workspace, and nothing will be until it has asked; these are its files. */
export const quietSignal = defineSignal<[{ readonly agentId: string; readonly workspace: Workspace }]>('quiet');
/** To the run: what a turn of an agent has spent on a host that the agent has left; telling it twice books it once. */
export const spentSignal = defineSignal<[Spent]>('spent');

/** Such a turn; `key` names one attempt of it among all of that host. */
export interface Spent extends UnreportedTurn {
  readonly key: string;
  readonly costUsd: number;
}

/** To the run: an agent's workspace shall be on another host; absent `to` = on whichever takes it. */
export const relocateSignal = defineSignal<[Relocation]>('relocate');

/** A prompt turn may start, spending at most `usd`; so may those that follow it, `turns` in all. Absent `usd` = no limit, `turns` = 1. */
export interface Granted {
  readonly turnId: string;
  readonly usd?: number;
  readonly turns?: number;
}

/** To an agent: it may go on. */
export const grantSignal = defineSignal<[Granted]>('grant');
/** To an agent: it has to ask before its next prompt turn. */
export const recallSignal = defineSignal('recall');
/** To the run: what it may cost from now on, in USD; absent = no limit. */
export const budgetSignal = defineSignal<[{ readonly usd?: number }]>('budget');
/** To an agent: the agents that it has forked up to this number have ended; their results as JSON. */
export const forksEndedSignal = defineSignal<[ForksEnded]>('forksEnded');
/** To an agent: a person's answer to its question; refused at once when it cannot be taken. */
export const answerUpdate = defineUpdate<undefined, [Answer]>('answer');
/** To the run: paused agents shall try again. To an agent: try again; `by` = the operator who asks for this agent alone. */
export const resumeSignal = defineSignal<[{ readonly by?: string }]>('resume');
/** To the run: its agents shall pause. To an agent: pause. */
export const pauseSignal = defineSignal<[Pause]>('pause');
/** To an agent: go to another state. */
export const moveSignal = defineSignal<[Move]>('move');
/** To the run: an agent cannot do what an operator asked of it. */
export const refusedSignal = defineSignal<[RefusedOrder]>('refused');
/** To the run: an agent that ended without a result shall go on from its record. */
export const reviveSignal = defineSignal<[Revival]>('revive');
/** To an agent: the time for its question is over now, whatever the clock says. */
export const askExpiredSignal = defineSignal<[{ readonly askId: string }]>('timeOver');
/** To an agent: what an operator wrote to it; its next prompt begins with that. */
export const tellSignal = defineSignal<[OperatorNote]>('tell');
/** To the run: somebody has seen that the workflows of these agents are closed. It looks at once. */
export const suspectSignal = defineSignal<[{ readonly agentIds: readonly string[] }]>('suspect');
/** To an agent: are you there? Answered by its existence. */
export const probeSignal = defineSignal('probe');

/** Of a run: its summary now. */
export const summaryQuery = defineQuery<RunSummary>('summary');
/** Of a run: its ledger now, for a run that was terminated before it could leave it. */
export const ledgerQuery = defineQuery<{ readonly input: RunInput; readonly ledger: LedgerSnapshot }>('ledger');
/** Of an agent: its record now, or where it lies. */
export const recordQuery = defineQuery<AgentState | StoredAgent>('record');

/** To a limiter: an agent wants places for its next turn. */
export const wantSignal = defineSignal<[LeaseRequest]>(LIMITER.want);
/** To a limiter: places are free again, or are not wanted any more. */
export const releaseSignal = defineSignal<[LeaseName]>('release');
/** To a limiter: what is limited from now on. */
export const limitsSignal = defineSignal<[Limits]>(LIMITER.limits);
/** To an agent: it has the places that it asked for. */
export const leaseSignal = defineSignal<[{ readonly requestId: string }]>('lease');
/** Of a limiter: how much of each limit is in use. */
export const usesQuery = defineQuery<readonly LimitUse[]>(LIMITER.uses);
/** Of a limiter: whether a request is granted and has not been taken back. */
export const holdsQuery = defineQuery<boolean, [LeaseName]>(LIMITER.holds);
