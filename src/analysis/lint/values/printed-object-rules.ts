// A rule about objects and lists that a script prints in the notation of its language, though the state that gets the text reads it as JSON.
import { allEdges, type StateNode } from '../../graph.js';
import { COMPUTED } from '../../shell/words.js';
import type { Value } from '../../program/atoms.js';
import { evaluationOf, type Evaluation } from '../../program/values.js';
import type { JoinTerm } from '../../program/terms.js';
import { plainText, scriptsOf, searchableText, statesOf, type ScriptState } from '../helpers.js';
import { useOfJson } from './json-words-rules.js';
import { giversOf } from './result-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

/** A value that is printed in a tag. */
interface Printed {
  readonly at: number;
  /** The attribute that it is; absent = the result. */
  readonly attribute?: string;
  readonly what: string;
}

function* printedObjects(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const seen = new Set<number>();
    for (const { at, attribute, what } of [...printedByProgram(state), ...printedByShell(state)]) {
      const reader = readerOf(analysis, { state, attribute });
      if (reader === undefined || seen.has(at)) continue;
      seen.add(at);
      yield {
        at: state.source.raw.at(at),
        state: state.file,
        message: `${reader} reads this value as JSON, but ${what}`,
        fix:
          attribute === undefined
            ? 'write JSON, for example with json.dumps, JSON.stringify or jq'
            : 'write JSON, for example with json.dumps or JSON.stringify, to a file and pass its path',
      };
    }
  }
}

/** The state that gets the value and reads it as JSON. */
function readerOf(
  analysis: Analysis,
  { state, attribute }: { readonly state: StateNode; readonly attribute: string | undefined },
): string | undefined {
  if (attribute === undefined)
    return statesOf(analysis).find(
      (reader) => useOfJson(reader) !== undefined && giversOf(analysis, reader.file)?.includes(state) === true,
    )?.file;
  const targets = allEdges(analysis.graph).flatMap(({ from, role, to, mention }) => {
    const isMeant = from === state.file && role === 'target' && mention.attributes.has(attribute);
    return isMeant && to.kind === 'state' ? (analysis.graph.states.get(to.file) ?? []) : [];
  });
  return targets.find((target) =>
    attribute === 'input' ? useOfJson(target) === 'whole' : parsesVariable(target, attribute),
  )?.file;
}

function parsesVariable(state: StateNode, name: string): boolean {
  return new RegExp(
    `\\b(?:json\\.loads|JSON\\.parse)\\([^\\n]{0,40}\\b${name}\\b|\\bjq\\b[^\\n]*\\$\\{?${name}\\b|\\$\\{?${name}\\}?"?[ \\t]*\\|[ \\t]*jq\\b`,
  ).test(searchableText(state));
}

function* printedByProgram({ source }: ScriptState): Generator<Printed> {
  const { program } = source.script;
  if (program === undefined) return;
  const evaluation = evaluationOf(program);
  for (const join of evaluation.terms.joins) yield* inJoin(join, evaluation);
}

function* inJoin({ parts }: JoinTerm, evaluation: Evaluation): Generator<Printed> {
  let before = '';
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'text') {
      before = (before + part.text).slice(-500);
      continue;
    }
    const next = parts[index + 1];
    const after = next?.kind === 'text' ? next.text : '';
    const isResult = /<result>\s*$/.test(before) && /^\s*<\/result>/.test(after);
    const [, attribute, quote = ''] = /<[a-z-]+\s[^<>]*?([\w-]+)=(["'])$/.exec(before) ?? [];
    const isAttribute = attribute !== undefined && after.startsWith(quote);
    const value = isResult || isAttribute ? evaluation.valueOf(part) : [];
    const what = notationOf(value, evaluation.terms.isPython);
    const [first] = value;
    if (what !== undefined && first !== undefined && 'at' in first) {
      const around = evaluation.terms.functions.find(
        ({ params, at, end }) => params.length > 0 && part.at >= at && part.at < end,
      );
      const isGiven = around !== undefined && (first.at < around.at || first.at >= around.end);
      yield { at: isGiven ? first.at : part.at, what, ...(isAttribute ? { attribute } : {}) };
    }
    before += COMPUTED;
  }
}

/** What the language makes of an object or a list in a text. */
function notationOf(value: Value, isPython: boolean): string | undefined {
  if (value.length === 0) return undefined;
  if (value.every((atom) => atom.kind === 'object' && (atom.keys.size > 0 || atom.isOpen)))
    return isPython
      ? 'Python prints a dict with single quotes, which are no JSON'
      : 'JavaScript prints an object as [object Object]';
  const isList = value.every((atom) => atom.kind === 'list' && hasTexts(atom.items()));
  if (!isList) return undefined;
  return isPython
    ? 'Python prints a list of texts with single quotes, which are no JSON'
    : 'JavaScript prints a list without brackets and quotes';
}

function hasTexts(items: Value): boolean {
  return items.some(({ kind }) => /^(?:text|some-text|composed|object|variable)$/.test(kind));
}

/** `<result>{count: $count}</result>`: an object whose names have no double quotes. */
function* printedByShell(state: ScriptState): Generator<Printed> {
  if (state.source.script.shell === undefined) return;
  const code = plainText(state);
  for (const { tag, body, at, isCertain } of state.mentions) {
    if (tag !== 'result' || body === undefined || isCertain === false) continue;
    if (!/^\{\s*(?:'[\w-]+'|[A-Za-z_][\w-]*)\s*:[^]*\}$/.test(body.value.trim())) continue;
    const index = code
      .split('\n')
      .slice(0, at.line - 1)
      .join('\n').length;
    const from = code.indexOf('<result>', index);
    if (state.source.raw.at(Math.max(from, 0)).line === at.line)
      yield { at: from, what: 'the names of a JSON object stand in double quotes' };
  }
}

/** The rule about the notation of objects and lists. */
export const PRINTED_OBJECT_RULES: readonly Rule[] = [
  {
    id: 'printed-object',
    severity: 'warning',
    summary:
      'A script prints an object or a list in another notation than JSON, such as that of Python, but the next state reads the text as JSON.',
    why: 'Python prints {"a": 1} as {\'a\': 1}, and JavaScript as [object Object]. Neither is JSON: the fields of such a result have no variables, and a program that parses the text fails.',
    check: printedObjects,
  },
];
