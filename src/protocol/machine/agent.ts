// The record of one agent: everything that it needs to go on from where it is. Plain JSON, small, immutable: nothing that can be
// derived, no large text.
import type { Failure } from '../failure.js';
import type { Attributes } from '../language/tag.js';
import type { Question, Transition } from './transition.js';
import type { Value } from '../text.js';
import type { Workspace } from './workspace.js';

/** What a person says to an agent between two turns, and who. */
export interface Told {
  readonly text: Value;
  readonly by: string;
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
}

/** A file that a person sent: its name in the task folder, and its content in the artifact store. */
export interface AnswerFile {
  readonly name: string;
  readonly sha256: string;
}

/**
 * What must come about before an agent's next turn: its last turn's transition, or a wait. Times are epoch milliseconds, so that
 * they hold over any restart.
 */
export type Hold = Due | WaitHold;

/** What an agent waits for between two states. */
export type WaitHold =
  | { readonly kind: 'delay'; readonly until: number }
  | ({ readonly kind: 'ask' } & Ask)
  | { readonly kind: 'await'; readonly next: string };

/** How its last turn ended, until that has come about: a resumption goes on from there, and does no turn again. */
export interface Due {
  readonly kind: 'due';
  readonly transition: Transition;
  /** Of a fork of many agents: how far it has come. */
  readonly progress?: ForkProgress;
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
  /** What its turns have cost and nobody has booked, because its run was gone; absent = nothing. */
  readonly owedUsd?: number;
  /** What people have said to it and no prompt has taken up; absent = nothing. */
  readonly told?: readonly Told[];
  /** What must come about before `state` is done; absent = nothing. */
  readonly hold?: Hold;
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
