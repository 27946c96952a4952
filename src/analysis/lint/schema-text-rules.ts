// Rules about prompts that ask for a value which the schema of their result does not allow: a range, a word, or an example.
import type { JsonObject } from '../../protocol/language/policy.js';
import { clip, literalPattern } from '../../protocol/text.js';
import { promptsOf, withoutLongLines } from './helpers.js';
import type { Analysis, FindingDetails, Rule } from './rule.js';

/** A request that does not fit: its offset in the text, and why. */
interface Misfit {
  readonly at: number;
  readonly message: string;
}

/** A field of a schema, and a sentence that names it. */
interface Named {
  readonly name: string;
  readonly schema: JsonObject;
  readonly sentence: string;
  readonly from: number;
}

function* contradictions(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { resultSchema, body } = source.prompt;
    const fields = fieldsOf(resultSchema);
    if (resultSchema === undefined || fields.size === 0) continue;
    const text = withoutLongLines(body.text);
    const misfits = [...examplesIn(text, resultSchema)];
    for (const named of namedIn(text, fields)) {
      misfits.push(...rangesIn(named), ...countsIn(named));
      if (misfits.length === 0) misfits.push(...wordsIn(named, fields));
    }
    for (const { at, message } of misfits.slice(0, 1))
      yield {
        at: body.at(at),
        state: file,
        message,
        fix: 'let the text ask for what the schema allows, or change the schema',
      };
  }
}

/** Keywords with which a schema may allow more than its own keywords show. */
const OPEN = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

function fieldsOf(schema: JsonObject | undefined): ReadonlyMap<string, JsonObject> {
  const properties = schema?.['properties'];
  if (!isObject(properties) || OPEN.some((key) => schema?.[key] !== undefined)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, field]) =>
      isObject(field) && !OPEN.some((key) => field[key] !== undefined) ? [[name, field] as const] : [],
    ),
  );
}

