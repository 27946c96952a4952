// Reads the expressions of a Python program for value analysis.
import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from './program.js';
import { filledParts, importsOf } from './python-texts.js';
import { NAMED, partOf, Scope, TermReading, type Term, type TermFunction } from './terms.js';

/** Reads the terms of a Python program. */
export class PythonTerms extends TermReading {
  private readonly bodies: TermFunction[] = [];
  /** The `**name` of the function that is being read. */
  private readonly rest: [name: string, scope: Scope][] = [];

  override statement(node: SyntaxNode, scope: Scope): void {
    const parts = childrenOf(node);
    switch (node.name) {
      case 'AssignStatement':
        return this.assigned(parts, scope);
      case 'UpdateStatement': {
        const [target, , value] = parts;
        if (value !== undefined) this.term(value, scope);
        if (target?.name === 'VariableName')
          this.bind(this.text(target), { term: this.other(node), at: node.to, scope });
        return;
      }
      case 'ReturnStatement': {
        const value = parts[1] === undefined ? undefined : this.row(parts.slice(1), scope);
        if (value !== undefined) this.bodies.at(-1)?.returns.push(value);
        return;
      }
      case 'ForStatement':
        this.loopHead(parts, scope);
        for (const body of node.getChildren('Body')) this.statements(body, scope);
        return;
      case 'WithStatement':
        return this.opened(parts, scope);
      case 'FunctionDefinition':
        return this.defined(node, scope);
      case 'ClassDefinition':
        return this.statements(node.getChild('Body'), new Scope(scope));
      case 'DecoratedStatement':
      case 'StatementGroup':
        for (const part of parts) this.statement(part, scope);
        return;
      case 'ImportStatement':
        for (const [name, whole] of importsOf(this.text(node))) this.imported.set(name, whole);
        return;
      case 'Body':
        return this.statements(node, scope);
      case 'MatchBody':
      case 'MatchClause':
        for (const part of parts) if (/^(?:MatchClause|Body)$/.test(part.name)) this.statement(part, scope);
        return;
      default:
        for (const part of parts)
          if (/^(?:Body|MatchBody)$/.test(part.name)) this.statement(part, scope);
          else if (!/^(?:\W+|[a-z]+)$/.test(part.name)) this.term(part, scope);
    }
  }

  /** `a = b`, `a, b = c`, `a = b = c`. */
  private assigned(all: readonly SyntaxNode[], scope: Scope): void {
    const parts = all.filter(({ name }) => name !== 'TypeDef');
    const last = parts.map(({ name }) => name).lastIndexOf('AssignOp');
    if (last < 0) return;
    const value = this.row(parts.slice(last + 1), scope);
    let targets: SyntaxNode[] = [];
    for (const part of parts.slice(0, last + 1)) {
      if (part.name !== 'AssignOp') {
        targets.push(part);
        continue;
      }
      this.targets(targets, { value, scope });
      targets = [];
    }
  }

  /** Expressions in a row, which are a tuple if there are several. */
  private row(parts: readonly SyntaxNode[], scope: Scope): Term | undefined {
    const values = parts.filter(({ name }) => name !== ',' && name !== ';').map((part) => this.term(part, scope));
    const [first] = values;
    if (first === undefined || values.length === 1) return first;
    return { kind: 'list', items: values, isTuple: true, at: first.at, end: values.at(-1)?.end ?? first.end };
  }

  private targets(nodes: readonly SyntaxNode[], { value, scope }: { value: Term | undefined; scope: Scope }): void {
    const targets = nodes.filter(({ name }) => name !== ',' && name !== '*');
    const isList = nodes.some(({ name }) => name === ',');
    if (value === undefined) return;
    if (!isList && targets[0] !== undefined) this.target(targets[0], { value, scope });
    else for (const [index, one] of targets.entries()) this.target(one, { value: partOf(value, index), scope });
  }

