// Rules about what a script compares its value with: texts that no state, no question and no input gives. They count only where all values
// that may reach the script are written in the package.
import { nearest } from '../../../protocol/text.js';
import type { Edge, StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { hasUnknownTargets, mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import { edgesWithValue } from '../passed.js';
import { giversOf } from '../result-rules.js';
import type { Analysis, Rule } from '../rule.js';

/** The values that may reach a state. */
interface Values {
  readonly texts: ReadonlySet<string>;
  /** True for the choices of a question: a person may also write something else. */
  readonly isOpen: boolean;
}

/** The values that reach a state; undefined when they are not known. */
export function valuesOf(analysis: Analysis, file: string): Values | undefined {
  const { graph } = analysis;
  const isEntry = graph.entry.kind === 'state' && graph.entry.file === file;
  if (isEntry || analysis.entriesFromOutside?.includes(file) === true) return undefined;
  if (hasUnknownTargets(analysis)) return undefined;
  const edges = edgesWithValue(analysis, file);
  const values = edges.map((edge) => valuesOn(analysis, { edge, file }));
  if (values.length === 0 || values.some((texts) => texts === undefined)) return undefined;
  const texts = new Set(values.flatMap((some) => some ?? []));
  return texts.size === 0 ? undefined : { texts, isOpen: edges.some(({ tag }) => tag === 'ask') };
}

function valuesOn(
  analysis: Analysis,
  { edge, file }: { readonly edge: Edge; readonly file: string },
): readonly string[] | undefined {
  const { tag, role, mention } = edge;
  if (tag === 'ask') return listOf(mention.attributes.get('choices')?.value);
  if (role === 'return') return resultsOf(giversOf(analysis, file));
  const input = mention.attributes.get('input')?.value;
  const isPlain = role === 'target' && mention.source === 'script' && !tag.startsWith('fork');
  return isPlain && input !== undefined && !isComputed(input) ? [input] : undefined;
}

function listOf(choices: string | undefined): readonly string[] | undefined {
  return choices === undefined || isComputed(choices) ? undefined : choices.split(',').map((choice) => choice.trim());
}

/** The fixed results of all these states. */
function resultsOf(states: readonly StateNode[] | undefined): readonly string[] | undefined {
  const results = states?.map(fixedResults);
  return results?.some((texts) => texts === undefined) === false ? results.flatMap((texts) => texts ?? []) : undefined;
}

/** The texts with which a state ends, if they are fixed: of a prompt, by its policy, or by several examples in its text. */
function fixedResults(state: StateNode): readonly string[] | undefined {
  return resultsByPolicy(state) ?? resultsByText(state);
}

function resultsByPolicy({ source, effectiveMentions }: StateNode): readonly string[] | undefined {
  const results = effectiveMentions.filter(
    ({ tag, source: from }) => tag === 'result' && (source.kind !== 'prompt' || from === 'policy'),
  );
  const texts = results.map(({ body }) =>
    body === undefined || isComputed(body.value) ? undefined : body.value.trim(),
  );
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined;
}

/** The results that a prompt asks for: several texts, each of one word or with a colon before what is not fixed. */
function resultsByText({ source, mentions }: StateNode): readonly string[] | undefined {
  if (source.kind !== 'prompt' || source.prompt.resultSchema !== undefined) return undefined;
  const texts = mentions.flatMap(({ tag, body, source: from }) =>
    tag === 'result' && from === 'text' && body !== undefined ? [body.value.trim()] : [],
  );
  const isPlain = (text: string): boolean => /^[\w-]+(?::.*)?$|^[\w -]+:.*$/.test(text) && !isComputed(text);
  return new Set(texts).size > 1 && texts.every(isPlain) ? texts : undefined;
}

/** A text with which a script compares a variable; with `isPrefix`, only its beginning. */
interface Comparison {
  readonly text: string;
  readonly isPrefix?: true;
  readonly at: number;
}

function* impossible(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = searchableText(state);
  const compared = [...comparisonsIn(code)];
  const values = compared.length === 0 ? undefined : valuesOf(analysis, state.file);
  if (values === undefined) return;
  const known = [...values.texts];
  const fold = (text: string): string => (FOLDS.test(code) ? text.toLowerCase() : text);
  const isKnown = ({ text, isPrefix }: Comparison): boolean =>
    known.some((one) => (isPrefix ? fold(one).startsWith(fold(text)) : fold(one) === fold(text)));
  if (values.isOpen && compared.some(isKnown)) return;
  for (const comparison of compared) {
    if (isKnown(comparison)) continue;
    const near = nearest(comparison.text, known);
    yield {
      at: comparison.at,
      message: `nothing in the package gives this script the value "${comparison.text}", only ${known.join(' or ')}`,
      fix: near === undefined ? 'compare with one of these values' : `did you mean ${near}?`,
    };
  }
}

/** What changes upper case into lower case, or the other way. */
const FOLDS =
  /\.(?:lower|upper|casefold|toLowerCase|toUpperCase)\(|\$\{\w+(?:,,|\^\^)\}|\btr\b.*(?:upper|A-Z)|nocasematch/;

const READ = String.raw`(?:RAYMOND_(?:INPUT|RESULT))\b`;
/** The name of a variable that gets the value of the state, and nothing that is cut out of it. */
const ASSIGNED = new RegExp(
  String.raw`(?<![\w.])(\w+)(?:\s*:\s*\w+)?\s*=(?!=)\s*(?:"?\$\{?${READ}(?:,,|\^\^|:-[^}]*)?\}?"?[ \t]*$|\(?(?:os\.environ(?:\.get)?[[(]|os\.getenv\(|process\.env[.[])["']?${READ}[^\n]*)`,
  'gm',
);
/** What gives another text than the value. */
const CUT =
  /\.(?:split|splitlines|replace|slice|substring|match|partition|removeprefix|find|indexOf|length)\b|\[\d|\[:|json|JSON|\bint\(|Number\(|parseInt|\bre\./;

function* comparisonsIn(code: string): Generator<Comparison> {
  const variables = [...code.matchAll(ASSIGNED)].flatMap(({ 0: line, 1: name = '' }) => (CUT.test(line) ? [] : [name]));
  const once = variables.filter(
    (name) => code.match(new RegExp(`(?<![\\w.$])${name}(?:\\s*:\\s*\\w+)?\\s*=(?!=)`, 'g'))?.length === 1,
  );
  const name = `(?:${[READ, ...once.map((one) => `\\b${one}\\b`)].join('|')})`;
  const call = String.raw`(?:\.(?:strip|trim|lower|upper|casefold|toLowerCase|toUpperCase)\(\))*`;
  const bash = new RegExp(
    String.raw`\[\[?\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+!?==?\s+["']?([\w-]+)["']?\s+\]`,
    'g',
  );
  const program = new RegExp(String.raw`(?<![\w.$])${name}${call}\s*[!=]==?\s*["']([\w -]+)["']`, 'g');
  for (const pattern of [bash, program])
    for (const { index, 0: whole, 1: text = '' } of code.matchAll(pattern))
      yield { text, at: index + whole.lastIndexOf(text) };
  const starts = new RegExp(String.raw`(?<![\w.$])${name}${call}\.(?:startswith|startsWith)\(["']([\w -]+)["']\)`, 'g');
  const glob = new RegExp(
    String.raw`\[\[\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+==?\s+["']?([\w-]+)["']?\*\s+\]\]`,
    'g',
  );
  for (const pattern of [starts, glob])
    for (const { index, 0: whole, 1: text = '' } of code.matchAll(pattern))
      yield { text, at: index + whole.lastIndexOf(text), isPrefix: true };
  yield* casesIn(code, name);
}

/** The patterns of `case "$variable" in` and of `switch (variable)`; those with an alternative that is not plain are left out. */
function* casesIn(code: string, name: string): Generator<Comparison> {
  const shell = new RegExp(String.raw`\bcase\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+in\b([^]*?)\besac\b`, 'g');
  for (const { index, 0: whole, 1: body = '' } of code.matchAll(shell))
    for (const { index: offset, 0: line, 1: text = '', 2: star } of body.matchAll(/^\s*\(?["']?([\w-]+)["']?(\*)?\)/gm))
      yield {
        text,
        at: index + whole.indexOf(body) + offset + line.indexOf(text),
        ...(star === undefined ? {} : { isPrefix: true }),
      };
  const node = new RegExp(String.raw`\bswitch\s*\(\s*${name}[^)\n]*\)*\s*\{([^]*?)^\s*\}`, 'gm');
  for (const { index, 0: whole, 1: body = '' } of code.matchAll(node))
    for (const { index: offset, 0: line, 1: text = '' } of body.matchAll(/^\s*case\s+["']([\w -]+)["']:/gm))
      yield { text, at: index + whole.indexOf(body) + offset + line.indexOf(text) };
}

/** Rules about comparisons. */
export const COMPARISON_RULES: readonly Rule[] = [
  {
    id: 'impossible-value',
    severity: 'warning',
    summary: 'A script compares its value with a text, but nothing in the package passes this text to the script.',
    why: 'All values that may reach the state are written in the package: the results that the policy of a called prompt allows, the choices of a question, or the inputs of tags. None of them is equal to this text. Only a person can still write it, as an answer that is none of the choices.',
    check: (analysis) => mistakesOf(analysis, (state) => impossible(analysis, state)),
  },
];
