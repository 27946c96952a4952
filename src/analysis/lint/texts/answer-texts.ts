// The texts with which a script compares its value: in conditions, in `case`, `switch` and `match`, and as the keys of a table. Pure.
import { withoutLongLines } from '../helpers.js';

/** A text with which a value is compared. */
export interface ComparedText {
  readonly text: string;
  readonly at: number;
  /** Texts that lead to the same branch have the same group. */
  readonly group: number;
  /** True where only the beginning must be equal. */
  readonly isPrefix?: true;
}

/** What a script compares its input with; `folds` = upper and lower case count as the same. */
export interface ComparedTexts {
  readonly texts: readonly ComparedText[];
  readonly folds: boolean;
}

const FOLDS =
  /\.(?:lower|upper|casefold|toLowerCase|toUpperCase)\(|\$\{\w+(?:,,|\^\^)\}|\btr\b[^\n]*(?:upper|A-Z)|nocasematch/;

/** The texts with which a script compares its input. */
export function textsCompared(source: string): ComparedTexts {
  const code = withoutLongLines(source);
  const name = nameOfInput(code);
  const texts = [
    ...inConditions(code, name),
    ...inCases(code, name),
    ...inSwitches(code, name),
    ...inTables(code, name),
  ];
  return { texts, folds: FOLDS.test(code) };
}

/** The input, and the names that a script gives it. */
function nameOfInput(code: string): string {
  const read = String.raw`(?:os\.environ(?:\.get)?[[(]\s*["']RAYMOND_INPUT["'](?:\s*,\s*["'][^"'\n]*["'])?\s*[\])]|os\.getenv\(\s*["']RAYMOND_INPUT["'](?:\s*,\s*["'][^"'\n]*["'])?\s*\)|process\.env(?:\.RAYMOND_INPUT|\[["']RAYMOND_INPUT["']\])!?)`;
  const given = new RegExp(
    String.raw`(?<![\w.$])([A-Za-z_]\w*)(?:\s*:\s*\w+)?\s*=(?!=)\s*(?:"?\$\{?RAYMOND_INPUT(?:,,|\^\^|:-[^}\n]*)?\}?"?[ \t]*(?:$|;)|\(?${read}[^\n]*$|\$\([^\n]*RAYMOND_INPUT[^\n]*\)"?[ \t]*$)`,
    'gm',
  );
  const names = [...code.matchAll(given)].map(([, name = '']) => `(?<![\\w.])${name}\\b`);
  // The only parameter of a function that gets the input.
  const [, called] = new RegExp(String.raw`\b([A-Za-z_]\w*)\(\s*${read}(?:\.\w+\(\))*\s*\)`).exec(code) ?? [];
  const [, parameter] =
    called === undefined
      ? []
      : (new RegExp(String.raw`\b(?:def|function)\s+${called}\(\s*(\w+)[^(),]*\)`).exec(code) ?? []);
  const all = [...names, ...(parameter === undefined ? [] : [`(?<![\\w.])${parameter}\\b`])];
  return `(?:${[read, 'RAYMOND_INPUT\\b', ...all].join('|')})`;
}

const TEXT = String.raw`(?:"([^"\n$]*)"|'([^'\n]*)')`;
const CHANGED = String.raw`(?:\s*\?\?\s*(?:""|'')\)?)?(?:\??\.(?:strip|trim|lower|upper|casefold|toLowerCase|toUpperCase)\(\))*`;

function lineOf(code: string, at: number): number {
  return code.slice(0, at).split('\n').length;
}

function* inConditions(code: string, name: string): Generator<ComparedText> {
  const bash = new RegExp(
    String.raw`(?:\[\[?|\btest)\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+(?:!=|==?)\s+(?:${TEXT}|([\w-]+))(\*)?`,
    'g',
  );
  const program = new RegExp(String.raw`${name}${CHANGED}\s*[!=]==?\s*${TEXT}`, 'g');
  const starts = new RegExp(String.raw`${name}${CHANGED}\.(?:startswith|startsWith)\(\s*${TEXT}`, 'g');
  for (const { index, 0: whole, 1: double, 2: single, 3: bare, 4: star } of code.matchAll(bash))
    yield found(code, { index, whole, text: double ?? single ?? bare ?? '', isPrefix: star !== undefined });
  for (const { index, 0: whole, 1: double, 2: single } of code.matchAll(program))
    yield found(code, { index, whole, text: double ?? single ?? '' });
  for (const { index, 0: whole, 1: double, 2: single } of code.matchAll(starts))
    yield found(code, { index, whole, text: double ?? single ?? '', isPrefix: true });
  const among = new RegExp(
    String.raw`${name}${CHANGED}\s+(?:not\s+)?in\s+[([{]([^()[\]{}\n]*)[)\]}]|\[([^[\]\n]*)\]\.includes\(\s*${name}`,
    'g',
  );
  for (const { index, 1: python, 2: node } of code.matchAll(among))
    for (const [, double, single] of (python ?? node ?? '').matchAll(new RegExp(TEXT, 'g')))
      yield { text: double ?? single ?? '', at: index, group: lineOf(code, index) };
}

function found(
  code: string,
  match: { readonly index: number; readonly whole: string; readonly text: string; readonly isPrefix?: boolean },
): ComparedText {
  const { index, whole, text, isPrefix = false } = match;
  const at = index + Math.max(0, whole.lastIndexOf(text));
  return { text, at, group: lineOf(code, at), ...(isPrefix ? { isPrefix: true } : {}) };
}

/** The patterns of `case "$RAYMOND_INPUT" in`. */
function* inCases(code: string, name: string): Generator<ComparedText> {
  const pattern = new RegExp(String.raw`\bcase\s+"?\$\{?${name}(?:,,|\^\^|:-)?\}?"?\s+in\b([^]*?)\besac\b`, 'g');
  for (const { index, 0: whole, 1: body = '' } of code.matchAll(pattern)) {
    const start = index + whole.length - 'esac'.length - body.length;
    for (const { index: offset, 0: line, 1: list = '' } of body.matchAll(
      /(?:^|;;)\s*\(?((?:"[^"\n]*"|'[^'\n]*'|[^()"'\s;|][^()"'\n;|]*)\*?(?:\s*\|\s*(?:"[^"\n]*"|'[^'\n]*'|[^()"'\s;|][^()"'\n;|]*)\*?)*)\)/g,
    )) {
      const at = start + offset + line.length - list.length - 1;
      for (const part of list.split('|').map((one) => one.trim())) {
        const [, double, single, bare, star] = /^(?:"([^"]*)"|'([^']*)'|([^"'*?[\]]*?))(\*)?$/.exec(part) ?? [];
        const text = (double ?? single ?? bare ?? '').replaceAll('\\', '');
        if (text !== '') yield { text, at, group: lineOf(code, at), ...(star === undefined ? {} : { isPrefix: true }) };
      }
    }
  }
}

