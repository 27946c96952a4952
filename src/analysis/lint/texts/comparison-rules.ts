// Rules about what a script compares its value with: texts that no state, no question and no input gives. They count only where all values
// that may reach the script are written in the package.
import { literalPattern, nearest } from '../../../protocol/text.js';
import { mistakesOf, searchableText, type Mistake, type ScriptState } from '../helpers.js';
import { attributesPassed } from '../passed.js';
import type { Analysis, Rule } from '../rule.js';
import { comparedValues } from './compared-values.js';
import { functionsWith, tablesRead } from './followed-values.js';
import { valuesOfAtom, valuesOfVariable, type Values } from './known-values.js';

/** A text with which a script compares a variable; with `isPrefix`, only its beginning. */
interface Comparison {
  readonly text: string;
  readonly isPrefix?: true;
  /** The other patterns of the same branch. */
  readonly others?: readonly string[];
  readonly at: number;
}

function* impossible(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const reported: number[] = [];
  for (const mistake of [...impossibleTexts(analysis, state), ...impossibleValues(analysis, state)]) {
    // The quote of a text counts as its beginning, too.
    if (reported.some((at) => Math.abs(at - mistake.at) < 2)) continue;
    reported.push(mistake.at);
    yield mistake;
  }
}

/** Comparisons of values that are followed to the environment. */
function* impossibleValues(analysis: Analysis, { file, source }: ScriptState): Generator<Mistake> {
  const code = searchableText({ source });
  for (const { value, texts, isPrefix } of comparedValues({ source })) {
    const all = value.map((atom) => valuesOfAtom(analysis, { file, atom }));
    if (all.some((values) => values === undefined || values.isOpen)) continue;
    const values = { texts: new Set(all.flatMap((one) => [...(one?.texts ?? [])])), isOpen: false };
    // json-as-word is about white space.
    if (texts.some(({ text }) => text !== text.trim())) continue;
    const found = [...notAmong(isPrefix ? texts.map((text) => ({ ...text, isPrefix })) : texts, { values, code })];
    // A list of spellings needs only one that is right.
    if (found.length === texts.length) yield* found.slice(0, 1);
  }
}

/** True for a text that a program uses where a variable is not set. */
function isDefault(text: string, code: string): boolean {
  const word = literalPattern(text);
  return new RegExp(
    String.raw`\w(?<!\bin)\([^()\n]+,\s*["']${word}["']\s*\)|(?:\?\?|\|\||\bor)\s*["']${word}["']|:-["']?${word}["']?\}`,
  ).test(code);
}

function* impossibleTexts(analysis: Analysis, { file, source }: ScriptState): Generator<Mistake> {
  const code = searchableText({ source });
  const names = new Set(['RAYMOND_(?:INPUT|RESULT)', ...namesRead(analysis, { file, code })]);
  for (const name of names) {
    const compared = [...comparisonsIn(code, name), ...comparisonsInFunctions(code, name)];
    const variable = name.includes('(') ? 'RAYMOND_INPUT' : name;
    const values = compared.length === 0 ? undefined : valuesOfVariable(analysis, { file, name: variable });
    if (values !== undefined) yield* notAmong(compared, { values, code });
    yield* keysOfTables(analysis, { file, code, name });
  }
}

/** The fields of a result that a script reads, and the attributes that it does not set itself. */
function namesRead(
  analysis: Analysis,
  { file, code }: { readonly file: string; readonly code: string },
): readonly string[] {
  const fields = [...code.matchAll(/\bRAYMOND_RESULT_(?!FILE\b)\w+/g)].map(([name]) => name);
  const attributes = [...attributesPassed(analysis, file)].filter((name) => {
    const isRead = new RegExp(`\\$\\{?${name}\\b|["'.]${name}\\b`).test(code);
    return isRead && !new RegExp(`\\b(?:read|for|local|unset)\\b.*\\b${name}\\b|(?<![\\w$])${name}\\+?=`).test(code);
  });
  return [...fields, ...attributes];
}

