// The rule about numbers that never reach what they are compared with, because the schema or the prompt that they come from allows only others.
import { executorOf } from '../../../protocol/language/resolve.js';
import { attributesPassed } from '../passed.js';
import { plainText, promptsOf, scriptsOf, withoutLongLines } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { rangeOfAttribute, rangeOfResult, withoutTags, type Range } from './number-ranges.js';

/** A comparison of a number with a numeral. */
interface Comparison {
  readonly operator: string;
  readonly limit: number;
  readonly at: number;
}

/** A number that a state gets, by a pattern of the expressions that hold it. */
interface Known {
  readonly name: string;
  readonly pattern: string;
  readonly range: Range;
}

function* unreachedInScripts(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const code = plainText(state);
    const isShell = executorOf(state.file) === 'bash';
    const lines = new Set<number>();
    for (const known of numbersOf(analysis, { file: state.file, code, isShell }))
      for (const comparison of comparisonsIn(code, known.pattern)) {
        const line = code.lastIndexOf('\n', comparison.at);
        if (lines.has(line) || !isOutside(comparison, known.range) || isCheck(code, { comparison, known })) continue;
        lines.add(line);
        yield { at: state.source.raw.at(comparison.at), state: state.file, ...messageOf(comparison, known) };
      }
  }
}

function messageOf(
  { operator, limit }: Comparison,
  { name, range }: Pick<Known, 'name' | 'range'>,
): Pick<FindingDetails, 'message' | 'fix'> {
  const outcome = alwaysTrue(operator, { limit, range }) ? 'always' : 'never';
  const bounds = `${range.least === -Infinity ? '' : `at least ${range.least}`}${range.least === -Infinity || range.greatest === Infinity ? '' : ' and '}${range.greatest === Infinity ? '' : `at most ${range.greatest}`}`;
  return {
    message: `this comparison with ${limit} is ${outcome} true: by ${range.by}, ${name} is ${bounds}`,
    fix: 'compare with a number in this range, or change the range',
  };
}

function alwaysTrue(operator: string, { limit, range }: { readonly limit: number; readonly range: Range }): boolean {
  if (/^(?:<|-l|below)/.test(operator)) return limit > range.greatest;
  if (/^(?:>|-g|above)/.test(operator)) return limit < range.least;
  return /^(?:!|-ne)/.test(operator);
}

/** True for a limit that is not in the range. */
function isOutside({ limit }: Comparison, { least, greatest }: Range): boolean {
  return limit > greatest || limit < least;
}

