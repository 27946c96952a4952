// A rule about what can be read only once: generators, the results of map, filter and glob, files, and the iterators of JavaScript.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { definitionsIn, programCode } from './program-code.js';

/** A value that can be read once, and the part of the program in which its name means it. */
interface Once {
  readonly name: string;
  /** Where the name gets it. */
  readonly at: number;
  readonly from: number;
  readonly to: number;
  /** How far the lines are indented that run whenever the value was made. */
  readonly indent: number;
}

const PYTHON_GIVERS =
  /^(?:map|filter|zip|iter|enumerate|reversed|open|(?:itertools\.)?(?:chain|islice)|(?:glob\.)?iglob|(?:os\.)?(?:scandir|walk)|csv\.(?:reader|DictReader)|DictReader|Path\(\)\.open)\(\)$|\.(?:rglob|iterdir|finditer)\(\)$|(?<!^glob)\.glob\(\)$/;
const WRITES = /,\s*(?:mode=)?["'](?:[wax]\w*|\s+)["']/;

/** An expression without what is in its brackets, up to the end of its statement. */
function outlineOf(code: string, from: number): { readonly outline: string; readonly end: number } {
  let [outline, depth, end] = ['', 0, from];
  for (; end < code.length && end < from + 2000; end += 1) {
    const char = code.charAt(end);
    if (depth === 0 && /[\n;]/.test(char)) break;
    if ('([{'.includes(char)) depth += 1;
    if (')]}'.includes(char)) depth -= 1;
    if (depth === 0) outline += char === ')' ? '()' : char;
  }
  return { outline: outline.trim(), end };
}

function isOnce(code: string, { from, isPython }: { readonly from: number; readonly isPython: boolean }): boolean {
  const { outline, end } = outlineOf(code, from);
  const whole = code.slice(from, end);
  const [, called] = /^(\w+)\(\)$/.exec(outline) ?? [];
  if (!isPython) {
    if (called !== undefined) return new RegExp(`\\bfunction\\s*\\*\\s*${called}\\b`).test(code);
    return /\.matchAll\(\)$/.test(outline);
  }
  if (outline === '()') return /\bfor\b/.test(outlineOf(whole.trim().slice(1, -1).replace(/\n/g, ' '), 0).outline);
  if (called !== undefined && isGenerator(code, called)) return true;
  if (/^import glob as\b/m.test(code) || !PYTHON_GIVERS.test(outline)) return false;
  return !/open\(\)$/.test(outline) || !WRITES.test(whole);
}

function isGenerator(code: string, name: string): boolean {
  const head = new RegExp(`^([ \\t]*)def[ \\t]+${name}\\(`, 'm').exec(code);
  if (head === null) return false;
  const start = code.indexOf('\n', head.index) + 1;
  return /\byield\b/.test(code.slice(start, blockEnd(code, start, (head[1] ?? '').length + 1)));
}

/** Where the lines end that are indented at least so far. */
function blockEnd(code: string, from: number, indent: number): number {
  for (const { index, 0: line } of code.slice(from).matchAll(/^[ \t]*(?=[^\s)\]}])/gm))
    if (line.length < indent) return from + index;
  return code.length;
}

/** The value in its block, and after the `with` blocks of Python around it, of which the lines run in any case. */
function* withBlocksAbove(code: string, value: Once): Generator<Once> {
  yield value;
  const above = code.slice(0, value.at);
  const heads = [...above.matchAll(/^([ \t]*)\S[^\n]*$/gm)].filter(({ 1: blank = '' }) => blank.length < value.indent);
  const [head = '', blank = ''] = heads.at(-1) ?? [];
  if (!/^\s*with\b/.test(head) || definitionsIn(value.name, code.slice(value.from, value.to)) > 0) return;
  yield* withBlocksAbove(code, {
    ...value,
    from: value.to,
    to: blockEnd(code, value.to, blank.length),
    indent: blank.length,
  });
}

