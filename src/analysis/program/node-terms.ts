// Reads the expressions of a JavaScript or TypeScript program for value analysis.
import type { SyntaxNode } from '@lezer/common';
import { childrenOf } from './program.js';
import { partOf, Scope, TermReading, type Term, type TermFunction } from './terms.js';

const FUNCTIONS = /^(?:ArrowFunction|FunctionExpression|FunctionDeclaration|MethodDeclaration)$/;

/** Reads the terms of a JavaScript program. */
export class NodeTerms extends TermReading {
  private readonly bodies: TermFunction[] = [];

  override statement(node: SyntaxNode, scope: Scope): void {
    const parts = childrenOf(node);
    switch (node.name) {
      case 'VariableDeclaration':
        return this.declared(parts, scope);
      case 'ReturnStatement': {
        const value = parts[1] === undefined || parts[1].name === ';' ? undefined : this.term(parts[1], scope);
        if (value !== undefined) this.bodies.at(-1)?.returns.push(value);
        return;
      }
      case 'ForStatement':
        return this.loop(node, scope);
      case 'FunctionDeclaration': {
        const name = node.getChild('VariableDefinition');
        const body = this.function(node, scope);
        const term: Term = { kind: 'function', body, at: node.from, end: node.to };
        if (name !== null) this.bind(this.text(name), { term, at: node.from, scope });
        return;
      }
      case 'ImportDeclaration':
        return this.imports(this.text(node));
      case 'Block':
      case 'SwitchBody':
        return this.statements(node, scope);
      case 'ClassDeclaration':
        for (const method of node.getChild('ClassBody')?.getChildren('MethodDeclaration') ?? [])
          this.function(method, scope);
        return;
      case 'ExpressionStatement':
      case 'IfStatement':
      case 'WhileStatement':
      case 'DoStatement':
      case 'TryStatement':
      case 'CatchClause':
      case 'FinallyClause':
      case 'SwitchStatement':
      case 'ExportDeclaration':
      case 'LabeledStatement':
      case 'CaseLabel':
      case 'ThrowStatement':
        for (const part of parts) this.statement(part, scope);
        return;
      default:
        if (!/^(?:\W+|[a-z]+)$|Comment$|^Type|^Interface/.test(node.name)) this.term(node, scope);
    }
  }