/** True for a comparison that tests whether the number is valid: with both ends of the range, or before an error. */
function isCheck(
  code: string,
  { comparison: { at, limit }, known: { pattern, range } }: { readonly comparison: Comparison; readonly known: Known },
): boolean {
  const start = code.lastIndexOf('\n', at) + 1;
  const end = code.indexOf('\n', at);
  const line = code.slice(start, end < 0 ? code.length : end);
  const next = code.slice(at).split('\n').slice(0, 3).join('\n');
  if (/\b(?:exit\s+[1-9]|raise|throw|process\.exit\([1-9]|sys\.exit\(|assert|die)\b/.test(next)) return true;
  if ((line.match(new RegExp(pattern, 'g'))?.length ?? 0) > 1) return true;
  return (
    limit === 0 ||
    (range.greatest - range.least > 1 &&
      (limit === range.greatest + 1 || limit === range.least - 1) &&
      /\b(?:invalid|valid|range|clamp|min|max)\b/i.test(next))
  );
}

/** The numbers that a script gets, and the names that it gives to them as a whole. */
function* numbersOf(
  analysis: Analysis,
  { file, code, isShell }: { readonly file: string; readonly code: string; readonly isShell: boolean },
): Generator<Known> {
  const fields = new Set([...code.matchAll(/\bRAYMOND_RESULT_(?!FILE\b)(\w+)/g)].map(([, field = '']) => field));
  for (const field of fields) {
    const range = rangeOfResult(analysis, { file, field });
    if (range !== undefined) yield known(code, { name: field, read: `RAYMOND_RESULT_${field}\\b`, range });
  }
  if (/\bRAYMOND_(?:RESULT|INPUT)\b/.test(code)) {
    const range = rangeOfResult(analysis, { file, field: undefined });
    if (range !== undefined) yield known(code, { name: 'the result', read: 'RAYMOND_(?:RESULT|INPUT)\\b', range });
    yield* fieldsOfJson(analysis, { file, code });
  }
  for (const name of attributesPassed(analysis, file)) {
    if (!/^\w+$/.test(name) || !new RegExp(`\\b${name}\\b`).test(code)) continue;
    const range = rangeOfAttribute(analysis, { file, name });
    if (range === undefined) continue;
    const read = isShell
      ? `(?<=\\$\\{?|\\(\\(\\s*)${name}\\b`
      : `(?:environ[^\\n]{0,8}["']${name}["']|getenv\\(["']${name}["']|process\\.env(?:\\.|\\[["'])${name}\\b)`;
    yield known(code, { name, read, range });
  }
}

/** Whole uses of a number: conversions, defaults and white space may surround it. */
function known(
  code: string,
  { name, read, range }: { readonly name: string; readonly read: string; readonly range: Range },
): Known {
  const names = new Set<string>();
  const unpacked = new RegExp(`\\{[^{}\\n]*\\b(?:${read})\\s*(?::\\s*(\\w+))?[^{}\\n]*\\}\\s*=\\s*process\\.env`).exec(
    code,
  );
  if (unpacked !== null) names.add(unpacked[1] ?? name);
  for (let round = 0; round < 2; round++) {
    const sources = [read, ...[...names].map((one) => `(?<![\\w.])${one}\\b`)].join('|');
    const assigned = new RegExp(
      String.raw`(?<![\w.$])(\w+)(?:\s*:\s*\w+)?[ \t]*=(?!=)[ \t]*((?:[\w.$"'({\[]|\s*\?\?\s*)*(?:${sources})[^\n]*)$`,
      'gm',
    );
    for (const [, one = '', value = ''] of code.matchAll(assigned))
      if (isWhole(value) && isSetOnce(code, one)) names.add(one);
  }
  const own = [...names].map((one) => `(?<![\\w.])${one}\\b`);
  return { name, pattern: `(?:${[read, ...own].join('|')})`, range };
}

/** True for an expression that neither calculates nor takes a part. */
function isWhole(value: string): boolean {
  const plain = value.replace(/(?:\?\?|\|\||:-|,)\s*["']?-?\d+(?:\.\d+)?["']?/g, '').replace(/;.*$/, '');
  return !/[*/+%]|\s-\s?\d|\bround\b|[<>=]=?|\bif\b|\[\d|\?(?!\?)|\bloads\b|\bparse\(|\bjq\b|\blen\b|\.length/.test(
    plain,
  );
}

function isSetOnce(code: string, name: string): boolean {
  return (
    withoutTags(code).match(new RegExp(`(?<![\\w.$])${name}(?:\\s*:\\s*\\w+)?\\s*[-+*/]?=(?![=>])`, 'g'))?.length === 1
  );
}

/** The fields that a script takes from the result after it has parsed it as JSON. */
function* fieldsOfJson(
  analysis: Analysis,
  { file, code }: { readonly file: string; readonly code: string },
): Generator<Known> {
  const parsed = String.raw`(?:json\.loads|JSON\.parse)\([^()\n]*(?:\([^()\n]*\))?[^()\n]*RAYMOND_(?:RESULT|INPUT)\b[^()\n]*\)`;
  const objects = [
    ...code.matchAll(new RegExp(String.raw`(?<![\w.$])(\w+)(?:\s*:\s*\w+)?\s*=(?!=)\s*\(?${parsed}`, 'g')),
  ].map(([, name = '']) => name);
  const takes: [field: string, read: string][] = [];
  for (const name of new Set(objects))
    for (const [, one, two, three] of code.matchAll(
      new RegExp(
        String.raw`(?<![\w.])${name}(?:\[["'](\w+)["']\]|\.get\(["'](\w+)["'][^()\n]*\)|\.(\w+)\b(?!\())`,
        'g',
      ),
    )) {
      const field = one ?? two ?? three ?? '';
      takes.push([
        field,
        String.raw`(?<![\w.])${name}(?:\[["']${field}["']\]|\.get\(["']${field}["'][^()\n]*\)|\.${field}\b)`,
      ]);
    }
  for (const [, list = ''] of code.matchAll(
    new RegExp(String.raw`\{([^{}\n]*)\}(?:\s*:\s*\w+)?\s*=\s*\(?${parsed}`, 'g'),
  ))
    for (const part of list.split(',')) {
      const [, field, alias] = /^\s*(\w+)(?:\s*:\s*(\w+))?\s*$/.exec(part) ?? [];
      if (field !== undefined) takes.push([field, String.raw`(?<![\w.])${alias ?? field}\b`]);
    }
  for (const [, field = ''] of code.matchAll(
    /\bjq\s+(?:-\w+\s+)*["']\.(\w+)["'][^\n]*RAYMOND_RESULT|RAYMOND_RESULT[^\n]*\|\s*jq\s+(?:-\w+\s+)*["']\.(\w+)["']/g,
  ))
    takes.push([field, String.raw`\bjq\s+(?:-\w+\s+)*["']\.${field}["']`]);
  for (const [, name = '', field = ''] of code.matchAll(
    /(?<![\w$])(\w+)=["']?\$\([^()\n]*RAYMOND_RESULT[^()\n]*\bjq\s+(?:-\w+\s+)*["']?\.(\w+)["']?\s*\)/g,
  ))
    if (isSetOnce(code, name)) takes.push([field, String.raw`(?<=\$\{?|\(\(\s*)${name}\b`]);
  for (const [, name = '', field = ''] of code.matchAll(
    /(?<![\w$])(\w+)=["']?\$\(jq\s+(?:-\w+\s+)*["']?\.(\w+)["']?[^()\n]*RAYMOND_RESULT[^()\n]*\)/g,
  ))
    if (isSetOnce(code, name)) takes.push([field, String.raw`(?<=\$\{?|\(\(\s*)${name}\b`]);
  for (const [field, read] of new Map(takes.map((take) => [take[1], take] as const)).values()) {
    const range = field === '' ? undefined : rangeOfResult(analysis, { file, field });
    if (range !== undefined) yield known(code, { name: field, read, range });
  }
}

function* comparisonsIn(code: string, pattern: string): Generator<Comparison> {
  const limit = String.raw`["']?\$?\{?(-?\d[\d_]*(?:\.\d+)?|[A-Za-z_]\w*)\b(?![\w.([])`;
  const opened = String.raw`(?:\b(?:int|float|Number|parseInt|parseFloat|Decimal)\(\s*(?:\w+\.)*)?(?:os\.)?(?:environ(?:\.get)?[[(]["']|getenv\(["']|process\.env[.[]["']?)?`;
  const after = new RegExp(
    String.raw`${pattern}(?::-[^}\n]{0,8}|%%?\.\*)?["'}\])]{0,4}(?:\s*(?:\?\?|\|\|)\s*["']?\d+["']?)?(?:\.(?:strip|trim)\(\))?\)?\s*(-(?:ge|gt|le|lt|eq|ne)\b|[<>]=?|[=!]==?)\s*${limit}`,
    'g',
  );
  for (const match of code.matchAll(after)) {
    const number = numeral(code, match[2] ?? '');
    const lead =
      new RegExp(`${opened}["'$\\\\{]*$`).exec(code.slice(Math.max(0, match.index - 60), match.index))?.[0] ?? '';
    const earlier = code.slice(Math.max(0, match.index - lead.length - 4), match.index - lead.length);
    if (number === undefined || /[*/+%-]\s*$/.test(earlier) || /[*/+%]\s*\d*$/.test(match[0])) continue;
    yield { operator: match[1] ?? '', limit: number, at: match.index };
  }
  const before = new RegExp(
    String.raw`(?<![\w.])(\d[\d_]*(?:\.\d+)?|[A-Z][A-Z_]+)\s*([<>]=?)\s*(?:int\(|float\(|Number\()?${pattern}`,
    'g',
  );
  for (const match of code.matchAll(before)) {
    const number = numeral(code, match[1] ?? '');
    const flipped = (match[2] ?? '').replace(/[<>]/, (sign) => (sign === '<' ? '>' : '<'));
    if (number !== undefined) yield { operator: flipped, limit: number, at: match.index };
  }
}

/** The number of a numeral, or of a name that is set to a numeral once. */
function numeral(code: string, text: string): number | undefined {
  if (/^-?\d/.test(text)) return Number(text.replaceAll('_', ''));
  const given = [
    ...code.matchAll(new RegExp(String.raw`(?<![\w.$])${text}(?:\s*:\s*\w+)?\s*[-+*/]?=(?![=>])\s*([^\n;]*)`, 'g')),
  ];
  const value =
    given.length === 1
      ? /^["']?(-?\d[\d_]*(?:\.\d+)?)["']?\s*(?:as\s+const)?\s*$/.exec((given[0]?.[1] ?? '').trim())?.[1]
      : undefined;
  return value === undefined ? undefined : Number(value.replaceAll('_', ''));
}

const IN_WORDS =
  /\{\{(result|input|\w+)(?:\.(\w+))?\}\}([^{}]{0,160}?)\b(at\s+least|above|over|more\s+than|greater\s+than|higher\s+than|exceeds|reaches|below|under|less\s+than|lower\s+than)\s+(\d+(?:\.\d+)?)(?=\s*(?:[,;:)]|\.(?!\d)|points\b|or\b|and\b|then\b|reply\b|end\b))/gi;

/** A prompt that says what to do with a number above or below a limit. */
function* unreachedInPrompts(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const text = withoutLongLines(source.prompt.body.text).replaceAll('\n', ' ');
    for (const match of text.matchAll(IN_WORDS)) {
      const [whole, name = '', field, between = '', words = '', limit = ''] = match;
      const isResult = name === 'result' || name === 'input';
      const range = isResult ? rangeOfResult(analysis, { file, field }) : rangeOfAttribute(analysis, { file, name });
      const comparison = {
        operator: /^(?:below|under|less|lower)/i.test(words) ? 'below' : 'above',
        limit: Number(limit),
        at: match.index + whole.length - limit.length,
      };
      if (
        range === undefined ||
        !isOutside(comparison, range) ||
        /\b(?:words|characters|lines|percent|times)\b/i.test(between)
      )
        continue;
      yield {
        at: source.prompt.body.at(comparison.at),
        state: file,
        ...messageOf(comparison, { name: field ?? name, range }),
      };
      break;
    }
  }
}

/** The rule about numbers that cannot reach a limit. */
export const RANGE_RULES: readonly Rule[] = [
  {
    id: 'unreachable-number',
    severity: 'warning',
    summary:
      'A state compares a number of a result with a limit that is outside of the range that the schema or the called prompt allows, so the comparison always has the same outcome.',
    why: 'The prompt that gives the number can only reply with a number in the range, such as 1 to 10. A comparison with 70 is then never true, so one of the branches is never taken, or a loop never ends.',
    check: (analysis) => [...unreachedInScripts(analysis), ...unreachedInPrompts(analysis)],
  },
];
