// A transition: what a turn ended with, resolved to files and validated. The workflow interprets only these.
// Must not hold large text: payloads are Values.
import type { Attributes } from './tag.js';
import type { Value } from './value.js';

/** One worker that a fork starts; `target` is a state file of the forking agent's scope. */
export interface ForkWorker {
  readonly target: string;
  readonly input?: Value;
  readonly cd?: string;
  readonly attributes: Attributes;
}

/** What a turn ended with: one atomic change. `target`, `return` and `next` are file names in the agent's scope, `cd` an absolute path; a fork's `input` is the forking agent's own. */
export type Transition =
  | { readonly kind: 'goto'; readonly target: string; readonly input?: Value }
  | { readonly kind: 'reset'; readonly target: string; readonly input?: Value; readonly cd?: string }
  | { readonly kind: 'call'; readonly target: string; readonly return: string; readonly input?: Value }
  | { readonly kind: 'function'; readonly target: string; readonly return: string; readonly input?: Value }
  | { readonly kind: 'fork'; readonly workers: readonly ForkWorker[]; readonly next: string; readonly input?: Value }
  | { readonly kind: 'result'; readonly payload: Value };
