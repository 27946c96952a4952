// The rule about numbers with a unit: a result such as 8/10 or 85% that a script takes for a number.
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges, edgesInto, reachableFrom, type Edge, type StateNode } from '../../graph.js';
import { isOwnTransition } from '../../loops.js';
import type { Mention } from '../../mention.js';
import { COMPUTED } from '../../shell/words.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import { giversOf } from '../values/result-rules.js';
import type { Analysis, Rule } from '../rule.js';
import { carriedVariable, plainCode } from './carried-variables.js';
import { programCode, readTexts } from '../scripts/program-code.js';

/** A text that a script gets, as the package shows it. */
interface Given {
  /** The name of the variable, or of the field of a JSON object. */
  readonly name: string;
  readonly isField: boolean;
  readonly example: string;
}

const NUMBER = String.raw`(?:\uE000|\d[\d.,]*|\{\{[\w.]+\}\})`;
const PLACEHOLDER = String.raw`(?:N|X|NN|XX|[A-Z]*(?:NUMBER|POINTS|SCORE|STARS|COUNT|GRADE|RATING|PERCENT|TOTAL|MARKS?|SUM)[A-Z]*)`;
const MEASURE = new RegExp(
  String.raw`^(?:[€$£]\s?${NUMBER}|(?:${NUMBER}|${PLACEHOLDER})\s?(?:(?:/|out of|of)\s?(?:${NUMBER}|${PLACEHOLDER})|%|€)|${NUMBER}\s?[A-Za-zµ°]{1,12}[23²³]?)$`,
);

/** The texts of which all examples are numbers with a unit. */
function measured(name: string, texts: readonly string[], isField = false): readonly Given[] {
  const trimmed = texts.map((text) => text.trim());
  const example = trimmed.find((text) => MEASURE.test(text));
  const isNumber = (text: string): boolean => /^-?\d+(?:\.\d+)?$/.test(text) || text === COMPUTED || text === '';
  return example === undefined || trimmed.some(isNumber) ? [] : [{ name, isField, example }];
}

/** What a script gets as its value, in the fields of its value, and in attributes. */
function givenTo(analysis: Analysis, state: ScriptState): readonly Given[] {
  const results = (giversOf(analysis, state.file) ?? []).flatMap(resultsOf);
  const agents = resultsOfAgents(analysis, state.file);
  return [
    ...measured('RAYMOND_RESULT', results),
    ...measured('RAYMOND_INPUT', results),
    ...fieldsOf(results),
    ...measured('result', agents, true),
    ...attributesOf(analysis, state.file),
  ];
}

/** The results that a state shows or prints; none if a schema says what they are. */
function resultsOf({ source, mentions }: StateNode): readonly string[] {
  if (source.kind === 'prompt' && source.prompt.resultSchema !== undefined) return [];
  return mentions.flatMap(({ tag, body }) => (tag === 'result' && body !== undefined ? [body.value] : []));
}

/** The fields of JSON objects that are numbers with a unit. */
function fieldsOf(results: readonly string[]): readonly Given[] {
  const fields = new Map<string, string[]>();
  for (const result of results.filter((text) => text.trim().startsWith('{')))
    for (const [, name = '', text, other] of result.matchAll(/"(\w+)"\s*:\s*(?:"([^"\n]*)"|([^\s,}"]+))/g))
      fields.set(name, [...(fields.get(name) ?? []), text ?? other ?? '']);
  return [...fields].flatMap(([name, texts]) => [
    ...measured(name, texts, true),
    ...measured(`RAYMOND_RESULT_${name}`, texts),
  ]);
}

/** The results of the forked agents for which an `<await>` before the state waits. */
function resultsOfAgents({ graph }: Analysis, file: string): readonly string[] {
  const incoming = edgesInto(graph, file);
  if (incoming.length === 0 || incoming.some(({ tag, role }) => tag !== 'await' || role !== 'next')) return [];
  const forked = allEdges(graph).flatMap(({ tag, role, to }) =>
    tag === 'fork' && role === 'target' && to.kind === 'state' ? [to.file] : [],
  );
  const states = reachableFrom(graph, { from: forked, accepts: isOwnTransition });
  return [...states].flatMap((one) => {
    const state = graph.states.get(one);
    return state === undefined ? [] : resultsOf(state);
  });
}

/** The attributes and inputs of the tags that lead to a state. */
function attributesOf(analysis: Analysis, file: string): readonly Given[] {
  const edges = allEdges(analysis.graph).filter(
    ({ to, role }) => to.kind === 'state' && to.file === file && role !== 'timeout',
  );
  if (edges.length === 0 || edges.some(({ role }) => role !== 'target')) return [];
  const shown = edges.map((edge) => shownBy(analysis, edge));
  const names = new Set(shown.flatMap((mentions) => mentions.flatMap(({ attributes }) => [...attributes.keys()])));
  return [...names].flatMap((name) => {
    const values = shown.map((mentions) => mentions.flatMap(({ attributes }) => attributes.get(name)?.value ?? []));
    return values.some((some) => some.length === 0)
      ? []
      : measured(name === 'input' ? 'RAYMOND_INPUT' : name, values.flat());
  });
}

