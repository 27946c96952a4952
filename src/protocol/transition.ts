// A transition: what a turn ended with, resolved to files and validated. The workflow interprets only these.
// Large payloads are references.
import type { Scope } from './agent.js';
import type { Attributes } from './tag.js';
import type { Upload } from './ask-files.js';
import type { Value } from './text.js';

/** A state of another workflow; `abbreviation` goes into the ids of agents that are started there. */
interface Destination {
  readonly scope: Scope;
  readonly abbreviation: string;
}

/** One worker that a fork starts; `target` is a state file of the forking agent's scope, or of another workflow. */
export interface Fork {
  readonly target: string;
  readonly elsewhere?: Destination;
  readonly input?: Value;
  readonly cd?: string;
  readonly task?: 'new' | 'inherit';
  readonly attributes: Attributes;
}

/** A question as it is asked: `prompt` is short or an artifact, `shown` are the paths of files to show, `timeoutMs` the time for an answer. */
export interface Question {
  readonly prompt: Value;
  readonly next: string;
  readonly timeoutMs?: number;
  readonly timeoutNext?: string;
  readonly upload?: Upload;
  readonly shown?: readonly string[];
}

/** What a new context is given; `cd` is an absolute path. */
interface Fresh {
  readonly input?: Value;
  readonly cd?: string;
  readonly task?: 'new';
}

/**
 * What a turn ended with: one atomic change. `target`, `return` and `next` are file names, in the agent's scope or, of the
 * `-workflow` forms, `target` in `scope`; a fork's `input` is the forking agent's own.
 */
export type Transition =
  | { readonly kind: 'goto'; readonly target: string; readonly input?: Value; readonly delayMs?: number }
  | ({ readonly kind: 'reset'; readonly target: string; readonly delayMs?: number } & Fresh)
  | { readonly kind: 'call'; readonly target: string; readonly return: string; readonly input?: Value }
  | { readonly kind: 'function'; readonly target: string; readonly return: string; readonly input?: Value }
  | { readonly kind: 'fork'; readonly forks: readonly Fork[]; readonly next: string; readonly input?: Value }
  | { readonly kind: 'result'; readonly payload: Value }
  | ({ readonly kind: 'ask' } & Question)
  | { readonly kind: 'await'; readonly next: string }
  | WorkflowTransition;

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
  | ({ readonly kind: 'reset-workflow'; readonly scope: Scope; readonly target: string } & Fresh);
