// The record of one agent: everything that it continues from. Plain JSON, small, immutable: nothing that can be
// derived, no large text.
import type { Failure } from '../failure.js';
import type { WantedLease } from '../leases.js';
import type { Scope } from '../scope.js';
import type { Problem } from '../language/problem.js';
import type { Attributes } from '../language/tag.js';
import type { Judging, Question, Transition } from './transition.js';
import type { Value } from '../text.js';

/** A person's note to an agent for its next prompt, and the person's name. */
export interface OperatorNote {
  readonly text: Value;
  readonly by: string;
}

/** An operator's order to continue at another state: with its conversation (`goto`), or without. */
export interface Move {
  readonly kind: 'goto' | 'reset';
  readonly target: string;
  readonly input?: Value;
  readonly by: string;
  /** Whether it interrupts a turn in progress; otherwise it replaces the turn's transition. */
  readonly now?: boolean;
}

/**
 * A finished conversation; never written again. `sha256` names its transcript in the artifact store, `model` is what
 * its last turn's state set: Claude Code keeps it until another one is set.
 */
export interface Session {
  readonly id: string;
  readonly sha256: string;
  /** The backend of the conversation; absent = Claude Code. */
  readonly backend?: 'pi';
  readonly model?: string;
}

/**
 * The value that the next state receives; `returning` when it is the result of a call or function, `askId` when it is a
 * person's answer.
 */
export interface Pending {
  readonly value: Value;
  readonly returning: boolean;
  readonly askId?: string;
  /** The files of an answer; the turn that receives it puts them into the task folder. */
  readonly files?: readonly AnswerFile[];
  /** The question, to be asked again when the files of its answer cannot be used. */
  readonly answered?: AnsweredAsk;
}

/** An answered question, and the state in which its agent had waited. */
interface AnsweredAsk {
  readonly ask: Ask;
  readonly state: string;
}

/** A file that a person sent: its name in the task folder, and its content in the artifact store. */
export interface AnswerFile {
  readonly name: string;
  readonly sha256: string;
}

/**
 * What an agent waits for before its next turn. Times are epoch milliseconds, so that they stay valid after a restart.
 * hold.ts decides what each hold waits for, and which orders end it.
 */
export type Hold =
  | PendingTransition
  | { readonly kind: 'delay'; readonly until: number }
  | ({ readonly kind: 'ask' } & Ask)
  | Await
  | { readonly kind: 'paused'; readonly by: string }
  | RetryHold
  | { readonly kind: 'money'; readonly turnId: string; readonly since: number; readonly until: number }
  | ({ readonly kind: 'lease'; readonly since: number; readonly until: number } & WantedLease)
  | WorkspaceHold;

/** A wait for the forked agents; `until` = the time limit of `<await>`. */
export interface Await {
  readonly kind: 'await';
  readonly next: string;
  readonly until?: number;
  readonly timeoutNext?: string;
}

/** A wait that a state asked for by its transition. */
export type WaitHold = Extract<Hold, { readonly kind: 'delay' | 'ask' | 'await' }>;

/**
 * The last turn is recorded, its transition is not applied yet: a resumed agent continues from there and repeats no
 * turn.
 */
export interface PendingTransition {
  readonly kind: 'pending';
  readonly transition: Transition;
  /** The progress of a fork of many agents. */
  readonly progress?: ForkProgress;
}

/**
 * A turn, or the work before a pending transition is applied, failed and is retried at `until`; absent = when an
 * operator resumes.
 */
export interface RetryHold {
  readonly kind: 'retry';
  readonly failure: Failure;
  readonly until?: number;
  /** When a usage limit ends. */
  readonly resetsAt?: number;
  /** The hold after it; absent = none. */
  readonly then?: PendingTransition | WorkspaceHold;
}

/**
 * The agent asks its run, at `until`, for the host of its workspace; `loss` is why it does not know the host, `failure`
 * why it waits.
 */
export interface WorkspaceHold {
  readonly kind: 'workspace';
  readonly until: number;
  /** The answer repeats it, so that a late answer is not mistaken for the next one. */
  readonly askId?: string;
  readonly loss?: HostLoss;
  readonly failure?: Failure;
  readonly pending?: PendingTransition;
}

/**
 * How many of a fork's agents were started, how many of them under other numbers than planned, and the page to continue
 * with.
 */
export interface ForkProgress {
  readonly started: number;
  readonly renumbered: number;
  readonly page?: Value;
}

/** A question that waits for its answer. */
export interface Ask extends Omit<Question, 'timeoutMs'> {
  readonly id: string;
  /** Epoch milliseconds; absent for questions of older versions. */
  readonly askedAt?: number;
  readonly until?: number;
  /** How many of its answers could not be used, and the reason for the last one. */
  readonly unusable?: { readonly answers: number; readonly why: string };
}

/** A question that is closed: a later answer gets this explanation. */
export interface SettledAsk {
  readonly id: string;
  readonly how: 'answered' | 'timed out';
}

/** An entry of the return stack: what `<result>` restores. */
export interface Frame {
  readonly state: string;
  readonly scope: Scope;
  readonly cwd: string;
  readonly session?: Session;
  readonly task?: string;
  readonly depth?: number;
  /** A judge decides on this transition of `state`, which does not run again. */
  readonly judging?: Judging;
}

/** A state runs again because its turn ended with a protocol mistake; `number` counts from 1. */
export interface Reminder {
  readonly problem: Problem;
  readonly number: number;
}

