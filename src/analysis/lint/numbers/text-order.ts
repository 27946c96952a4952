// Finds comparisons of two texts that are numbers: a program asks which is greater, and gets the order of the texts. Pure.
import { executorOf } from '../../../protocol/language/resolve.js';
import { allEdges } from '../../graph.js';
import { isComputed } from '../../mention.js';
import type { Mistake, ScriptState } from '../helpers.js';
import { allGiversOf, schemaOfField } from '../values/result-rules.js';
import type { Analysis } from '../rule.js';
import { isDefinedOnce, programCode, readTexts, type ReadText } from '../scripts/program-code.js';

/** Texts of one width are in the order of their numbers. */
export const DATED = /date|year|month|day|hour|time|stamp|version|since|until|today|\bv\d|%|\d{8}|^0\d|-\d\d/i;

/** What shows that a program compares two texts. */
interface Comparison {
  readonly left: string;
  readonly right: string;
  readonly at: number;
}

/** `os.environ["page"] >= os.environ["pages"]`, `max(first, second)`. */
export function* textOrders(analysis: Analysis, state: ScriptState): Generator<Mistake> {
  const code = programCode(state);
  if (!/environ|getenv|\benv\b/.test(code)) return;
  const isPython = executorOf(state.file) === 'python';
  const texts = [...readTexts(state, code), ...chosenTexts(code)];
  for (const { left, right, at } of comparisonsOf(code, { texts, isPython })) {
    const sides = [left, right].map((side) => texts.find((one) => new RegExp(`^(?:${one.pattern})$`).test(side)));
    if (sides.some((side) => side === undefined || DATED.test(side.name))) continue;
    const known = sides.map((side) => side && numberIn(analysis, { file: state.file, code, text: side }));
    if (known.includes(false) || !known.includes(true)) continue;
    yield {
      at,
      message: `this compares texts, not numbers: "12" counts as less than "5"`,
      fix: `turn both into numbers: ${isPython ? 'int(…)' : 'Number(…)'}`,
    };
    return;
  }
}

/** `best = file.read_text() if file.exists() else "0"`: names that get a text in one of two ways. */
function chosenTexts(code: string): readonly ReadText[] {
  const given = /^[ \t]*(?:(?:const|let|var)[ \t]+)?(\w+)[ \t]*=(?!=)[ \t]*([^\n]{1,300})$/gm;
  return [...code.matchAll(given)].flatMap(([, name = '', value = '']) => {
    const isChoice = /\bif\b.*\belse\b\s*["']|\?.*:\s*["']/.test(value);
    const isText = /\.read_text\(|\.read\(|readFileSync\(|\benviron\b|process\.env\b/.test(value);
    const isOther = /\b(?:int|float|Number|len|parseInt|parseFloat|loads|parse)\(|\.split|\[\d/.test(value);
    if (!isChoice || !isText || isOther || !isDefinedOnce(name, code)) return [];
    return [{ name, isVariable: false, pattern: `(?<![\\w.$])${name}(?![\\w$])` }];
  });
}

function comparisonsOf(
  code: string,
  { texts, isPython }: { readonly texts: readonly ReadText[]; readonly isPython: boolean },
): readonly Comparison[] {
  const any = `(?:${texts.map(({ pattern }) => pattern).join('|')})`;
  // A default stands in brackets.
  const side = `\\(?\\s*(${any})(?:\\s*(?:\\?\\?|\\|\\||\\bor\\b)\\s*["']?\\w*["']?\\s*\\))?`;
  const patterns = [`${side}\\s*(?:[<>]=?)\\s*${side}(?!\\s*[-+*/(])`];
  if (isPython) patterns.push(`(?<![\\w.])(?:max|min)\\(\\s*(${any})\\s*,\\s*(${any})\\s*\\)`);
  return patterns.flatMap((pattern) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(({ index, 1: left = '', 2: right = '' }) => ({
      left,
      right,
      at: index,
    })),
  );
}

/** Whether a text is a number, as far as the package shows it; undefined if it does not. */
function numberIn(
  analysis: Analysis,
  { file, code, text }: { readonly file: string; readonly code: string; readonly text: ReadText },
): boolean | undefined {
  if (new RegExp(`(?<![\\w.])(?:int|float|Number|parseInt|parseFloat|BigInt)\\(\\s*(?:${text.pattern})`).test(code))
    return true;
  return text.isVariable ? isPassedNumber(analysis, { file, name: text.name }) : undefined;
}

/** Whether a variable that a script gets is a number: by the tags that pass it, or by the schema of the result. */
export function isPassedNumber(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): boolean | undefined {
  const [, field] = /^RAYMOND_RESULT_(\w+)$/.exec(name) ?? [];
  if (field !== undefined) return isNumberField(analysis, { file, field });
  const values = allEdges(analysis.graph)
    .filter(({ to, role }) => to.kind === 'state' && to.file === file && role === 'target')
    .flatMap(({ mention }) => mention.attributes.get(name)?.value.trim() ?? []);
  const known = values.filter((value) => !isComputed(value) && !value.includes('{{'));
  if (known.length === 0) return undefined;
  return known.every((value) => /^\d{1,7}$/.test(value));
}

function isNumberField(
  analysis: Analysis,
  { file, field }: { readonly file: string; readonly field: string },
): boolean | undefined {
  const types = (allGiversOf(analysis, file) ?? []).map((giver) => schemaOfField(giver, field)?.['type']);
  if (types.length === 0 || types.includes(undefined)) return undefined;
  return types.every((type) => type === 'integer' || type === 'number');
}
