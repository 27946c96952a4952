// The expressions of a program with what its names stand for: the form of Python and JavaScript that value analysis (values.ts) follows. What
// does not matter for values becomes `other`.
import type { SyntaxNode } from '@lezer/common';
import { childrenOf, type Program } from './program.js';

interface Ranged {
  readonly at: number;
  readonly end: number;
}

/** An expression. */
export type Term = Ranged &
  (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'number'; readonly value: number }
    /** Texts in a row: of a template, or of `+`. */
    | { readonly kind: 'join'; readonly parts: readonly Term[] }
    | { readonly kind: 'name'; readonly name: string; readonly scope: Scope }
    | { readonly kind: 'member'; readonly base: Term; readonly key: Term }
    /** One item of a list. */
    | { readonly kind: 'item'; readonly of: Term }
    | {
        readonly kind: 'call';
        readonly callee: Term;
        readonly args: readonly Term[];
        readonly named: ReadonlyMap<string, Term>;
      }
    | {
        readonly kind: 'object';
        readonly fields: readonly { readonly key: Term; readonly value: Term }[];
        readonly isOpen: boolean;
      }
    | { readonly kind: 'list'; readonly items: readonly Term[]; readonly isTuple: boolean }
    /** A list of which every item is made in the same way. */
    | { readonly kind: 'each'; readonly item: Term }
    | { readonly kind: 'either'; readonly options: readonly Term[] }
    | { readonly kind: 'function'; readonly body: TermFunction }
    | { readonly kind: 'parameter'; readonly of: TermFunction; readonly index: number; readonly name: string }
    | { readonly kind: 'other' }
  );

/** A call in a program. */
export type CallTerm = Term & { readonly kind: 'call' };

/** The parts of a text that are put together. */
export type JoinTerm = Term & { readonly kind: 'join' };

/** A function, with the calls that the program has of it. */
export interface TermFunction extends Ranged {
  readonly name: string;
  readonly params: readonly string[];
  readonly defaults: Map<number, Term>;
  readonly returns: Term[];
  readonly calls: CallTerm[];
  /** The lists of which it gets one item after the other. */
  readonly items: Term[];
  /** True if something else may call it. */
  isOpen: boolean;
}

/** The index of the parameter that gets all other arguments with a name. */
export const NAMED = -1;

/** One way in which a name gets its value: in the block from `from` to `to`. */
interface Binding {
  readonly term: Term;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** The names of a function, or of a whole program. */
export class Scope {
  readonly bindings = new Map<string, Binding[]>();

  constructor(readonly parent?: Scope) {}

  bind(name: string, binding: Binding): void {
    const known = this.bindings.get(name);
    if (known === undefined) this.bindings.set(name, [binding]);
    else known.push(binding);
  }
}

/** What a name may stand for where it is used; undefined for a name that the program does not define. */
export function bindingsOf({
  name,
  scope,
  at,
}: Term & { readonly kind: 'name' }): readonly { readonly term: Term }[] | undefined {
  const own = scope.bindings.get(name);
  if (own !== undefined) return reaching(own, at);
  for (let outer = scope.parent; outer !== undefined; outer = outer.parent) {
    const found = outer.bindings.get(name);
    if (found !== undefined) return reaching(found, at);
  }
  return undefined;
}

/** An assignment above in the same block is the last one that counts. */
function reaching(all: readonly Binding[], at: number): readonly Binding[] {
  const last = all.filter((one) => one.at < at && one.from <= at && at <= one.to).at(-1);
  if (last === undefined || all.some((one) => one.term.kind === 'function' || one.term.kind === 'parameter'))
    return all;
  return [last, ...all.filter((one) => one !== last && one.at > last.at && one.at < at)];
}

/** `left == right`, or `left in right`. */
export interface Comparison {
  readonly left: Term;
  readonly right: Term;
  readonly isMembership: boolean;
}

/** All that value analysis knows of a program. */
export interface Terms {
  readonly joins: readonly JoinTerm[];
  readonly comparisons: readonly Comparison[];
  readonly members: readonly (Term & { readonly kind: 'member' })[];
  readonly calls: readonly CallTerm[];
  readonly functions: readonly TermFunction[];
  /** What the name of a module's member stands for, such as `json.loads`; by the name that the program uses. */
  readonly imported: ReadonlyMap<string, string>;
  /** Names whose list or object the program changes. */
  readonly changed: ReadonlySet<string>;
  readonly isPython: boolean;
}

const CHANGES =
  /(?<![\w.$])([A-Za-z_$][\w$]*)(?:\.(?:append|extend|insert|push|unshift|add|update|setdefault|pop|popitem|remove|clear|splice|shift|set|delete)\(|\[[^\]\n]{0,200}\][ \t]*[-+|*/]?=(?!=)|\.[A-Za-z_]\w*[ \t]*[-+|*/]?=(?!=))|\bdel[ \t]+(\w+)|\bObject\.assign\([ \t]*(\w+)/g;

/** The names whose list or object a program changes after it has made it. */
export function changedNames(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(CHANGES)].map(([, one, two, three]) => one ?? two ?? three ?? ''));
}

