// Rules about texts that a program takes for numbers: variables of the environment and files are texts, and neither Python nor JavaScript
// makes numbers of them.
import { executorOf } from '../../../protocol/language/resolve.js';
import { mistakesOf, type Mistake, type ScriptState } from '../helpers.js';
import type { Rule } from '../rule.js';
import { isDefinedOnce, programCode, readTexts } from '../scripts/program-code.js';

/** How a program uses a text as a number, and what comes of it. */
interface Use {
  readonly pattern: string;
  readonly outcome: string;
}

const NUMERAL = String.raw`-?\d[\d_]*(?:\.\d+)?(?![\w.])`;

/** The patterns of numbers: numerals, names that got one, and lengths. */
function numbersIn(code: string): string {
  const named = [
    ...code.matchAll(
      /^[ \t]*(?:(?:const|let|var)[ \t]+)?([A-Za-z_]\w*)(?:[ \t]*:[ \t]*\w+)?[ \t]*=[ \t]*-?\d[\d_.]*[ \t]*;?[ \t]*$/gm,
    ),
  ]
    .map(([, name = '']) => name)
    .filter((name) => isDefinedOnce(name, code));
  const words = named.map((name) => `(?<![\\w.$])${name}(?![\\w$.([])`);
  return `(?:${[NUMERAL, String.raw`(?<![\w.])len\([^()\n]{0,60}\)`, String.raw`(?<![\w.])\w+\.length\b`, ...words].join('|')})`;
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
      pattern: `${text}\\s*(?:\\+|-|\\*\\*|//?)=?\\s*${number}|${before}${number}\\s*(?:\\+|-|//?)\\s*${text}`,
      outcome: FAILS,
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

function* numbers(state: ScriptState): Generator<Mistake> {
  const code = programCode(state);
  if (!/environ|getenv|\benv\b|read_text|\.read\(|readFileSync/.test(code)) return;
  const isPython = executorOf(state.file) === 'python';
  const number = numbersIn(code);
  for (const { name, isVariable, pattern } of readTexts(state, code)) {
    const lines = new Set<number>();
    for (const use of isPython ? usesInPython(pattern, number) : usesInNode(pattern, number))
      for (const { index } of code.matchAll(new RegExp(use.pattern, 'g'))) {
        const line = code.lastIndexOf('\n', index);
        if (lines.has(line)) continue;
        lines.add(line);
        yield {
          at: index,
          message: `${isVariable ? `the variable ${name}` : name} is a text, not a number: ${use.outcome}`,
          fix: isPython ? 'make a number of it: int(…)' : 'make a number of it: Number(…)',
        };
      }
  }
}

/** Rules about texts in the place of numbers. */
export const NUMBER_RULES: readonly Rule[] = [
  {
    id: 'text-as-number',
    severity: 'warning',
    summary: 'A Python or JavaScript program calculates with a text, or compares a text with a number.',
    why: 'Variables of the environment are texts, and so is the content of a file. In Python, adding a number to a text and asking which is greater are a TypeError. In JavaScript, "1" + 1 is "11". In neither language is "3" equal to 3 (in JavaScript, by ===).',
    check: (analysis) => mistakesOf(analysis, numbers),
  },
];
