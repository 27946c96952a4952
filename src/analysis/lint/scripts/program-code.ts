// What rules about the values of Python and JavaScript programs share: code without the words of its strings, names that get a value once, and
// the expressions that are texts because they come from the environment or from a file. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { plainText, type ScriptState } from '../helpers.js';

/** The code of a program in which only short words of its strings are left, and the computed parts of the others; empty for bash. */
export function programCode(state: ScriptState): string {
  const executor = executorOf(state.file);
  if (executor !== 'python' && executor !== 'node') return '';
  const code = codes.get(state.source) ?? codeOf(plainText(state), executor);
  codes.set(state.source, code);
  return code;
}

// Many rules read the code of a program and its texts, so both are made once.
const codes = new WeakMap<ScriptState['source'], string>();
const readers = new WeakMap<ScriptState['source'], readonly ReadText[]>();

/** The same for the text of a program. */
export function codeOf(text: string, executor: 'python' | 'node'): string {
  if (executor === 'node') return text.replace(NODE_STRING, (whole) => withoutWords(whole, /\$\{[^{}]*\}/g));
  return text.replace(PYTHON_STRING, (whole, prefix: string) =>
    /f/i.test(prefix)
      ? prefix + withoutWords(whole.slice(prefix.length).replace(/\{\{|\}\}/g, '  '), /\{[^{}]*\}/g)
      : prefix + withoutWords(whole.slice(prefix.length), /(?!)/g),
  );
}

