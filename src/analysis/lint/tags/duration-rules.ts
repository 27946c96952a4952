// Rules about durations in tags: a number that is meant as minutes or milliseconds, and a point in time where a duration belongs.
import { mistakesOf, plainText, promptsOf, withoutLongLines, type Mistake, type ScriptState } from '../helpers.js';
import { executorOf } from '../../../protocol/language/resolve.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';

const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty'.split(' ');
const VALUES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 20, 30];
const UNIT = String.raw`(?:minutes?|mins?|hours?|hrs?|days?|weeks?)`;

/** The letter of a unit, as durations write it. */
function letterOf(unit: string): string {
  return unit.slice(0, 1).toLowerCase();
}

/** The unit that a text gives to a number, as in "five minutes"; undefined if it also speaks of seconds. */
function unitOf(text: string, count: number): string | undefined {
  if (/\bseconds?\b|\bsecs?\b/i.test(text)) return undefined;
  const pattern = new RegExp(`(?<![\\w.])(\\d+|an?|${NUMBERS.join('|')})[\\s-]+(${UNIT})\\b`, 'gi');
  const [match] = [...text.matchAll(pattern)].filter(([, number = '']) => valueOf(number) === count);
  return match?.[2] === undefined ? undefined : letterOf(match[2]);
}

function valueOf(number: string): number {
  const word = number.toLowerCase();
  return /^\d/.test(word) ? Number(word) : /^an?$/.test(word) ? 1 : (VALUES[NUMBERS.indexOf(word)] ?? Number.NaN);
}

const PLAIN = /\b(delay|timeout)=\\?["'](\d{1,3})\\?["']/g;

/** A number without a unit in a sentence or beside a comment that names another unit. */
function* unitsOfPrompts(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { body } = source.prompt;
    const text = withoutLongLines(body.text);
    for (const { index, 0: whole, 2: number = '' } of text.matchAll(PLAIN)) {
      const before =
        text
          .slice(Math.max(0, index - 240), index)
          .split(/\n[ \t]*\n|<\/[a-z-]+>/)
          .at(-1) ?? '';
      const unit = unitOf(before, Number(number));
      if (unit !== undefined) yield { at: body.at(index), state: file, ...withUnit(whole, { number, unit }) };
    }
  }
}

function* unitsOfScripts({ source }: ScriptState): Generator<Mistake> {
  const text = withoutLongLines(source.raw.text);
  for (const { index, 0: whole, 2: number = '' } of text.matchAll(PLAIN)) {
    const from = text.lastIndexOf('\n', text.lastIndexOf('\n', text.lastIndexOf('\n', index) - 1) - 1) + 1;
    const lines = text.slice(from, text.indexOf('\n', index) < 0 ? text.length : text.indexOf('\n', index));
    const comments = lines.split('\n').flatMap((line) => /(?:^|\s)(?:#|\/\/)\s*(.*)$/.exec(line)?.[1] ?? []);
    const unit = unitOf(comments.join('\n'), Number(number));
    if (unit !== undefined) yield { at: index, ...withUnit(whole, { number, unit }) };
  }
}

function withUnit(
  whole: string,
  { number, unit }: { readonly number: string; readonly unit: string },
): Pick<Mistake, 'message' | 'fix'> {
  const [name = 'delay'] = whole.split('=');
  return {
    message: `${name}="${number}" means ${number} seconds, but the text beside it names another unit`,
    fix: `write ${name}="${number}${unit}"`,
  };
}

/** What a script puts into a duration. */
const COMPUTED_DURATION =
  /\b(delay|timeout)=\\?["'](?:\$\{?([A-Za-z_]\w*)\}?|\{([A-Za-z_]\w*)\}|(\$\([^"'\n]{0,80}["']?[^"\n]{0,60}\))|\$?\{([^{}\n]{2,80})\})\\?["']/g;

function* computedDurations(state: ScriptState): Generator<Mistake> {
  const code = plainText(state);
  const language = executorOf(state.file);
  for (const match of code.matchAll(COMPUTED_DURATION)) {
    const variable = match[2] ?? match[3];
    const expression = variable === undefined ? (match[4] ?? match[5] ?? '') : assignedTo(code, variable);
    const why = expression === undefined ? undefined : problemOf(expression, { variable: variable ?? '', language });
    if (why !== undefined)
      yield {
        at: match.index,
        message: `${match[1] ?? 'delay'} takes a duration in seconds or with a unit, but this is ${why}`,
        fix: 'compute the number of seconds',
      };
  }
}

/** What a script assigns to a variable, if it does so once. */
function assignedTo(code: string, name: string): string | undefined {
  const found = [...code.matchAll(new RegExp(`(?<![\\w.$])${name}\\s*(?::\\s*\\w+\\s*)?=(?!=)([^\\n]*)`, 'g'))];
  return found.length === 1 ? found[0]?.[1] : undefined;
}

function problemOf(
  expression: string,
  { variable, language }: { readonly variable: string; readonly language: string | undefined },
): string | undefined {
  const isDivided = /\/\s*1_?000\b|\/\s*1e3\b|total_seconds|\.seconds\b/.test(expression);
  if (isDivided) return undefined;
  if (/\*\s*1_?000\b|\*\s*1e3\b/.test(expression) || /(?:_ms|Ms|millis(?:econds)?|Millis)$/.test(variable))
    return 'a number of milliseconds';
  if (language === 'node')
    return /\.getTime\(\)\s*-|-\s*Date\.now\(\)/.test(expression) ? 'a number of milliseconds' : undefined;
  if (language === 'python') {
    if (/\.isoformat\(|\.strftime\(/.test(expression)) return 'a point in time';
    return /^\s*(?:datetime\.)?timedelta\([^()\n]*\)\s*$/.test(expression) ? 'a text such as 0:20:00' : undefined;
  }
  return /^\s*"?\$\(\s*date\b[^\n]*\+["']?%(?:s|F|H|Y)/.test(expression) && !/\$\(\(|-\s*\$\(/.test(expression)
    ? 'a point in time'
    : undefined;
}

/** Rules about durations. */
export const DURATION_RULES: readonly Rule[] = [
  {
    id: 'wrong-duration',
    severity: 'warning',
    summary:
      'A delay or a timeout is a number without a unit, so it means seconds, but minutes, milliseconds or a point in time are probably meant.',
    why: 'A duration is a number with one of the units s, m, h, d and w; a number alone means seconds. The agent waits far too short or too long, or the tag is a mistake.',
    check: (analysis) => [
      ...unitsOfPrompts(analysis),
      ...mistakesOf(analysis, unitsOfScripts),
      ...mistakesOf(analysis, computedDurations),
    ],
  },
];