function* valuesIn(code: string, isPython: boolean): Generator<Once> {
  const assigned = isPython
    ? /^([ \t]*)([A-Za-z_]\w*)(?:[ \t]*:[ \t]*[\w[\], .]+)?[ \t]*=[ \t]*(?=[^=\s])/gm
    : /^([ \t]*)(?:const|let|var)[ \t]+(\w+)[ \t]*=[ \t]*(?=[^=\s])/gm;
  for (const { index, 0: head, 1: blank = '', 2: name = '' } of code.matchAll(assigned)) {
    if (!isOnce(code, { from: index + head.length, isPython })) continue;
    const from = outlineOf(code, index + head.length).end;
    const value = { name, at: index + blank.length, from };
    yield* withBlocksAbove(code, { ...value, to: blockEnd(code, from, blank.length), indent: blank.length });
  }
  if (!isPython) return;
  for (const { index, 0: head, 1: blank = '', 2: call = '', 3: name = '' } of code.matchAll(
    /^([ \t]*)with[ \t]+([^\n]{1,200}?)[ \t]+as[ \t]+(\w+):[ \t]*$/gm,
  )) {
    if (!isOnce(`${code}\n${call}`, { from: code.length + 1, isPython })) continue;
    const from = index + head.length;
    const [, inner = ''] = /^\n+([ \t]*)/.exec(code.slice(from, from + 200)) ?? [];
    const at = index + blank.length;
    yield { name, at, from, to: blockEnd(code, from + 1, blank.length + 1), indent: inner.length };
  }
}

/** What reads a value to its end. */
function readsOf(name: string, isPython: boolean): RegExp {
  const word = `(?<![\\w.$])${name}(?![\\w$])`;
  const patterns = isPython
    ? [
        `(?<![\\w.])(?:list|tuple|set|frozenset|sorted|sum|dict|max|min|Counter)\\(\\s*${word}\\s*[,)]`,
        `\\bfor\\s+[\\w, ()]{1,60}\\s+in\\s+(?:(?:enumerate|sorted|list)\\(\\s*)?${word}\\s*(?:[):\\]},\\n]|if\\b)`,
        `\\.join\\(\\s*${word}\\s*\\)`,
        `${word}\\.(?:read|readlines)\\(\\s*\\)`,
        `\\bjson\\.load\\(\\s*${word}\\s*\\)`,
      ]
    : [
        `\\[\\s*\\.\\.\\.${name}\\s*\\]`,
        `\\bArray\\.from\\(\\s*${word}\\s*[,)]`,
        `\\bnew Set\\(\\s*${word}\\s*\\)`,
        `\\bfor\\s*\\((?:const|let|var)\\s[^()\\n]{1,60}\\sof\\s+${word}\\s*\\)`,
      ];
  return new RegExp(patterns.join('|'), 'g');
}

/** What makes it open whether a read happens, or whether it goes to the end. */
const MAYBE = /\b(?:and|or|else|lambda|any|all|next|def|class|return|yield)\b|\S\s+if\b|&&|\|\||\?|=>/;
const LEAVES = /\b(?:break|return|raise|throw|exit|next)\b/;

interface Read {
  readonly at: number;
  readonly end: number;
  /** True if it certainly happens, and goes to the end. */
  readonly isWhole: boolean;
}

function readIn(code: string, { at, indent }: { readonly at: number; readonly indent: number }): Read {
  const start = code.lastIndexOf('\n', at - 1) + 1;
  const newline = code.indexOf('\n', at);
  const lineEnd = newline < 0 ? code.length : newline;
  const before = code.slice(start, at);
  const own = before.length - before.trimStart().length;
  const isLoop = before.trim() === '' && /^for\b/.test(code.slice(at));
  const end = isLoop ? blockEnd(code, lineEnd, indent + 1) : lineEnd;
  const isWhole = own === indent && !MAYBE.test(before) && !(isLoop && LEAVES.test(code.slice(at, end)));
  return { at, end, isWhole };
}

/** A loop: its body, and how far the body is indented. */
interface Loop {
  readonly from: number;
  readonly to: number;
  readonly inner: number;
}