  private target(node: SyntaxNode, { value, scope }: { value: Term; scope: Scope }): void {
    if (node.name === 'VariableName') return this.bind(this.text(node), { term: value, at: node.from, scope });
    if (/^(?:Tuple|Array|Parenthesized)Expression$/.test(node.name)) {
      const inner = childrenOf(node).filter(({ name }) => !/^\W+$/.test(name));
      for (const [index, one] of inner.entries()) this.target(one, { value: partOf(value, index), scope });
    }
  }

  /** `for a, b in c`. */
  private loopHead(all: readonly SyntaxNode[], scope: Scope): void {
    const from = all.findIndex(({ name }) => name === 'for');
    const middle = all.findIndex(({ name }) => name === 'in');
    const list = all[middle + 1];
    if (middle < 0 || list === undefined) return;
    const of = this.term(list, scope);
    this.targets(all.slice(from + 1, middle), { value: { kind: 'item', of, at: of.at, end: of.end }, scope });
  }

  private opened(parts: readonly SyntaxNode[], scope: Scope): void {
    let value: Term | undefined;
    for (const [index, part] of parts.entries()) {
      if (part.name === 'Body') this.statements(part, scope);
      else if (parts[index - 1]?.name === 'as' && value !== undefined) this.target(part, { value, scope });
      else if (!/^(?:\W+|[a-z]+)$/.test(part.name)) value = this.term(part, scope);
    }
  }

  private defined(node: SyntaxNode, scope: Scope): void {
    const name = node.getChild('VariableName');
    const inner = new Scope(scope);
    const body = this.parameters(node, { name: name === null ? '' : this.text(name), inner });
    if (name !== null)
      this.bind(this.text(name), {
        term: { kind: 'function', body, at: node.from, end: node.to },
        at: node.from,
        scope,
      });
    this.bodies.push(body);
    this.statements(node.getChild('Body'), inner);
    this.bodies.pop();
  }

  private parameters(node: SyntaxNode, { name, inner }: { name: string; inner: Scope }): TermFunction {
    const parts = childrenOf(node.getChild('ParamList') ?? node.firstChild ?? node);
    const params: string[] = [];
    const defaults: [number, Term][] = [];
    for (const [index, part] of parts.entries()) {
      const before = parts[index - 1]?.name;
      if (part.name === 'VariableName' && before === '**') this.rest.push([this.text(part), inner]);
      else if (part.name === 'VariableName' && before !== 'AssignOp')
        params.push(/^\*/.test(before ?? '') ? '*' : this.text(part));
      else if (before === 'AssignOp') defaults.push([params.length - 1, this.term(part, inner)]);
    }
    const body = this.functionOf(node, { name, params });
    const rest = this.rest.pop();
    if (rest !== undefined) this.parameter(rest[0], { body, index: NAMED, inner, node });
    for (const [index, value] of defaults) body.defaults.set(index, value);
    for (const [index, param] of params.entries())
      if (param !== '*') this.parameter(param, { body, index, inner, node });
    return body;
  }

  private parameter(
    name: string,
    { body, index, inner, node }: { body: TermFunction; index: number; inner: Scope; node: SyntaxNode },
  ): void {
    const { from, to } = node;
    inner.bind(name, { term: { kind: 'parameter', of: body, index, name, at: from, end: to }, at: from, from, to });
  }

