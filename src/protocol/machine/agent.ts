// The record of one agent: everything that it needs to go on from where it is. Plain JSON, small, immutable: nothing that can be
// derived, no large text.
import type { Failure } from '../failure.js';
import type { WantedLease } from '../leases.js';
import type { Problem } from '../language/problem.js';
import type { Attributes } from '../language/tag.js';
import type { Question, Transition } from './transition.js';
import type { Value } from '../text.js';
import type { HostLoss, LostActivity, Workspace } from './workspace.js';

/** What a person wrote to an agent for its next prompt, and who. */
export interface OperatorNote {
  readonly text: Value;
  readonly by: string;
}

/** An operator sends an agent to another state: with its conversation (`goto`), or without. */
export interface Move {
  readonly kind: 'goto' | 'reset';
  readonly target: string;
  readonly input?: Value;
  readonly by: string;
  /** A turn in progress is interrupted; otherwise the move replaces its transition. */
  readonly now?: boolean;
}

/**
 * Where states live. `path` is absolute, on the worker; a zip that was downloaded keeps its `url`. A package that was frozen when
 * its run was started lies in the artifact store; `origin` is the path that it was copied from. Of a package that travels with its run
 * `path` only says what people know it by.
 */
export type Scope = (
  | { readonly kind: 'directory'; readonly path: string; readonly origin?: string }
  | { readonly kind: 'zip'; readonly path: string; readonly url?: string; readonly origin?: string }
  | { readonly kind: 'yaml'; readonly path: string; readonly origin?: string }
) & { readonly stored?: StoredPackage };

/** A package in the artifact store: the hash of its file (of a folder, a zip), and of the list of packages that came along. */
export interface StoredPackage {
  readonly blob: string;
  readonly bundle?: string;
}

/**
 * A finished conversation; never written again. `sha256` names its transcript in the artifact store, `model` is
 * what its last turn's state asked for: Claude Code keeps it until it is told another one.
 */
export interface Session {
  readonly id: string;
  readonly sha256: string;
  /** Whose conversation it is; absent = Claude Code's. */
  readonly backend?: 'pi';
  readonly model?: string;
}

/** The value that the next state receives; `returning` when a call or function brought it back, `askId` when a person gave it. */
export interface Pending {
  readonly value: Value;
  readonly returning: boolean;
  readonly askId?: string;
  /** What came with an answer; the turn that receives it puts them into the task folder. */
  readonly files?: readonly AnswerFile[];
  /** The question, to be asked again when what lies in the store for its answer cannot be used. */
  readonly answered?: AnsweredAsk;
}

/** A question that was answered, and the state in which its agent had waited. */
export interface AnsweredAsk {
  readonly ask: Ask;
  readonly state: string;
}

/** A file that a person sent: its name in the task folder, and its content in the artifact store. */
export interface AnswerFile {
  readonly name: string;
  readonly sha256: string;
}

/**
 * What an agent waits for before its next turn. Times are epoch milliseconds, so that they hold over any restart. What each hold waits
 * for, and which orders end it, is decided in hold.ts.
 */
export type Hold =
  | PendingTransition
  | { readonly kind: 'delay'; readonly until: number }
  | ({ readonly kind: 'ask' } & Ask)
  | { readonly kind: 'await'; readonly next: string }
  | { readonly kind: 'paused'; readonly by: string }
  | RetryHold
  | { readonly kind: 'money'; readonly turnId: string; readonly since: number; readonly until: number }
  | ({ readonly kind: 'lease'; readonly since: number; readonly until: number } & WantedLease)
  | WorkspaceHold;

/** What a state asks to wait for by its transition. */
export type WaitHold = Extract<Hold, { readonly kind: 'delay' | 'ask' | 'await' }>;

/** How the last turn ended, until that is applied: a resumed agent continues from there and repeats no turn. */
export interface PendingTransition {
  readonly kind: 'pending';
  readonly transition: Transition;
  /** Of a fork of many agents: how far it has come. */
  readonly progress?: ForkProgress;
}

/** A turn, or what must be done before a pending transition is applied, failed and is tried again at `until`; absent = when an operator resumes. */
export interface RetryHold {
  readonly kind: 'retry';
  readonly failure: Failure;
  readonly until?: number;
  /** When a usage limit ends. */
  readonly resetsAt?: number;
  /** What holds the agent afterwards; absent = nothing. */
  readonly then?: PendingTransition | WorkspaceHold;
}

