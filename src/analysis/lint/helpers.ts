// What several rules need: the states and texts of a package by kind, and the parts of tags in them. Pure.
import { BODYLESS, TAG_NAMES } from '../../protocol/language/tag-table.js';
import type { StateNode } from '../graph.js';
import type { Mention } from '../mention.js';
import type { PlacedText, Position, TracedText } from '../position.js';
import type { ScriptSource } from '../script-source.js';
import { COMPUTED } from '../shell-words.js';
import type { SourceFile } from '../source.js';
import type { Analysis } from './rule.js';

/** A state that is a prompt. */
export type PromptState = StateNode & { readonly source: Extract<SourceFile, { readonly kind: 'prompt' }> };

/** A state that is a script. */
export type ScriptState = StateNode & { readonly source: Extract<SourceFile, { readonly kind: 'script' }> };

/** All states, in the order of their files. */
export function statesOf({ graph }: Analysis): readonly StateNode[] {
  return [...graph.states.values()];
}

/** Those that are prompts. */
export function promptsOf(analysis: Analysis): readonly PromptState[] {
  return statesOf(analysis).filter((state): state is PromptState => state.source.kind === 'prompt');
}

/** Those that are scripts. */
export function scriptsOf(analysis: Analysis): readonly ScriptState[] {
  return statesOf(analysis).filter((state): state is ScriptState => state.source.kind === 'script');
}

/** Every tag with the state that it stands in. */
export function* mentionsOf(analysis: Analysis): Generator<{ readonly state: StateNode; readonly mention: Mention }> {
  for (const state of statesOf(analysis)) for (const mention of state.mentions) yield { state, mention };
}

/** True when nothing that can be reached goes where only its run knows. */
export function isClosed({ graph, reached }: Analysis): boolean {
  return [...reached].every((file) => graph.states.get(file)?.open !== true);
}

/** Where a text of a file begins that a pattern finds. */
export function* matches(
  text: PlacedText,
  pattern: RegExp,
): Generator<{ readonly match: RegExpExecArray; readonly at: Position }> {
  for (const match of text.text.matchAll(pattern)) yield { match, at: text.at(match.index) };
}

/** The text of a prompt or a script in which words are looked for: of a script without its comments. */
export function wordsOf({ source }: StateNode): string {
  if (source.kind === 'prompt') return source.prompt.body.text;
  if (source.kind !== 'script') return '';
  return withoutComments(source.raw.text, source.script);
}

function withoutComments(text: string, { shell }: ScriptSource): string {
  let plain = text;
  for (const { text: comment, at } of shell?.comments ?? [])
    plain = `${plain.slice(0, at)}${' '.repeat(comment.length)}${plain.slice(at + comment.length)}`;
  return plain;
}

/** True for a state that reads the value it is given. */
export function readsInput(state: StateNode): boolean {
  return /\{\{(?:input|result)\}\}|\bRAYMOND_(?:INPUT|RESULT)(?:_FILE)?\b|\$\{?input\b/.test(wordsOf(state));
}

/** A place in a tag of a script that only its run fills. */
export interface ComputedPart {
  readonly offset: number;
  readonly inAttribute: boolean;
}

const ELEMENT = new RegExp(
  `<(${TAG_NAMES.filter((name) => !BODYLESS.includes(name)).join('|')})([^<>]*)>([^]*?)</\\1>`,
  'g',
);

/** The places in the tags that a script prints which only its run fills. */
export function computedParts({ printed }: ScriptSource): readonly ComputedPart[] {
  return printed.flatMap((text) =>
    [...text.text.matchAll(ELEMENT)].flatMap((match) => {
      const [, name = '', attributes = ''] = match;
      const from = match.index + 1 + name.length;
      return computedIn(text, { from, to: match.index + match[0].length }).map(({ index, offset }) => ({
        offset,
        inAttribute: index < from + attributes.length,
      }));
    }),
  );
}

function computedIn(
  text: TracedText,
  { from, to }: { readonly from: number; readonly to: number },
): readonly { readonly index: number; readonly offset: number }[] {
  const found = [];
  for (
    let index = text.text.indexOf(COMPUTED, from);
    index >= 0 && index < to;
    index = text.text.indexOf(COMPUTED, index + 1)
  )
    found.push({ index, offset: text.offsetOf(index) });
  return found;
}
