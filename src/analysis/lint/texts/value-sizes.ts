// How long a text of a script is at least: from the ranges that it loops over, the literals that it repeats, and the bytes that it takes. Pure.
import { literalPattern } from '../../../protocol/text.js';
import { roundsOf } from '../numbers/counted-loops.js';
import { shareKept, withoutFilter } from '../numbers/kept-shares.js';

/** A script as far as sizes need it: its code, and the numbers that its names stand for. */
export interface SizedCode {
  readonly code: string;
  readonly numbers: ReadonlyMap<string, number>;
}

/** At most this many names are followed from one to the next. */
const MOST_STEPS = 4;

/** The numbers that the names of a script stand for; `known` has those of its environment. */
export function numbersOf(code: string, known: (variable: string) => number | undefined): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  const assigned =
    /^[ \t]*(?:(?:const|let|var|local|readonly|export)[ \t]+)?([A-Za-z_]\w*)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*([^\n=][^\n]{0,80})$/gm;
  for (const [, name = '', value = ''] of code.matchAll(assigned)) {
    const literal = /^["']?(\d[\d_]*)["']?\s*(?:;|#|\/\/|$)/.exec(value)?.[1];
    const variable =
      /^(?:int\(|Number\(|parseInt\()\s*(?:os\.|process\.)?(?:environ|env)(?:\.get)?[.[(]+["']?(\w+)/.exec(value)?.[1];
    const given = variable === undefined ? undefined : known(variable);
    const number = literal === undefined ? given : Number(literal.replaceAll('_', ''));
    numbers.set(name, numbers.has(name) ? NaN : (number ?? NaN));
  }
  for (const [, name = ''] of code.matchAll(/\$\{?([a-z]\w*)/g))
    if (!numbers.has(name)) numbers.set(name, known(name) ?? NaN);
  return numbers;
}

/** A sum of products of numbers; NaN if it is anything else. */
function valueOf(expression: string, { numbers }: SizedCode): number {
  const numberOf = (word = ''): number => {
    const plain = word.trim().replace(/^["']?\$?\{?|\}?["']?$/g, '');
    return /^\d[\d_]*$/.test(plain) ? Number(plain.replaceAll('_', '')) : (numbers.get(plain) ?? NaN);
  };
  const productOf = (text = ''): number => text.split('*').reduce((product, word) => product * numberOf(word), 1);
  const [first, ...others] = expression.split(/\s*([+-])\s*/);
  let sum = productOf(first);
  for (let index = 0; index < others.length; index += 2)
    sum += (others[index] === '-' ? -1 : 1) * productOf(others[index + 1]);
  return sum;
}

const RANGE =
  /(?<![\w.])range\(([^(),\n]+)(?:,([^(),\n]+))?\)|\bseq\s+(?:-\w\s*(?:'[^']*'|"[^"]*"|\S+)\s+|-w\s+)*([\w$"{}]+)(?:\s+([\w$"{}]+))?(?=\s*[);|]|\s*$)|\{(\d+)\.\.(\d+)\}|\blength:\s*([\w.]+)|(?<![\w.])Array\((\w+)\)|\(\s*(?:let|var)\s+\w+(?::\s*number)?\s*=\s*(\d+)\s*;\s*\w+\s*<=?\s*([\w* ]+?)\s*;|\(\(\s*\w+\s*=\s*(\d+)\s*;\s*\w+\s*<=?\s*([\w$]+)\s*;/gm;

/** How often the ranges in a text repeat something, and the largest number in them. */
function rangesIn(text: string, sized: SizedCode): { readonly rounds: number; readonly last: number } {
  let rounds = 1;
  let last = 0;
  for (const [, ...groups] of text.matchAll(RANGE)) {
    const [first = '', second] = groups.filter(Boolean);
    const from = second === undefined ? 0 : valueOf(first, sized);
    const to = valueOf(second ?? first, sized);
    rounds *= Math.max(0, to - from);
    last = Math.max(last, to);
  }
  return { rounds, last };
}

/** The least length of an item: its literal characters, and one for each computed part; of a plain number, one digit less than the last has. */
function itemLength(text: string, last: number, heads = ''): number {
  const [, fields] = /(?:\[|\(|=>\s*\(?|return\s)\s*\{([^{}]*)\}/.exec(text) ?? [];
  // Each field has quotes around its name, a colon, a value and a comma.
  if (fields !== undefined && !/`|f["']/.test(text))
    return fields.split(',').reduce((sum, field) => sum + (/\w+/.exec(field)?.[0].length ?? 0) + 5, 2);
  const [, literal] =
    /[fF]?(`[^`]*`|"[^"\n]*"|'[^'\n]*')/.exec(
      text.replace(/["'](?:\\n|[, ;]*)["']\s*\.join\(|\.join\([^()]*\)|\bseq\b[^)]*/g, ''),
    ) ?? [];
  const [, dated] = /\.(isoformat|toISOString)\(\)/.exec(text) ?? [];
  if (dated !== undefined) return (literal?.length ?? 2) - 2 + (dated === 'isoformat' ? 10 : 24);
  if (literal === undefined || isCounter(literal, `${heads}\n${text}`)) return Math.max(1, String(last).length - 1);
  return literal.slice(1, -1).replace(/\$?\{[^{}]*\}|\$\(\([^()]*\)\)|\$\w+|\\./g, '0').length;
}

/** True for a text that is nothing but the counter of a loop, or a sum or product of it. */
function isCounter(literal: string, heads: string): boolean {
  const [, sum, braced, plain] = /^["'`](?:\$\(\(([\w$+* ]+)\)\)|\$?\{([\w+* ]+)\}|\$(\w+))["'`]$/.exec(literal) ?? [];
  const names = (sum ?? braced ?? plain ?? '').match(/[A-Za-z_]\w*/g) ?? [];
  return (
    names.length > 0 &&
    names.every((name) =>
      new RegExp(`\\bwhile\\b[^\\n]*\\b${name}\\b|\\bfor\\s+${name}\\s+in\\s+(?:range\\(|\\$\\(seq\\b|\\{\\d)`).test(
        heads,
      ),
    )
  );
}

/** Bytes that a command or an operator makes. */
const FIXED: readonly RegExp[] = [
  /\bhead\s+-c\s*(\d+)\b[^|\n]*\/dev\/(?:u?random|zero)/,
  /\bopenssl\s+rand\s+(?:-\w+\s+)*(\d+)/,
  /\brandomBytes\((\d[\d_]*)\)/,
  /\burandom\((\d[\d_]*)\)/,
  /\btoken_hex\((\d[\d_]*)\)/,
];

/** Commands behind a pipe that leave about as much as they get. */
const KEEPS_LENGTH = String.raw`(?:tr(?!\s+-\w*d)|paste|sort(?!\s+-\w*u)|rev|tac|base64|cat|nl|column)\b`;

/** Functions that leave about as much as they get, and those of ranges. */
const KNOWN_CALLS =
  /^(?:join|range|map|str|list|sorted|reversed|tuple|dumps|stringify|from|Array|keys|fill|repeat|product|permutations|String|toString|for|urandom|randomBytes|token_hex|hex|head|seq)$/;

/** True for an expression that may have only a part of what its ranges and literals make. */
function isReduced(expression: string): boolean {
  if (new RegExp(String.raw`\|\s*(?!${KEEPS_LENGTH})[\w.|]`).test(expression)) return true;
  const code = expression.replace(/`[^`]*`|"[^"\n]*"|'[^'\n]*'/g, '""').replace(/\{[^{}\n]*\}/g, '{}');
  if (/\bif\b|[\w)\]"]\[[^\][\n]*[:\d][^\][\n]*\]|\.slice\(|\.length\b|\?/.test(code)) return true;
  return [...code.matchAll(/([A-Za-z_]\w*)\s*\(/g)].some(([, name = '']) => !KNOWN_CALLS.test(name));
}

/** The least length of an expression; 0 if it is not known. */
export function lengthOf(expression: string, sized: SizedCode, steps = MOST_STEPS): number {
  const [, called] = /^\W{0,3}([A-Za-z_]\w*)\(\)\W*$/.exec(expression) ?? [];
  if (called !== undefined) return steps === 0 ? 0 : lengthReturned(called, sized, steps - 1);
  const filtered = withoutFilter(expression);
  if (filtered !== undefined) {
    const { last } = rangesIn(filtered.rest, sized);
    return lengthOf(filtered.rest, sized, steps) * shareKept(filtered.condition, last);
  }
  if (isReduced(expression)) return 0;
  const fixed = FIXED.map((pattern) => pattern.exec(expression)?.[1]).find(Boolean);
  if (fixed !== undefined) return Number(fixed.replaceAll('_', ''));
  const [, literal, times] = /(["'`][^"'`\n]+["'`])\s*(?:\*\s*|\.repeat\(\s*)([\w.]+)/.exec(expression) ?? [];
  if (literal !== undefined) return (literal.length - 2) * (valueOf(times ?? '', sized) || 0);
  const [, letters = '', places] =
    /\bproduct\(\s*["']([^"'\n]+)["']\s*,\s*repeat\s*=\s*(\d+)\s*\)/.exec(expression) ?? [];
  if (places !== undefined) return letters.length ** Number(places) * (Number(places) + 1);
  const { rounds, last } = rangesIn(expression, sized);
  if (last > 0) return rounds * (itemLength(expression, last) + 1) || 0;
  if (steps === 0) return 0;
  const name =
    /^[^\w]{0,8}(?:json\.dumps|JSON\.stringify)\(\s*([A-Za-z_]\w*)\b|^["'\\\w\s,;.]{0,20}?\.join\(\s*([A-Za-z_]\w*)\s*\)|^\W*([A-Za-z_]\w*)(?:\.join\([^()\n]*\))?\W*$/.exec(
      expression,
    ) ?? [];
  const followed = name.slice(1).find(Boolean);
  return followed === undefined ? 0 : lengthOfName(followed, sized, steps - 1);
}

/** The least length of what a function without parameters returns. */
function lengthReturned(name: string, sized: SizedCode, steps: number): number {
  const head = new RegExp(
    `^([ \\t]*)(?:async[ \\t]+)?(?:def|function)[ \\t]+${literalPattern(name)}\\(\\)[^\\n]*[:{][ \\t]*$`,
    'm',
  ).exec(sized.code);
  if (head === null) return 0;
  const [body = ''] = sized.code.slice(head.index + head[0].length, head.index + 3000).split(/\n(?=[^\s])/, 1);
  const [first, ...others] = [...body.matchAll(/^[ \t]+return\b[ \t]*([^\n;]+)/gm)];
  return first === undefined || others.length > 0 ? 0 : lengthOf(first[1] ?? '', sized, steps);
}

/** The least length of what a name stands for: by its assignment, and by what loops append to it. */
function lengthOfName(name: string, sized: SizedCode, steps: number): number {
  const { code } = sized;
  const word = literalPattern(name);
  const [first, ...others] = assignmentsOf(name, sized);
  if (first === undefined || others.length > 0) return 0;
  if (new RegExp(`${word}\\.(?:pop|clear|splice|shift|remove|length\\s*=)|\\bdel ${word}\\b`).test(code)) return 0;
  const assigned = statementAt(code, first);
  const appended = [
    ...code.matchAll(
      new RegExp(
        `^([ \\t]*)(?:for\\b[^\\n]*[{;)][ \\t]*(?:do[ \\t]+)?)?${word}(?:\\.(?:append|push)\\(|[ \\t]*\\+=)([^\\n]*)`,
        'gm',
      ),
    ),
  ].map((match) => lengthInLoop(match, sized));
  return Math.max(lengthOf(assigned, sized, steps), ...appended, 0);
}

/** Where the values begin that a name gets. */
function assignmentsOf(name: string, { code }: SizedCode): readonly number[] {
  const assignment = new RegExp(
    `^[ \\t]*(?:(?:const|let|var|local)[ \\t]+)?${literalPattern(name)}(?:[ \\t]*:[^=\\n]{1,40})?[ \\t]*=(?![=>])`,
    'gm',
  );
  return [...code.matchAll(assignment)].map(({ index, 0: whole }) => index + whole.length);
}

/** A statement from an offset to its end: the end of the line, or the bracket that closes the first one. */
function statementAt(code: string, from: number): string {
  let depth = 0;
  for (let at = from; at < Math.min(code.length, from + 2000); at++) {
    const char = code[at] ?? '';
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (char === '\n' && depth <= 0) return code.slice(from, at);
  }
  return code.slice(from, from + 2000);
}

/** The least length of all that a line in a loop adds; 0 if a condition decides about it. */
function lengthInLoop(match: RegExpExecArray, sized: SizedCode): number {
  if (/\b(?:continue|break)\b/.test(sized.code)) return 0;
  const { index } = match;
  const [line] = match;
  const above = headsAbove(sized.code, index);
  const conditions = above.flatMap((head) => /^\s*if\b(.*)$/.exec(head)?.[1] ?? []);
  const heads = [...above.filter((head) => !/^\s*if\b/.test(head)), /^[ \t]*for\b/.test(line) ? line : ''];
  if (heads.some((head) => /^\s*(?:\}?\s*else\b|if\b|elif\b|try\b|case\b)/.test(head))) return 0;
  const counted = heads
    .filter((head) => /^\s*while\b/.test(head))
    .reduce(
      (product, head) => product * roundsOf(head, { code: sized.code, valueOf: (one) => valueOf(one, sized) }),
      1,
    );
  const { rounds, last } = rangesIn([...new Set([...heads, line])].join('\n'), sized);
  const item = line.replace(/^[ \t]*for\b[^\n]*?[{;)]\s*(?=\w+(?:\.|\s*\+=)|(?:do\s+)?(?:echo|printf)\b)/, '');
  const kept = conditions.reduce((share, condition) => share * shareKept(condition, last), 1);
  const isLoop = last > 0 || heads.some((head) => /^\s*while\b/.test(head));
  return isLoop && !/\bif\b|\?/.test(line)
    ? kept * rounds * counted * itemLength(item, Math.max(last, counted), heads.join('\n')) || 0
    : 0;
}

/** The lines above that a line is indented below. */
function headsAbove(code: string, index: number): readonly string[] {
  const lines = code.slice(Math.max(0, index - 3000), index).split('\n');
  let indent = lines.pop()?.length ?? 0;
  if (indent === 0) indent = /^[ \t]*/.exec(code.slice(index))?.[0].length ?? 0;
  const heads: string[] = [];
  for (const line of lines.reverse()) {
    const own = line.length - line.trimStart().length;
    if (line.trim() === '' || own >= indent || line.trim() === 'do') continue;
    if (/^[ \t]*(?:async[ \t]+)?(?:def|function)\b/.test(line)) break;
    heads.push(line);
    indent = own;
  }
  return heads;
}

const PRINTS =
  /^[ \t]*(?:for\b[^\n]*?\bdo[ \t]+)?(?:echo|printf|print\(|console\.log\(|(?:sys|process)\.stdout\.write\()[^\n]*/gm;

/** The least length of what a part of the code prints in loops. */
export function lengthPrinted(part: { readonly from: number; readonly to: number }, sized: SizedCode): number {
  const lengths = [...sized.code.matchAll(PRINTS)].flatMap((match) =>
    match.index > part.from && match.index < part.to ? [lengthInLoop(match, sized)] : [],
  );
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** How many bytes of a text a script takes at most, if it says so. */
export function limitOf(expression: string, sized: SizedCode): number {
  const [, ...groups] =
    /\b(?:head|tail)\s+(?:-c\s*|--bytes=)(\d+)\b(?!\s*\|)|\[:(\d[\d_]*)\]|\.(?:slice|substring)\(0,\s*(\d[\d_]*)\)/.exec(
      expression,
    ) ?? [];
  const limit = groups.find(Boolean);
  if (limit !== undefined) return Number(limit.replaceAll('_', ''));
  const [, name] = /^\W{0,3}([A-Za-z_]\w*)\W{0,3}$/.exec(expression) ?? [];
  const given = name === undefined ? [] : assignmentsOf(name, sized);
  const [first] = given;
  if (first === undefined || given.length > 1) return 0;
  const assigned = statementAt(sized.code, first);
  return /^\W*[A-Za-z_]\w*\W*$/.test(assigned) ? 0 : limitOf(assigned, sized);
}
