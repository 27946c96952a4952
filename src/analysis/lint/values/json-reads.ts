// What scripts read of the environment and of the JSON in it: variables, also by helper functions, and the fields of a parsed value. Pure.
import type { Atom, Value } from '../../program/atoms.js';
import type { CallTerm, Term } from '../../program/terms.js';
import { evaluationOf } from '../../program/values.js';
import { plainText, type ScriptState } from '../helpers.js';
import { filtersIn, type JsonRead } from './jq-filters.js';

/** A variable of the environment that a script reads. */
interface VariableRead {
  readonly name: string;
  readonly at: number;
}

/** Properties that lists, texts and objects have of themselves. */
const OWN = /^(?:length|size|constructor|prototype)$/;

const readsKnown = new WeakMap<ScriptState['source'], readonly JsonRead[]>();

/** The fields of parsed values that a script reads. */
export function jsonReads({ source }: Pick<ScriptState, 'source'>): readonly JsonRead[] {
  const known = readsKnown.get(source);
  if (known !== undefined) return known;
  const reads = source.script.shell === undefined ? readsOfProgram(source) : filtersIn(source);
  readsKnown.set(source, reads);
  return reads;
}

function readsOfProgram(source: ScriptState['source']): readonly JsonRead[] {
  const { program } = source.script;
  if (program === undefined || !/\bRAYMOND_/.test(program.text)) return [];
  const evaluation = evaluationOf(program);
  const { members, calls } = evaluation.terms;
  const called = new Set<Term>(calls.map(({ callee }) => callee));
  const given = keysWritten(plainText({ source }));
  const gets = calls.flatMap((call) => keyOfGet(call));
  const plain = members.flatMap(({ base, key, ...term }) => (called.has(term as Term) ? [] : [{ base, key }]));
  const isMethod = new Set([...called].flatMap((term) => (term.kind === 'member' ? [term.key] : [])));
  return [...plain.filter(({ key }) => !isMethod.has(key)), ...gets].flatMap(({ base, key }) => {
    const atoms = evaluation.valueOf(base);
    if (!isAllJson(atoms)) return [];
    return evaluation.valueOf(key).flatMap((name) => {
      const [first] = atoms;
      if (name.kind !== 'text' || first === undefined || OWN.test(name.text) || given.has(name.text)) return [];
      return atoms.map(({ of, path }) => ({ of, path, key: name.text, at: name.at }));
    });
  });
}

type JsonAtom = Atom & { readonly kind: 'json' };

function isAllJson(value: Value): value is readonly JsonAtom[] {
  return value.length > 0 && value.every(({ kind }) => kind === 'json');
}

/** `value.get("key")` in Python. */
function keyOfGet({ callee, args: [key] }: CallTerm): readonly { readonly base: Term; readonly key: Term }[] {
  const isGet = callee.kind === 'member' && callee.key.kind === 'text' && callee.key.text === 'get';
  return isGet && key !== undefined ? [{ base: callee.base, key }] : [];
}

/** The fields that a program writes itself, into whichever object. */
export function keysWritten(code: string): ReadonlySet<string> {
  const written = /(?:\[["'](\w+)["']\]|\.([A-Za-z_]\w*))[ \t]*[-+|*/]?=(?![=>])|\.setdefault\(\s*["'](\w+)["']/g;
  return new Set([...code.matchAll(written)].map(([, one, two, three]) => one ?? two ?? three ?? ''));
}

/** The variables of the environment that a script reads by names that it puts together. */
export function composedReads({ source }: Pick<ScriptState, 'source'>): readonly VariableRead[] {
  const { shell, program } = source.script;
  if (shell !== undefined) return readsByHelper(plainText({ source }));
  if (program === undefined || !/RAYMOND_\w*(?:["'`]|[$]?\{)/.test(program.text)) return [];
  const evaluation = evaluationOf(program);
  const { members, calls } = evaluation.terms;
  const keys = [...members.map(({ base, key }) => ({ base, key })), ...calls.flatMap(keyOfGet)].flatMap(
    ({ base, key }) => (evaluation.valueOf(base).some(({ kind }) => kind === 'environment') ? [key] : []),
  );
  const asked = calls.flatMap(({ callee, args: [key] }) => {
    const name = callee.kind === 'name' ? callee.name : callee.kind === 'member' ? lastOf(callee.key) : '';
    return name === 'getenv' && key !== undefined ? [key] : [];
  });
  const plain = [...keys, ...asked].flatMap((key) =>
    key.kind === 'text'
      ? []
      : evaluation.valueOf(key).flatMap((atom) => (atom.kind === 'text' ? [{ name: atom.text, at: atom.at }] : [])),
  );
  return [...plain, ...readsOfJoined(plainText({ source }))];
}

/** A function with any number of arguments: `def value(*path):`, `const value = (...path) =>`. */
const WITH_REST =
  /(?:\bdef\s+(\w+)\(\s*\*|\bfunction\s+(\w+)\(\s*\.\.\.|\b(?:const|let)\s+(\w+)\s*=\s*(?:function\s*)?\(\s*\.\.\.)(\w+)[^()\n]{0,40}\)/g;

/** The variables whose names a function joins from its arguments, as in `value("grape", "name")`. */
function readsOfJoined(code: string): readonly VariableRead[] {
  return [...code.matchAll(WITH_REST)].flatMap(({ index, 1: python, 2: plain, 3: arrow, 4: rest = '' }) => {
    const name = python ?? plain ?? arrow ?? '';
    const [body = ''] = code.slice(index, index + 600).split(/\n(?=\S)/, 1);
    const joined = `(?:["']_["']\\.join\\(\\s*${rest}\\s*\\)|${rest}\\.join\\(\\s*["']_["']\\s*\\))`;
    if (!new RegExp(`RAYMOND_RESULT_(?:["']\\s*\\+\\s*|\\$?\\{)${joined}`).test(body)) return [];
    const calls = new RegExp(`(?<![\\w.])${name}\\(\\s*((?:["']\\w+["']\\s*,\\s*){0,4}["']\\w+["'])\\s*,?\\s*\\)`, 'g');
    return [...code.matchAll(calls)].map((call) => ({
      name: `RAYMOND_RESULT_${(call[1]?.match(/\w+/g) ?? []).join('_')}`,
      at: call.index + call[0].search(/["']/) + 1,
    }));
  });
}

function lastOf(key: Term): string {
  return key.kind === 'text' ? key.text : '';
}

/** `get() { local name="RAYMOND_RESULT_$1"; echo "${!name}"; }` in bash, and its calls. */
function readsByHelper(code: string): readonly VariableRead[] {
  const heads = /^[ \t]*(?:function[ \t]+)?(\w+)[ \t]*\(\)[ \t]*\{/gm;
  return [...code.matchAll(heads)].flatMap(({ index, 1: name = '' }) => {
    const body = code.slice(index, index + 600).split(/\n\}|\}[ \t]*$/m, 1)[0] ?? '';
    const [, prefix] = /["']?(RAYMOND_RESULT_)\$\{?1\}?["']?/.exec(body) ?? [];
    if (prefix === undefined || !/\$\{!|\bprintenv\b|\beval\b/.test(body)) return [];
    const calls = new RegExp(
      `(?<=\\$\\(|^[ \\t]*|[;|&][ \\t]*)${name}[ \\t]+["']?([A-Za-z_]\\w*)["']?(?=[ \\t;)|\\n]|$)`,
      'gm',
    );
    return [...code.matchAll(calls)].map((call) => ({
      name: prefix + (call[1] ?? ''),
      at: call.index + call[0].lastIndexOf(call[1] ?? ''),
    }));
  });
}
