// Finds the comparisons of a variable that tags pass to a script with numbers, and what each gives for a value. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import type { ScriptState } from '../helpers.js';
import { plainCode, type CarriedVariable } from './carried-variables.js';

/** A comparison of the variable with a number. */
export interface Comparison {
  readonly at: number;
  readonly limit: number;
  readonly isTrue: (value: number) => boolean;
  readonly added: readonly number[];
}

const OPERATORS: Readonly<Record<string, (one: number, other: number) => boolean>> = {
  '>=': (one, other) => one >= other,
  '>': (one, other) => one > other,
  '<=': (one, other) => one <= other,
  '<': (one, other) => one < other,
  '==': (one, other) => one === other,
  '!=': (one, other) => one !== other,
};

const WORDS: Readonly<Record<string, string>> = {
  '-ge': '>=',
  '-gt': '>',
  '-le': '<=',
  '-lt': '<',
  '-eq': '==',
  '-ne': '!=',
  '=': '==',
  '===': '==',
  '!==': '!=',
};

const MIRRORED: Readonly<Record<string, string>> = { '>=': '<=', '>': '<', '<=': '>=', '<': '>' };
const OPERATOR = String.raw`(-(?:ge|gt|le|lt|eq|ne)\b|[<>]=?|[!=]==?|=)`;

/** The comparisons of a variable with numbers. */
export function comparisonsOf(state: ScriptState, { forms }: CarriedVariable): readonly Comparison[] {
  const code = plainCode(state);
  const isShell = executorOf(state.file) === 'bash';
  const other = String.raw`["']?\$?\{?(\w+)\}?["']?`;
  return forms.flatMap(({ pattern, added }) => {
    const value = String.raw`["']?${pattern}["']?\)?`;
    const plain = [...code.matchAll(new RegExp(String.raw`${value}\s*${OPERATOR}\s*${other}`, 'g'))].map((match) =>
      comparisonAt(code, { at: match.index, operator: match.at(-2), limit: match.at(-1), isShell, added }),
    );
    const mirrored = [...code.matchAll(new RegExp(String.raw`(?<![\w.$])${other}\s*${OPERATOR}\s*${value}`, 'g'))].map(
      (match) =>
        comparisonAt(code, { at: match.index, operator: match[2], limit: match[1], isShell, added, isMirrored: true }),
    );
    return [...plain, ...mirrored].flatMap((one) => one ?? []);
  });
}

function comparisonAt(
  code: string,
  {
    at,
    operator: written = '',
    limit: side = '',
    isShell,
    added,
    isMirrored = false,
  }: {
    readonly at: number;
    readonly operator: string | undefined;
    readonly limit: string | undefined;
    readonly isShell: boolean;
    readonly added: readonly number[];
    readonly isMirrored?: boolean;
  },
): Comparison | undefined {
  const line = code.slice(code.lastIndexOf('\n', at) + 1, at);
  const isTest =
    !isShell || (/^-/.test(written) || /=/.test(written) ? /\[|\btest\b|\(\(/.test(line) : /\(\(/.test(line));
  const plain = WORDS[written] ?? written;
  const operator = isMirrored ? (MIRRORED[plain] ?? plain) : plain;
  const limit = numberOf(code, side);
  const compare = OPERATORS[operator];
  if (!isTest || (!isShell && written === '=') || limit === undefined || compare === undefined) return undefined;
  return { at, limit, isTrue: (value) => compare(value, limit), added };
}

/** A literal, or a name that gets one number only. */
export function numberOf(code: string, side: string): number | undefined {
  if (/^\d+$/.test(side)) return Number(side);
  const given = [
    ...code.matchAll(new RegExp(String.raw`(?<![\w.$-])${side}(?:\s*:\s*\w+)?\s*=(?!=)\s*([^\n;]*)`, 'g')),
  ];
  const [, value = ''] = given.length === 1 ? (given[0] ?? []) : [];
  const number = /^["']?(?:\$\{\w+:-)?(\d[\d_]*)\}?["']?\s*$/.exec(value)?.[1];
  return number === undefined ? undefined : Number(number.replaceAll('_', ''));
}
