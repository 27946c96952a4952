// Follows numbers in attributes and inputs from state to state: which numbers can reach a state, if all tags that lead to it pass either
// a literal or what their own state got. Pure.
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { allEdges, type Edge } from '../../graph.js';
import type { Mention } from '../../mention.js';
import type { Position, PositionedText } from '../../position.js';
import { COMPUTED } from '../../shell/words.js';
import { searchableText, type PromptState, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { carriedVariable, isUnchangedAt } from './carried-variables.js';
import { numberOf } from './number-comparisons.js';

/** What a tag passes as a variable: a number, the variable of its own state with this name, nothing, or something else. */
export type Passed =
  | { readonly kind: 'number'; readonly value: number; readonly at: Position }
  | { readonly kind: 'same'; readonly name: string; readonly at: Position }
  | { readonly kind: 'nothing'; readonly at: Position }
  | { readonly kind: 'other' };

const OTHER: Passed = { kind: 'other' };

/** What an edge passes to its state. */
export function passedOn({ graph }: Analysis, edge: Edge, name: string): Passed {
  const { role, tag, mention, from } = edge;
  const state = graph.states.get(from);
  if (role !== 'target' || state === undefined) return name === 'input' && role !== 'timeout' ? OTHER : nothing(edge);
  if (mention.malformed !== undefined || mention.stray !== undefined) return OTHER;
  if (name !== 'input' && !isOwnAttribute(tag, name)) return OTHER;
  const { source } = state;
  if (source.kind === 'prompt') return passedByPrompt({ ...state, source }, edge, name);
  return source.kind === 'script' ? passedByScript({ ...state, source }, edge, name) : OTHER;
}

function nothing({ mention }: Edge): Passed {
  return { kind: 'nothing', at: mention.at };
}

function passedByScript(state: ScriptState, edge: Edge, name: string): Passed {
  const attribute = edge.mention.attributes.get(name);
  if (attribute === undefined) return nothing(edge);
  const { value, at, valueAt } = attribute;
  if (/^\d+$/.test(value)) return { kind: 'number', value: Number(value), at };
  const offset = value === COMPUTED ? offsetAt(state.source.raw, valueAt) : undefined;
  const literal = offset === undefined ? null : printedNumber(state.source.raw.text, offset);
  if (literal !== null) return { kind: 'number', value: Number(literal), at };
  if (offset === undefined) return OTHER;
  const own = namesRead(state, name).find((one) => {
    const variable = carriedVariable(state, one);
    return variable !== undefined && isUnchangedAt(state, { variable, offset });
  });
  return own === undefined ? OTHER : { kind: 'same', name: own, at: edge.mention.at };
}

/** A constant of the script, or the only number that a line gets: `printf '<goto round="%d">…' 1`. */
function printedNumber(text: string, offset: number): string | null {
  const line = /^%d[^\n]*/.exec(text.slice(offset))?.[0] ?? '';
  const constant = /^(?:\$?\{)?([A-Za-z_]\w*)\s*(?=[}+"'`])/.exec(text.slice(offset, offset + 80))?.[1];
  const number = constant === undefined ? undefined : numberOf(text, constant);
  return number === undefined ? (/^%d(?![^\n]*%)[^\n]*["']\s+(\d+)\s*$/.exec(line)?.[1] ?? null) : String(number);
}

/** The variables whose value a script may pass on: mostly under the same name. */
function namesRead(state: ScriptState, name: string): readonly string[] {
  const text = searchableText(state);
  const passed = [...text.matchAll(/(?<![\w.-])([a-z]\w*)=\\?["']/g)].map(([, one = '']) => one);
  return [...new Set([name, 'input', ...passed])].filter((one) =>
    text.includes(one === 'input' ? 'RAYMOND_INPUT' : one),
  );
}

/** What makes another number of the variable, in the words of a prompt. */
const CHANGES =
  /\b(?:incremen\w+|increas\w+|rais\w+|decreas\w+|reduc\w+|lower\w*|plus|minus|add(?:ed|ing)? (?:one|1)|one more|one less|count(?:s|ed|ing)? (?:up|down)|next (?:number|round|attempt|try|pass)|the new (?:number|value))\b|\+ ?1\b|- ?1\b(?!\d)/i;

function passedByPrompt(state: PromptState, edge: Edge, name: string): Passed {
  const { tag, mention } = edge;
  const text = state.source.prompt.body.text;
  const shown = state.mentions.filter(
    (one) => one.source === 'text' && one.tag === tag && one.body?.value === mention.body?.value,
  );
  const all = (shown.length === 0 ? [mention] : shown).map((one) => shownValue(one, name));
  const [first] = all;
  if (first === undefined || all.some(({ value }) => value !== first.value)) return OTHER;
  const words = text.replaceAll(`{{${name}}}`, '').replace(/<[a-z][^<>]*>/g, '');
  if (first.value === undefined)
    return shown.length === 0 || asksFor(name, words) ? OTHER : { kind: 'nothing', at: first.at };
  if (CHANGES.test(words)) return OTHER;
  const own = /^\{\{(\w+)\}\}$/.exec(first.value)?.[1];
  if (own !== undefined) return { kind: 'same', name: own === 'result' ? 'input' : own, at: first.at };
  return /^\d+$/.test(first.value) ? { kind: 'number', value: Number(first.value), at: first.at } : OTHER;
}

const PASSES =
  /\b(?:attributes?|tags?|pass(?:es|ed|ing)?|set|values?|adds?|added|include\w*|append|carr(?:y|ies)|hand|keep|give|return|with)\b|[`"'=]/i;

/** True if a prompt may ask for an attribute in addition to the tags that it shows: a sentence names it and speaks of passing it on. */
function asksFor(name: string, words: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  const asks = (sentence: string): boolean => PASSES.test(sentence.replace(word, '')) || CHANGES.test(sentence);
  return words.split(/[.!?:;](?=\s|$)|\n\s*\n/).some((sentence) => word.test(sentence) && asks(sentence));
}

function shownValue({ attributes, at }: Mention, name: string): { readonly value?: string; readonly at: Position } {
  const value = attributes.get(name)?.value.trim();
  return value === undefined ? { at } : { value, at };
}

/** The offset of a position in a text. */
function offsetAt(text: PositionedText, { line, column }: Position): number | undefined {
  const lines = text.text.split('\n');
  let offset = 0;
  for (const [index, one] of lines.entries()) {
    const start = text.atLine(index + 1);
    if (start.line === line) return offset + column - start.column;
    offset += one.length + 1;
  }
  return undefined;
}

/** What can reach a state as a variable: numbers, and `undefined` if a tag passes none. */
export type Reaching = ReadonlySet<number | undefined>;

/** The numbers that can reach a state; undefined if it may get others, too. */
export function numbersReaching(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): Reaching | undefined {
  const found = new Set<number | undefined>();
  const seen = new Set<string>();
  const pending = [{ file, name }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const key = JSON.stringify([next.file, next.name]);
    if (seen.has(key)) continue;
    seen.add(key);
    if (isGivenFromOutside(analysis, next)) return undefined;
    if (isEntry(analysis, next.file)) found.add(undefined);
    for (const edge of edgesTo(analysis, next.file)) {
      const passed = passedOn(analysis, edge, next.name);
      if (passed.kind === 'other') return undefined;
      if (passed.kind === 'same') pending.push({ file: edge.from, name: passed.name });
      else found.add(passed.kind === 'number' ? passed.value : undefined);
    }
  }
  return found;
}

/** The transitions of reachable states to a state. */
export function edgesTo({ graph, reached }: Analysis, file: string): readonly Edge[] {
  return allEdges(graph).filter(({ to, from }) => to.kind === 'state' && to.file === file && reached.has(from));
}

/** True for a variable that a label, the manifest, another package or the start of a run may set. */
export function isGivenFromOutside(
  { graph, entriesFromOutside = [] }: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): boolean {
  const { parsedManifest } = graph.source;
  if (parsedManifest?.labels?.includes(name) === true || parsedManifest?.environment[name] !== undefined) return true;
  return entriesFromOutside.includes(file) || (isEntry({ graph }, file) && name === 'input');
}

function isEntry({ graph }: Pick<Analysis, 'graph'>, file: string): boolean {
  return graph.entry.kind === 'state' && graph.entry.file === file;
}
