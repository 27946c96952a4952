// Results and inputs in which words stand before or after the JSON: the state that gets them finds no fields, and cannot parse them.
import { allEdges, type StateNode } from '../../graph.js';
import { isComputed, type Mention } from '../../mention.js';
import type { Position } from '../../position.js';
import { COMPUTED } from '../../shell/words.js';
import { searchableText, statesOf, withoutLongLines, type PromptState } from '../helpers.js';
import { giversOf } from './result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { valueAsJson } from '../texts/value-uses.js';

function* wordsAroundJson(analysis: Analysis): Generator<FindingDetails> {
  const seen = new Set<string>();
  for (const reader of statesOf(analysis)) {
    const use = useOfJson(reader);
    if (use === undefined) continue;
    for (const finding of [...inResults(analysis, reader), ...inInputs(analysis, { reader, use })]) {
      const key = `${finding.at.file}:${finding.at.line}:${finding.at.column}`;
      if (seen.has(key)) continue;
      seen.add(key);
      yield {
        at: finding.at,
        state: finding.state,
        message: `${reader.file} ${use === 'fields' ? 'reads fields of this text' : 'parses this text as JSON'}, but the text is not JSON: ${finding.what}`,
        fix: 'pass the JSON object alone; other words belong outside of the tag or into a field',
      };
    }
  }
}

/** How a state uses its value as JSON. */
export function useOfJson(state: StateNode): 'fields' | 'whole' | undefined {
  const text = searchableText(state);
  const fields = state.kind === 'prompt' ? /\{\{result\.[^{}\s]+\}\}/ : /\bRAYMOND_RESULT_(?!FILE\b)\w/;
  if (fields.test(text)) return 'fields';
  return state.kind === 'script' && valueAsJson(state) ? 'whole' : undefined;
}

interface Wrapped {
  readonly at: Position;
  readonly state: string;
  readonly what: string;
}

function* inResults(analysis: Analysis, reader: StateNode): Generator<Wrapped> {
  for (const giver of giversOf(analysis, reader.file) ?? []) {
    if (giver.source.kind === 'prompt' && giver.source.prompt.resultSchema !== undefined) continue;
    const results = giver.mentions.filter(({ tag, body }) => tag === 'result' && body !== undefined);
    const found = results.map((mention) => ({ mention, what: wordsAround(mention.body?.value ?? '', mention) }));
    const [wrapped] = found.filter(({ what }) => what !== undefined);
    // Other results may be the answer for a case without fields.
    if (wrapped?.what !== undefined)
      yield { at: offsetOfWords(wrapped.mention), state: giver.file, what: wrapped.what };
    else if (giver.source.kind === 'prompt') yield* askedWords(giver as PromptState);
  }
}

function* inInputs(
  { graph }: Analysis,
  { reader, use }: { readonly reader: StateNode; readonly use: 'fields' | 'whole' },
): Generator<Wrapped> {
  if (use === 'fields') return;
  const edges = allEdges(graph).filter(
    ({ role, to }) => role === 'target' && to.kind === 'state' && to.file === reader.file,
  );
  for (const { from, mention } of edges)
    for (const shown of mention.source === 'policy' ? tagsLike(graph.states.get(from), mention) : [mention]) {
      const input = shown.attributes.get('input');
      const what = input === undefined ? undefined : wordsAround(input.value, shown);
      if (input !== undefined && what !== undefined) yield { at: input.valueAt, state: from, what };
    }
}

/** The tags in the text of a prompt that an entry of its policy means. */
function tagsLike(state: StateNode | undefined, { tag, body }: Mention): readonly Mention[] {
  return (state?.mentions ?? []).filter(
    (one) => one.source === 'text' && one.tag === tag && one.body?.value.trim() === body?.value.trim(),
  );
}

/** The tag, or its text if this is in a line below. */
function offsetOfWords({ at, body }: Mention): Position {
  return body !== undefined && body.at.line > at.line ? body.at : at;
}

/** The beginning of a JSON object. */
const OBJECT = /\{\s*\\?"[\w -]+\\?"\s*:/;

/** The words that stand before or after the JSON of a text. */
function wordsAround(value: string, { source, isCertain, malformed }: Mention): string | undefined {
  const text = value.trim();
  const object = OBJECT.exec(text);
  if (malformed !== undefined || isCertain === false) return undefined;
  // A script that computes the JSON writes words before it.
  if (object === null && source === 'script') {
    const [, words = ''] = new RegExp(`^([A-Z][A-Za-z ]+\\s|[A-Za-z][A-Za-z ]*[:=]\\s*)${COMPUTED}$`).exec(text) ?? [];
    return words === '' ? undefined : `it begins with "${words.trim()}"`;
  }
  if (object === null || (source !== 'script' && isComputed(text.slice(0, object.index)))) return undefined;
  const before = text.slice(0, object.index).trim();
  if (/[[{]\s*$/.test(before)) return undefined;
  const fence = /```\w*$/.test(before) ? before.replace(/\s*```\w*$/, '') : before;
  if (fence !== '') return /[A-Za-z]/.test(fence) ? `"${fence.slice(0, 40)}" stands before it` : undefined;
  const end = text.lastIndexOf('}');
  const after = text
    .slice(end + 1)
    .replace(/```/g, '')
    .trim();
  return before === '' && /[A-Za-z]{2}/.test(after) && !after.includes(COMPUTED)
    ? `"${after.slice(0, 40)}" stands after it`
    : undefined;
}

const WORDS_IN_RESULT =
  /\b(?:begin|start|introduce|prefix|precede)\s+(?:the\s+|your\s+)(?:result|object|JSON|tag)\s+(?:with|by)\s+(?:the\s+words?\s+)?["“`][A-Za-z]|\b(?:in|into|inside)\s+(?:the\s+(?:same\s+)?(?:result|tag)|`?<result>`?)[^.{<]{0,60}\b(?:sentence|explanation|reason\w*|comment|words?)\b[^.{]{0,60}\b(?:before|and|then|followed\s+by|above)\b[^.{]{0,30}\b(?:JSON|object)\b/i;

/** A prompt that says in words that the result has more than the JSON. */
function* askedWords({ source, file }: PromptState): Generator<Wrapped> {
  const { body } = source.prompt;
  const text = withoutLongLines(body.text).replace(/\n/g, ' ');
  const match = WORDS_IN_RESULT.exec(text);
  if (match !== null && /\bJSON\b|\{/.test(text))
    yield { at: body.at(match.index), state: file, what: 'the prompt wants words beside it' };
}

/** The rule about words around JSON. */
export const JSON_WORDS_RULES: readonly Rule[] = [
  {
    id: 'words-around-json',
    severity: 'warning',
    summary:
      'A text such as a result has words before or after its JSON, so the next state finds no fields in the text and cannot parse it.',
    why: 'A result has fields only if the whole text between <result> and </result> is one JSON object. With other words in it, no RAYMOND_RESULT_name is set, {{result.name}} is not replaced, and programs that parse the text fail.',
    check: wordsAroundJson,
  },
];
