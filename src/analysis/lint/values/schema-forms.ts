// Finds the forms in which a prompt asks for a value, such as a date or a percentage, where the schema of the value requires another. Pure.
import { linearSearch } from '../../../packages/linear-pattern.js';
import type { JsonObject } from '../../../protocol/language/policy.js';

/** A request that does not fit: its offset in a sentence, and what it is. */
interface Form {
  readonly at: number;
  readonly asked: string;
  readonly required: string;
}

/** A form of a date or a time, such as DD.MM.YYYY. */
const DATE_FORM =
  /(?<![\w./:-])(?:YYYY|YY|MM|DD|HH|SS|hh|mm|ss|dd|yyyy)(?:[./: T-]{1,2}(?:YYYY|YY|MM|DD|HH|SS|hh|mm|ss|dd|yyyy)){1,5}(?![\w/:-])/g;
const SAMPLES: Readonly<Record<string, string>> = { yyyy: '2024', yy: '24', mm: '11', dd: '12', hh: '10', ss: '30' };

/** The search for the pattern of a schema; undefined if RE2 does not know it. */
export function patternOf({ pattern }: JsonObject): ((text: string) => boolean) | undefined {
  if (typeof pattern !== 'string') return undefined;
  try {
    return linearSearch(pattern);
  } catch {
    return undefined; // Another rule reports it.
  }
}

function* dates(sentence: string, schema: JsonObject): Generator<Form> {
  const { type, pattern } = schema;
  const fits = patternOf(schema);
  const forms = [...sentence.matchAll(DATE_FORM)];
  if (forms.length === 0 || /\b(?:not|never|instead|rather than|convert)\b/i.test(sentence)) return;
  const isNumber = type === 'integer' || type === 'number';
  if (!isNumber && fits === undefined) return;
  const filled = forms.map(([form]) => form.replace(/[a-z]{2,4}/gi, (part) => SAMPLES[part.toLowerCase()] ?? part));
  if (!isNumber && filled.some((sample) => fits?.(sample) === true)) return;
  const [first] = forms;
  if (first === undefined) return;
  const required = isNumber ? `the type ${type}` : `the pattern ${String(pattern)}`;
  yield { at: first.index, asked: first[0], required };
}

