// Finds all calls of a program, with the function that each is in and whether the program handles its failure. Pure.
import type { Call } from './effects.js';
import type { Expression, Program, Step } from './program.js';

/** A call where it is written. */
export interface FoundCall {
  readonly call: Call;
  /** The function that contains it; undefined in the program itself. */
  readonly inFunction: string | undefined;
  /** True if a `try` around it, or around a call of its function, has a handler. */
  readonly isCaught: boolean;
}

/** All calls of a program; `catches` tells whether the handler with this head handles the failure. */
export function callsOf(program: Program, catches: (head: string) => boolean): readonly FoundCall[] {
  const search = new CallSearch(program, catches);
  search.steps(program.steps, { isCaught: false, inFunction: undefined });
  for (const [name, { body }] of program.functions) search.steps(body, { isCaught: false, inFunction: name });
  const caught = search.caughtFunctions();
  return search.found.map((one) => ({
    ...one,
    isCaught: one.isCaught || (one.inFunction !== undefined && caught.has(one.inFunction)),
  }));
}

type CallContext = Pick<FoundCall, 'inFunction' | 'isCaught'>;

class CallSearch {
  readonly found: FoundCall[] = [];

  constructor(
    private readonly program: Program,
    private readonly catches: (head: string) => boolean,
  ) {}

  /** The functions that are called where a failure is handled, also by others. */
  caughtFunctions(): ReadonlySet<string> {
    const caught = new Set<string>();
    for (let size = -1; size < caught.size;) {
      size = caught.size;
      for (const { call, isCaught, inFunction } of this.found)
        if (isCaught || (inFunction !== undefined && caught.has(inFunction))) caught.add(call.name);
    }
    return caught;
  }

  steps(steps: readonly Step[], around: CallContext): void {
    for (const step of steps) this.step(step, around);
  }

  private step(step: Step, around: CallContext): void {
    switch (step.kind) {
      case 'do':
        return this.expression(step.value, around);
      case 'return':
      case 'throw':
      case 'exit':
        return this.expression(step.value, around);
      case 'choice':
        this.expression(step.subject, around);
        for (const { test, body } of step.branches) {
          this.expression(test, around);
          this.steps(body, around);
        }
        return;
      case 'loop':
        this.expression(step.test, around);
        return this.steps([...step.body, ...step.otherwise], around);
      case 'try':
        return this.tried(step, around);
      case 'block':
        return this.steps(step.body, around);
      default:
    }
  }

  private tried({ body, handlers, otherwise, last }: Step & { readonly kind: 'try' }, around: CallContext): void {
    const { text } = this.program;
    const heads = handlers.map(({ at }) => /^[^\n{]*/.exec(text.slice(at, at + 200))?.[0] ?? '');
    this.steps(body, { ...around, isCaught: around.isCaught || heads.some(this.catches) });
    this.steps([...handlers.flatMap((handler) => handler.body), ...otherwise, ...last], around);
  }

  private expression(expression: Expression | undefined, around: CallContext): void {
    switch (expression?.kind) {
      case 'call':
        this.found.push({ call: expression, ...around });
        this.expression(expression.receiver, {
          ...around,
          isCaught: around.isCaught || /\.catch$/.test(expression.name),
        });
        for (const part of [...expression.args, ...expression.named.values()]) this.expression(part, around);
        return;
      case 'join':
      case 'other':
        for (const part of expression.parts) this.expression(part, around);
        return;
      case 'either':
        for (const part of [expression.test, expression.then, expression.otherwise]) this.expression(part, around);
        return;
      case 'maybe':
        this.expression(expression.left, around);
        return this.expression(expression.right, around);
      case 'set':
        // A function with a name is looked through as such.
        if (expression.value.kind !== 'function') this.expression(expression.value, around);
        return;
      case 'function':
        return this.steps(expression.body.body, around);
      default:
    }
  }
}
