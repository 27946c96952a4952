// The values of the expressions of a program, as far as its text shows them: texts, variables of the environment, parts of parsed JSON, and the
// lists and objects that it makes. Names are followed to their assignments, and parameters to the calls. Pure.
import { itemsOf, UNKNOWN, UNKNOWN_ATOM, type Atom, type Evaluator, type Frame, type Value } from './atoms.js';
import { readTerms } from './read-terms.js';
import { bindingsOf, dottedName, functionNamed, NAMED, type CallTerm, type JoinTerm } from './terms.js';
import type { ParsedProgram, Term, TermFunction, Terms } from './terms.js';
import { calledValue } from './value-calls.js';

/** More values, deeper calls and more steps are not followed. */
const MAX_ATOMS = 40;
const MAX_DEPTH = 5;
const MAX_STEPS = 20_000;

/** Evaluates the expressions of one program. */
export class Evaluation implements Evaluator {
  private readonly known = new Map<Term, Value>();
  private readonly pending = new Set<Term>();
  private steps = 0;

  constructor(readonly terms: Terms) {}

  /** The values of an expression; without a frame, those in all calls of its function. */
  valueOf(term: Term, frame?: Frame): Value {
    const known = frame === undefined ? this.known.get(term) : undefined;
    if (known !== undefined) return known;
    this.steps += 1;
    if (this.pending.has(term) || this.steps > MAX_STEPS) return UNKNOWN;
    this.pending.add(term);
    const value = distinct(this.evaluated(term, frame));
    this.pending.delete(term);
    if (frame === undefined) this.known.set(term, value);
    return value;
  }

  private evaluated(term: Term, frame: Frame | undefined): Value {
    const { at } = term;
    switch (term.kind) {
      case 'text':
        return [{ kind: 'text', text: term.text, at }];
      case 'number':
      case 'other':
        return UNKNOWN;
      case 'join':
        return this.joined(term, frame);
      case 'name':
        return this.named(term, frame);
      case 'member':
        return this.member(term, frame);
      case 'item':
        return itemsOf(this.valueOf(term.of, frame));
      case 'call':
        return this.called(term, frame);
      case 'object':
        return [this.object(term, frame)];
      case 'list': {
        const part = (index: number): Value | undefined => {
          const item = term.items[index];
          return item === undefined ? undefined : this.valueOf(item, frame);
        };
        const items = (): Value => distinct(term.items.flatMap((item) => this.valueOf(item, frame)));
        return [{ kind: 'list', items, part, isOpen: false, at }];
      }
      case 'each':
        return [{ kind: 'list', items: () => this.valueOf(term.item, frame), part: () => undefined, isOpen: true, at }];
      case 'either':
        return term.options.flatMap((option) => this.valueOf(option, frame));
      case 'function':
        return [{ kind: 'function', body: term.body }];
      case 'parameter':
        return this.parameter(term, frame);
    }
  }

  /** A text of known texts; a part with other values makes it one that is composed. */
  private joined(join: JoinTerm, frame: Frame | undefined): Value {
    let texts: readonly { readonly text: string; readonly at: number }[] = [{ text: '', at: join.at }];
    for (const part of join.parts) {
      const values = this.valueOf(part, frame);
      const plain = values.flatMap((atom) => (atom.kind === 'text' ? [atom] : []));
      if (plain.length < values.length || plain.length * texts.length > MAX_ATOMS)
        return [{ kind: 'composed', join, frame, at: join.at }];
      // A text that comes from another line is where it is written there.
      texts = texts.flatMap((before) =>
        plain.map(({ text, at }) => ({
          text: before.text + text,
          at: part.kind === 'text' || (at >= join.at && at < join.end) ? before.at : at,
        })),
      );
    }
    return texts.map((text) => ({ kind: 'text', ...text }));
  }

  private named(term: Term & { readonly kind: 'name' }, frame: Frame | undefined): Value {
    const bindings = bindingsOf(term);
    if (bindings === undefined) return isEnvironment(dottedName(term, this.terms.imported)) ? ENVIRONMENT : UNKNOWN;
    const values = bindings.flatMap((binding) => this.valueOf(binding.term, frame));
    return this.terms.changed.has(term.name) ? values.flatMap(opened) : values;
  }

  private member(term: Term & { readonly kind: 'member' }, frame: Frame | undefined): Value {
    if (isEnvironment(dottedName(term, this.terms.imported))) return ENVIRONMENT;
    const keys = this.valueOf(term.key, frame);
    const index = term.key.kind === 'number' ? term.key.value : undefined;
    return this.valueOf(term.base, frame).flatMap((atom) => memberOf(atom, { keys, index }));
  }

  private object(term: Term & { readonly kind: 'object' }, frame: Frame | undefined): Atom {
    const fields = new Map<string, Term>();
    let { isOpen } = term;
    for (const { key, value } of term.fields) {
      const texts = this.valueOf(key, frame);
      for (const atom of texts) if (atom.kind === 'text') fields.set(atom.text, value);
      if (texts.some(({ kind }) => kind !== 'text')) isOpen = true;
    }
    const field = (key: string): Value | undefined => {
      const value = fields.get(key);
      return value === undefined ? undefined : this.valueOf(value, frame);
    };
    return { kind: 'object', keys: new Set(fields.keys()), field, isOpen, at: term.at };
  }

