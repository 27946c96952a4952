// Helpers that several rules share: states and texts of a package by kind, and the computed parts of tags. Pure.
import { BODYLESS, TAG_NAMES } from '../../protocol/language/tag-table.js';
import { originOf } from '../../protocol/scope.js';
import { literalPattern } from '../../protocol/text.js';
import type { Edge, StateNode } from '../graph.js';
import type { Mention } from '../mention.js';
import type { PositionedText, Position, TracedText } from '../position.js';
import type { ScriptSource } from '../script/source.js';
import { COMPUTED } from '../shell/words.js';
import type { SourceFile } from '../source.js';
import type { Analysis, FindingDetails } from './rule.js';

/** A state that is a prompt. */
export type PromptState = StateNode & { readonly source: Extract<SourceFile, { readonly kind: 'prompt' }> };

/** A state that is a script. */
export type ScriptState = StateNode & { readonly source: Extract<SourceFile, { readonly kind: 'script' }> };

/** All states in the order of their files. */
export function statesOf({ graph }: Pick<Analysis, 'graph'>): readonly StateNode[] {
  return [...graph.states.values()];
}

/** True for a state that is a prompt. */
export function isPrompt(state: StateNode): state is PromptState {
  return state.source.kind === 'prompt';
}

/** All prompts. */
export function promptsOf(analysis: Pick<Analysis, 'graph'>): readonly PromptState[] {
  return statesOf(analysis).filter(isPrompt);
}

/** All scripts. */
export function scriptsOf(analysis: Analysis): readonly ScriptState[] {
  return statesOf(analysis).filter((state): state is ScriptState => state.source.kind === 'script');
}

/** Every tag with its state. */
export function* mentionsOf(analysis: Analysis): Generator<{ readonly state: StateNode; readonly mention: Mention }> {
  for (const state of statesOf(analysis)) for (const mention of state.mentions) yield { state, mention };
}

/** True if a state may have transitions that its text does not show: they may lead to any state, with any value. */
export function hasUnknownTargets(analysis: Pick<Analysis, 'graph'>): boolean {
  return statesOf(analysis).some((state) => state.hasUnknownTargets);
}

/** True if every transition of the reachable states is known. */
export function isClosed({ graph, reached }: Analysis): boolean {
  return [...reached].every((file) => graph.states.get(file)?.hasUnknownTargets !== true);
}

/** The matches of a pattern with their positions. */
export function* matches(
  text: PositionedText,
  pattern: RegExp,
): Generator<{ readonly match: RegExpExecArray; readonly at: Position }> {
  for (const match of text.text.matchAll(pattern)) yield { match, at: text.at(match.index) };
}

/** The text of a prompt or a script that rules search for words; of a script, without its comments. */
export function searchableText({ source }: Pick<StateNode, 'source'>): string {
  if (source.kind === 'prompt') return source.prompt.body.text;
  if (source.kind !== 'script') return '';
  return withoutComments(source.raw.text, source.script);
}

/** A text with blanks in the place of long lines, which are data: patterns that look at a whole line need the square of its length. */
export function withoutLongLines(text: string): string {
  return text.replace(/^[^\n]{1000,}/gm, (line) => ' '.repeat(line.length));
}

const plainTexts = new WeakMap<StateNode['source'], string>();

/** The searchable text of a state without its long lines. Many rules read it, so it is made once. */
export function plainText(state: Pick<StateNode, 'source'>): string {
  const known = plainTexts.get(state.source);
  if (known !== undefined) return known;
  const text = withoutLongLines(searchableText(state));
  plainTexts.set(state.source, text);
  return text;
}

function withoutComments(text: string, { shell, program }: ScriptSource): string {
  const pieces: string[] = [];
  let from = 0;
  for (const { text: comment, at } of shell?.comments ?? program?.comments ?? []) {
    pieces.push(text.slice(from, at), ' '.repeat(comment.length));
    from = at + comment.length;
  }
  return [...pieces, text.slice(from)].join('');
}

/** True for a state that reads its input. */
export function readsInput(state: StateNode): boolean {
  return /\{\{(?:input|result)(?:\.[^{}]+)?\}\}|\bRAYMOND_(?:INPUT|RESULT)(?:_\w+)?\b|\$\{?input\b/.test(
    searchableText(state),
  );
}

/** A part of a tag in a script that is known only at run time. */
interface ComputedPart {
  readonly offset: number;
  readonly inAttribute: boolean;
  /** True in an attribute that double quotes enclose. */
  readonly inDoubleQuotes: boolean;
}

const ELEMENT = new RegExp(
  `<(${TAG_NAMES.filter((name) => !BODYLESS.includes(name)).join('|')})(?![\\w-])([^<>]*)>([^]*?)</\\1>`,
  'g',
);

/** The computed parts of the tags that a script prints. */
export function computedParts({ printed }: ScriptSource): readonly ComputedPart[] {
  return printed.flatMap((text) =>
    [...text.text.matchAll(ELEMENT)].flatMap((match) => {
      const [, name = '', attributes = ''] = match;
      const from = match.index + 1 + name.length;
      return computedIn(text, { from, to: match.index + match[0].length }).map(({ index, offset }) => ({
        offset,
        inAttribute: index < from + attributes.length,
        inDoubleQuotes: /="[^"]*$/.test(text.text.slice(from, index)),
      }));
    }),
  );
}