/** The sentences and list items that name exactly one field. */
function* namedIn(text: string, fields: ReadonlyMap<string, JsonObject>): Generator<Named> {
  for (const match of text.matchAll(/(?:[^.!?;\n]|[.!?;](?!\s)|\n(?![ \t]*(?:\n|[-*+] |\d+\. |#|```)))+/g)) {
    const [sentence] = match;
    if (sentence.length > 600 || /<[a-z]|\{"/.test(sentence)) continue;
    const names = [...fields.keys()].filter((name) => wordOf(name).test(sentence));
    for (const name of names) {
      const schema = fields.get(name);
      const part = partOf(sentence, { name, names });
      if (schema !== undefined) yield { name, schema, sentence: part.text, from: match.index + part.from };
    }
  }
}

function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w-])${literalPattern(name)}(?![\\w-])`, 'i');
}

/** The part of a sentence that is about one field: from its name to the name of another. */
function partOf(
  sentence: string,
  { name, names }: { readonly name: string; readonly names: readonly string[] },
): { readonly text: string; readonly from: number } {
  if (names.length === 1) return { text: sentence, from: 0 };
  const from = sentence.search(wordOf(name));
  const ends = names.flatMap((other) => {
    const at = sentence.slice(from + name.length).search(wordOf(other));
    return at < 0 ? [] : [from + name.length + at];
  });
  return { text: sentence.slice(from, Math.min(sentence.length, ...ends)), from };
}

const RANGE =
  /(?<![\w.,/-])(-?\d+(?:\.\d+)?)(?:\s*(?:–|—|\.\.|-)\s*|\s+(?:\([^)]{1,40}\)\s+)?(?:to|through|(?<=\bbetween\s+-?[\d.]{1,9}\s+)and)\s+)(\d+(?:\.\d+)?)(?![\w/]|\.\d|,\d|-)(?:\s+([a-z]+))?/gi;

/** Words behind a range that do not make it a number of something else. */
const NO_UNIT =
  /^(?:points?|stars?|marks?|percent|for|if|that|which|where|in|with|as|and|or|is|to|by|how|of|scale|range|the)$/i;
const COUNTED =
  /\b(?:pages?|lines?|rows?|chapters?|questions?|steps?|items?|rounds?|sections?|ages?|years?|columns?|versions?|parts?|figures?)\s+$/i;

/** Ranges of which none fits the field, such as "from 6 to 10" with a maximum of 5. */
function* rangesIn({ name, schema, sentence, from }: Named): Generator<Misfit> {
  const { type, minimum, maximum } = schema;
  if (
    (type !== 'integer' && type !== 'number') ||
    /%|\bpercent|fraction|divid|multipl|convert|normali|scaled?\b to/i.test(sentence)
  )
    return;
  const ranges = [...sentence.matchAll(RANGE)].filter(({ 3: unit, index }) => {
    const isNumber = unit === undefined || NO_UNIT.test(unit) || wordOf(name).test(unit);
    return isNumber && !COUNTED.test(sentence.slice(0, index));
  });
  const others = [...sentence.matchAll(RANGE)].length - ranges.length;
  const misfits = ranges.filter(({ 1: low, 2: high }) => {
    if (Number(low) >= Number(high)) return false;
    return (
      (typeof maximum === 'number' && Number(high) > maximum) || (typeof minimum === 'number' && Number(low) < minimum)
    );
  });
  const [first] = misfits;
  if (first === undefined || others > 0 || misfits.length < ranges.length) return;
  const bounds = [
    typeof minimum === 'number' ? `at least ${minimum}` : '',
    typeof maximum === 'number' ? `at most ${maximum}` : '',
  ];
  yield {
    at: from + first.index,
    message: `the text asks for ${first[1] ?? ''} to ${first[2] ?? ''}, but the schema allows for ${name} ${bounds.filter((bound) => bound !== '').join(' and ')}`,
  };
}

/** Numbers as words, from one. */
const NUMBERS = 'one two three four five six seven eight nine ten eleven twelve'.split(' ');
const ADJECTIVE = '(?:(?:short|important|best|main|different|key|possible|good)\\s+)?';

/** Lengths of a text and numbers of items that do not fit the field. */
function* countsIn({ name, schema, sentence, from }: Named): Generator<Misfit> {
  const { type, maxLength, minLength, maxItems, minItems } = schema;
  const word = type === 'array' ? literalPattern(name) : 'words|characters|letters';
  const asked = new RegExp(`(?<![\\w.,-])(\\d+|${NUMBERS.join('|')})\\s+${ADJECTIVE}(${word})\\b`, 'i').exec(sentence);
  if (asked === null || (type !== 'string' && type !== 'array')) return;
  const [whole, number = '', unit = ''] = asked;
  const count = /^\d/.test(number) ? Number(number) : NUMBERS.indexOf(number.toLowerCase()) + 1;
  const isLower = /\b(?:least|more than|over|minimum of|from|between)\s+$/i.test(sentence.slice(0, asked.index));
  const [low, high] = type === 'array' ? [minItems, maxItems] : [minLength, maxLength];
  // A word and the space behind it have at least three characters on average.
  const size = unit.toLowerCase() === 'words' ? count * 3 : count;
  const isTooLong = typeof high === 'number' && size > high;
  const isTooShort = typeof low === 'number' && unit.toLowerCase() !== 'words' && size < low && !isLower;
  if (!isTooLong && !isTooShort) return;
  const limit = isTooLong ? `at most ${String(high)}` : `at least ${String(low)}`;
  yield {
    at: from + asked.index,
    message: `the text asks for ${whole.replace(/\s+/g, ' ')}, but the schema allows for ${name} ${limit} ${type === 'array' ? 'items' : 'characters'}`,
  };
}

const QUOTED = `(?:"[^"\\n]{1,40}"|\`[^\`\\n]{1,40}\`|'[^'\\n]{1,40}'|“[^”\\n]{1,40}”)`;

/** A field and, directly behind it, a list of words in quotes. */
function quotedList(name: string): RegExp {
  return new RegExp(
    `(?<![\\w-])${literalPattern(name)}[\`"'*]{0,3}\\s*(?:\\(\\s*)?(?:,?\\s*(?:which|that)\\s+)?(?:(?:is|as|=|:|—|–|-|must\\s+be|should\\s+be|can\\s+be|may\\s+be|has\\s+to\\s+be|to|with|,)\\s*)?(?:(?:exactly\\s+)?(?:either|one\\s+of)\\s+)?(?:the\\s+)?(?:(?:two|three|four|five|six)\\s+)?(?:(?:words?|values?|texts?|grades?|strings?|levels?)\\s*)?:?\\s*(${QUOTED}(?:(?:\\s*,\\s*(?:or\\s+|and\\s+)?|\\s+(?:or|and)\\s+|\\s*\\|\\s*|\\s*/\\s*)${QUOTED}){1,12})`,
    'i',
  );
}

/** Words in quotes for a field that takes a number, or of which some are none of its values. */
function* wordsIn({ name, schema, sentence, from }: Named, fields: ReadonlyMap<string, JsonObject>): Generator<Misfit> {
  const match = quotedList(name).exec(sentence);
  const list = match?.[1];
  if (match === null || list === undefined) return;
  const words = [...list.matchAll(new RegExp(QUOTED, 'g'))].map(([word]) => word.slice(1, -1));
  const at = from + match.index + match[0].length - list.length;
  if (words.some((word) => fields.has(word) || /^[\d.-]+$|^(?:true|false|null)$|…|[<{]/.test(word))) return;
  const { type, enum: values } = schema;
  const shown = words.map((word) => `"${word}"`).join(', ');
  if (type === 'integer' || type === 'number' || type === 'boolean')
    yield {
      at,
      message: `the text asks for one of the words ${shown}, but the schema requires for ${name} the type ${type}`,
    };
  else if (Array.isArray(values) && words.some((word) => values.includes(word))) {
    const other = words.find((word) => !values.includes(word));
    if (other !== undefined)
      yield {
        at: at + list.indexOf(other),
        message: `the text offers "${clip(other, 40)}", but the schema allows for ${name} only ${values.map(String).join(', ')}`,
      };
  }
}

/** Examples of a result: in the tag, or in a code span or fence that begins with a brace. */
const EXAMPLE =
  /<result>\s*(\{[^]{2,2000}?\})\s*<\/result>|(?<=\b(?:reply|return|answer|respond|result|json|example)\b[^{}<>]{0,80})(\{\s*"[^<>]{2,1000}?\})(?=\s*(?:`|$))/gim;

function* examplesIn(text: string, schema: JsonObject): Generator<Misfit> {
  for (const match of text.matchAll(EXAMPLE)) {
    const json = match[1] ?? match[2] ?? '';
    const value = parsed(json);
    const fields = fieldsOf(schema);
    if (value === undefined) continue;
    const names = Object.keys(value);
    const isOfSchema =
      match[1] !== undefined ||
      (names.length > 1 && names.filter((name) => fields.has(name)).length * 2 >= names.length);
    if (!isOfSchema || (match[1] === undefined && !fields.has(names[0] ?? ''))) continue;
    const misfit = misfitOf(value, { schema, isWhole: match[1] !== undefined });
    if (misfit !== undefined)
      yield {
        at: match.index + match[0].indexOf(json) + Math.max(0, json.indexOf(`"${misfit.name}"`)),
        message: misfit.message,
      };
  }
}

function parsed(json: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined; // A sketch of an object, such as {"score": 1-5}.
  }
}

function misfitOf(
  value: JsonObject,
  { schema, isWhole }: { readonly schema: JsonObject; readonly isWhole: boolean },
): { readonly name: string; readonly message: string } | undefined {
  const fields = fieldsOf(schema);
  const { additionalProperties, patternProperties } = schema;
  const required: readonly unknown[] = Array.isArray(schema['required']) ? schema['required'] : [];
  for (const [name, given] of Object.entries(value)) {
    const field = fields.get(name);
    if (
      field === undefined &&
      fields.size > 0 &&
      additionalProperties === false &&
      patternProperties === undefined &&
      isObject(schema['properties']) &&
      !Object.hasOwn(schema['properties'], name)
    )
      return { name, message: `the example has ${name}, which the schema does not allow` };
    const type = field === undefined ? undefined : misfitType(given, field);
    if (type !== undefined)
      return {
        name,
        message: `the example has ${clip(JSON.stringify(given), 40)} for ${name}, but the schema requires ${type}`,
      };
  }
  const missing = isWhole
    ? required.find((name): name is string => typeof name === 'string' && !Object.hasOwn(value, name))
    : undefined;
  return missing === undefined
    ? undefined
    : { name: '', message: `the example lacks ${missing}, which the schema requires` };
}

/** Words that stand for a value in an example. */
const STANDS_FOR = /^(?:number|integer|int|float|string|bool(?:ean)?|true|false|null|value|score|n|x|y|z)$|[^\w-]|^$/i;

/** What a schema requires instead of a value; undefined when the value may fit. */
function misfitType(value: unknown, { type, enum: values, minimum, maximum }: JsonObject): string | undefined {
  if (typeof value === 'string') {
    if (type === 'integer' || type === 'number' || type === 'boolean')
      return /^\d+(?:\.\d+)?$/.test(value) || !STANDS_FOR.test(value) ? `the type ${type}` : undefined;
    const isWord =
      /^[a-z][a-z-]*$/.test(value) && Array.isArray(values) && values.every((one) => typeof one === 'string');
    return isWord && !values.includes(value) && !STANDS_FOR.test(value) ? `one of ${values.join(', ')}` : undefined;
  }
  if (typeof value === 'number') {
    if (type === 'string' || type === 'boolean' || type === 'array' || type === 'object') return `the type ${type}`;
    // 0 often stands for a number.
    if (typeof maximum === 'number' && value > maximum) return `at most ${maximum}`;
    return typeof minimum === 'number' && value < minimum && value !== 0 ? `at least ${minimum}` : undefined;
  }
  if (typeof value === 'boolean')
    return type === 'string' || type === 'integer' || type === 'number' || type === 'array'
      ? `the type ${type}`
      : undefined;
  return undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Rules about texts that contradict the schema of their result. */
export const SCHEMA_TEXT_RULES: readonly Rule[] = [
  {
    id: 'schema-contradicts-text',
    severity: 'warning',
    summary:
      'The text of a prompt asks for a value, or shows an example, that the schema of the result does not allow.',
    why: 'A model that follows the text gets its result rejected with a reminder, up to three times. After the last reminder the turn fails.',
    check: contradictions,
  },
];