  protected override term(node: SyntaxNode, scope: Scope): Term {
    const range = { at: node.from, end: node.to };
    const parts = childrenOf(node);
    switch (node.name) {
      case 'String':
      case 'FormatString':
      case 'ContinuedString':
        return this.literal(node, scope);
      case 'Number':
        return { ...range, kind: 'number', value: Number(this.text(node).replaceAll('_', '')) };
      case 'VariableName':
        return { ...range, kind: 'name', name: this.text(node), scope };
      case 'MemberExpression':
        return this.memberOf(node, scope);
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        return parts[1] === undefined ? this.other(node) : this.term(parts[1], scope);
      case 'CallExpression':
        return this.call(node, scope);
      case 'BinaryExpression':
        return this.binary(node, scope);
      case 'ConditionalExpression': {
        const [then, , test, , otherwise] = parts.map((part) => this.term(part, scope));
        return then === undefined || test === undefined || otherwise === undefined
          ? this.other(node)
          : { ...range, kind: 'either', options: [then, otherwise] };
      }
      case 'ArrayExpression':
      case 'TupleExpression':
      case 'SetExpression':
        return this.list(node, scope);
      case 'DictionaryExpression':
        return this.dictionary(node, scope);
      case 'LambdaExpression': {
        const inner = new Scope(scope);
        const body = this.parameters(node, { name: '', inner });
        const value = parts.at(-1);
        if (value !== undefined) body.returns.push(this.term(value, inner));
        return { ...range, kind: 'function', body };
      }
      case 'NamedExpression': {
        const [target, , value] = parts;
        const given = value === undefined ? this.other(node) : this.term(value, scope);
        if (target !== undefined) this.bind(this.text(target), { term: given, at: target.from, scope });
        return given;
      }
      default:
        return /ComprehensionExpression$/.test(node.name) ? this.comprehension(node, scope) : this.inside(node, scope);
    }
  }

  private memberOf(node: SyntaxNode, scope: Scope): Term {
    const [object, sign, key, ...rest] = childrenOf(node);
    const range = { at: node.from, end: node.to };
    if (object === undefined || key === undefined) return this.other(node);
    const base = this.term(object, scope);
    if (sign?.name === '.')
      return this.member(range, base, { kind: 'text', text: this.text(key), at: key.from, end: key.to });
    if (rest.length > 1 || key.name === ':') {
      for (const part of [key, ...rest]) if (!/^\W+$/.test(part.name)) this.term(part, scope);
      return { ...range, kind: 'call', callee: this.slice(node, base), args: [], named: new Map() };
    }
    return this.member(range, base, this.term(key, scope));
  }

  /** A part of a list or text, like a method without arguments. */
  private slice(node: SyntaxNode, base: Term): Term {
    const range = { at: node.from, end: node.to };
    return { ...range, kind: 'member', base, key: { ...range, kind: 'text', text: 'slice' } };
  }

  private list(node: SyntaxNode, scope: Scope): Term {
    const parts = childrenOf(node).filter(({ name }) => !/^(?:[^\w*]+)$/.test(name));
    const items: Term[] = [];
    for (const [index, part] of parts.entries()) {
      if (part.name === '*') continue;
      const item = this.term(part, scope);
      const isSpread = parts[index - 1]?.name === '*';
      items.push(isSpread ? { kind: 'item', of: item, at: item.at, end: item.end } : item);
    }
    const isTuple = node.name === 'TupleExpression';
    return { at: node.from, end: node.to, kind: 'list', items, isTuple };
  }

  private dictionary(node: SyntaxNode, scope: Scope): Term {
    const parts = childrenOf(node);
    const fields: { key: Term; value: Term }[] = [];
    for (const [index, part] of parts.entries()) {
      const [before, after] = [parts[index - 1], parts[index + 1]];
      if (part.name === ':' && before !== undefined && after !== undefined)
        fields.push({ key: this.term(before, scope), value: this.term(after, scope) });
    }
    const isOpen = parts.some(({ name }) => name === '**');
    return { at: node.from, end: node.to, kind: 'object', fields, isOpen };
  }