function computedIn(
  text: TracedText,
  { from, to }: { readonly from: number; readonly to: number },
): readonly { readonly index: number; readonly offset: number }[] {
  const parts = [];
  for (
    let index = text.text.indexOf(COMPUTED, from);
    index >= 0 && index < to;
    index = text.text.indexOf(COMPUTED, index + 1)
  )
    parts.push({ index, offset: text.offsetOf(index) });
  return parts;
}

/** Tells whether an offset of a Markdown text is in a code span or a code fence. */
export function codeIn(text: string): (offset: number) => boolean {
  const ranges = [...text.matchAll(/^ {0,3}(```+|~~~+)[^]*?(?:^ {0,3}\1|$(?![^]))|(`+)(?!`)[^]*?[^`]\2(?!`)/gm)].map(
    ({ index, 0: whole }) => [index, index + whole.length] as const,
  );
  return (offset) => ranges.some(([from, to]) => offset >= from && offset < to);
}

/** Tells whether an offset is in a code fence that names a language: text of another format. */
export function otherFormatIn(text: string): (offset: number) => boolean {
  const fences = [...text.matchAll(/^ {0,3}(```+|~~~+)[ \t]*\w[^]*?(?:^ {0,3}\1|$(?![^]))/gm)];
  return (offset) => fences.some(({ index, 0: whole }) => offset >= index && offset < index + whole.length);
}

/** Where a transition is written: of an entry of a policy, the tag in the text of the prompt, if the text shows the tag. */
export function shownAt(
  { graph }: Pick<Analysis, 'graph'>,
  { from, at, mention }: Pick<Edge, 'from' | 'at' | 'mention'>,
): Position {
  const { tag, body } = mention;
  const shown = graph.states
    .get(from)
    ?.mentions.find((one) => one.source === 'text' && one.tag === tag && one.body?.value.trim() === body?.value.trim());
  return mention.source === 'policy' && shown !== undefined ? shown.at : at;
}

/** The text of a state as its author wrote it, with positions: of a prompt, what is below its frontmatter. */
export function textOf({ source }: Pick<StateNode, 'source'>): PositionedText | undefined {
  if (source.kind === 'prompt') return source.prompt.body;
  return source.kind === 'script' ? source.raw : undefined;
}

/** The line of a text around an offset. */
export function lineAround(text: string, at: number): string {
  return text.slice(text.lastIndexOf('\n', at) + 1).split('\n', 1)[0] ?? '';
}

/** A name that is not a part of a longer one. */
export function wholeName(name: string, flags = ''): RegExp {
  return new RegExp(`(?<![\\w-])${literalPattern(name)}(?![\\w-])`, flags);
}

/** The beginning of a tag. */
export const TAG = new RegExp(`<(?:${TAG_NAMES.join('|')})\\b`);

/** True for an edge on which the conversation of the agent continues. */
export function continuesConversation({ tag, role }: Edge): boolean {
  return role !== 'target' || tag === 'goto' || tag === 'call';
}

/** A text that is nothing but one tag. */
const WHOLE_TAG = new RegExp(`^\\s*<(${TAG_NAMES.join('|')})\\b[^<>]*>[^<>]*</\\1>\\s*$`);

/** A tag that a script writes to stderr. */
export function tagOnStderr({
  script,
  raw,
}: ScriptState['source']): Pick<FindingDetails, 'at' | 'message' | 'fix'> | undefined {
  // A handler of the end of a program prints what its other parts have found out.
  if (/\bprocess\.on\(['"](?:exit|beforeExit)['"]|\batexit\./.test(raw.text)) return undefined;
  const toStderr = script.commands.filter(({ output }) => output === 'stderr').flatMap(({ args }) => args);
  const text =
    script.misdirected?.find((one) => TAG.test(one.text)) ?? toStderr.find((one) => WHOLE_TAG.test(one.text));
  return (
    text && {
      at: raw.at(text.offsetOf(text.text.search(TAG))),
      message: 'this tag goes to stderr, not to stdout',
      fix: 'print it on stdout',
    }
  );
}

/** A mistake at an offset of a script. */
export interface Mistake {
  readonly at: number;
  readonly message: string;
  readonly fix: string;
}

/** Reports the mistakes of all scripts that can be read. */
export function* mistakesOf(
  analysis: Analysis,
  mistakesIn: (state: ScriptState) => Iterable<Mistake>,
): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const { source, file } = state;
    if (analysis.syntax.has(file)) continue;
    for (const { at, ...mistake } of mistakesIn(state)) yield { at: source.raw.at(at), state: file, ...mistake };
  }
}

/** The name of a package in messages: the last part of its path. */
export function packageName(path: string): string {
  return path.replace(/^.*\//, '');
}

/** The other package that a tag names, from the state that it names; undefined if it could not be read. */
export function packageNamed({ workflows, otherPackages }: Analysis, specifier: string): Analysis | undefined {
  const answer = workflows.get(specifier);
  if (answer?.kind !== 'workflow') return undefined;
  return otherPackages.find(
    ({ graph: { source, entry } }) =>
      originOf(source.scope) === originOf(answer.scope) && entry.kind === 'state' && entry.file === answer.entry,
  );
}