/** `switch (answer) {` and `match answer:`. */
function* inSwitches(code: string, name: string): Generator<ComparedText> {
  const heads = new RegExp(
    String.raw`^([ \t]*)(?:switch\s*\(\s*${name}[^{\n]*\{|match\s+${name}[^:\n]*:)[ \t]*$`,
    'gm',
  );
  for (const { index, 0: head, 1: indent = '' } of code.matchAll(heads)) {
    const from = index + head.length;
    const end = new RegExp(`^${indent}(?:\\}|(?=[^\\s]))`, 'm').exec(code.slice(from + 1));
    const body = code.slice(from, end === null ? code.length : from + 1 + end.index);
    let group = 0;
    let last = 0;
    for (const { index: offset, 1: list = '' } of body.matchAll(/^[ \t]*case\s+((?:"[^"\n]*"|'[^'\n]*'|[\s|])+):/gm)) {
      // Labels without code between them lead to one branch.
      if (/[^\s]/.test(body.slice(last, offset))) group = lineOf(code, from + offset);
      last = offset + body.slice(offset).indexOf(':') + 1;
      for (const [, double, single] of list.matchAll(new RegExp(TEXT, 'g')))
        yield { text: double ?? single ?? '', at: from + offset + body.slice(offset).search(/\S/), group };
    }
  }
}

/** `TABLE[answer]` and `TABLE.get(answer)`: the keys of the table. */
function* inTables(code: string, name: string): Generator<ComparedText> {
  const used = new RegExp(
    String.raw`(?<![\w.])([A-Za-z_]\w*)(?:\[\s*${name}${CHANGED}\s*\]|\.get\(\s*${name}${CHANGED}\s*[,)])`,
    'g',
  );
  const tables = new Set([...code.matchAll(used)].map(([, table = '']) => table));
  for (const table of tables) {
    const head = new RegExp(
      String.raw`^[ \t]*(?:export\s+)?(?:const\s+|let\s+|var\s+)?${table}(?:\s*:[^=\n]*)?\s*=\s*(?:(new Map)\(\s*\[|\{)`,
      'm',
    ).exec(code);
    if (head === null) continue;
    const start = head.index + head[0].length;
    const rest = code.slice(start, start + 4000);
    const end = /^[^\n]*?[}\]]/.exec(rest)?.[0].length ?? rest.search(/\n[ \t]*[}\]]/);
    const keys = head[1] === undefined ? KEY_OF_OBJECT : KEY_OF_MAP;
    for (const { index, 0: whole, 1: double, 2: single, 3: bare } of rest.slice(0, end).matchAll(keys)) {
      const at = start + index + whole.search(/["'\w]/);
      yield { text: double ?? single ?? bare ?? '', at, group: at };
    }
  }
}

const KEY_OF_OBJECT = /(?:^|[{,\n])\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))\s*:/g;
const KEY_OF_MAP = /\[\s*(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))\s*,/g;