/** The loops that always go through all their rounds. */
function loopsIn(scope: string, { name, from, indent }: Once): readonly Loop[] {
  const heads = new RegExp(`^([ \\t]{${indent},})(?:async )?for\\b[^\\n]*[:{][ \\t]*$`, 'gm');
  return [...scope.slice(from).matchAll(heads)].flatMap(({ index, 0: head, 1: own = '' }) => {
    const start = from + index + head.length;
    const [, inner = ''] = /^\n+([ \t]*)/.exec(scope.slice(start, start + 200)) ?? [];
    const to = blockEnd(scope, start + 1, own.length + 1);
    // A loop over the value itself ends with the value.
    const isOver = new RegExp(`\\b${name}\\b`).test(head);
    return isOver || LEAVES.test(scope.slice(start, to)) ? [] : [{ from: start, to, inner: inner.length }];
  });
}

/** Where every round of a loop reads a value that only the first round finds. */
function readInLoop(
  scope: string,
  { value, reads }: { readonly value: Once; readonly reads: readonly number[] },
): number | undefined {
  const loops = loopsIn(scope, value);
  return reads.find(
    (at) =>
      isInComprehension(scope, { at, name: value.name }) ||
      loops.some(({ from, to, inner }) => at > from && at < to && readIn(scope, { at, indent: inner }).isWhole),
  );
}

/** `[… for rule in rules for row in rows]`: the second loop of a comprehension. */
function isInComprehension(scope: string, { at, name }: { readonly at: number; readonly name: string }): boolean {
  if (!/^for\b/.test(scope.slice(at, at + 4))) return false;
  let [outline, depth] = ['', 0];
  for (let index = at - 1; index > at - 1000 && depth <= 0; index -= 1) {
    const char = scope.charAt(index);
    if (')]}'.includes(char)) depth -= 1;
    else if ('([{'.includes(char)) depth += 1;
    else if (depth === 0) outline = char + outline;
  }
  return depth > 0 && /\bfor\s[^]*\sin\s/.test(outline) && !new RegExp(`\\b${name}\\b`).test(outline);
}

function* usedUp(state: ScriptState): Generator<Mistake> {
  const code = programCode(state);
  const isPython = executorOf(state.file) === 'python';
  for (const value of valuesIn(code, isPython)) {
    const { name, from, to } = value;
    const scope = code.slice(0, to);
    const rest = code.slice(from, to);
    if (definitionsIn(name, rest) > 0 || /\btee\(|\.seek\(/.test(rest)) continue;
    const reads = [...rest.matchAll(readsOf(name, isPython))].map(
      ({ index, 0: whole }) => from + index + whole.search(/\S/),
    );
    const found = readAgain(scope, { value, reads });
    if (found === undefined) continue;
    const fix = `keep the items in a list, and read the list: ${isPython ? `${name} = list(…)` : `const ${name} = [...…]`}`;
    yield { ...found, fix };
  }
}

function lineOf(code: string, at: number): number {
  return code.slice(0, at).split('\n').length;
}

/** A read at which nothing is left, or the value that a loop reads in every round. */
function readAgain(
  scope: string,
  { value, reads }: { readonly value: Once; readonly reads: readonly number[] },
): Pick<Mistake, 'at' | 'message'> | undefined {
  const { name, indent } = value;
  const all = reads.map((at) => readIn(scope, { at, indent }));
  const first = all.find(({ isWhole }) => isWhole);
  const second = all.find(({ at }) => first !== undefined && at >= first.end);
  if (first !== undefined && second !== undefined)
    return {
      at: second.at,
      message: `${name} is empty here, because line ${lineOf(scope, first.at)} has read it to its end`,
    };
  const repeated = readInLoop(scope, { value, reads });
  return repeated === undefined
    ? undefined
    : {
        at: value.at,
        message: `${name} gives its items once, but a loop below reads it in every round`,
      };
}

/** The rule about what can be read once. */
export const ITERATOR_RULES: readonly Rule[] = [
  {
    id: 'read-twice',
    severity: 'warning',
    summary: 'A program reads a generator, an iterator or an open file a second time, when nothing is left to read.',
    why: 'A generator, the result of map, filter, zip or Path.glob, an open file and the result of matchAll give their items once. list(files) uses them up: a later loop has no rounds, and prints no forks.',
    check: (analysis) => mistakesOf(analysis, usedUp),
  },
];