/** The tag of an edge; of an entry of a policy, as the text shows it. */
function shownBy({ graph }: Analysis, { from, mention }: Edge): readonly Mention[] {
  const shown = (graph.states.get(from)?.mentions ?? []).filter(
    ({ source, tag, body }) => source === 'text' && tag === mention.tag && body?.value === mention.body?.value,
  );
  return mention.source === 'policy' && shown.length > 0 ? shown : [mention];
}

function* measures(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const given = givenTo(analysis, state);
  if (given.length === 0) return;
  const isShell = executorOf(state.file) === 'bash';
  for (const one of given) {
    const at = isShell ? useInShell(state, one) : useInProgram(state, one);
    if (at === undefined) continue;
    const example = one.example.replaceAll(COMPUTED, '…');
    yield {
      at,
      message: `${one.name} is a text such as ${example}, which is no number, so this comparison or conversion fails`,
      fix: `pass the number only, or take it out of the text here${isShell ? `, as in \${${one.name}%%[^0-9]*}` : ''}`,
    };
    return;
  }
}

/** Where bash compares a variable as a number. */
function useInShell(state: ScriptState, { name, isField }: Given): number | undefined {
  const variable = isField ? undefined : carriedVariable(state, name === 'RAYMOND_INPUT' ? 'input' : name);
  if (variable === undefined) return undefined;
  const code = plainCode(state);
  if (/\b2>\s*\/dev\/null[^\n]*(?:then|\|\|)/.test(code)) return undefined;
  const found = variable.forms.flatMap(({ pattern }) => {
    const operator = String.raw`-(?:ge|gt|le|lt|eq|ne)\s`;
    const tested = String.raw`(?:\[\[?|\btest)\s[^\n]*?(?:${pattern}["']?\s+${operator}|\s${operator}\s*["']?${pattern})`;
    const calculated = String.raw`\(\([^\n()]*?${pattern}[^\n()]*?\)\)`;
    const match = new RegExp(`${tested}|${calculated}`).exec(code);
    return match === null ? [] : [match.index];
  });
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Where a program makes a number of a text, or compares it with one. */
function useInProgram(state: ScriptState, { name, isField }: Given): number | undefined {
  const isPython = executorOf(state.file) === 'python';
  const code = programCode(state);
  if (/\bexcept\b|\bcatch\b|isNaN|isFinite|isInteger|isdigit|isnumeric/.test(code)) return undefined;
  const patterns = isField
    ? [fieldPattern(name, isPython)]
    : readTexts(state, code).flatMap((text) => (text.isVariable && text.name === name ? [text.pattern] : []));
  const found = patterns.flatMap((pattern) => {
    const fallback = String.raw`(?:\s*(?:\?\?|\|\||\bor\b)\s*["']?\w*["']?)?`;
    const converted = String.raw`(?<![\w.])(?:${isPython ? 'int|float|Decimal' : 'Number|BigInt'})\(\s*${pattern}${fallback}\s*\)`;
    const signed = String.raw`(?<=[=(,:?&|]\s?|\breturn\s)\+\s?\(?\s*${pattern}`;
    const compared = String.raw`${pattern}\s*[<>]=?\s*[\w(]|(?<![\w.])\d+\s*[<>]=?\s*${pattern}`;
    const match = new RegExp(isPython ? converted : `${converted}|${signed}|${compared}`).exec(code);
    return match === null ? [] : [match.index];
  });
  return found.length === 0 ? undefined : Math.min(...found);
}

function fieldPattern(name: string, isPython: boolean): string {
  const index = String.raw`\[["']${name}["']\]`;
  return isPython
    ? String.raw`(?<![\w.])\w+(?:\[\w+\])?(?:${index}|\.get\(\s*["']${name}["'][^()\n]{0,20}\))`
    : String.raw`(?<![\w.])\w+(?:\[\w+\])?(?:\??\.${name}(?![\w$])|${index})`;
}

/** The rule, for the table of all rules. */
export const MEASURE_RULES: readonly Rule[] = [
  {
    id: 'measure-as-number',
    severity: 'warning',
    summary: 'A script uses a text such as 8/10, 85% or 3 days as a number, but the text is a fraction or has a unit.',
    why: 'A script gets a result, an input or an attribute exactly as it was written. A comparison in bash fails for such a text or calculates something else, int(…) in Python raises an error, and Number(…) in JavaScript gives NaN.',
    check: (analysis) => mistakesOf(analysis, (state) => measures(analysis, state)),
  },
];
