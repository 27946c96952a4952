// Finds tables of a program that lack a value which a result may have, where the program then fails or ends without a tag: `TEAMS[kind]`,
// `HANDLERS.get(kind)`. The key is followed through names, functions and parsed JSON. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { itemsOf, type Atom, type Value } from '../../program/atoms.js';
import type { CallTerm, Term } from '../../program/terms.js';
import { evaluationOf, type Evaluation } from '../../program/values.js';
import { plainText, type ScriptState } from '../helpers.js';
import type { Analysis } from '../rule.js';
import { valuesOfAtom } from './known-values.js';

/** A table without some of the values, and where the program makes it. */
export interface TableGap {
  readonly at: number;
  readonly missing: readonly string[];
}

interface Lookup {
  readonly table: Term;
  readonly key: Term;
  readonly whole: Term;
  /** True if a key that is missing is an error at once. */
  readonly fails: boolean;
  /** True if `key` is a list of which each item is a key. */
  readonly isItem?: true;
}

/** The keys of a table, or the texts of a list; none if there may be more. */
function keysOf(table: Atom): readonly string[] {
  if (table.kind === 'object') return table.isOpen ? [] : [...table.keys];
  const items = table.kind === 'list' && !table.isOpen ? table.items() : [];
  return items.every(({ kind }) => kind === 'text')
    ? items.flatMap((item) => (item.kind === 'text' ? [item.text] : []))
    : [];
}

/** The tables of a program that lack a value which reaches them, so that the program fails. */
export function* tableGaps(analysis: Analysis, { file, source }: ScriptState): Generator<TableGap> {
  const { program } = source.script;
  if (program === undefined || !/\bRAYMOND_(?:RESULT|INPUT)/.test(program.text)) return;
  const evaluation = evaluationOf(program);
  const code = plainText({ source });
  const seen = new Set<number>();
  for (const lookup of lookupsIn(evaluation)) {
    const [table, ...others] = evaluation.valueOf(lookup.table);
    const keys = table === undefined || others.length > 0 ? [] : keysOf(table);
    if (table === undefined || !('at' in table) || keys.length < 2 || seen.has(table.at)) continue;
    const value = evaluation.valueOf(lookup.key);
    const texts = textsOf(lookup.isItem === true ? itemsOf(value) : value, { analysis, file });
    // A text that the program names otherwise has a branch of its own.
    const isNamed = (text: string): boolean => new RegExp(`["'\`]${literalPattern(text)}["'\`]`).test(code);
    const missing = [...new Set(texts)].filter((text) => !keys.includes(text) && !isNamed(text));
    if (missing.length === 0 || missing.length === new Set(texts).size) continue;
    if (!isFatal(lookup, { code, evaluation })) continue;
    seen.add(table.at);
    yield { at: table.at, missing };
  }
}

function lookupsIn({ terms: { members, calls, isPython } }: Evaluation): readonly Lookup[] {
  const called = new Set<Term>(calls.map(({ callee }) => callee));
  const direct = members.flatMap((whole) => {
    const { base: table, key } = whole;
    const isMethod =
      called.has(whole) && key.kind === 'text' && /^(?:get|has|keys|items|values|entries)$/.test(key.text);
    return key.kind === 'text' || key.kind === 'number' || isMethod ? [] : [{ table, key, whole, fails: isPython }];
  });
  const gets = calls.flatMap((whole) => {
    const { callee, args } = whole;
    const isGet = callee.kind === 'member' && callee.key.kind === 'text' && callee.key.text === 'get';
    const [key] = args;
    return isGet && key !== undefined && args.length === 1 ? [{ table: callee.base, key, whole, fails: false }] : [];
  });
  return [...direct, ...gets, ...(isPython ? calls.flatMap(positionIn) : [])];
}

/** `ORDER.index(key)`, also for each item of a list: `max(keys, key=ORDER.index)`. */
function positionIn(whole: CallTerm): readonly Lookup[] {
  const {
    callee,
    args: [first],
    named,
  } = whole;
  const order = named.get('key') ?? callee;
  if (first === undefined || order.kind !== 'member' || order.key.kind !== 'text' || order.key.text !== 'index')
    return [];
  return [
    {
      table: order.base,
      key: first,
      whole: order,
      fails: true,
      ...(order === callee ? {} : { isItem: true as const }),
    },
  ];
}