/** Facts from earlier attempts of the agent's next turn; dropped when that turn is recorded. */
export interface NextTurn {
  readonly reminder?: Reminder;
  /** The conversation that ended with the mistake; the record keeps the previous one. */
  readonly session?: Session;
  /** Retries so far, by failure type. */
  readonly tries?: Readonly<Record<string, number>>;
  /** Until when accounts are limited (epoch ms). */
  readonly limited?: Readonly<Record<string, number>>;
  /** Whether an operator wants the turn retried despite a known limit. */
  readonly ignoreKnownLimits?: true;
  /** Activities of this turn that ended without a report. */
  readonly lostActivities?: readonly LostActivity[];
  /** The generation of the workspace in which one of them had started a prompt. */
  readonly startedIn?: number;
}

/** The workspace of an agent. Agents that share one have the same `owner`. */
export interface Workspace {
  /** The agent whose workspace it is. */
  readonly owner: string;
  /** Its folder, the same on every host. */
  readonly path: string;
  /** Its current host; absent = none yet. */
  readonly place?: Placement;
  /** The repository's commit that it started with, when the run's settings have none. */
  readonly base?: string;
  /** The files as this agent's last turn left them; absent = those of the run's start. */
  readonly snapshot?: Snapshot;
  /** The snapshot is its parent's: it starts with those files, but on another branch. */
  readonly inherited?: true;
  /** Why the snapshot failed: the agent waits until it succeeds. */
  readonly unsaved?: Failure;
  /** Its branch; absent = one of its own. */
  readonly branch?: string;
}

/** A host with a workspace's files. `generation` counts from 1, and grows with every move. */
export interface Placement {
  readonly host: string;
  /** The task queue of that host's worker. */
  readonly queue: string;
  readonly generation: number;
}

/** The files of a workspace after a turn: a commit of all of them on no branch, and the artifact that restores it. */
export interface Snapshot {
  readonly commit: string;
  readonly chain: string;
  /** The workspace that it belongs to; absent = the one of the run's start. */
  readonly order?: SnapshotOrder;
}

/**
 * The generation in which a snapshot was taken, and how many were started there before: of two, the one with the greater
 * `number` is newer.
 */
interface SnapshotOrder {
  readonly generation: number;
  readonly number: number;
}

/** An activity that the server gave up. */
export interface LostActivity {
  readonly workflowRunId: string;
  readonly activityId: string;
}

/** Why a host was given up: it does not poll, has no such workspace any more, or has had no room for a turn for minutes. */
export interface HostLoss {
  readonly generation: number;
  readonly why: 'silent' | 'moved' | 'trouble';
  /** What the host lacks. */
  readonly failure?: Failure;
  /** The prompt turn in progress, which may have cost money. */
  readonly turn?: number;
}

/** One agent between two turns. `state` is a file name in `scope`, `turn` the number of its last recorded turn (0 = none). */
export interface AgentState {
  readonly id: string;
  readonly scope: Scope;
  readonly state: string;
  /**
   * The tag that led to `state`: shown to people, and a forked agent's input is also a variable of its first script.
   */
  readonly via: string;
  readonly cwd: string;
  /** Where the run was started: the default working directory of forked agents. */
  readonly home: string;
  /** The workspace of both directories; absent = they are folders that every host sees. */
  readonly workspace?: Workspace;
  readonly session?: Session;
  /** The account of Claude that its last prompt used. */
  readonly account?: string;
  readonly stack: readonly Frame[];
  readonly pending?: Pending;
  /** Custom attributes of the tag that led here, bound in `state` only. */
  readonly attributes: Attributes;
  /** How many agents it has forked, and how many of them it has awaited. */
  readonly forks: number;
  readonly awaited?: number;
  readonly turn: number;
  /** The cost of its turns that the run does not know yet; absent = nothing. */
  readonly owedUsd?: number;
  /** How many reports its turns have carried to the run. */
  readonly reports?: number;
  /** The last of these reports, until it is known that the run has it. */
  readonly carried?: CarriedReport;
  /** Operators' notes for its next prompt; absent = none. */
  readonly operatorNotes?: readonly OperatorNote[];
  /** What the sandbox refused since its last prompt, each a sentence; absent = nothing. */
  readonly denied?: readonly string[];
  /** Who asked for the pause; absent = not paused. */
  readonly pausedBy?: string;
  /** Who paused the run in which an order continued this agent alone: the agents that it forks start paused. */
  readonly forksPausedBy?: string;
  /** An operator's order to continue at another state of the workflow. */
  readonly move?: Move;
  /** What it waits for before `state` runs; absent = nothing. */
  readonly hold?: Hold;
  readonly nextTurn?: NextTurn;
  /** Its latest closed questions. */
  readonly asks?: readonly SettledAsk[];
  /** The name of its task folder (absent = its id), and how many more it has had. */
  readonly task?: string;
  readonly tasks?: number;
  /** How deep it is in nested workflow calls; absent = 0. */
  readonly depth?: number;
}

/** What an agent that continues reports to its run, delivered by the activity of its next turn. The run counts each number once. */
export interface CarriedReport {
  readonly number: number;
  readonly state: string;
  readonly costUsd: number;
  readonly standing?: true;
}

/** The record of an agent that ended without a result, in the artifact store. */
export interface StoredRecord {
  readonly agent: AgentState;
  /** Why it failed; absent = it was cancelled or lost. */
  readonly failure?: Failure;
}

/** An agent whose record is in the artifact store. */
export interface StoredAgent {
  readonly id: string;
  readonly state: string;
  readonly record: Value;
}