/** What reading terms with a grammar collects. */
export abstract class TermReading {
  readonly joins = new Set<Term>();
  readonly comparisons: Comparison[] = [];
  readonly members: (Term & { readonly kind: 'member' })[] = [];
  readonly calls: CallTerm[] = [];
  readonly imported = new Map<string, string>();
  protected readonly blocks: { readonly from: number; readonly to: number }[] = [];
  readonly functions: TermFunction[] = [];

  constructor(protected readonly source: string) {}

  abstract statement(node: SyntaxNode, scope: Scope): void;

  protected abstract term(node: SyntaxNode, scope: Scope): Term;

  protected text({ from, to }: SyntaxNode): string {
    return this.source.slice(from, to);
  }

  protected statements(node: SyntaxNode | null | undefined, scope: Scope): void {
    if (node === null || node === undefined) return;
    this.blocks.push(node);
    for (const part of childrenOf(node)) this.statement(part, scope);
    this.blocks.pop();
  }

  protected bind(name: string, { term, at, scope }: { term: Term; at: number; scope: Scope }): void {
    const { from, to } = this.blocks.at(-1) ?? { from: 0, to: this.source.length };
    scope.bind(name, { term, at, from, to });
  }

  protected other({ from, to }: SyntaxNode): Term {
    return { kind: 'other', at: from, end: to };
  }

  /** Reads the parts of something that has no value of its own. */
  protected inside(node: SyntaxNode, scope: Scope): Term {
    for (const part of childrenOf(node)) if (!/^(?:\W+|[a-z]+)$/.test(part.name)) this.term(part, scope);
    return this.other(node);
  }

  protected member(range: Ranged, base: Term, key: Term): Term {
    const term = { ...range, kind: 'member' as const, base, key };
    this.members.push(term);
    return term;
  }

  protected joined(range: Ranged, parts: readonly Term[]): Term {
    const flat: Term[] = [];
    for (const part of parts.flatMap((one) => (one.kind === 'join' ? one.parts : [one]))) {
      const last = flat.at(-1);
      if (part.kind === 'text' && last?.kind === 'text')
        flat[flat.length - 1] = { ...last, text: last.text + part.text, end: part.end };
      else flat.push(part);
    }
    for (const part of parts) this.joins.delete(part);
    const term: JoinTerm = { at: range.at, end: range.end, kind: 'join', parts: flat };
    this.joins.add(term);
    return term;
  }

  /** The value of an operator; of comparisons, both sides are kept. */
  protected compared(range: Ranged, sign: string, [left, right]: readonly [Term, Term]): Term {
    // In Python, a path: the file of a folder.
    if (sign === '/' && right.kind === 'text') return { ...range, kind: 'member', base: left, key: right };
    const isMembership = /^(?:in|not)$/.test(sign);
    if (isMembership || /^[!=]==?$/.test(sign)) this.comparisons.push({ left, right, isMembership });
    return { ...range, kind: 'other' };
  }

