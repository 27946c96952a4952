// Types of the scripted model's rules.
import type { ModelRequest, Reply } from './modelApiServer.mjs';

/** When the newest words of the user fit (contain, match; neither = always), `reply` is given, at most `times` times. */
export interface Rule {
  readonly contains?: string;
  readonly matches?: RegExp | string;
  readonly times?: number;
  readonly reply: Reply | readonly Reply[];
}

/** A `reply` function; `mismatches` tells what no rule fitted. */
export type ScriptedReply = ((request: ModelRequest) => Reply) & { readonly mismatches: readonly string[] };

export function script(rules: readonly Rule[]): ScriptedReply;
