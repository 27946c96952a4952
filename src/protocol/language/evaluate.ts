// The evaluators that may replace the transition of a turn: patterns that its output is searched for, and a judge, a state that gets the
// output and the proposed transition and decides by its own tag. Pure; packages/ reads YAML and compiles patterns.
import { combineTags, parseTags, renderTag, type Change } from './parse.js';
import type { Problem } from './problem.js';
import type { Attributes, Tag } from './tag.js';
import { renderTemplate } from './variables.js';

/** The `evaluate` of a policy. The first pattern that matches decides; the judge is asked when none does. */
export interface Evaluation {
  readonly patterns: readonly Pattern[];
  readonly judge?: Judge;
}

/** An expression of RE2, and what a turn whose output it matches does instead. */
export interface Pattern {
  readonly match: string;
  readonly instead: Change;
  readonly line: number;
}

/** A state that decides, by its name. */
export interface Judge {
  readonly state: string;
  readonly line: number;
}

/** An evaluation with its patterns ready to use. */
export interface Evaluator extends Evaluation {
  readonly matches: (pattern: Pattern, text: string) => boolean;
}

/** What an evaluator says about an output that ended with a transition; undefined = nothing. */
type Objection =
  { readonly kind: 'pattern'; readonly pattern: Pattern } | { readonly kind: 'judge'; readonly judge: Judge };

/** The first pattern that matches, else the judge. */
export function objectionTo({ patterns, judge, matches }: Evaluator, text: string): Objection | undefined {
  const pattern = patterns.find((one) => matches(one, text));
  if (pattern !== undefined) return { kind: 'pattern', pattern };
  return judge && { kind: 'judge', judge };
}

/** True for the answer of a judge that lets the proposed transition stand: `<result>keep</result>`. */
export function isKeep(change: Change): boolean {
  return change.kind === 'one' && change.tag.kind === 'result' && /^keep$/i.test(change.tag.payload.trim());
}

/** The one change that a text asks for. */
export function changeIn(text: string): Change | { readonly kind: 'problem'; readonly problem: Problem } {
  const parsed = parseTags(text);
  return parsed.kind === 'problem' ? parsed : combineTags(parsed.tags, parsed.open);
}

/** The change as a state would write it. */
export function renderChange(change: Change): string {
  return tagsOf(change).map(renderTag).join('\n');
}

/** Its tags; forks with their shared `next`. */
export function tagsOf(change: Change): readonly Tag[] {
  return change.kind === 'one' ? [change.tag] : change.forks.map((fork) => ({ ...fork, next: change.next }));
}

/** The change with the variables of its state in each `input`. */
export function filledChange(change: Change, variables: Attributes): Change {
  const filled = <T extends object>(part: T): T =>
    'input' in part && typeof part.input === 'string'
      ? { ...part, input: renderTemplate(part.input, variables).text }
      : part;
  return change.kind === 'one'
    ? { ...change, tag: filled(change.tag) }
    : { ...filled(change), forks: change.forks.map(filled) };
}
