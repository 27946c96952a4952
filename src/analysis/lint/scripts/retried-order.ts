// Tells whether a step of a script may run after another one, by the calls of functions, the loops and the indentation of the script. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { ScriptState } from '../helpers.js';

/** A range of the text of a script. */
export interface Point {
  readonly at: number;
  readonly end: number;
}

interface Block {
  readonly from: number;
  readonly to: number;
}

/** Deeper calls are not followed. */
const MOST_CALLS = 4;
const MOST_PATHS = 20;

/** The order of the steps of a script. */
export class StepOrder {
  private readonly loops: readonly Block[];

  constructor(
    private readonly state: ScriptState,
    private readonly code: string,
  ) {
    this.loops = loopsOf(state, code);
  }

  /** Where the effect comes about, if the failure may come after it: below it, or in a later round of the same loop. */
  placeBefore({ effect, failure }: { readonly effect: Point; readonly failure: Point }): number | undefined {
    const { state, code, loops } = this;
    const paths = pathsTo(state, code, effect);
    const others = pathsTo(state, code, failure);
    const path = paths.find((one) => others.some((other) => isAfter(code, { path: one, other, loops, effect })));
    // A function that is called several times does harm at one of its calls.
    return path === undefined || paths.length === 1 ? path?.at(-1) : path.at(-2);
  }
}

interface Order {
  readonly path: readonly number[];
  readonly other: readonly number[];
  readonly loops: readonly Block[];
  readonly effect: Point;
}

function isAfter(code: string, { path, other, loops, effect }: Order): boolean {
  const isInLoop = (one: number, two: number): boolean =>
    loops.some(
      ({ from, to }) =>
        one >= from && one < to && two >= from && two < to && !/\bcontinue\b/.test(code.slice(from, to)),
    );
  for (const [index, from] of path.entries()) {
    const to = other[index];
    if (to === undefined) return false;
    // In one round, the same call does both.
    if (isInLoop(from, to)) return true;
    if (from === to) continue;
    const isInside = index === path.length - 1 && to >= effect.at && to < effect.end;
    return to > from && !isInside && isReached(code, { from, to });
  }
  return false;
}

/** False if the steps are in different branches of a choice, or if the script ends between them. */
function isReached(code: string, { from, to }: { readonly from: number; readonly to: number }): boolean {
  const start = code.lastIndexOf('\n', from - 1) + 1;
  const lines = code.slice(start).split('\n');
  const last = code.slice(start, to).split('\n').length - 1;
  let level = indentOf(lines[0] ?? '');
  let skipped = Infinity;
  for (const [index, line] of lines.slice(0, last + 1).entries()) {
    const indent = indentOf(line);
    if (index === 0 || line.trim() === '') continue;
    const isOther = /^\s*(?:\}\s*)?(?:else|elif|except|catch|case)\b|^\s*[^\s()]+\)(?:\s|$)/.test(line);
    if (indent <= skipped) skipped = Infinity;
    if (indent < level || (indent === level && isOther && /^\s*(?:\}\s*)?(?:else|elif)/.test(line))) {
      level = indent;
      if (isOther) skipped = indent;
    }
    if (index === last) return skipped === Infinity;
    if (indent <= level && skipped === Infinity && IS_END.test(line)) return false;
  }
  return skipped === Infinity;
}

const IS_END =
  /^\s*(?:exit(?:\s+0)?\s*(?:;|$)|return\b|sys\.exit\(\s*0?\s*\)|process\.exit\(\s*0?\s*\)|raise SystemExit(?:\(0\))?\s*$)/;

function indentOf(line: string): number {
  return /^\s*/.exec(line)?.[0].length ?? 0;
}

/** The offsets of the calls that lead to a point, from the outermost on, and of the point. */
function pathsTo(
  state: ScriptState,
  code: string,
  { at, depth = 0 }: Pick<Point, 'at'> & { readonly depth?: number },
): readonly (readonly number[])[] {
  const inner = functionsOf(state).filter(({ from, to }) => at >= from && at < to);
  const around = inner.sort((one, other) => other.from - one.from)[0];
  if (around === undefined) return [[at]];
  if (depth >= MOST_CALLS) return [];
  const isBash = executorOf(state.file) === 'bash';
  const call = isBash
    ? `(?<![\\w$./-])${around.name}(?![\\w=(-]|\\s*\\(\\))`
    : `(?<![\\w.]|def |function )${around.name}\\(`;
  const calls = [...code.matchAll(new RegExp(call, 'g'))].filter(
    ({ index }) => index < around.from || index >= around.to,
  );
  return calls
    .flatMap(({ index }) => pathsTo(state, code, { at: index, depth: depth + 1 }).map((path) => [...path, at]))
    .slice(0, MOST_PATHS);
}

function functionsOf({ source: { script } }: ScriptState): readonly (Block & { readonly name: string })[] {
  const shell = [...(script.shell?.functions ?? [])].map(([name, { pos, end }]) => ({ name, from: pos, to: end }));
  const program = [...(script.program?.functions ?? [])].map(([name, { at, end }]) => ({ name, from: at, to: end }));
  return [...shell, ...program].filter(({ name }) => /^[\w-]+$/.test(name));
}

function loopsOf({ file }: ScriptState, code: string): readonly Block[] {
  const executor = executorOf(file);
  if (executor === 'bash') return blocksOf(code, /^\s*(?:[^#\n]*\|\s*)?(?:for|while|until)\b(?![^\n]*\bdone\b)/);
  return blocksOf(
    code,
    executor === 'python'
      ? /^\s*(?:async )?(?:for|while)\b[^\n]*:\s*$/
      : /^\s*(?:for|while)\b[^\n]*\{\s*$|\.forEach\([^\n]*\{\s*$/,
  );
}

/** The lines that a head indents. */
export function blocksOf(code: string, head: RegExp): readonly Block[] {
  const lines = code.split('\n');
  const starts = [0];
  for (const line of lines) starts.push((starts.at(-1) ?? 0) + line.length + 1);
  return lines.flatMap((line, number) => {
    if (!head.test(line)) return [];
    const indent = indentOf(line);
    const rest = lines.slice(number + 1);
    const length = rest.findIndex((one) => one.trim() !== '' && indentOf(one) <= indent);
    const end = length < 0 ? lines.length : number + 1 + length;
    return [{ from: starts[number + 1] ?? code.length, to: starts[end] ?? code.length }];
  });
}