/** All texts that a key may be; none if they are not known. */
function textsOf(
  value: Value,
  { analysis, file }: { readonly analysis: Analysis; readonly file: string },
): readonly string[] {
  const known = value.map((atom) => {
    const values = atom.kind === 'text' ? undefined : valuesOfAtom(analysis, { file, atom });
    return values === undefined || values.isOpen ? undefined : [...values.texts];
  });
  return known.includes(undefined) ? [] : known.flatMap((texts) => texts ?? []);
}

/** What ends a program with a failure, at the beginning of a branch. */
const FAILS = String.raw`[\s:{)]*(?:(?:console\.error|print)\([^\n]*\);?\s*\n\s*)?(?:raise\b|throw\b|sys\.exit\(\s*[1-9f"']|process\.exit\(\s*[1-9]|(?:die|fail)\()`;

/** True if the program fails, or ends without a tag, for a key that the table lacks. */
function isFatal(
  { table, whole, fails }: Lookup,
  { code, evaluation }: { readonly code: string; readonly evaluation: Evaluation },
): boolean {
  const name = table.kind === 'name' ? literalPattern(table.name) : '(?!)';
  const isTested = new RegExp(
    String.raw`\bin\s+${name}\b|\b(?:hasOwn|hasOwnProperty)\b|${name}\.(?:has|keys)\(|Object\.keys\(${name}|\bKeyError\b|\bdefaultdict\b`,
  ).test(code);
  if (isTested || (fails && /\bexcept\b/.test(code)))
    return new RegExp(
      String.raw`\bif\b[^\n]*(?:\bnot\s+in\s+${name}\b|!\s*${name}\.has\([^()\n]*\)|!\(?[^\n]*\bin\s+${name}\b)${FAILS}`,
    ).test(code);
  if (fails) return true;
  if (evaluation.terms.calls.some(({ callee }) => callee === whole)) return !/\bcatch\b/.test(code);
  const assigned = new RegExp(`(?<![\\w.])(\\w+)(?:[ \\t]*:[^=\\n]{1,60})?[ \\t]*:?=[ \\t]*$`).exec(
    code.slice(Math.max(0, whole.at - 200), whole.at),
  );
  const value = assigned?.[1];
  return value !== undefined && failsWithout(value, code);
}

/** True for a program that fails, or prints nothing, if a name has no value. */
function failsWithout(name: string, code: string): boolean {
  const none = String.raw`(?:not\s+${name}\b|${name}\s+is\s+None\b|!\s*${name}\b|${name}\s*={2,3}\s*(?:undefined|null)\b)`;
  if (new RegExp(String.raw`${none}[^\n]{0,3}${FAILS}`).test(code)) return true;
  if (
    new RegExp(String.raw`${none}|(?<![\w.])${name}\s*(?:\?\?|\|\||\?\.|\?(?![.?])|or\b)|\bif\s+${name}\s+else\b`).test(
      code,
    )
  )
    return false;
  const only = new RegExp(
    String.raw`^([ \t]*)if\s*\(?\s*${name}(?:\s+is\s+not\s+None|\s*!==?\s*(?:undefined|null))?\s*\)?\s*[:{]?`,
    'm',
  ).exec(code);
  if (only === null)
    return new RegExp(String.raw`(?<![\w.])${name}\(|<(?:goto|reset|call|function)\b[^<>\n]*>\$\{${name}\}`).test(code);
  return !/^[ \t]*\}?[ \t]*(?:else\b|[A-Za-z_][\w.]*\()/m.test(behind(code, only.index, only[1] ?? ''));
}

/** What follows the block that begins in a line. */
function behind(code: string, from: number, indent: string): string {
  const rest = code.slice(code.indexOf('\n', from) + 1);
  const end = new RegExp(`^${indent}(?=[^\\s])`, 'm').exec(rest);
  const after = end === null ? '' : rest.slice(end.index);
  // The call of the main function is not what the block is followed by.
  return after.replace(/^\}[ \t]*$|^main\(\)[^\n]*$|^if __name__[^\n]*\n[ \t]+main\(\)[^\n]*$/gm, '');
}
