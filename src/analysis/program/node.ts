// Reads a JavaScript or TypeScript program with its grammar.
import type { SyntaxNode } from '@lezer/common';
import { parser } from '@lezer/javascript';
import { nodeNames } from './names.js';
import { effectOf } from './node-effects.js';
import { TracedText } from '../position.js';
import { childrenOf, computedText, ProgramReading } from './program.js';
import type { Expression, Program, ProgramBranch, ProgramFunction, Step } from './program.js';

/** Parses a JavaScript program; `isTyped`: in TypeScript. */
export function readNode(text: string, isTyped: boolean): Program {
  const tree = (isTyped ? parser.configure({ dialect: 'ts' }) : parser).parse(text);
  const reading = new NodeReading(text, isTyped);
  return {
    ...reading.program(tree, UNFOLLOWED),
    names: nodeNames(tree, text),
    effectOf: (call) => effectOf(call, reading.foreign),
  };
}

/** What changes what `console.log` does, or is called at a time that the text does not show. */
const UNFOLLOWED = /console\.log\s*=(?!=)|stdout\.write\s*=(?!=)|\.pipe\s*\(\s*process\.stdout|\beval\s*\(/;

const LOOPS: Readonly<Record<string, true>> = { ForStatement: true, WhileStatement: true, DoStatement: true };

/** The declared type of a variable, with the union that its name stands for. */
function typeOf(name: string, source: string): string | undefined {
  const declared =
    new RegExp(`[\\s(,]${name}\\??\\s*:\\s*([^=;,)\\n]+)`).exec(source) ??
    new RegExp(`\\b(?:const|let|var)\\s+${name}\\s*=[^;\\n]*\\bas\\s+([\\w$]+)`).exec(source);
  const type = declared?.[1]?.trim();
  const alias = new RegExp(`\\btype\\s+${type?.replace(/\W/g, '') ?? ''}\\s*=\\s*([^;]+)`).exec(source);
  return alias?.[1] ?? type;
}

class NodeReading extends ProgramReading {
  constructor(
    source: string,
    private readonly isTyped: boolean,
  ) {
    super(source, 'node');
  }

  protected step(node: SyntaxNode): readonly Step[] {
    const range = { at: node.from, end: node.to };
    const [first, second] = childrenOf(node);
    if (LOOPS[node.name] === true) return [this.loop(node)];
    switch (node.name) {
      case 'ExpressionStatement':
        return first === undefined ? [] : [{ ...range, kind: 'do', value: this.expression(first) }];
      case 'VariableDeclaration':
        return this.declared(node);
      case 'Block':
        return [{ ...range, kind: 'block', body: this.steps(childrenOf(node)) }];
      case 'ReturnStatement':
        return [{ ...range, kind: 'return', ...this.optional(second) }];
      case 'ThrowStatement':
        return [{ ...range, kind: 'throw', ...this.optional(second) }];
      case 'BreakStatement':
      case 'ContinueStatement':
        // A label may lead out of several loops.
        if (node.getChild('Label') !== null) return [{ ...range, kind: 'do', value: this.unknown(node) }];
        return [{ ...range, kind: node.name === 'BreakStatement' ? 'break' : 'continue' }];
      case 'IfStatement':
        return [this.conditional(node)];
      case 'SwitchStatement':
        return [this.switched(node)];
      case 'TryStatement':
        return [this.tried(node)];
      case 'LabeledStatement':
        return this.steps(childrenOf(node).slice(2));
      case 'FunctionDeclaration':
        this.define(node);
        return [];
      case 'ExportDeclaration':
        return this.steps(childrenOf(node));
      case 'ImportDeclaration':
        this.imported(node);
        return [];
      default:
        return node.name.endsWith('Statement') ? [{ ...range, kind: 'do', value: this.others(node) }] : [];
    }
  }

  /** Something that is not followed. */
  private unknown(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    return { ...range, kind: 'call', name: UNKNOWN_CALL, args: [], named: new Map() };
  }

  private optional(node: SyntaxNode | undefined): { readonly value?: Expression } {
    return node === undefined || node.name === ';' ? {} : { value: this.expression(node) };
  }

  private body(node: SyntaxNode | null | undefined): readonly Step[] {
    if (node === null || node === undefined) return [];
    return node.name === 'Block' ? this.steps(childrenOf(node)) : this.step(node);
  }

  /** `const x = …`, also of a function or of a module. */
  private declared(node: SyntaxNode): readonly Step[] {
    const parts = childrenOf(node).filter(({ name }) => name !== 'TypeAnnotation');
    return parts.flatMap((part, index): readonly Step[] => {
      if (part.name !== 'Equals') return [];
      const [target, value] = [parts[index - 1], parts[index + 1]];
      if (target === undefined || value === undefined) return [];
      const name = this.text(target);
      const given = this.expression(value);
      if (given.kind === 'function') this.functions.set(name, given.body);
      if (/\b(?:require|import)\s*\(\s*['"]\.{1,2}\//.test(this.text(value)))
        for (const [word] of name.matchAll(/[\w$]+/g)) this.foreign.add(word);
      const range = { at: node.from, end: node.to };
      if (target.name !== 'VariableDefinition') return [{ ...range, kind: 'do', value: given }];
      return [{ ...range, kind: 'do', value: { ...range, kind: 'set', name, value: given } }];
    });
  }

  private imported(node: SyntaxNode): void {
    if (!/['"]\.{1,2}\//.test(this.text(node))) return;
    for (const [word] of this.text(node).matchAll(/[\w$]+/g)) this.foreign.add(word);
  }

  private conditional(node: SyntaxNode): Step {
    const branches: ProgramBranch[] = [];
    let [isComplete, end]: [boolean, SyntaxNode | null] = [false, node];
    let at = node.from;
    while (end !== null) {
      const parts: readonly SyntaxNode[] = childrenOf(end);
      const test = parts.find(({ name }) => name === 'ParenthesizedExpression');
      const otherwise = parts.findIndex(({ name }) => name === 'else');
      const [, , then] = parts;
      branches.push({ at, ...(test && { test: this.expression(test) }), body: this.body(then) });
      const next = otherwise < 0 ? undefined : parts[otherwise + 1];
      at = parts[otherwise]?.from ?? at;
      if (/require\.main|import\.meta\.(?:url|main)/.test(test === undefined ? '' : this.text(test))) isComplete = true;
      if (next !== undefined && next.name !== 'IfStatement') {
        branches.push({ at, body: this.body(next) });
        isComplete = true;
      }
      end = next?.name === 'IfStatement' ? next : null;
    }
    return { at: node.from, end: node.to, kind: 'choice', branches, isComplete, fallsThrough: false };
  }

  private switched(node: SyntaxNode): Step {
    const branches: { at: number; body: Step[] }[] = [];
    let isComplete = false;
    for (const part of childrenOf(node.getChild('SwitchBody') ?? node)) {
      if (part.name === 'CaseLabel' || part.name === 'DefaultLabel') branches.push({ at: part.from, body: [] });
      else branches.at(-1)?.body.push(...this.step(part));
      if (part.name === 'DefaultLabel') isComplete = true;
    }
    const subject = node.getChild('ParenthesizedExpression');
    isComplete ||= this.isTyped && subject !== null && this.coversType(node, this.text(subject).slice(1, -1).trim());
    const range = { at: node.from, end: node.to };
    const compared = subject === null ? {} : { subject: this.expression(subject) };
    return { ...range, kind: 'choice', ...compared, branches, isComplete, fallsThrough: true };
  }

  /** True for a `switch` that names every value of a type, or whose type is not known here. */
  private coversType(node: SyntaxNode, subject: string): boolean {
    if (/process\.(?:env|argv)/.test(subject)) return false;
    if (!/^[\w$]+$/.test(subject)) return true;
    const type = typeOf(subject, this.source);
    if (type === undefined || /^(?:string|number|any|unknown)\b/.test(type)) return false;
    const members = type.split('|').map((member) => member.trim().replace(/^["'](.*)["']$/, '$1'));
    const named = new Set(
      (node.getChild('SwitchBody')?.getChildren('CaseLabel') ?? []).map((label) => {
        return this.text(label)
          .replace(/^case\s+|\s*:$/g, '')
          .replace(/^["'](.*)["']$/, '$1');
      }),
    );
    return !/["']/.test(type) || members.filter((member) => member !== '').every((member) => named.has(member));
  }

  private loop(node: SyntaxNode): Step {
    const parts = childrenOf(node).filter(({ name }) => !/^(?:;|for|while|do|await)$/.test(name));
    const head = parts.find(({ name }) => /^(?:For\w*Spec|ParenthesizedExpression)$/.test(name));
    const body = parts.find((part) => part !== head);
    const text = head === undefined ? '' : this.text(head).replace(/\s/g, '');
    const isEndless = /^\((?:true|1|;;)\)$/.test(text);
    const runs = isEndless ? 'forever' : node.name === 'DoStatement' ? 'once' : 'maybe';
    const test = head === undefined ? {} : { test: this.others(head) };
    return { at: node.from, end: node.to, kind: 'loop', runs, ...test, body: this.body(body), otherwise: [] };
  }

  private tried(node: SyntaxNode): Step {
    const handler = node.getChild('CatchClause');
    const last = node.getChild('FinallyClause');
    return {
      at: node.from,
      end: node.to,
      kind: 'try',
      body: this.body(node.getChild('Block')),
      handlers: handler === null ? [] : [{ at: handler.from, body: this.body(handler.getChild('Block')) }],
      otherwise: [],
      last: this.body(last?.getChild('Block')),
    };
  }

  private define(node: SyntaxNode): void {
    const name = node.getChild('VariableDefinition');
    if (name !== null) this.functions.set(this.text(name), this.functionOf(node));
  }

  private functionOf(node: SyntaxNode): ProgramFunction {
    const value = node.lastChild;
    const range = { at: node.from, end: node.to };
    const params = childrenOf(node.getChild('ParamList') ?? node).flatMap((part) =>
      part.name === 'VariableDefinition' ? [this.text(part)] : [],
    );
    if (value === null || value.name === 'Block') return { ...range, params, body: this.body(value) };
    return { ...range, params, body: [{ ...range, kind: 'return', value: this.expression(value) }] };
  }

  private others(node: SyntaxNode): Expression {
    const parts = childrenOf(node).flatMap((part): readonly Expression[] => {
      if (part.name === 'VariableDeclaration')
        return this.declared(part).flatMap((step) => (step.kind === 'do' ? [step.value] : []));
      if (part.name === 'ClassBody' || part.name === 'TypeAnnotation' || /^(?:\W+|[a-z]+)$/.test(part.name)) return [];
      return [this.expression(part)];
    });
    return { at: node.from, end: node.to, kind: 'other', parts };
  }

  private expression(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    const parts = childrenOf(node);
    switch (node.name) {
      case 'String':
      case 'TemplateString':
        return this.literal(node);
      case 'Number': {
        const text = new TracedText();
        text.add(this.text(node), node.from, true);
        return { ...range, kind: 'text', text };
      }
      case 'VariableName':
        return { ...range, kind: 'name', name: this.text(node) };
      case 'MemberExpression': {
        const name = this.text(node);
        return /^[\w$.]+$/.test(name) ? { ...range, kind: 'name', name } : this.others(node);
      }
      case 'ParenthesizedExpression':
      case 'AwaitExpression':
        return parts[1] === undefined ? this.others(node) : this.expression(parts[1]);
      case 'UnaryExpression':
        return this.text(node).startsWith('void') && parts[1] !== undefined
          ? this.expression(parts[1])
          : this.counted(node);
      case 'PostfixExpression':
        return this.counted(node);
      case 'ConditionalExpression': {
        const [test, , then, , otherwise] = parts.map((part) => this.expression(part));
        if (then === undefined || test === undefined || otherwise === undefined) return this.others(node);
        return { ...range, kind: 'either', then, test, otherwise };
      }
      case 'BinaryExpression':
        return this.binary(node);
      case 'AssignmentExpression':
        return this.assignment(node);
      case 'CallExpression':
        return this.call(node);
      case 'ArrowFunction':
      case 'FunctionExpression':
        return { ...range, kind: 'function', body: this.functionOf(node) };
      default:
        return this.others(node);
    }
  }

  /** `n++` gives n a value that is not known. */
  private counted(node: SyntaxNode): Expression {
    const [, name] = /^(?:(?:\+\+|--)\s*)?([\w$.]+)(?:\s*(?:\+\+|--))?$/.exec(this.text(node)) ?? [];
    const value = this.others(node);
    return name === undefined ? value : { at: node.from, end: node.to, kind: 'set', name, value };
  }

  private binary(node: SyntaxNode): Expression {
    const [first, operator, second] = childrenOf(node);
    if (first === undefined || operator === undefined || second === undefined) return this.others(node);
    const range = { at: node.from, end: node.to };
    const sign = this.text(operator);
    const left = this.expression(first);
    if (sign === 'as' || sign === 'satisfies') return left;
    const right = this.expression(second);
    if (/^(?:&&|\|\||\?\?)$/.test(sign)) return { ...range, kind: 'maybe', left, right };
    if (sign === '+') return this.joined(node, { ...range, kind: 'join', parts: [left, right] });
    return { ...range, kind: 'other', parts: [left, right] };
  }

  private assignment(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    const [target, operator, value] = childrenOf(node);
    if (target === undefined || operator === undefined || value === undefined) return this.others(node);
    const name = this.text(target);
    const given = this.expression(value);
    if (!/^[\w$.]+$/.test(name)) return { ...range, kind: 'other', parts: [this.expression(target), given] };
    if (given.kind === 'function') this.functions.set(name, given.body);
    if (operator.name !== 'UpdateOp') return { ...range, kind: 'set', name, value: given };
    return { ...range, kind: 'set', name, value: { ...range, kind: 'join', parts: [this.expression(target), given] } };
  }

  private call(node: SyntaxNode): Expression {
    const [callee, list] = childrenOf(node);
    if (callee === undefined || list?.name !== 'ArgList') return this.others(node);
    const range = { at: node.from, end: node.to };
    const args = childrenOf(list)
      .filter(({ name }) => !/^\W+$/.test(name))
      .map((part) => this.expression(part));
    const isInherited = /spawn|exec|fork/.test(this.text(callee)) && /inherit/.test(this.text(list));
    if (isInherited) return this.unknown(node);
    const name = this.text(callee);
    if (/^[\w$.]+$/.test(name)) return { ...range, kind: 'call', name, args, named: new Map() };
    const whole = callee.name === 'ParenthesizedExpression' ? this.expression(callee) : undefined;
    if (whole?.kind === 'function')
      return { ...range, kind: 'call', name: CALLED_IN_PLACE, receiver: whole, args, named: new Map() };
    const receiver = callee.firstChild === null ? this.others(callee) : this.expression(callee.firstChild);
    const method = callee.lastChild === null ? '' : this.text(callee.lastChild);
    return { ...range, kind: 'call', name: `.${method}`, receiver, args, named: new Map() };
  }

  private literal(node: SyntaxNode): Expression {
    const range = { at: node.from, end: node.to };
    const parts: Expression[] = [];
    let from = node.from + 1;
    for (const inner of node.getChildren('Interpolation')) {
      parts.push(...this.plain({ at: from, end: inner.from }));
      const value = childrenOf(inner)[1];
      if (value === undefined)
        parts.push({ at: inner.from, end: inner.to, kind: 'text', text: computedText(inner.from) });
      else parts.push({ ...this.expression(value), at: inner.from });
      from = inner.to;
    }
    parts.push(...this.plain({ at: from, end: node.to - 1 }));
    const literal: Expression = { ...range, kind: 'join', parts };
    this.literals.push(literal);
    return literal;
  }
}

/** A function that is called where it is written. */
export const CALLED_IN_PLACE = '()';

/** A call of which nothing is known. */
export const UNKNOWN_CALL = '?';