const PYTHON_STRING = /(?<!\w)([A-Za-z]{0,2})(?:"""[^]*?"""|'''[^]*?'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/g;
const NODE_STRING = /`(?:\\[^]|[^`\\])*`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'/g;

/** A string without its content, except for the parts that are code; a plain word stays, because it may be the name of a variable. */
function withoutWords(literal: string, computed: RegExp): string {
  if (/^(["'])[\w.-]*\1$/.test(literal)) return literal;
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  let from = 1;
  let result = literal.slice(0, 1);
  for (const { index, 0: part } of literal.matchAll(computed)) {
    result += blank(literal.slice(from, index)) + part;
    from = index + part.length;
  }
  return result + blank(literal.slice(from, -1)) + literal.slice(-1);
}

/** True for a name that a program defines in one place only, so that it always means the same. */
export function isDefinedOnce(name: string, code: string): boolean {
  return definitionsIn(name, code) === 1;
}

/** In how many places a name gets a value. */
export function definitionsIn(name: string, code: string): number {
  const word = `(?<![\\w.$])${name}(?![\\w$])`;
  const patterns = [
    `^[ \\t]*(?:export[ \\t]+)?(?:(?:const|let|var)[ \\t]+)?${word}[ \\t]*(?::[^=\\n(){}]{1,60})?=(?![=>])`,
    `[;,{(][ \\t]*${word}[ \\t]*=(?![=>])(?=[^\\n]*[;}])`,
    `${word}[ \\t]*:=`,
    `\\b(?:const|let|var)[ \\t]*[[{][^=\\n]{0,200}${word}`,
    `${word}[ \\t]*,[^=\\n(){}]{0,80}=(?!=)|^[ \\t]*[\\w \\t,]{0,80},[ \\t]*${word}[ \\t]*=(?!=)`,
    `\\bfor\\s*\\(?(?:const |let |var )?(?:(?!\\s(?:in|of)\\s)[^\\n]){0,60}${word}[^\\n]{0,60}\\s(?:in|of)\\s`,
    `\\b(?:as|import|global|nonlocal|del|catch \\()[ \\t]*${word}`,
    `\\b(?:def|function)\\b[^\\n]{0,40}\\([^)\\n]{0,200}${word}|\\blambda\\b[^:\\n]{0,80}${word}`,
    `\\([^()\\n]{0,80}${word}[^()\\n]{0,80}\\)[^()\\n]{0,30}=>|${word}[ \\t]*=>`,
  ];
  const lines = code.split('\n').filter((line) => line.includes(name));
  const own = `${lines.join('\n')}\n`;
  let count = 0;
  for (const pattern of patterns) count += own.match(new RegExp(pattern, 'gm'))?.length ?? 0;
  return count;
}

/** The matches of a pattern in some lines of a program: what is done with a text is sought only around the text. */
export function matchesAround(code: string, ranges: readonly Range[], pattern: RegExp): readonly Found[] {
  return ranges.flatMap(({ from, to }) =>
    [...code.slice(from, to).matchAll(pattern)].map(({ index, 0: whole }) => ({ at: from + index, whole })),
  );
}

interface Found {
  readonly at: number;
  readonly whole: string;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The lines with a text, each with the line before it and the line after it. */
export function linesAround(code: string, text: string): readonly Range[] {
  const ranges: { from: number; to: number }[] = [];
  for (const { index, 0: whole } of code.matchAll(new RegExp(text, 'g'))) {
    const before = code.lastIndexOf('\n', code.lastIndexOf('\n', index - 1) - 1) + 1;
    const next = code.indexOf('\n', index + whole.length);
    const after = next < 0 ? -1 : code.indexOf('\n', next + 1);
    const [from, to] = [index === 0 ? 0 : before, after < 0 ? code.length : after + 1];
    const last = ranges.at(-1);
    if (last !== undefined && from < last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

/** A text that a program reads: a variable of its environment, or a file. */
export interface ReadText {
  /** The name of the variable; for a file, how it is read. */
  readonly name: string;
  readonly isVariable: boolean;
  /** The pattern of expressions that are this text. */
  readonly pattern: string;
  /** The names that get the text, and where. */
  readonly held?: readonly { readonly name: string; readonly at: number }[];
  /** Where a program keeps the text, for example in a table. */
  readonly keptAt?: number;
}

/** What changes a text into another text. */
const CHANGED = String.raw`(?:\??\.(?:r?strip|lstrip|lower|upper|trim|trimEnd|trimStart|toLowerCase|toUpperCase)\(\)|\.split\([^()\n]{0,20}\)\[-?\d+\])*`;

/** At most this many variables are followed: each is sought in the whole program. */
const MOST_VARIABLES = 50;

/** The texts that a program reads. */
export function readTexts(state: ScriptState, code: string): readonly ReadText[] {
  const texts = readers.get(state.source) ?? textsIn(state, code);
  readers.set(state.source, texts);
  return texts;
}

function textsIn(state: ScriptState, code: string): readonly ReadText[] {
  const isPython = executorOf(state.file) === 'python';
  const reads = isPython
    ? new RegExp(String.raw`(?<!\w)${environOf(code)}(?:\[|\.get\(\s*)["'](\w+)["']|\bgetenv\(\s*["'](\w+)["']`, 'g')
    : /(?<![\w.])(?:process\.)?env(?:\.(\w+)|\[["'](\w+)["']\])/g;
  const helpers = readersIn(code, isPython);
  const read = [...code.matchAll(reads), ...helpers.flatMap((name) => callsOf(name, code))].map(
    ({ 1: first, 2: second }) => first ?? second ?? '',
  );
  const unpacked = isPython ? [] : unpackedIn(code);
  const names = new Set([...read, ...unpacked.map(({ name }) => name)]);
  const variables = [...names].slice(0, MOST_VARIABLES).map((name) => {
    const own = unpacked.filter((one) => one.name === name && isDefinedOnce(one.as, code)).map(({ as }) => as);
    const read = isPython ? pythonRead(name, code) : nodeRead(name, code);
    const calls = helpers.map((helper) => `(?<![\\w.])${helper}\\(\\s*["']${name}["']\\s*(?:,[^()\\n]{0,60})?\\)`);
    return textOf(code, { name, isVariable: true, pattern: `(?:${[read, ...calls].join('|')})`, own });
  });
  const direct = isPython
    ? String.raw`(?:\.read_text\([^()\n]{0,40}\)|(?<![\w.])open\((?:[^()\n]|\([^()\n]{0,60}\)){0,80}\)\.read\(\))`
    : String.raw`(?<![\w.])(?:fs\.)?readFileSync\((?:[^()\n]|\([^()\n]{0,60}\)){0,120}\)`;
  const file = `(?:${[direct, ...fileReadersIn(code, { isPython, direct })].join('|')})`;
  return [...variables, textOf(code, { name: 'what a file contains', isVariable: false, pattern: file, own: [] })];
}

/** The patterns of calls of functions that only return what a file contains. */
function fileReadersIn(
  code: string,
  { isPython, direct }: { readonly isPython: boolean; readonly direct: string },
): readonly string[] {
  const head = isPython
    ? String.raw`^def[ \t]+(\w+)\([^\n]*:\s+(?:with[ \t]+open\([^\n]*:\s+)?return[ \t]+[^\n=,]{0,80}?`
    : String.raw`^(?:const[ \t]+(\w+)[ \t]*=[ \t]*(?:\([^()\n]*\)|\w+)[^()={}\n]*=>|function[ \t]+(\w+)\([^()\n]*\)[^(){}\n]*(?=\{))\s*(?:\{\s*return\s)?\s*`;
  const found = [
    ...code.matchAll(new RegExp(`${head}(?:${direct}|\\b\\w+\\.read\\(\\))${CHANGED}[ \\t]*;?\\s*(?:\\}|$)`, 'gm')),
  ];
  const names = found.map(({ 1: one, 2: other }) => one ?? other ?? '').filter((name) => definitionsIn(name, code) < 2);
  return names.map((name) => String.raw`(?<![\w.])${name}\([^()\n]{0,80}\)`);
}

/** The pattern of an expression that reads a variable of the environment. */
export function readPattern(
  name: string,
  { code, isPython }: { readonly code: string; readonly isPython: boolean },
): string {
  return isPython ? pythonRead(name, code) : nodeRead(name, code);
}

/** The pattern of the names that a Python program gives the environment. */
function environOf(code: string): string {
  const [, other] = /^(\w+)[ \t]*=[ \t]*(?:os\.)?environ[ \t]*$/m.exec(code) ?? [];
  return other === undefined ? 'environ' : `(?:environ|${other})`;
}

function pythonRead(name: string, code: string): string {
  const rest = `["']${name}["']\\s*(?:,[^()\\n]{0,60})?\\)`;
  return `(?<![\\w.])(?:(?:os\\.)?${environOf(code)}(?:\\[["']${name}["']\\]|\\.get\\(\\s*${rest})|(?:os\\.)?getenv\\(\\s*${rest})`;
}

function nodeRead(name: string, code: string): string {
  const isImported =
    /\bimport[^;\n]{0,80}\benv\b[^;\n]{0,40}process["']|\b(?:const|let)\s+(?:env|\{\s*env\s*\})(?:\s*:[^=\n]{1,60})?\s*=\s*(?:process\b|require\(["'](?:node:)?process)/;
  return `(?<![\\w.])${isImported.test(code) ? '(?:process\\.)?' : 'process\\.'}env(?:\\.${name}(?![\\w$])|\\[["']${name}["']\\])!?`;
}

/** The functions of a program that return the variable of a name as the text that it is. */
function readersIn(code: string, isPython: boolean): readonly string[] {
  const heads = isPython
    ? /^def[ \t]+(\w+)\([ \t]*(\w+)[^\n]*:[ \t]*$/gm
    : /^(?:export[ \t]+)?(?:function[ \t]+(\w+)|const[ \t]+(\w+)[ \t]*=)[ \t]*\([ \t]*(\w+)[^\n]*\{[ \t]*$/gm;
  return [...code.matchAll(heads)].flatMap((match) => {
    const name = match[1] ?? match[2] ?? '';
    const param = (isPython ? match[2] : match[3]) ?? '';
    const rest = code.slice(match.index + match[0].length, match.index + match[0].length + 2000);
    const [body = ''] = rest.split(/\n(?=[^\s])/, 1);
    const isRead = new RegExp(`(?:environ(?:\\.get\\(|\\[)|getenv\\(|\\benv\\[)\\s*${param}\\b`).test(body);
    const isConverted = /\b(?:int|float|loads|Number|parseInt|parseFloat|parse|BigInt|len)\(|[=(:?]\s*\+\w/.test(body);
    return isRead && !isConverted && /\breturn\b/.test(body) ? [name] : [];
  });
}

function callsOf(name: string, code: string): readonly RegExpExecArray[] {
  return [...code.matchAll(new RegExp(`(?<![\\w.])${name}\\(\\s*["'](\\w+)["']`, 'g'))];
}

/** `const { round, RAYMOND_RESULT_score: score } = process.env`. */
function unpackedIn(code: string): readonly { readonly name: string; readonly as: string }[] {
  return [...code.matchAll(/\b(?:const|let|var)\s*\{([^{}]*)\}(?:\s*:[^=\n]{1,60})?\s*=\s*process\.env\b/g)].flatMap(
    ([, list = '']) =>
      [...list.matchAll(/(?<![\w.])(\w+)(?:\s*:\s*(\w+))?\s*(?:=[^,]*)?(?:,|$)/g)].map(({ 1: name = '', 2: as }) => ({
        name,
        as: as ?? name,
      })),
  );
}

/** A text with the names that get it, and what is made of it. */
export function textOf(code: string, { own, ...text }: ReadText & { readonly own: readonly string[] }): ReadText {
  // A default of a variable is often in brackets.
  const [open, close] = text.isVariable ? ['\\(?', `\\)?${CHANGED}`] : ['(?:[^=\\n;]{0,80}(?=\\.read_text))?', ''];
  const assigned = new RegExp(
    `^[ \\t]*(?:(?:const|let|var)[ \\t]+)?(\\w+)(?:[ \\t]*:[ \\t]*[\\w |<>.[\\]]{1,60})?[ \\t]*=[ \\t]*${open}(?:${text.pattern})${CHANGED}(?:[ \\t]+as[ \\t]+string)?(?:[ \\t]*(?:\\?\\?|\\|\\||\\bor\\b)[ \\t]*["']?\\w*["']?)?${close}[ \\t]*;?[ \\t]*$(?!\\s*\\.)`,
    'gm',
  );
  const held = [...code.matchAll(assigned)]
    .map(({ index, 0: whole, 1: name = '' }) => ({ name, at: index + whole.search(/\S/) }))
    .filter(({ name }) => isDefinedOnce(name, code));
  const names = [...own, ...held.map(({ name }) => name)].filter(
    (name) => !new RegExp(`(?:\\+\\+|--)${name}\\b|\\b${name}(?:\\+\\+|--|\\s*[-*/%]=)`).test(code),
  );
  const words = names.map((name) => `(?<![\\w.$])${name}(?![\\w$])`);
  return { ...text, held, pattern: `(?:${[text.pattern, ...words].join('|')})${CHANGED}` };
}

/** The rest of a line, with the next line if it ends with a colon, as the head of a block in Python. */
export function lineFrom(code: string, at: number): string {
  return /^[^\n]*(?:(?<=:)\n[^\n]*)?/.exec(code.slice(at))?.[0] ?? '';
}