  private parameter(term: Term & { readonly kind: 'parameter' }, frame: Frame | undefined): Value {
    const { of, index, name } = term;
    const given = of.defaults.get(index);
    if (index === NAMED) return this.namedArguments(of, frame);
    for (let one = frame; one !== undefined; one = one.outer)
      if (one.of === of)
        return one.named.get(name) ?? one.args[index] ?? (given === undefined ? UNKNOWN : this.valueOf(given));
    if (of.isOpen || of.calls.length + of.items.length === 0) return UNKNOWN;
    const called = of.calls.flatMap(({ args, named }) => {
      const value = named.get(name) ?? args[index] ?? given;
      return value === undefined ? UNKNOWN : this.valueOf(value);
    });
    return [...called, ...of.items.flatMap((list) => (index === 0 ? itemsOf(this.valueOf(list)) : UNKNOWN))];
  }

  /** The arguments with names that are no parameters, as an object. */
  private namedArguments(of: TermFunction, frame: Frame | undefined): Value {
    const objectOf = (all: ReadonlyMap<string, Value>): Atom => {
      const fields = new Map([...all].filter(([key]) => !of.params.includes(key)));
      return {
        kind: 'object',
        keys: new Set(fields.keys()),
        field: (key) => fields.get(key),
        isOpen: false,
        at: of.at,
      };
    };
    for (let one = frame; one !== undefined; one = one.outer) if (one.of === of) return [objectOf(one.named)];
    if (of.isOpen || of.calls.length === 0) return UNKNOWN;
    return of.calls.map(({ named }) =>
      objectOf(new Map([...named].map(([name, value]) => [name, this.valueOf(value)]))),
    );
  }

  private called(call: CallTerm, frame: Frame | undefined): Value {
    const body = functionNamed(call.callee);
    if (body !== undefined) return this.returned(body, { call, frame });
    return calledValue(call, { evaluation: this, frame });
  }

  /** What a function returns in a call. */
  private returned(
    body: TermFunction,
    { call: { args, named }, frame }: { readonly call: CallTerm; readonly frame: Frame | undefined },
  ): Value {
    const values = args.map((arg) => this.valueOf(arg, frame));
    const options = new Map([...named].map(([name, value]) => [name, this.valueOf(value, frame)]));
    return this.applied(body, { args: values, named: options, frame });
  }

  /** What a function returns for these arguments. */
  applied(
    body: TermFunction,
    {
      args,
      named = new Map(),
      frame,
    }: {
      readonly args: readonly Value[];
      readonly named?: ReadonlyMap<string, Value>;
      readonly frame: Frame | undefined;
    },
  ): Value {
    const depth = (frame?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH || body.returns.length === 0) return UNKNOWN;
    const inner: Frame = { of: body, args, named, outer: frame, depth };
    return body.returns.flatMap((value) => this.valueOf(value, inner));
  }
}

const ENVIRONMENT: Value = [{ kind: 'environment' }];

function isEnvironment(name: string | undefined): boolean {
  return name === 'os.environ' || name === 'process.env';
}

/** A list or an object that may have more than its literal or its JSON shows. */
function opened(atom: Atom): Value {
  if (atom.kind === 'object') return [{ ...atom, isOpen: true }];
  if (atom.kind === 'json') return [atom, UNKNOWN_ATOM];
  if (atom.kind !== 'list') return [atom];
  return [{ ...atom, isOpen: true, items: () => [...atom.items(), UNKNOWN_ATOM] }];
}

function memberOf(
  atom: Atom,
  { keys, index }: { readonly keys: Value; readonly index: number | undefined },
): readonly Atom[] {
  const texts = keys.flatMap((key) => (key.kind === 'text' ? [key] : []));
  switch (atom.kind) {
    case 'environment':
      return keys.map((key) => (key.kind === 'text' ? { kind: 'variable', name: key.text, at: key.at } : UNKNOWN_ATOM));
    case 'json':
      if (index !== undefined) return [{ ...atom, path: [...atom.path, '*'] }];
      return keys.map((key) => (key.kind === 'text' ? { ...atom, path: [...atom.path, key.text] } : UNKNOWN_ATOM));
    case 'object': {
      const named = texts.length === keys.length ? texts.map(({ text }) => text) : [...atom.keys];
      const values = named.flatMap((key) => atom.field(key) ?? UNKNOWN);
      return atom.isOpen ? [...values, UNKNOWN_ATOM] : values;
    }
    case 'list':
      if (texts.length > 0) return UNKNOWN;
      return (index === undefined ? undefined : atom.part(index)) ?? atom.items();
    default:
      return UNKNOWN;
  }
}

/** Each value once; too many are not known. */
function distinct(value: Value): Value {
  const seen = new Map<string, Atom>();
  let unknown = 0;
  for (const [index, atom] of value.entries()) {
    if (atom.kind === 'unknown') unknown += 1;
    const key =
      atom.kind === 'text'
        ? `t${atom.at} ${atom.text}`
        : atom.kind === 'variable'
          ? `v${atom.name} ${atom.at}`
          : atom.kind === 'json'
            ? `j${atom.of} ${atom.path.join(' ')}`
            : atom.kind === 'unknown' || atom.kind === 'environment'
              ? atom.kind
              : String(index);
    if (!seen.has(key)) seen.set(key, atom);
  }
  return seen.size > MAX_ATOMS + Math.min(unknown, 1) ? UNKNOWN : [...seen.values()];
}

const evaluations = new WeakMap<ParsedProgram, Evaluation>();

/** The evaluation of a program; it is made once. */
export function evaluationOf(program: ParsedProgram): Evaluation {
  const known = evaluations.get(program) ?? new Evaluation(readTerms(program));
  evaluations.set(program, known);
  return known;
}