  /** `import { env, readFileSync as read } from 'node:process'`. */
  private imports(text: string): void {
    const [, list = '', module = ''] = /^import\s+([^]*?)\s+from\s+["'](?:node:)?([^"']+)["']/.exec(text) ?? [];
    const [, whole] = /^(?:\*\s+as\s+)?(\w+)/.exec(list) ?? [];
    if (whole !== undefined) this.imported.set(whole, module);
    for (const item of (/\{([^}]*)\}/.exec(list)?.[1] ?? '').split(',')) {
      const [name = '', alias] = item.trim().split(/\s+as\s+/);
      if (name !== '') this.imported.set(alias ?? name, `${module}.${name}`);
    }
  }

  private declared(all: readonly SyntaxNode[], scope: Scope): void {
    const parts = all.filter(({ name }) => name !== 'TypeAnnotation');
    for (const [index, part] of parts.entries()) {
      const [target, value] = [parts[index - 1], parts[index + 1]];
      if (part.name !== 'Equals' || target === undefined || value === undefined) continue;
      this.target(target, { value: this.term(value, scope), scope });
    }
  }

  private target(node: SyntaxNode, { value, scope }: { value: Term; scope: Scope }): void {
    if (/^Variable(?:Definition|Name)$/.test(node.name))
      return this.bind(this.text(node), { term: value, at: node.from, scope });
    if (node.name === 'ArrayPattern') {
      let index = 0;
      for (const part of childrenOf(node))
        if (part.name === ',') index += 1;
        else if (!/^[[\]]$/.test(part.name)) this.target(part, { value: partOf(value, index), scope });
    }
    if (node.name === 'ObjectPattern')
      for (const property of node.getChildren('PatternProperty')) this.property(property, { value, scope });
  }

  /** `a`, `a: b`, `a = 1` and `a: { b }` in a pattern. */
  private property(node: SyntaxNode, { value, scope }: { value: Term; scope: Scope }): void {
    const parts = childrenOf(node);
    const [first] = parts;
    if (first === undefined) return;
    const range = { at: first.from, end: first.to };
    const given = parts.find((_part, index) => parts[index - 1]?.name === 'Equals');
    if (first.name === 'Spread') {
      const rest = parts[1];
      if (rest !== undefined) this.bind(this.text(rest), { term: this.other(rest), at: node.from, scope });
      return;
    }
    const member = this.member(range, value, {
      ...range,
      kind: 'text',
      text: this.text(first).replace(/^["']|["']$/g, ''),
    });
    const whole: Term =
      given === undefined ? member : { ...range, kind: 'either', options: [member, this.term(given, scope)] };
    const inner =
      first.name === 'VariableDefinition' ? first : parts.find((_part, index) => parts[index - 1]?.name === ':');
    if (inner !== undefined) this.target(inner, { value: whole, scope });
  }

  private loop(node: SyntaxNode, scope: Scope): void {
    this.blocks.push(node);
    for (const part of childrenOf(node)) {
      if (part.name === 'ForOfSpec' || part.name === 'ForInSpec') {
        const parts = childrenOf(part);
        const word = parts.findIndex(({ name }) => name === 'of' || name === 'in');
        const [target, list] = [parts[word - 1], parts[word + 1]];
        if (target === undefined || list === undefined) continue;
        const of = this.term(list, scope);
        const item: Term = { kind: 'item', of, at: of.at, end: of.end };
        this.target(target, { value: part.name === 'ForOfSpec' ? item : this.other(part), scope });
      } else if (part.name === 'ForSpec') for (const inner of childrenOf(part)) this.statement(inner, scope);
      else this.statement(part, scope);
    }
    this.blocks.pop();
  }

  private function(node: SyntaxNode, scope: Scope): TermFunction {
    const inner = new Scope(scope);
    const list = node.getChild('ParamList');
    const parts = list === null ? [] : childrenOf(list);
    const params = parts.filter(({ name }) => /^(?:VariableDefinition|ObjectPattern|ArrayPattern|Spread)$/.test(name));
    const plain = params.filter((part) => part.prevSibling?.name !== 'Spread');
    const names = plain.map((part) => (part.name === 'VariableDefinition' ? this.text(part) : '*'));
    const name = node.getChild('VariableDefinition');
    const body = this.functionOf(node, { name: name === null ? '' : this.text(name), params: names });
    this.blocks.push(node);
    for (const [index, part] of plain.entries()) {
      const value: Term = { kind: 'parameter', of: body, index, name: names[index] ?? '', at: part.from, end: part.to };
      if (part.name !== 'Spread') this.target(part, { value, scope: inner });
      const given = parts[parts.indexOf(part) + 1]?.name === 'Equals' ? parts[parts.indexOf(part) + 2] : undefined;
      if (given !== undefined) body.defaults.set(index, this.term(given, inner));
    }
    const value = node.lastChild;
    this.bodies.push(body);
    if (value !== null && value.name === 'Block') this.statements(value, inner);
    else if (value !== null) body.returns.push(this.term(value, inner));
    this.bodies.pop();
    this.blocks.pop();
    return body;
  }

  protected override term(node: SyntaxNode, scope: Scope): Term {
    const range = { at: node.from, end: node.to };
    const parts = childrenOf(node);
    if (FUNCTIONS.test(node.name)) return { ...range, kind: 'function', body: this.function(node, scope) };
    switch (node.name) {
      case 'String':
        return { ...range, kind: 'text', text: this.unescaped(node.from + 1, node.to - 1) };
      case 'TemplateString':
        return this.template(node, scope);
      case 'Number':
        return { ...range, kind: 'number', value: Number(this.text(node).replaceAll('_', '')) };
      case 'VariableName':
        return { ...range, kind: 'name', name: this.text(node), scope };
      case 'MemberExpression':
        return this.memberOf(parts, { range, scope });
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        return parts[1] === undefined ? this.other(node) : this.term(parts[1], scope);
      case 'PostfixExpression':
        return parts[0] !== undefined && this.text(node).endsWith('!')
          ? this.term(parts[0], scope)
          : this.inside(node, scope);
      case 'PrefixCast':
        return parts.at(-1) === undefined ? this.other(node) : this.term(parts.at(-1) as SyntaxNode, scope);
      case 'CallExpression':
      case 'NewExpression':
        return this.call(node, scope);
      case 'BinaryExpression':
        return this.binary(node, scope);
      case 'ConditionalExpression': {
        const [test, , then, , otherwise] = parts;
        if (test === undefined || then === undefined || otherwise === undefined) return this.other(node);
        this.term(test, scope);
        return { ...range, kind: 'either', options: [this.term(then, scope), this.term(otherwise, scope)] };
      }
      case 'AssignmentExpression':
        return this.assignment(node, scope);
      case 'ArrayExpression':
        return this.list(node, scope);
      case 'ObjectExpression':
        return this.object(node, scope);
      default:
        return /^Type|Annotation$/.test(node.name) ? this.other(node) : this.inside(node, scope);
    }
  }

  private unescaped(from: number, to: number): string {
    return this.source
      .slice(from, to)
      .replace(/\\(["'`\\])/g, '$1')
      .replace(/\\n/g, '\n');
  }

  private memberOf(
    [object, sign, key, next]: readonly SyntaxNode[],
    { range, scope }: { range: { at: number; end: number }; scope: Scope },
  ): Term {
    if (object === undefined || key === undefined) return { ...range, kind: 'other' };
    const base = this.term(object, scope);
    const bracketed = sign?.name === '[' ? key : key.name === '[' ? next : undefined;
    if (bracketed !== undefined) return this.member(range, base, this.term(bracketed, scope));
    return this.member(range, base, { kind: 'text', text: this.text(key), at: key.from, end: key.to });
  }

  private template(node: SyntaxNode, scope: Scope): Term {
    const range = { at: node.from, end: node.to };
    const holes = node.getChildren('Interpolation');
    if (holes.length === 0) return { ...range, kind: 'text', text: this.unescaped(node.from + 1, node.to - 1) };
    const parts: Term[] = [];
    let from = node.from + 1;
    for (const hole of holes) {
      parts.push({ kind: 'text', text: this.unescaped(from, hole.from), at: from, end: hole.from });
      const [, value] = childrenOf(hole);
      parts.push(value === undefined ? this.other(hole) : this.term(value, scope));
      from = hole.to;
    }
    parts.push({ kind: 'text', text: this.unescaped(from, node.to - 1), at: from, end: node.to });
    return this.joined(range, parts);
  }

  private binary(node: SyntaxNode, scope: Scope): Term {
    const range = { at: node.from, end: node.to };
    const [first, operator, second] = childrenOf(node);
    if (first === undefined || operator === undefined || second === undefined) return this.inside(node, scope);
    const sign = this.text(operator);
    const left = this.term(first, scope);
    if (sign === 'as' || sign === 'satisfies') return left;
    const right = this.term(second, scope);
    if (sign === '||' || sign === '??') return { ...range, kind: 'either', options: [left, right] };
    if (sign === '&&') return right;
    return sign === '+' ? this.joined(range, [left, right]) : this.compared(range, sign, [left, right]);
  }

  private assignment(node: SyntaxNode, scope: Scope): Term {
    const [target, operator, value] = childrenOf(node);
    if (target === undefined || value === undefined) return this.inside(node, scope);
    const given = this.term(value, scope);
    if (operator?.name === 'UpdateOp') {
      if (target.name === 'VariableName') this.bindOuter(target, { value: this.other(node), scope });
      return this.other(node);
    }
    if (target.name === 'VariableName') this.bindOuter(target, { value: given, scope });
    return given;
  }

  /** An assignment changes the name in the scope that has declared it. */
  private bindOuter(node: SyntaxNode, { value, scope }: { value: Term; scope: Scope }): void {
    const name = this.text(node);
    let owner: Scope | undefined = scope;
    while (owner !== undefined && !owner.bindings.has(name)) owner = owner.parent;
    this.bind(name, { term: value, at: node.from, scope: owner ?? scope });
  }

  private list(node: SyntaxNode, scope: Scope): Term {
    const parts = childrenOf(node).filter(({ name }) => !/^\W+$/.test(name));
    const items: Term[] = [];
    for (const [index, part] of parts.entries()) {
      if (part.name === 'Spread') continue;
      const item = this.term(part, scope);
      const isSpread = parts[index - 1]?.name === 'Spread';
      items.push(isSpread ? { kind: 'item', of: item, at: item.at, end: item.end } : item);
    }
    return { at: node.from, end: node.to, kind: 'list', items, isTuple: true };
  }

  private object(node: SyntaxNode, scope: Scope): Term {
    const fields: { key: Term; value: Term }[] = [];
    let isOpen = false;
    for (const property of node.getChildren('Property')) {
      const parts = childrenOf(property).filter(({ name }) => !/^(?:[[\]:]|async|get|set)$/.test(name));
      const [key, value] = parts;
      if (key === undefined) continue;
      const range = { at: key.from, end: key.to };
      if (key.name === 'Spread') {
        isOpen = true;
        if (value !== undefined) this.term(value, scope);
        continue;
      }
      const isPlain = key.name === 'PropertyDefinition' || key.name === 'PropertyName';
      const name: Term = isPlain ? { ...range, kind: 'text', text: this.text(key) } : this.term(key, scope);
      if (value?.name === 'ParamList') fields.push({ key: name, value: this.method(property, scope) });
      else
        fields.push({
          key: name,
          value:
            value === undefined ? { ...range, kind: 'name', name: this.text(key), scope } : this.term(value, scope),
        });
    }
    return { at: node.from, end: node.to, kind: 'object', fields, isOpen };
  }

  private method(node: SyntaxNode, scope: Scope): Term {
    return { at: node.from, end: node.to, kind: 'function', body: this.function(node, scope) };
  }

  private call(node: SyntaxNode, scope: Scope): Term {
    const parts = childrenOf(node).filter(({ name }) => !/^(?:new|TypeArgList|\?\.)$/.test(name));
    const [object, list] = parts;
    if (object === undefined || list?.name !== 'ArgList') return this.inside(node, scope);
    const callee = this.term(object, scope);
    const args: Term[] = [];
    for (const part of childrenOf(list))
      if (!/^\W+$/.test(part.name) && part.name !== 'Spread')
        args.push(
          part.prevSibling?.name === 'Spread' ? (this.term(part, scope), this.other(part)) : this.term(part, scope),
        );
    if (this.text(object) === 'console.log' && args.length > 1) this.printed({ at: node.from, end: node.to }, args);
    const term = { at: node.from, end: node.to, kind: 'call' as const, callee, args, named: new Map<string, Term>() };
    this.calls.push(term);
    return term;
  }
}
