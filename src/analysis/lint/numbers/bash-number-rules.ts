// Rules about numbers in bash: comparisons of numbers as texts, and leading zeros, which bash reads as octal.
import type { ShellScript } from '../../shell/shell.js';
import { nodesOf } from '../../shell/walk.js';
import { mistakesOf, plainText, scriptsOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { DATED, isPassedNumber, textOrders } from './text-order.js';

function* textsForNumbers(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  const text = plainText(state);
  if (shell === undefined) yield* [...textsOfPrograms(text), ...textOrders(analysis, state)].slice(0, 1);
  else
    for (const { left, operator, right, at } of textComparisons(shell)) {
      if ([left, right].some((side) => DATED.test(side)) || isExact(operator, right) || isExact(operator, left))
        continue;
      const isGiven = [left, right].some((side) => isGivenNumber(analysis, { state, side, text }));
      if (!isNumber(right, text) && !isNumber(left, text) && !isGiven) continue;
      yield {
        at,
        message: `${operator} compares texts here, not numbers: 90 counts as more than 500`,
        fix: operator === '<' ? 'write -lt, or (( … ))' : 'write -gt, or (( … ))',
      };
    }
}

interface TextComparison {
  readonly left: string;
  readonly operator: string;
  readonly right: string;
  readonly at: number;
}

/** `[[ a > b ]]` and `[ a \> b ]`. */
function textComparisons({ ast }: ShellScript): readonly TextComparison[] {
  const plain = (word: string): string => word.replace(/^["']|["']$/g, '');
  const double = nodesOf(ast, 'TestBinary').map(({ left, operator, right, pos }) => ({
    left: plain(left.text),
    operator,
    right: plain(right.text),
    at: pos,
  }));
  const single = nodesOf(ast, 'Command').flatMap(({ name, args, pos }) => {
    const [left, operator, right] = args;
    if (!/^(?:\[|test)$/.test(name?.value ?? '') || left === undefined || right === undefined) return [];
    const sign = operator === undefined ? '' : plain(operator.text).replace('\\', '');
    return [{ left: plain(left.text), operator: sign, right: plain(right.text), at: pos }];
  });
  return [...double, ...single].filter(({ operator }) => /^[<>]$/.test(operator));
}

/** No number without a sign is before 0, and only 0 is before 1. */
function isExact(operator: string, side: string): boolean {
  return side === '0' || (operator === '<' && side === '1');
}

/** What surely is a number: a literal, a count, or a variable that gets nothing else. */
function isNumber(side: string, text: string): boolean {
  if (COUNT.test(side)) return true;
  const [, name] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(side) ?? [];
  if (name === undefined) return false;
  const values = [...text.matchAll(new RegExp(`(?:^|[\\s;&(])${name}=["']?(.*)`, 'gm'))];
  return (
    values.length > 0 &&
    values.every(([, value = '']) => COUNT.test(value.replace(/["']?(?:[;\s]+.*)?$/, '')) || COUNTED.test(value))
  );
}

/** A variable that tags pass as a number, or with which the script calculates. */
function isGivenNumber(
  analysis: Analysis,
  { state, side, text }: { readonly state: ScriptState; readonly side: string; readonly text: string },
): boolean {
  const [, name] = /^\$\{?([A-Za-z_]\w*)\}?$/.exec(side) ?? [];
  if (name === undefined || new RegExp(`(?:^|[\\s;&(])${name}=`, 'm').test(text.replace(/<[a-z-]+ [^>]*>/g, '')))
    return false;
  return isPassedNumber(analysis, { file: state.file, name }) ?? isCalculated(name, text);
}

function isCalculated(name: string, text: string): boolean {
  return new RegExp(`\\$\\(\\(\\s*\\$?${name}\\s*[-+*]|\\$\\{?${name}\\}?["']?\\s+-(?:eq|ne|lt|le|gt|ge)\\b`).test(
    text,
  );
}

const COUNT = /^(?:[1-9]\d{0,6}|0|\$\(\(.*\)\)|\$\{#[\w@*[\]]+\}|\$#|\$\((?:wc -[lwc]|grep -c)\b.*\))$/;
const COUNTED = /^\$\((?:wc -[lwc]\b|grep -c\b|\(|.*\|\s*wc -[lwc]\s*\))/;

/** `os.environ["n"] > "500"`, `process.env.n > '500'`. */
function* textsOfPrograms(text: string): Generator<Mistake> {
  const read = String.raw`(?:os\.environ\[["']\w+["']\]|os\.environ\.get\([^()\n]*\)|os\.getenv\([^()\n]*\)|process\.env\.\w+|process\.env\[["']\w+["']\])`;
  const named = [
    ...text.matchAll(
      new RegExp(
        String.raw`^[ \t]*(?:const |let |var )?(\w+)\s*=\s*${read}(?:\s*(?:\?\?|\|\|)\s*["'][^"'\n]*["'])?;?[ \t]*$`,
        'gm',
      ),
    ),
  ].flatMap(({ 1: name = '' }) => {
    const isOnce = text.match(new RegExp(`(?<![\\w.])${name}\\s*=(?!=)`, 'g'))?.length === 1;
    return isOnce && !DATED.test(name) ? [`(?<![\\w.$"'])${name}`] : [];
  });
  const compared = new RegExp(String.raw`(?:${[read, ...named].join('|')})\s*[<>]=?\s*(["'](?!0["'])\d{1,7}["'])`).exec(
    text,
  );
  if (compared !== null)
    yield {
      at: compared.index,
      message: `this compares texts, not numbers: "90" counts as more than "500"`,
      fix: 'turn both into numbers: int(…) in Python, Number(…) in JavaScript',
    };
}

function* octalNumbers(analysis: Analysis): Generator<FindingDetails> {
  const padded = passedPadded(analysis);
  yield* mistakesOf(analysis, (state) => octals(padded, state));
}

function* octals(padded: ReadonlySet<string>, state: ScriptState): Generator<Mistake> {
  const { shell } = state.source.script;
  if (shell === undefined) return;
  const text = plainText(state);
  for (const { index, 0: use, 1: direct } of text.matchAll(/(?<!10#)\$\(date \+%([mdHMSjUVWyIg])\)/g))
    if (direct !== undefined && isInArithmetic(text, index)) yield octal(index, use);
  const names = new Set(
    [
      ...text.matchAll(
        /(?:^|[\s;&])(\w+)=["']?\$\((?:date \+["']?%[mdHMSjUVWyIg]["']?|printf (?:-- )?["']?%0\d+d["']? [^\n]*)\)["']?[ \t]*(?:$|[;&#])/gm,
      ),
    ].map(([, name = '']) => name),
  );
  for (const name of padded)
    if (!new RegExp(`(?:^|[\\s;&])${name}=`, 'm').test(text.replace(/<[a-z-]+ [^>]*>/g, ''))) names.add(name);
  for (const name of names) {
    if ([...text.matchAll(new RegExp(`(?:^|[\\s;&])${name}=(?!\\\\?["'].*>)`, 'gm'))].length > 1) continue;
    const use = arithmeticUse(name, text);
    if (use !== undefined && !isSmall(name, text) && !isStripped(name, text)) yield octal(use, `$${name}`);
  }
}

function octal(at: number, name: string): Mistake {
  return {
    at,
    message: `${name} may be 08 or 09, which bash reads as an invalid octal number`,
    fix: `write 10#${name}`,
  };
}

/** True inside `$(( … ))`, `(( … ))` or before -gt and the like in `[[ … ]]`. */
function isInArithmetic(text: string, index: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
  const opened = line.split('((').length - line.split('))').length;
  return opened > 0;
}

/** The first use of a variable as a number. */
function arithmeticUse(name: string, text: string): number | undefined {
  for (const { index } of text.matchAll(new RegExp(`(?<![\\w#=.\${-])\\$?\\{?${name}\\b`, 'g')))
    if (isInArithmetic(text, index) && !/\bprintf\b[^\n]*$/.test(text.slice(text.lastIndexOf('((', index), index)))
      return index;
  return undefined;
}

/** A variable that is compared with a number up to 8 does not reach 8. */
function isSmall(name: string, text: string): boolean {
  return [
    ...text.matchAll(new RegExp(`\\$\\{?${name}\\}?["']?\\s+(?:-(?:g[et]|l[et]|eq)|==?)\\s+["']?0?(\\d+)\\b`, 'g')),
  ].some(([, limit = '9']) => Number(limit) <= 8);
}

function isStripped(name: string, text: string): boolean {
  return new RegExp(`\\b${name}=["']?(?:\\$\\{${name}#|\\$\\(\\(\\s*10#)`).test(text);
}

/** The attributes that a script of the package writes with leading zeros. */
function passedPadded(analysis: Analysis): ReadonlySet<string> {
  const names = new Set<string>();
  for (const state of scriptsOf(analysis)) {
    const text = plainText(state);
    const padded = [...text.matchAll(PADDED)].map(({ 1: name = '' }) => name);
    const values = [
      String.raw`\{\w+:0\d+d?\}`,
      String.raw`\$\(printf ["'\\]*%0\d+d`,
      String.raw`\$\{[^}\n]*padStart\(\d+, ?["']0["']\)\}`,
      ...padded.flatMap((name) => [String.raw`\$\{?${name}\b`, String.raw`\{${name}\}`]),
    ];
    for (const [, name = ''] of text.matchAll(new RegExp(String.raw`[ ](\w+)=\\?["'](?:${values.join('|')})`, 'g')))
      names.add(name);
  }
  return names;
}

const PADDED =
  /(?:^|[\s;&])(\w+)\s*=\s*(?:["']?\$\(printf (?:-- )?["']?%0\d+d|f["']\{[^}\n]*:0\d+d?\}["']|[^\n]*\.zfill\(\d+\)|[^\n]*\.padStart\(\d+, ?["']0["']\))/gm;

/** Rules about numbers. */
export const BASH_NUMBER_RULES: readonly Rule[] = [
  {
    id: 'text-for-number',
    severity: 'warning',
    summary: 'A script compares two numbers as texts, for example with > inside of [[ ]] in bash.',
    why: 'In bash, [[ $a > 500 ]] and [ "$a" \\> 500 ] compare texts character by character, so 90 is more than 500, and 1200 is less. In Python and JavaScript, so does a comparison of two strings.',
    check: (analysis) => mistakesOf(analysis, (state) => textsForNumbers(analysis, state)),
  },
  {
    id: 'octal-number',
    severity: 'warning',
    summary: 'A bash script calculates with a number that may have leading zeros, which bash reads as an octal number.',
    why: 'In arithmetic, bash reads a number that begins with 0 as octal. 08 and 09 are no octal numbers, so the script fails from the eighth month, day, chapter or part on.',
    check: octalNumbers,
  },
];
