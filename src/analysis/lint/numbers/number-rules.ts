// Rules about texts that a program takes for numbers: variables of the environment and files are texts, and neither Python nor JavaScript
// makes numbers of them.
import { executorOf } from '../../../protocol/language/resolve.js';
import { clip } from '../../../protocol/text.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { joinedNumbers } from './joined-numbers.js';
import {
  isDefinedOnce,
  linesAround,
  matchesAround,
  programCode,
  readTexts,
  type ReadText,
} from '../scripts/program-code.js';
import { cellTexts } from './csv-cells.js';

/** How a program uses a text as a number, and what comes of it. */
interface Use {
  readonly pattern: string;
  readonly outcome: string;
}

const NUMERAL = String.raw`-?\d[\d_]*(?:\.\d+)?(?![\w.])`;

/** What surely makes a number, as a call. */
const CALLS = String.raw`(?<![\w.])(?:len|int|float|round|(?:decimal\.)?Decimal|Number|parseInt|parseFloat)\((?:[^()\n]|\([^()\n]{0,60}\)){0,80}\)`;

/** The names that get a numeral. */
function namesOfNumbers(code: string): readonly string[] {
  const assigned =
    /^[ \t]*(?:(?:const|let|var)[ \t]+)?([A-Za-z_]\w*)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*-?\d[\d_.]*[ \t]*;?[ \t]*$/gm;
  return [...new Set([...code.matchAll(assigned)].map(([, name = '']) => name))];
}

/** The patterns of numbers near a text: numerals, lengths, calls that make numbers, and names that get a numeral and nothing else. */
function numbersIn(
  code: string,
  { near, names }: { readonly near: string; readonly names: readonly string[] },
): string {
  const known = new Set(near.match(/\w+/g));
  const words = names
    .filter((name) => known.has(name) && isDefinedOnce(name, code))
    .map((name) => `(?<![\\w.$])${name}(?![\\w$.([])`);
  return `(?:${[NUMERAL, CALLS, String.raw`(?<![\w.])\w+\.length\b`, ...words].join('|')})`;
}

const FAILS = 'Python fails with a TypeError';

function usesInPython(text: string, number: string): readonly Use[] {
  const before = String.raw`(?<![\w.)\]"'])`;
  return [
    { pattern: `${text}\\s*[<>]=?\\s*${number}|${before}${number}\\s*[<>]=?\\s*${text}`, outcome: FAILS },
    {
      pattern: `${text}\\s*[!=]=\\s*${number}|${before}${number}\\s*[!=]=\\s*${text}`,
      outcome: 'a text is never equal to a number',
    },
    {
      pattern: `${text}\\s+(?:not\\s+)?in\\s+(?:range\\(|[([{]\\s*${NUMERAL}\\s*[,)\\]}])`,
      outcome: 'a text is never equal to a number',
    },
    {
      pattern: `${text}\\s*(?:\\+|-|\\*\\*|//?)=?\\s*${number}|${before}${number}\\s*(?:\\+|-|//?)=?\\s*${text}`,
      outcome: FAILS,
    },
    { pattern: `\\bsum\\(\\s*\\[?\\s*${text}\\s+for\\b`, outcome: FAILS },
    {
      pattern: `\\{\\s*${text}\\s*:[^{}"'\\n]{0,12}[dfeg%]\\}`,
      outcome: 'this format of a number fails with a ValueError',
    },
    { pattern: `\\b(?:range\\((?:[^()\\n]{0,40},)?|sleep\\()\\s*${text}\\s*[,)]`, outcome: FAILS },
  ];
}

function usesInNode(text: string, number: string): readonly Use[] {
  const never = 'a text is never equal to a number by ===';
  const joined = 'JavaScript appends the digits ("1" + 1 is "11")';
  const filled = `(?:${text}|\\(\\s*${text}\\s*(?:\\|\\||\\?\\?)\\s*["']?\\d+["']?\\s*\\))`;
  const before = String.raw`(?<![-+*/%~]\s{0,2})(?<![\w.)\]])`;
  const after = '(?!\\s*\\+\\s*["\'`])(?!\\s*[*/%])';
  return [
    { pattern: `${text}\\s*[!=]==\\s*${number}|${number}\\s*[!=]==\\s*${text}`, outcome: never },
    { pattern: `\\bswitch\\s*\\(\\s*${text}\\s*\\)\\s*\\{\\s*case\\s+\\d`, outcome: never },
    { pattern: `\\[\\s*\\d+(?:,\\s*\\d+){0,20}\\s*\\]\\.includes\\(\\s*${text}\\s*\\)`, outcome: never },
    {
      pattern: `${before}${filled}\\s*\\+=?\\s*${number}${after}|${before}${number}\\s*\\+=?\\s*${filled}${after}`,
      outcome: joined,
    },
  ];
}

