// A transition: the checked and resolved end of a turn. The workflow interprets only these. Large payloads are
// references.
import type { Scope } from '../scope.js';
import type { Attributes } from '../language/tag.js';
import type { Upload } from '../language/ask-files.js';
import type { Value } from '../text.js';

/** A state of another workflow; `abbreviation` is part of the ids of agents that are started there. */
interface Destination {
  readonly scope: Scope;
  readonly abbreviation: string;
}

/** One agent that a fork starts; `target` is a state file of the forking agent's scope, or of another workflow. */
export interface Fork {
  readonly target: string;
  readonly workflow?: Destination;
  readonly input?: Value;
  readonly cd?: string;
  /** Whether it gets a workspace of its own, on a branch of this name. */
  readonly own?: { readonly branch?: string };
  readonly task?: 'new' | 'inherit';
  /** Whether it begins with the conversation of the forking agent. */
  readonly context?: 'branch';
  readonly attributes: Attributes;
  /** The attributes as JSON in the artifact store, when they are too long for the run's ledger. */
  readonly storedAttributes?: Value;
}

/** The forks of an output that are too many, or too long, for its transition. */
export interface MoreForks {
  readonly count: number;
  /** The first `ForkPage`, in the artifact store. */
  readonly page: Value;
}

/** Some forks of an output, and the reference to the next page. */
export interface ForkPage {
  readonly forks: readonly Fork[];
  readonly next?: Value;
}

/** Where a wait leads: in time to `next`, after `timeoutMs` to `timeoutNext`; without that the agent fails. */
interface Waiting {
  readonly next: string;
  readonly timeoutMs?: number;
  readonly timeoutNext?: string;
}

/**
 * A question to ask: `prompt` is short or an artifact, `shown` are the paths of files to show.
 */
export interface Question extends Waiting {
  readonly prompt: Value;
  readonly upload?: Upload;
  readonly shown?: readonly string[];
  /** Answers to choose from. */
  readonly choices?: readonly string[];
  /** `{upload, shown, choices}` as JSON in the artifact store, when they are too long for the run's ledger. */
  readonly storedFiles?: Value;
}

/** The settings of a new context; `cd` is an absolute path. */
interface NewContext {
  readonly input?: Value;
  readonly cd?: string;
  readonly task?: 'new';
}

/** The input of the next state only: a value, and custom attributes. Absent = none. */
interface Given {
  readonly input?: Value;
  readonly attributes?: Attributes;
}

/**
 * The end of a turn: one atomic change. `target`, `return` and `next` are file names in the agent's scope, but for the
 * `-workflow` forms `target` is in `scope`; a fork's `input`, `attributes` and `delayMs` are for the
 * forking agent itself.
 */
export type Transition =
  | ({ readonly kind: 'goto'; readonly target: string; readonly delayMs?: number } & Given)
  | ({ readonly kind: 'reset'; readonly target: string; readonly delayMs?: number } & NewContext & Given)
  | ({
      readonly kind: 'call' | 'function';
      readonly target: string;
      readonly return: string;
      /** The called state decides on this; `return` is then the state that it decides about. */
      readonly judging?: Judging;
    } & Given)
  | ({
      readonly kind: 'fork';
      readonly forks: readonly Fork[];
      readonly more?: MoreForks;
      readonly next: string;
      readonly delayMs?: number;
    } & Given)
  | {
      readonly kind: 'result';
      readonly payload: Value;
      /** The decision of a judge: the replacement; absent = keep. */
      readonly verdict?: Transition;
    }
  | ({ readonly kind: 'ask' } & Question)
  | ({ readonly kind: 'await' } & Waiting)
  | WorkflowTransition;

/** What a judge decides on: the transition that a turn proposes, its tag, and the output of the turn. */
export interface Judging {
  readonly proposed: Transition;
  readonly tag: Value;
  readonly output: Value;
}

/** A transition of the agent itself into another workflow. */
export type WorkflowTransition =
  | {
      readonly kind: 'call-workflow' | 'function-workflow';
      readonly scope: Scope;
      readonly target: string;
      readonly return: string;
      readonly input?: Value;
      readonly cd?: string;
    }
  | ({ readonly kind: 'reset-workflow'; readonly scope: Scope; readonly target: string } & NewContext);
