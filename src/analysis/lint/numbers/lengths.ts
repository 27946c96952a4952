// Finds the numbers and lengths of time that a script names, and the arguments of its functions. Pure.
import { withoutLongLines } from '../helpers.js';

const TYPE = String.raw`(?:[ \t]*:[ \t]*\w+)?`;
const WORD = String.raw`["']?\$?\{?[\w.]+\}?["']?`;

/** A product of up to four numbers or names. */
export const PRODUCT = String.raw`${WORD}(?:[ \t]*\*[ \t]*${WORD}){0,3}`;

const NAMED = new RegExp(
  String.raw`^[ \t]*(?:(?:readonly|export|local|declare -\w+|const|let|var)[ \t]+)?([A-Za-z_]\w*)${TYPE}[ \t]*=[ \t]*(?:\$\(\([ \t]*(${PRODUCT})[ \t]*\)\)|(${PRODUCT}))[ \t]*;?[ \t]*$`,
  'gm',
);

const ASSIGNED = /(?<![\w.$-])([A-Za-z_]\w*)(?:[ \t]*:[ \t]*\w+)?[ \t]*[-+*/]?=(?![=>])/g;

/** How deep names may stand for products of other names. */
const DEPTH = 3;

/** The names that get a number and nothing else. */
export function numbersIn(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [, name = ''] of text.matchAll(ASSIGNED)) counts.set(name, (counts.get(name) ?? 0) + 1);
  const products = [...text.matchAll(NAMED)].flatMap(({ 1: name = '', 2: inBash, 3: plain }) =>
    (counts.get(name) ?? 0) > 1 ? [] : [[name, inBash ?? plain ?? ''] as const],
  );
  const numbers = new Map<string, number>();
  for (let depth = 0; depth < DEPTH; depth++)
    for (const [name, product] of products) {
      const value = valueOf(product, numbers);
      if (!Number.isNaN(value)) numbers.set(name, value);
    }
  return numbers;
}

/** The value of a product of numbers and names; NaN if it is anything else. */
export function valueOf(expression: string, numbers: ReadonlyMap<string, number>): number {
  return expression
    .split('*')
    .map((factor) => {
      const word = factor.trim().replace(/^["']?\$?\{?|\}?["']?$/g, '');
      return /^\d[\d_]*(?:\.\d+)?$/.test(word) ? Number(word.replaceAll('_', '')) : (numbers.get(word) ?? NaN);
    })
    .reduce((product, factor) => product * factor, 1);
}

/** A function of a script with the names of its parameters; in bash, these are `1`, `2` and so on. */
export interface NamedFunction {
  readonly name: string;
  readonly params: readonly string[];
  readonly at: number;
  readonly end: number;
}

const HEADS: readonly RegExp[] = [
  /^([ \t]*)(?:async[ \t]+)?def[ \t]+(\w+)\(([^()\n]{0,200})\)[^\n]{0,60}:/gm,
  /^([ \t]*)(?:export[ \t]+)?(?:async[ \t]+)?function[ \t]+(\w+)\(([^()\n]{0,200})\)/gm,
  /^([ \t]*)(?:const|let)[ \t]+(\w+)(?:[ \t]*:[^=\n]{1,60})?[ \t]*=[ \t]*(?:async[ \t]*)?\(?([^()\n=]{0,200})\)?[^()\n=]{0,40}=>/gm,
  /^([ \t]*)(?:function[ \t]+)?(\w+)[ \t]*\(\)[ \t]*\{/gm,
];

/** At most this many functions of a form are followed: each is sought in the whole script. */
const MOST_FUNCTIONS = 40;

/** The functions that a script defines at the beginning of a line. */
export function functionsIn(code: string): readonly NamedFunction[] {
  const text = withoutLongLines(code);
  return HEADS.flatMap((head) =>
    [...text.matchAll(head)]
      .slice(0, MOST_FUNCTIONS)
      .map(({ 0: whole, 1: indent = '', 2: name = '', 3: list = '', index }) => {
        const params = list.split(',').map((param) => /^\s*(\w+)/.exec(param)?.[1] ?? '');
        const from = index + whole.length;
        return { name, params, at: index, end: from + blockAt(text, { from, indent }).length };
      }),
  );
}

/** The lines of a block: up to the first line that is not deeper than its head. */
export function blockAt(text: string, { from, indent }: { readonly from: number; readonly indent: string }): string {
  const [body = ''] = text.slice(from, from + 4000).split(new RegExp(`\\n(?=${indent}[^ \\t\\n#])`), 1);
  return body;
}

/** What the calls of a function pass for a parameter: the expressions, or its default. */
export function argumentsFor(code: string, { name, params }: NamedFunction, param: string): readonly string[] {
  const position = params.indexOf(param);
  const calls = [...code.matchAll(new RegExp(`(?<![\\w.]|def |function )${name}\\(`, 'g'))];
  return calls.map(({ 0: whole, index }) => {
    const parts = listAt(code, index + whole.length);
    const named = parts.find((part) => new RegExp(`^${param}\\s*=`).test(part));
    return named?.replace(/^\w+\s*=\s*/, '') ?? parts[position] ?? '';
  });
}

/** The expressions of a list in brackets, which begins at an offset. */
function listAt(code: string, from: number): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const char of code.slice(from, from + 400)) {
    if (/[([{]/.test(char)) depth += 1;
    if (/[)\]}]/.test(char)) depth -= 1;
    if (depth < 0) break;
    if (char === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop() ?? ''}${char}`);
  }
  return parts.map((part) => part.trim());
}
