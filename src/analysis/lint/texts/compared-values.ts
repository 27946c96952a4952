// The texts with which a program compares a value that comes from outside. The value is followed through names, functions, loops and parsed JSON.
// Pure.
import type { Atom, Value } from '../../program/atoms.js';
import type { Comparison, Term } from '../../program/terms.js';
import { evaluationOf, type Evaluation } from '../../program/values.js';
import type { ScriptState } from '../helpers.js';

/** A value with the texts of which one must be equal to it. */
export interface ComparedValue {
  readonly value: Value;
  readonly texts: readonly (Atom & { readonly kind: 'text' })[];
  /** True if only the beginning of the value is compared. */
  readonly isPrefix: boolean;
  /** Where the program names the value. */
  readonly at: number;
}

/** The comparisons of a program between a value and texts. */
export function comparedValues({ source }: Pick<ScriptState, 'source'>): readonly ComparedValue[] {
  const { program } = source.script;
  if (program === undefined) return [];
  const evaluation = evaluationOf(program);
  const { comparisons, calls } = evaluation.terms;
  const included = calls.flatMap(({ callee, args: [left] }): readonly Comparison[] => {
    const isCall = callee.kind === 'member' && callee.key.kind === 'text' && callee.key.text === 'includes';
    return isCall && left !== undefined ? [{ left, right: callee.base, isMembership: true }] : [];
  });
  const begun = calls.flatMap(({ callee, args: [right] }) => {
    const isCall = callee.kind === 'member' && callee.key.kind === 'text' && /^starts[wW]ith$/.test(callee.key.text);
    return isCall && right !== undefined ? [{ left: callee.base, right, isMembership: false, isPrefix: true }] : [];
  });
  const all = [...comparisons, ...included, ...begun].flatMap((one) => compared(one, evaluation) ?? []);
  // A part of the text of a field looks like the whole text.
  return SLICES.test(program.text) ? all.filter(({ value }) => value.every(({ kind }) => kind !== 'json')) : all;
}

const SLICES = /\[[^\]\n:]*:[^\]\n]*\]|\.(?:slice|substring|substr)\(/;

function compared(
  { left, right, isMembership, isPrefix = false }: Comparison & { readonly isPrefix?: boolean },
  evaluation: Evaluation,
): ComparedValue | undefined {
  const [first, second] = [evaluation.valueOf(left), evaluation.valueOf(right)];
  const swapped = !isMembership && !isPrefix && isText(first);
  const [term, value, other] = swapped
    ? [right, second, first]
    : [left, first, isMembership ? itemsIn(second) : second];
  const texts = other.flatMap((atom) => (atom.kind === 'text' ? [atom] : []));
  const isKnown = texts.length > 0 && texts.length === other.length && !isSetLater(term);
  return isKnown && value.some(({ kind }) => kind !== 'text') ? { value, texts, isPrefix, at: term.at } : undefined;
}

function isText(value: Value): boolean {
  return value.length > 0 && value.every(({ kind }) => kind === 'text');
}

/** The items of a list that is written as a whole. */
function itemsIn(value: Value): Value {
  const [list, ...others] = value;
  return list?.kind === 'list' && !list.isOpen && others.length === 0 ? list.items() : [];
}

/** True for a name that gets another value below, which a loop may bring here. */
function isSetLater(term: Term): boolean {
  if (term.kind !== 'name') return false;
  for (let scope = term.scope as typeof term.scope | undefined; scope !== undefined; scope = scope.parent)
    if (scope.bindings.get(term.name)?.some(({ at }) => at > term.at) === true) return true;
  return false;
}