/** What a program does with a text, by line. */
interface Found {
  readonly at: number;
  readonly whole: string;
  readonly outcome: string;
}

function* numbers(state: ScriptState): Generator<Mistake> {
  const code = programCode(state);
  if (!/environ|getenv|\benv\b|read_text|\.read\(|readFileSync|\bcsv\b/.test(code)) return;
  const isPython = executorOf(state.file) === 'python';
  const names = namesOfNumbers(code);
  for (const text of [...readTexts(state, code), ...(isPython ? cellTexts(code) : [])]) {
    const found = usesOf(code, { text, names, isPython });
    yield* mistakesWith(code, { text, found, isPython });
  }
}

/** The uses of a text as a number, one of each line. */
function usesOf(
  code: string,
  {
    text: { pattern },
    names,
    isPython,
  }: { readonly text: ReadText; readonly names: readonly string[]; readonly isPython: boolean },
): readonly Found[] {
  const lines = linesAround(code, pattern);
  const near = lines.map(({ from, to }) => code.slice(from, to)).join('\n');
  const number = numbersIn(code, { near, names });
  const uses = isPython ? usesInPython(pattern, number) : usesInNode(pattern, number);
  const found = uses.flatMap((use) =>
    matchesAround(code, lines, new RegExp(use.pattern, 'g')).map((one) => ({ ...one, outcome: use.outcome })),
  );
  const byLine = new Map(found.toReversed().map((one) => [code.lastIndexOf('\n', one.at), one]));
  return [...byLine.values()].toReversed();
}

/** Where a name holds the text and is never a number, the mistake is where the name gets the text. */
function* mistakesWith(
  code: string,
  { text, found, isPython }: { readonly text: ReadText; readonly found: readonly Found[]; readonly isPython: boolean },
): Generator<Mistake> {
  const seen = new Set<number>();
  const fix = isPython ? 'make a number of it: int(…)' : 'make a number of it: Number(…)';
  const name = text.isVariable ? `the variable ${text.name}` : text.name;
  for (const { at, whole, outcome } of found) {
    const holder = text.held?.find((one) => isWordIn(one.name, whole) && !isConverted(one.name, code));
    const place = text.keptAt ?? holder?.at ?? at;
    if (seen.has(place)) continue;
    seen.add(place);
    const use = place === at ? '' : `, but the script uses it as one (${clip(whole.trim(), 60)})`;
    yield { at: place, message: `${name} is a text, not a number${use}: ${outcome}`, fix };
  }
}

function isWordIn(name: string, text: string): boolean {
  return new RegExp(`(?<![\\w.$])${name}(?![\\w$])`).test(text);
}

function isConverted(name: string, code: string): boolean {
  return new RegExp(
    `(?:int|float|Decimal|Number|parseInt|parseFloat|BigInt)\\(\\s*${name}\\b|[=(,?:]\\s*\\+\\s*${name}\\b`,
  ).test(code);
}

/** Rules about texts in the place of numbers. */
export const NUMBER_RULES: readonly Rule[] = [
  {
    id: 'text-as-number',
    severity: 'warning',
    summary:
      'A Python or JavaScript program calculates with a text, compares a text with a number, or joins a number to a text with +.',
    why: 'Variables of the environment are texts, and so is the content of a file. In Python, adding a number to a text and asking which is greater are a TypeError. In JavaScript, "1" + 1 is "11". In neither language is "3" equal to 3 (in JavaScript, by ===).',
    check: (analysis) => mistakesOf(analysis, (state) => [...numbers(state), ...joinedNumbers(state)]),
  },
];
