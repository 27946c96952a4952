// A rule about what can be read only once: generators, the results of map, filter and glob, files, and the iterators of JavaScript.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { definitionsIn, programCode } from './program-code.js';

/** A value that can be read once, and the part of the program in which its name means it. */
interface Once {
  readonly name: string;
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

function* valuesIn(code: string, isPython: boolean): Generator<Once> {
  const assigned = isPython
    ? /^([ \t]*)([A-Za-z_]\w*)(?:[ \t]*:[ \t]*[\w[\], .]+)?[ \t]*=[ \t]*(?=[^=\s])/gm
    : /^([ \t]*)(?:const|let|var)[ \t]+(\w+)[ \t]*=[ \t]*(?=[^=\s])/gm;
  for (const { index, 0: head, 1: blank = '', 2: name = '' } of code.matchAll(assigned)) {
    if (!isOnce(code, { from: index + head.length, isPython })) continue;
    const from = outlineOf(code, index + head.length).end;
    yield { name, from, to: blockEnd(code, from, blank.length), indent: blank.length };
  }
  if (!isPython) return;
  for (const { index, 0: head, 1: blank = '', 2: call = '', 3: name = '' } of code.matchAll(
    /^([ \t]*)with[ \t]+([^\n]{1,200}?)[ \t]+as[ \t]+(\w+):[ \t]*$/gm,
  )) {
    if (!isOnce(`${code}\n${call}`, { from: code.length + 1, isPython })) continue;
    const from = index + head.length;
    const [, inner = ''] = /^\n+([ \t]*)/.exec(code.slice(from, from + 200)) ?? [];
    yield { name, from, to: blockEnd(code, from + 1, blank.length + 1), indent: inner.length };
  }
}

/** What reads a value to its end. */
function readsOf(name: string, isPython: boolean): RegExp {
  const word = `(?<![\\w.$])${name}(?![\\w$])`;
  const patterns = isPython
    ? [
        `(?<![\\w.])(?:list|tuple|set|frozenset|sorted|sum|dict|max|min|Counter)\\(\\s*${word}\\s*[,)]`,
        `\\bfor\\s+[\\w, ()]{1,60}\\s+in\\s+(?:(?:enumerate|sorted|list)\\(\\s*)?${word}\\s*[):\\]},\\n]`,
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

function* usedUp(state: ScriptState): Generator<Mistake> {
  const code = programCode(state);
  const isPython = executorOf(state.file) === 'python';
  for (const { name, from, to, indent } of valuesIn(code, isPython)) {
    const scope = code.slice(0, to);
    const rest = code.slice(from, to);
    if (definitionsIn(name, rest) > 0 || /\btee\(/.test(rest) || new RegExp(`\\b${name}\\.seek\\(`).test(rest))
      continue;
    const reads = [...rest.matchAll(readsOf(name, isPython))].map(({ index, 0: whole }) =>
      readIn(scope, { at: from + index + whole.search(/\S/), indent }),
    );
    const first = reads.find(({ isWhole }) => isWhole);
    const second = reads.find(({ at }) => first !== undefined && at >= first.end);
    if (first === undefined || second === undefined) continue;
    const line = code.slice(0, first.at).split('\n').length;
    yield {
      at: second.at,
      message: `${name} is empty here, because line ${line} has read it to its end`,
      fix: `keep the items in a list, and read the list: ${isPython ? `${name} = list(…)` : `const ${name} = [...…]`}`,
    };
  }
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
