// The values that value analysis (values.ts) tells apart. Pure.
import type { JoinTerm, Term, TermFunction, Terms } from './terms.js';

/** One of the values that an expression may have. */
export type Atom =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'environment' }
  | { readonly kind: 'text'; readonly text: string; readonly at: number }
  /** The text of a variable of the environment; of RAYMOND_INPUT, also what its file contains. */
  | { readonly kind: 'variable'; readonly name: string; readonly at: number }
  /** A part of a variable that was parsed as JSON; `*` in its path = an item of a list, PARSED = a text that was parsed again. */
  | { readonly kind: 'json'; readonly of: string; readonly path: readonly string[]; readonly at: number }
  | {
      readonly kind: 'object';
      readonly keys: ReadonlySet<string>;
      readonly field: (key: string) => Value | undefined;
      /** True if it may have other keys. */
      readonly isOpen: boolean;
      readonly at: number;
    }
  | {
      readonly kind: 'list';
      readonly items: () => Value;
      readonly part: (index: number) => Value | undefined;
      readonly isOpen: boolean;
      readonly at: number;
    }
  /** A text that the program has made of a value, as JSON; without quotes if the value may be a number. */
  | { readonly kind: 'json-text'; readonly of: Value; readonly mayBeNumber: boolean; readonly at: number }
  /** A text of which nothing is known. */
  | { readonly kind: 'some-text' }
  /** A text with parts that are not known. */
  | { readonly kind: 'composed'; readonly join: JoinTerm; readonly frame: Frame | undefined; readonly at: number }
  | { readonly kind: 'function'; readonly body: TermFunction };

/** All values that an expression may have. */
export type Value = readonly Atom[];

/** The call in which an expression is evaluated. */
export interface Frame {
  readonly of: TermFunction;
  readonly args: readonly (Value | undefined)[];
  readonly named: ReadonlyMap<string, Value>;
  readonly outer: Frame | undefined;
  readonly depth: number;
}

/** What evaluates the expressions of a program. */
export interface Evaluator {
  readonly terms: Terms;
  readonly valueOf: (term: Term, frame?: Frame) => Value;
  readonly applied: (
    body: TermFunction,
    call: { readonly args: readonly Value[]; readonly frame: Frame | undefined },
  ) => Value;
}

/** In the path of a part of JSON: the part is a text, which was parsed as JSON itself. */
export const PARSED = '()';

/** What the name of a JSON file begins with where JSON is from a file. */
export const FILE = 'file ';

/** A value of which nothing is known. */
export const UNKNOWN_ATOM: Atom = { kind: 'unknown' };
export const UNKNOWN: Value = [UNKNOWN_ATOM];

/** What a loop over a value gets. */
export function itemsOf(value: Value): Value {
  return value.flatMap((atom): Value => {
    if (atom.kind === 'list') return atom.items();
    if (atom.kind === 'json') return [{ ...atom, path: [...atom.path, '*'] }];
    if (atom.kind !== 'object') return UNKNOWN;
    const keys = [...atom.keys].map((text): Atom => ({ kind: 'text', text, at: atom.at }));
    return atom.isOpen ? [...keys, UNKNOWN_ATOM] : keys;
  });
}