  /** What a call prints in one line, with blanks between. */
  protected printed(range: Ranged, args: readonly Term[]): void {
    const blank = (at: number): Term => ({ kind: 'text', text: ' ', at, end: at });
    this.joined(
      range,
      args.flatMap((arg, index) => (index === 0 ? [arg] : [blank(arg.at), arg])),
    );
  }

  protected functionOf(node: SyntaxNode, { name, params }: { name: string; params: readonly string[] }): TermFunction {
    const body: TermFunction = {
      at: node.from,
      end: node.to,
      name,
      params,
      defaults: new Map(),
      returns: [],
      calls: [],
      items: [],
      isOpen: false,
    };
    this.functions.push(body);
    return body;
  }

  /** Tells each function which calls the program has of it. */
  finish(): void {
    const named = new Set<Term>();
    for (const call of this.calls) {
      const body = functionNamed(call.callee);
      if (body === undefined) continue;
      body.calls.push(call);
      named.add(call.callee);
    }
    for (const call of this.calls) this.callbacks(call);
  }

  /** Functions that a call gets: of a list, they get each item; others may be called with anything. */
  private callbacks(call: CallTerm): void {
    const list = listFor(call);
    for (const arg of [...call.args, ...call.named.values()]) {
      const body = functionNamed(arg);
      if (body === undefined) continue;
      if (list === undefined) body.isOpen = true;
      else body.items.push(list);
    }
  }
}

/** The function that a term is, or that its name stands for. */
export function functionNamed(term: Term): TermFunction | undefined {
  if (term.kind === 'function') return term.body;
  const [only, ...others] = term.kind === 'name' ? (bindingsOf(term) ?? []) : [];
  return only?.term.kind === 'function' && others.length === 0 ? only.term.body : undefined;
}

const ON_LISTS =
  /^(?:map|filter|forEach|some|every|find|findLast|findIndex|flatMap|sort|toSorted|sorted|max|min|any|all|sum|groupby)$/;

/** The list of which the callback of a call gets the items. */
function listFor({ callee, args, named }: CallTerm): Term | undefined {
  if (callee.kind === 'member' && callee.key.kind === 'text' && ON_LISTS.test(callee.key.text)) {
    const isMethod = args.length === 0 ? named.has('key') : args[0]?.kind !== 'other';
    return isMethod ? callee.base : undefined;
  }
  if (callee.kind !== 'name' || !ON_LISTS.test(callee.name)) return undefined;
  return /^(?:map|filter)$/.test(callee.name) ? args[1] : args[0];
}

/** The name of a member of a module, such as `os.environ`; undefined if the program defines the name itself. */
export function dottedName(term: Term, imported: ReadonlyMap<string, string>, steps = 4): string | undefined {
  if (term.kind === 'name') {
    const own = bindingsOf(term);
    if (own === undefined) return imported.get(term.name) ?? term.name;
    const [only, ...others] = own;
    return only === undefined || others.length > 0 || steps === 0
      ? undefined
      : dottedName(only.term, imported, steps - 1);
  }
  if (term.kind === 'call') return requiredModule(term);
  if (term.kind !== 'member' || term.key.kind !== 'text') return undefined;
  const base = dottedName(term.base, imported, steps);
  return base === undefined ? undefined : `${base}.${term.key.text}`;
}

/** The module that `require('node:fs')` gives. */
function requiredModule({ callee, args }: CallTerm): string | undefined {
  const [module] = args;
  if (callee.kind !== 'name' || callee.name !== 'require' || module?.kind !== 'text') return undefined;
  return module.text.replace(/^node:/, '');
}

/** The part of a value that one of several targets gets. */
export function partOf(value: Term, index: number): Term {
  if (value.kind === 'list' && value.isTuple && value.items[index] !== undefined) return value.items[index];
  const { at, end } = value;
  return { kind: 'member', base: value, key: { kind: 'number', value: index, at, end }, at, end };
}

/** What a program is read from. */
export type ParsedProgram = Pick<Program, 'text' | 'tree' | 'language'>;