function* notAmong(
  compared: readonly Comparison[],
  { values, code }: { readonly values: Values; readonly code: string },
): Generator<Mistake> {
  const known = [...values.texts];
  const fold = (text: string): string => (FOLDS.test(code) ? text.toLowerCase() : text);
  const isKnown = ({ text, isPrefix, others = [] }: Comparison): boolean =>
    [text, ...others].some((part) =>
      known.some((one) => (isPrefix ? fold(one).startsWith(fold(part)) : fold(one) === fold(part))),
    );
  if (values.isOpen && compared.some(isKnown)) return;
  for (const comparison of compared) {
    if (isKnown(comparison) || isDefault(comparison.text, code)) continue;
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

/** Keys of tables that no value is equal to, where a value has no key. */
function* keysOfTables(
  analysis: Analysis,
  { file, code, name }: { readonly file: string; readonly code: string; readonly name: string },
): Generator<Mistake> {
  const tables = tablesRead(code, name);
  const variable = name.includes('(') ? 'RAYMOND_INPUT' : name;
  const values = tables.length === 0 ? undefined : valuesOfVariable(analysis, { file, name: variable });
  if (values === undefined || values.isOpen) return;
  const fold = (text: string): string => (FOLDS.test(code) ? text.toLowerCase() : text);
  const known = [...values.texts].map(fold);
  for (const table of tables) {
    const keys = table.map(({ text }) => fold(text));
    const isLacking = known.some((value) => !keys.includes(value)) && known.some((value) => keys.includes(value));
    if (isLacking) yield* notAmong(table, { values, code });
  }
}

/** Assigns a variable of the environment to another name, as a whole. */
const assigned = (read: string): RegExp =>
  new RegExp(
    String.raw`(?<![\w.])(\w+)(?:\s*:\s*\w+)?\s*=(?!=)\s*(?:"?\$\{?${read}(?:,,|\^\^|:-[^}]*)?\}?"?[ \t]*$|\(?(?:os\.environ(?:\.get)?[[(]|os\.getenv\(|process\.env[.[])["']?${read}[^\n]*)`,
    'gm',
  );
/** What gives another text than the value. */
const CUT =
  /\.(?:split|splitlines|replace|slice|substring|match|partition|removeprefix|find|indexOf|length)\b|\[\d|\[:|json|JSON|\bint\(|Number\(|parseInt|\bre\./;

/** The comparisons within functions that get the variable as their first argument. */
function* comparisonsInFunctions(code: string, variable: string): Generator<Comparison> {
  for (const { name, body, at } of functionsWith(code, variable))
    for (const comparison of comparedWith(body, name)) yield { ...comparison, at: at + comparison.at };
}

function* comparisonsIn(code: string, variable: string): Generator<Comparison> {
  const read = `${variable}\\b`;
  const variables = [...code.matchAll(assigned(read))].flatMap(({ 0: line, 1: name = '' }) =>
    CUT.test(line) ? [] : [name],
  );
  const once = variables.filter(
    (name) => code.match(new RegExp(`(?<![\\w.$])${name}(?:\\s*:\\s*\\w+)?\\s*=(?!=)`, 'g'))?.length === 1,
  );
  const name = `(?:${[read, ...once.map((one) => `\\b${one}\\b`)].join('|')})`;
  yield* comparedWith(code, name);
}

/** The texts with which a code compares names. */
function* comparedWith(code: string, name: string): Generator<Comparison> {
  const call = String.raw`(?:\.(?:strip|trim|lower|upper|casefold|toLowerCase|toUpperCase)\(\))*`;
  const bash = new RegExp(
    String.raw`(?:\[\[?|\btest|&&|\|\||\s-[ao])\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+!?==?\s+(?:(["'])(?<quoted>[\w -]+)\1|(?<bare>[\w-]+)(?=\s|;|$))`,
    'gm',
  );
  const program = new RegExp(String.raw`(?<![\w.$])${name}${call}\s*[!=]==?\s*["'](?<quoted>[\w -]+)["']`, 'g');
  for (const pattern of [bash, program])
    for (const { index, 0: whole, groups } of code.matchAll(pattern)) {
      const text = groups?.['quoted'] ?? groups?.['bare'] ?? '';
      yield { text, at: index + whole.lastIndexOf(text) };
    }
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

/** A branch of `case`, whose patterns are all plain texts. */
const BRANCH = /^\s*\(?((?:["']?[\w-]+["']?\s*\|\s*)*)["']?([\w-]+)["']?(\*)?\)/gm;

/** The patterns of `case "$variable" in`, `switch (variable)` and `match variable:`; those with an alternative that is not plain are left out. */
function* casesIn(code: string, name: string): Generator<Comparison> {
  const shell = new RegExp(String.raw`\bcase\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+in\b([^]*?)\besac\b`, 'g');
  for (const { index, 0: whole, 1: body = '' } of code.matchAll(shell))
    for (const { index: offset, 0: line, 1: others = '', 2: text = '', 3: star } of body.matchAll(BRANCH))
      yield {
        text,
        others: others.match(/[\w-]+/g) ?? [],
        at: index + whole.indexOf(body) + offset + line.lastIndexOf(text),
        ...(star === undefined ? {} : { isPrefix: true }),
      };
  const node = new RegExp(String.raw`\bswitch\s*\(\s*${name}[^)\n]*\)*\s*\{([^]*?)^\s*\}`, 'gm');
  for (const { index, 0: whole, 1: body = '' } of code.matchAll(node))
    for (const { index: offset, 0: line, 1: text = '' } of body.matchAll(/^\s*case\s+["']([\w -]+)["']:/gm))
      yield { text, at: index + whole.indexOf(body) + offset + line.indexOf(text) };
  const python = new RegExp(
    String.raw`^([ \t]*)match\s+[^:\n]*${name}[^:\n]*:[ \t]*$((?:\n\1[ \t]+\S[^\n]*|\n[ \t]*)*)`,
    'gm',
  );
  for (const { index, 0: whole, 2: body = '' } of code.matchAll(python))
    for (const { index: offset, 0: line, 1: text = '' } of body.matchAll(/^\s*case\s+["']([\w -]+)["']\s*:/gm))
      if (!/^\s*match\s/m.test(body))
        yield { text, at: index + whole.length - body.length + offset + line.indexOf(text) };
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