const PERCENT = /\b(?:in|as(?:\s+an?)?)\s+(?:per\s?cent|percentage)\b|\bpercentage\b/i;
const FRACTION = /\b0\.\d|\bfraction\b|\bbetween 0 and 1\b|\b0 to 1\b|\bdivid/i;
const EXAMPLE =
  /(?:\bfor example|\bsuch as|\be\.g\.|\blike)[,:]?\s+[`"']?(-?\d+(?:\.\d+)?)(?![\d.,/:-]*\d)[`"']?(?=\s*(?:[.;,)]|$|%|percent\b|stars?\b|points?\b))/i;

/** Numbers in a form, or of a size, that the type of the field does not allow. */
function* numbers(sentence: string, { type, minimum, maximum }: JsonObject): Generator<Form> {
  if (type !== 'integer' && type !== 'number') return;
  const percent = PERCENT.exec(sentence);
  if (percent !== null && typeof maximum === 'number' && maximum <= 1 && !FRACTION.test(sentence))
    yield { at: percent.index, asked: 'a percentage', required: `at most ${maximum}` };
  const example = EXAMPLE.exec(sentence);
  const value = Number(example?.[1]);
  const at = (example?.index ?? 0) + (example?.[0].search(/-?\d/) ?? 0);
  if (typeof maximum === 'number' && value > maximum)
    yield { at, asked: String(value), required: `at most ${maximum}` };
  if (typeof minimum === 'number' && value < minimum)
    yield { at, asked: String(value), required: `at least ${minimum}` };
  const words =
    /\bin words\b|\bspell(?:ed)?\s+(?:it\s+)?out\b|\b(?:with|including)\s+(?:the\s+|its\s+|a\s+)?(?:unit|currency|(?:percent|euro|dollar)\s+sign)\b/i.exec(
      sentence,
    );
  if (words !== null && !/\b(?:no|not|without|never)\b/i.test(sentence))
    yield { at: words.index, asked: `a number ${words[0]}`, required: `the type ${type}` };
}

/** One text for a list of texts. */
function* texts(sentence: string, { type }: JsonObject): Generator<Form> {
  const joined =
    /\bcomma[- ]separated\b|\b(?:separated|joined)\s+(?:by|with)\s+(?:commas?|semicolons?|spaces?)\b/i.exec(sentence);
  if (type === 'array' && joined !== null && !/\b(?:not|never|instead)\b/i.test(sentence))
    yield { at: joined.index, asked: `a text ${joined[0].toLowerCase()}`, required: 'a list' };
}

const MARK = '[`"“”\'*]{0,2}';
const LETTER = `${MARK}([A-Z]\\d?)${MARK}(?![\\w+-])`;
const MEANING = String.raw`\s*(?:\([^()]{1,40}\)\s*)?`;

/** `from "A" (excellent) to "F"`, "a letter between A and F", "grades A–F". */
const GRADES = new RegExp(
  String.raw`\b(?:(?:from|between)\s+(?:an?\s+)?|(?:letters?|grades?|marks?|ratings?)[,:]?\s+(?:\()?)(?<!\w)${LETTER}${MEANING}(?:\b(?:to|through|and)\s+(?:an?\s+)?|[–-]\s*)${LETTER}`,
);

/** "one of A, B, C or D". */
const GRADE_LIST = new RegExp(
  String.raw`(?<![\w,] ?)${LETTER}${MEANING},\s*(?:${MARK}[A-Z]${MARK}${MEANING},\s*){0,6}${MARK}[A-Z]${MARK}${MEANING},?\s+or\s+${LETTER}`,
);

/** Grades that are letters, such as from A to F. */
function* grades(sentence: string, { type, enum: values }: JsonObject): Generator<Form> {
  const match = GRADES.exec(sentence) ?? GRADE_LIST.exec(sentence);
  if (match === null || /\bsort|alphabet|\border/i.test(sentence)) return;
  const [whole, low, high] = match;
  if (low === high) return;
  const isNumber = type === 'integer' || type === 'number' || type === 'boolean';
  const isOther = Array.isArray(values) && !values.includes(low) && !values.includes(high);
  if (isNumber || isOther)
    yield {
      at: match.index,
      asked: `a value ${whole.replace(/\s+/g, ' ')}`,
      required: isOther ? `one of ${values.map(String).join(', ')}` : `the type ${String(type)}`,
    };
}

/** The forms that a sentence about a field asks for, and that the schema of the field does not allow. */
export function* formsIn(sentence: string, schema: JsonObject): Generator<Form> {
  yield* dates(sentence, schema);
  yield* numbers(sentence, schema);
  yield* texts(sentence, schema);
  yield* grades(sentence, schema);
}

/** Words that stand in lists of values, but are none. */
export const NO_VALUE =
  /^(?:nothing|none|others?|otherwise|else|both|neither|so|not|the|a|an|if|with|no|it|then|also|any|all|null|empty|similar|more|ask|check|see|say|stop|wait|decide|tell|test|look|unless|even|only|except|as|and|or|result|true|false|unknown|example|explain|why|is|means?|omit(?:ted)?)$/i;

const ITEM = String.raw`[\`"'*_]{0,2}([A-Za-z][\w-]{1,24})[\`"'*_]{0,2}`;
const ARTICLE = String.raw`(?:(?:an?|the)\s+)?`;
const PLAIN_LIST = new RegExp(
  String.raw`(?<![\w-])${ITEM}(?:(?:\s*,\s*(?:or\s+|and\s+)?|\s+(?:or|and)\s+|\s*\|\s*|\s*/\s*)${ARTICLE}${ITEM}){2,7}(?=\s*(?:[.;:!?)]|$|,\s|\s(?:if|when|for|depending|according)\b))`,
  'gm',
);
const CASE = String.raw`${ITEM}\s+(?:if|when|means)\b`;
const ANY_CASE = new RegExp(String.raw`(?<![\w-])${CASE}`, 'gi');
const NEXT_CASE = new RegExp(String.raw`(?:^|[,;:.(]|\b(?:or|and|as|is|to|it|say))[ \t]*\n?[ \t]*${CASE}`, 'gim');
const BULLETS = new RegExp(String.raw`^([ \t]*)[-*][ \t]+${ITEM}[ \t]*(?::|–|—|-[ \t]|=)`, 'gm');

interface Word {
  readonly word: string;
  readonly at: number;
}

/** A word that a text offers beside the values of a list, though it is none of them. */
export function wordBeside(
  text: string,
  { values, names }: { readonly values: readonly string[]; readonly names: readonly string[] },
): Word | undefined {
  const known = values.map((value) => value.toLowerCase());
  const taken = names.map((name) => name.toLowerCase());
  const lists = [...text.matchAll(PLAIN_LIST)].map(({ 0: list, index }) =>
    [...list.matchAll(/[A-Za-z][\w-]+/g)]
      .filter(([word]) => !/^(?:or|and|an|the)$/.test(word))
      .map((match) => ({ word: match[0], at: index + match.index })),
  );
  const sentences = [...text.matchAll(/(?:[^.!?\n]|[.!?](?!\s)|\n(?!\n))+/g)].map(({ 0: sentence, index }) =>
    [
      ...wordsOf(sentence, ANY_CASE).filter(({ word }) => known.includes(word.toLowerCase())),
      ...wordsOf(sentence, NEXT_CASE),
    ].map(({ word, at }) => ({ word, at: index + at })),
  );
  for (const list of [...lists, ...sentences, ...bulletsIn(text)]) {
    const found = new Set(list.map(({ word }) => word.toLowerCase()).filter((word) => known.includes(word)));
    const isLower = list.every(({ word }) => !known.includes(word.toLowerCase()) || word === word.toLowerCase());
    const others = list.filter(
      ({ word }) =>
        ![...known, ...taken].includes(word.toLowerCase()) &&
        !NO_VALUE.test(word) &&
        (!isLower || word === word.toLowerCase()),
    );
    if (found.size >= 2 && others.length <= found.size && others[0] !== undefined) return others[0];
  }
  return undefined;
}

/** The first words of the items of each list in Markdown. */
function bulletsIn(text: string): readonly (readonly Word[])[] {
  const blocks = new Map<string, Word[]>();
  let [paragraph, last] = [0, 0];
  for (const { 0: whole, 1: indent = '', 2: word = '', index } of text.matchAll(BULLETS)) {
    if (/\n[ \t]*\n/.test(text.slice(last, index))) paragraph += 1;
    last = index;
    const key = `${paragraph} ${indent}`;
    blocks.set(key, [...(blocks.get(key) ?? []), { word, at: index + whole.indexOf(word) }]);
  }
  return [...blocks.values()];
}

function wordsOf(text: string, pattern: RegExp): readonly Word[] {
  return [...text.matchAll(pattern)].map(({ 0: whole, 1: word = '', index }) => ({
    word,
    at: index + whole.lastIndexOf(word),
  }));
}