  /** `[a for b in c]`, `{a: b for c in d}`, or the argument `a for b in c`. */
  private comprehension(node: SyntaxNode, scope: Scope): Term {
    const parts = childrenOf(node);
    const inner = new Scope(scope);
    this.blocks.push(node);
    for (const [index, { name }] of parts.entries()) {
      if (name === 'for') this.loopHead(parts.slice(index), inner);
      if (name === 'if' && parts[index + 1] !== undefined) this.term(parts[index + 1] as SyntaxNode, inner);
    }
    const [first, second] = parts.filter(({ name }) => !/^[([{:]$/.test(name));
    const item = first === undefined ? this.other(node) : this.term(first, inner);
    if (node.name.startsWith('Dictionary') && second !== undefined) this.term(second, inner);
    this.blocks.pop();
    const range = { at: node.from, end: node.to };
    if (node.name.startsWith('Dictionary')) return { ...range, kind: 'object', fields: [], isOpen: true };
    return { ...range, kind: 'each', item };
  }

  private binary(node: SyntaxNode, scope: Scope): Term {
    const range = { at: node.from, end: node.to };
    const [first, operator, second] = childrenOf(node);
    if (first === undefined || operator === undefined || second === undefined) return this.inside(node, scope);
    const sign = this.text(operator);
    const [left, right] = [this.term(first, scope), this.term(childrenOf(node).at(-1) ?? second, scope)];
    if (sign === 'or') return { ...range, kind: 'either', options: [left, right] };
    if (sign === 'and') return right;
    if (sign === '+') return this.joined(range, [left, right]);
    if (sign === '%' && (left.kind === 'text' || left.kind === 'join'))
      return this.joined(range, filledParts(left, right.kind === 'list' ? right.items : [right]));
    return this.compared(range, sign, [left, right]);
  }

  private call(node: SyntaxNode, scope: Scope): Term {
    const [object, list] = childrenOf(node);
    if (object === undefined || list?.name !== 'ArgList') return this.inside(node, scope);
    const callee = this.term(object, scope);
    const parts = childrenOf(list);
    const named = new Map<string, Term>();
    const args: Term[] = [];
    if (parts.some(({ name }) => name === 'for')) args.push(this.comprehension(list, scope));
    else
      for (const [index, part] of parts.entries()) {
        const before = parts[index - 1];
        if (/^\W+$/.test(part.name) || part.name === 'AssignOp' || parts[index + 1]?.name === 'AssignOp') continue;
        if (before?.name === 'AssignOp') named.set(this.text(parts[index - 2] ?? part), this.term(part, scope));
        else if (/^\*/.test(before?.name ?? '')) args.push((this.term(part, scope), this.other(part)));
        else args.push(this.term(part, scope));
      }
    const range = { at: node.from, end: node.to };
    const isFormat = callee.kind === 'member' && callee.key.kind === 'text' && callee.key.text === 'format';
    if (isFormat && named.size === 0 && (callee.base.kind === 'text' || callee.base.kind === 'join'))
      return this.joined(range, filledParts(callee.base, args));
    if (this.text(object) === 'print' && args.length > 1 && !named.has('sep')) this.printed(range, args);
    const term = { ...range, kind: 'call' as const, callee, args, named };
    this.calls.push(term);
    return term;
  }

  private literal(node: SyntaxNode, scope: Scope): Term {
    const range = { at: node.from, end: node.to };
    if (node.name === 'ContinuedString')
      return this.joined(
        range,
        childrenOf(node).map((part) => this.literal(part, scope)),
      );
    const [opening = '', quote = ''] = /^[a-z]*("""|'''|"|')/i.exec(this.text(node)) ?? [];
    const end = node.to - quote.length;
    const isFormat = node.name === 'FormatString';
    let from = node.from + opening.length;
    const plain = (to: number): Term => {
      const text = this.source
        .slice(from, to)
        .replace(/\\(["'\\])/g, '$1')
        .replace(/\\n/g, '\n');
      return { kind: 'text', text: isFormat ? text.replace(/([{}])\1/g, '$1') : text, at: from, end: to };
    };
    const holes = node.getChildren('FormatReplacement');
    if (holes.length === 0) return { ...plain(end), ...range };
    const parts: Term[] = [];
    for (const hole of holes) {
      parts.push(plain(hole.from));
      const [, value] = childrenOf(hole);
      const given = value === undefined ? this.other(hole) : this.term(value, scope);
      const isPlain = hole.getChild('FormatSpec') === null && hole.getChild('FormatConversion') === null;
      parts.push(isPlain ? given : { ...range, kind: 'other' });
      from = hole.to;
    }
    parts.push(plain(end));
    return this.joined(range, parts);
  }
}