/** The agent asks its run, at `until`, where its workspace is; `loss` is why it does not know any more, `failure` what it waits for. */
export interface WorkspaceHold {
  readonly kind: 'workspace';
  readonly until: number;
  /** Repeated by the answer, so that a late answer is not mistaken for the next one's. */
  readonly askId?: string;
  readonly loss?: HostLoss;
  readonly failure?: Failure;
  readonly pending?: PendingTransition;
}

/** How many of a fork's agents were started, how many of them under other numbers than theirs, and the page to go on with. */
export interface ForkProgress {
  readonly started: number;
  readonly renumbered: number;
  readonly page?: Value;
}

/** A question that waits for its answer. */
export interface Ask extends Omit<Question, 'timeoutMs'> {
  readonly id: string;
  readonly until?: number;
  /** How many of its answers could not be used, and why the last one. */
  readonly unusable?: { readonly answers: number; readonly why: string };
}

/** A question that has been settled: whoever answers it once more is told how. */
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
}

/** A state is asked again, because its turn ended with a protocol mistake; `number` counts from 1. */
export interface Reminder {
  readonly problem: Problem;
  readonly number: number;
}

/** What earlier tries of the agent's next turn have left for it; dropped when that turn is recorded. */
export interface NextTurn {
  readonly reminder?: Reminder;
  /** The conversation that ended with the mistake; the record keeps the one before. */
  readonly session?: Session;
  /** Tries so far, by the type of failure. */
  readonly tries?: Readonly<Record<string, number>>;
  /** Until when accounts are limited (epoch ms). */
  readonly limited?: Readonly<Record<string, number>>;
  /** An operator wants the turn tried although a limit is known. */
  readonly ignoreKnownLimits?: true;
  /** Activities of this turn that ended without a report. */
  readonly lostActivities?: readonly LostActivity[];
  /** The generation of the workspace in which one of them had started a prompt. */
  readonly startedIn?: number;
}

/** One agent between two turns. `state` is a file name in `scope`, `turn` the number of its last recorded turn (0 = none). */
export interface AgentState {
  readonly id: string;
  readonly scope: Scope;
  readonly state: string;
  /** The tag that led to `state`: for people, and because a forked agent's input is also a variable of its first script. */
  readonly via: string;
  readonly cwd: string;
  /** Where the run was started: the working directory of forked agents that are given none. */
  readonly home: string;
  /** The workspace that both are in; absent = they are folders that every host sees. */
  readonly workspace?: Workspace;
  readonly session?: Session;
  /** The account of Claude that its last prompt has spent from. */
  readonly account?: string;
  readonly stack: readonly Frame[];
  readonly pending?: Pending;
  /** Fork attributes, bound in the agent's first state only. */
  readonly attributes: Attributes;
  /** How many agents this one has forked, and how many of them it has awaited. */
  readonly forks: number;
  readonly awaited?: number;
  readonly turn: number;
  /** What its turns have cost and the run does not know yet; absent = nothing. */
  readonly owedUsd?: number;
  /** What operators wrote for its next prompt; absent = nothing. */
  readonly operatorNotes?: readonly OperatorNote[];
  /** Who asked for a pause that is not over. */
  readonly pausedBy?: string;
  /** Where an operator sends it. */
  readonly move?: Move;
  /** What it waits for before `state` is done; absent = nothing. */
  readonly hold?: Hold;
  readonly nextTurn?: NextTurn;
  /** Its latest questions that are settled. */
  readonly asks?: readonly SettledAsk[];
  /** The name of its task folder (absent = its id), and how many it has had beyond the first. */
  readonly task?: string;
  readonly tasks?: number;
  /** How deep it is in workflows that were called from workflows; absent = 0. */
  readonly depth?: number;
}

/** The record of an agent that ended without a result, as it lies in the artifact store. */
export interface StoredRecord {
  readonly agent: AgentState;
  /** Why it failed; absent = it was cancelled or lost. */
  readonly failure?: Failure;
}

/** An agent whose record lies in the artifact store. */
export interface StoredAgent {
  readonly id: string;
  readonly state: string;
  readonly record: Value;
}
