// Reads a Python program with its grammar.
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/python';
import { childrenOf, computedText, ProgramReading } from './program.js';
import type { Expression, Program, ProgramBranch, Step } from './program.js';
import { effectOf, formatted, QUIET } from './python-effects.js';
import { pythonNames } from './names.js';
import { TracedText } from '../position.js';

/** Parses a Python program. */
export function readPython(text: string): Program {
  const tree = parser.parse(text);
  const reading = new PythonReading(text, 'python');
  return {
    ...reading.program(tree, UNFOLLOWED),
    names: pythonNames(tree, text),
    effectOf: (call) => effectOf(call, reading.foreign),
  };
}

/** What changes what `print` does. */
const UNFOLLOWED =
  /redirect_std|sys\.stdout\s*=|\bdef print\b|\bprint\s*=|\bbuiltins\b|\batexit\b|\bdup2?\(|\b(?:exec|eval)\(/;

class PythonReading extends ProgramReading {
  protected step(node: SyntaxNode): readonly Step[] {
    const range = { at: node.from, end: node.to };
    const parts = childrenOf(node);
    const [first, second] = parts;
    switch (node.name) {
      case 'ExpressionStatement':
        if (first !== undefined && /String$/.test(first.name)) return [];
        return first === undefined ? [] : [{ ...range, kind: 'do', value: this.expression(first) }];
      case 'StatementGroup':
      case 'Body':
        return this.steps(parts);
      case 'AssignStatement':
      case 'UpdateStatement':
        return [{ ...range, kind: 'do', value: this.assignment(node) }];
      case 'ReturnStatement':
        return [{ ...range, kind: 'return', ...this.optional(second) }];
      case 'RaiseStatement':
        return [this.raise(node)];
      case 'BreakStatement':
        return [{ ...range, kind: 'break' }];
      case 'ContinueStatement':
        return [{ ...range, kind: 'continue' }];
      case 'IfStatement':
        return [this.conditional(node)];
      case 'MatchStatement':
        return [this.match(node)];
      case 'WhileStatement':
      case 'ForStatement':
        return [this.loop(node)];
      case 'TryStatement':
        return [this.tried(node)];
      case 'WithStatement':
        return [
          { ...range, kind: 'do', value: this.others(node, (part) => part.name !== 'Body') },
          ...this.steps(childrenOf(node.getChild('Body') ?? node).filter(({ name }) => name !== ':')),
        ];
      case 'DecoratedStatement':
        return this.steps(parts.filter(({ name }) => name !== 'Decorator'));
      case 'FunctionDefinition':
        this.define(node);
        return [];
      case 'ClassDefinition':
        this.steps(childrenOf(node.getChild('Body') ?? node));
        return [];
      case 'ImportStatement':
        this.imported(node);
        return [];
      default:
        return node.name.endsWith('Statement') ? [{ ...range, kind: 'do', value: this.others(node) }] : [];
    }
  }

  private optional(node: SyntaxNode | undefined): { readonly value?: Expression } {
    return node === undefined || node.name === ';' ? {} : { value: this.expression(node) };
  }

  private body(node: SyntaxNode | null | undefined): readonly Step[] {
    return node === null || node === undefined ? [] : this.steps(childrenOf(node));
  }

  private raise(node: SyntaxNode): Step {
    const range = { at: node.from, end: node.to };
    const value = childrenOf(node)[1];
    if (value === undefined) return { ...range, kind: 'throw' };
    const raised = this.expression(value);
    if (raised.kind === 'name' && raised.name === 'SystemExit') return { ...range, kind: 'exit' };
    if (raised.kind !== 'call' || raised.name !== 'SystemExit') return { ...range, kind: 'throw', value: raised };
    const [code] = raised.args;
    return { ...range, kind: 'exit', ...(code === undefined ? {} : { value: code }) };
  }

  private conditional(node: SyntaxNode): Step {
    const branches: ProgramBranch[] = [];
    let [at, test]: [number, Expression | undefined] = [node.from, undefined];
    for (const part of childrenOf(node)) {
      if (/^(?:if|elif|else)$/.test(part.name)) [at, test] = [part.from, undefined];
      else if (part.name === 'Body') branches.push({ at, ...(test && { test }), body: this.body(part) });
      else test = this.expression(part);
    }
    const isMain = /^if\s*\(?\s*__name__\s*==/.test(this.text(node));
    const isComplete = isMain || branches.some((branch) => branch.test === undefined);
    return { at: node.from, end: node.to, kind: 'choice', branches, isComplete, fallsThrough: false };
  }

  private match(node: SyntaxNode): Step {
    const clauses = childrenOf(node.getChild('MatchBody') ?? node).filter(({ name }) => name === 'MatchClause');
    const subject = childrenOf(node)[1];
    const isComplete = clauses.some((clause) => /^case\s+_\s*:/.test(this.text(clause)));
    return {
      at: node.from,
      end: node.to,
      kind: 'choice',
      ...(subject === undefined ? {} : { subject: this.expression(subject) }),
      branches: clauses.map((clause) => ({ at: clause.from, body: this.body(clause.getChild('Body')) })),
      isComplete,
      fallsThrough: false,
    };
  }

  private loop(node: SyntaxNode): Step {
    const [body, otherwise] = node.getChildren('Body');
    const head = this.others(node, ({ name }) => name !== 'Body');
    const text = this.source.slice(node.from, body?.from ?? node.to);
    const runs = /^while\s*\(?\s*(?:True|1)\s*\)?\s*$/.test(text) ? 'forever' : 'maybe';
    const parts = { body: this.body(body), otherwise: this.body(otherwise), test: head };
    return { at: node.from, end: node.to, kind: 'loop', runs, ...parts };
  }

  private tried(node: SyntaxNode): Step {
    const handlers: ProgramBranch[] = [];
    const bodies: Record<string, readonly Step[]> = {};
    let [word, at] = ['try', node.from];
    for (const part of childrenOf(node)) {
      if (/^(?:try|except|else|finally)$/.test(part.name)) [word, at] = [part.name, part.from];
      if (part.name !== 'Body') continue;
      if (word === 'except') handlers.push({ at, body: this.body(part) });
      else bodies[word] = this.body(part);
    }
    const { try: body = [], else: otherwise = [], finally: last = [] } = bodies;
    return { at: node.from, end: node.to, kind: 'try', body, handlers, otherwise, last };
  }

  private define(node: SyntaxNode): void {
    const name = node.getChild('VariableName');
    const body = this.body(node.getChild('Body'));
    const params = this.params(node.getChild('ParamList'));
    // One of two functions of a name is not known.
    if (name !== null && !this.functions.has(this.text(name)))
      this.functions.set(this.text(name), { at: node.from, end: node.to, params, body });
  }

  private params(list: SyntaxNode | null): readonly string[] {
    const parts = list === null ? [] : childrenOf(list);
    return parts.filter(({ name }) => name === 'VariableName').map((part) => this.text(part));
  }

  /** Remembers what comes from a module that may print. */
  private imported(node: SyntaxNode): void {
    const text = this.text(node).replace(/[()\\]/g, ' ');
    const [, from = '', names = ''] = /^from\s+(\S+)\s+import\s+([^]*)$/.exec(text) ?? [];
    const list = from === '' ? text.replace(/^import\s+/, '') : names;
    for (const item of list.split(',')) {
      const [module = '', alias] = item.trim().split(/\s+as\s+/);
      const root = (from === '' ? module : from).split('.')[0] ?? '';
      if (!QUIET.test(root)) this.foreign.add(alias ?? module.split('.')[0] ?? '');
    }
  }

  private assignment(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    const parts = childrenOf(node).filter(({ name }) => name !== 'TypeDef');
    const [target, operator, value] = parts;
    if (value === undefined || parts.length > 3 || target?.name !== 'VariableName') return this.others(node);
    const name = this.text(target);
    const given = this.expression(value);
    if (given.kind === 'function') this.functions.set(name, given.body);
    if (operator?.name !== 'UpdateOp') return { ...range, kind: 'set', name, value: given };
    const before: Expression = { kind: 'name', name, at: target.from, end: target.to };
    return { ...range, kind: 'set', name, value: { ...range, kind: 'join', parts: [before, given] } };
  }

  private others(node: SyntaxNode, isWanted: (part: SyntaxNode) => boolean = () => true): Expression {
    const parts = childrenOf(node).filter((part) => isWanted(part) && !/^\W+$|^[a-z]+$/.test(part.name));
    return { at: node.from, end: node.to, kind: 'other', parts: parts.map((part) => this.expression(part)) };
  }

  private expression(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    const parts = childrenOf(node);
    switch (node.name) {
      case 'String':
      case 'FormatString':
      case 'ContinuedString':
        return this.literal(node);
      case 'Number':
        return { ...range, kind: 'text', text: this.collapsed(node) };
      case 'VariableName':
        return { ...range, kind: 'name', name: this.text(node) };
      case 'MemberExpression':
        return this.member(node);
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        return parts.length < 2 || parts[1] === undefined ? this.others(node) : this.expression(parts[1]);
      case 'ConditionalExpression':
        return this.either(node);
      case 'BinaryExpression':
        return this.binary(node);
      case 'CallExpression':
        return this.call(node);
      case 'LambdaExpression': {
        const value = parts.at(-1);
        const body: readonly Step[] =
          value === undefined ? [] : [{ ...range, kind: 'return', value: this.expression(value) }];
        return {
          ...range,
          kind: 'function',
          body: { ...range, params: this.params(node.getChild('ParamList')), body },
        };
      }
      case 'NamedExpression': {
        const [target, , value] = parts;
        if (target === undefined || value === undefined) return this.others(node);
        return { ...range, kind: 'set', name: this.text(target), value: this.expression(value) };
      }
      default:
        return this.others(node);
    }
  }

  private collapsed(node: SyntaxNode): TracedText {
    const text = new TracedText();
    text.add(this.text(node), node.from, true);
    return text;
  }

  private member(node: SyntaxNode): Expression {
    const name = this.text(node);
    if (!/^[\w.]+$/.test(name)) return this.others(node);
    return { at: node.from, end: node.to, kind: 'name', name };
  }

  private either(node: SyntaxNode): Expression {
    const [then, , test, , otherwise] = childrenOf(node).map((part) => this.expression(part));
    if (then === undefined || test === undefined || otherwise === undefined) return this.others(node);
    return { at: node.from, end: node.to, kind: 'either', then, test, otherwise };
  }

  private binary(node: SyntaxNode): Expression {
    const [first, operator, second] = childrenOf(node);
    if (first === undefined || operator === undefined || second === undefined) return this.others(node);
    const [left, right] = [this.expression(first), this.expression(second)];
    const range = { at: node.from, end: node.to };
    const sign = this.text(operator);
    if (sign === 'and' || sign === 'or') return { ...range, kind: 'maybe', left, right };
    if (sign === '+') return this.joined(node, { ...range, kind: 'join', parts: [left, right] });
    if (sign === '%' && (left.kind === 'text' || left.kind === 'join'))
      return formatted(left, /%(?:\(\w+\))?[-+ #0]*[\d.*]*[sdrifgx]/g);
    return { ...range, kind: 'other', parts: [left, right] };
  }

  private call(node: SyntaxNode): Expression {
    const [callee, list] = childrenOf(node);
    if (callee === undefined || list?.name !== 'ArgList') return this.others(node);
    const named = new Map<string, Expression>();
    const args: Expression[] = [];
    const parts = childrenOf(list);
    for (const [index, part] of parts.entries()) {
      if (/^\W+$/.test(part.name) || part.name === 'AssignOp') continue;
      if (parts[index + 1]?.name === 'AssignOp') continue;
      if (parts[index - 1]?.name !== 'AssignOp') args.push(this.expression(part));
      else named.set(this.text(parts[index - 2] ?? part), this.expression(part));
    }
    const range = { at: node.from, end: node.to };
    const plain = this.text(callee);
    if (/^[\w.]+$/.test(plain)) return { ...range, kind: 'call', name: plain, args, named };
    const [object] = childrenOf(callee);
    const receiver = object === undefined ? this.others(callee) : this.expression(object);
    const name = `.${this.text(callee.lastChild ?? callee)}`;
    if (name === '.format' && (receiver.kind === 'text' || receiver.kind === 'join'))
      return formatted(receiver, /\{[^{}]*\}/g);
    return { ...range, kind: 'call', name, receiver, args, named };
  }

  private literal(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    if (node.name === 'ContinuedString')
      return { ...range, kind: 'join', parts: childrenOf(node).map((part) => this.literal(part)) };
    const [opening = '', prefix = '', quote = ''] = /^([a-z]*)("""|'''|"|')/i.exec(this.text(node)) ?? [];
    const options = { isRaw: /r/i.test(prefix), braces: node.name === 'FormatString' };
    const end = node.to - quote.length;
    const parts: Expression[] = [];
    let from = node.from + opening.length;
    for (const inner of node.getChildren('FormatReplacement')) {
      parts.push(...this.plain({ at: from, end: inner.from }, options));
      parts.push(this.replacement(inner));
      from = inner.to;
    }
    parts.push(...this.plain({ at: from, end }, options));
    const literal: Expression = { ...range, kind: 'join', parts };
    if (node.parent?.name !== 'FormatReplacement') this.literals.push(literal);
    return literal;
  }

  /** `{value}`; with a format, its text is not that of the value. */
  private replacement(node: SyntaxNode): Expression {
    const value = childrenOf(node)[1];
    const isPlain = node.getChild('FormatSpec') === null && node.getChild('FormatConversion') === null;
    const range = { at: node.from, end: node.to };
    if (value === undefined) return { ...range, kind: 'text', text: computedText(node.from) };
    const given = this.expression(value);
    return isPlain ? { ...given, at: node.from } : { ...range, kind: 'other', parts: [given] };
  }
}
