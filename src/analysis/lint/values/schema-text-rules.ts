// Rules about prompts that ask for a value which the schema of their result does not allow: a range, a word, or an example.
import type { JsonObject } from '../../../protocol/language/policy.js';
import { clip, literalPattern } from '../../../protocol/text.js';
import { promptsOf, wholeName, withoutLongLines } from '../helpers.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { examplesIn, fieldsOf, type Misfit } from './schema-examples.js';
import { formsIn, wordBeside } from './schema-forms.js';

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
      if (misfits.length === 0) misfits.push(...wordsIn(named, fields), ...formsOf(named));
    }
    if (misfits.length === 0) misfits.push(...wordsBeside(text, fields), ...fieldsAsked(text, resultSchema));
    for (const { at, message } of misfits.slice(0, 1))
      yield {
        at: body.at(at),
        state: file,
        message,
        fix: 'let the text ask for what the schema allows, or change the schema',
      };
  }
}

/** Forms of a value that its schema does not allow. */
function formsOf({ name, schema, sentence, from }: Named): readonly Misfit[] {
  return [...formsIn(sentence, schema)].map(({ at, asked, required }) => ({
    at: from + at,
    message: `the text asks for ${asked}, but the schema requires for ${name} ${required}`,
  }));
}

/** Words that stand in a list with values of an enum. */
function* wordsBeside(text: string, fields: ReadonlyMap<string, JsonObject>): Generator<Misfit> {
  for (const [name, { enum: values }] of fields) {
    if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) continue;
    const other = wordBeside(text, { values, names: [...fields.keys()] });
    const others = [...fields.values()].flatMap((field): readonly unknown[] =>
      Array.isArray(field['enum']) ? field['enum'] : [],
    );
    if (other === undefined || others.includes(other.word)) continue;
    yield {
      at: other.at,
      message: `the text offers "${clip(other.word, 40)}", but the schema allows for ${name} only ${values.join(', ')}`,
    };
  }
}

const FIELD = /\b(?:field|key|property)\s+[`"](\w+)[`"]|[`"](\w+)[`"]\s+(?:field|key|property)\b/;

/** A field that a text asks for, in a schema that allows no others than its own. */
function* fieldsAsked(text: string, schema: JsonObject): Generator<Misfit> {
  if (schema['additionalProperties'] !== false || schema['patternProperties'] !== undefined) return;
  const known = JSON.stringify(schema);
  for (const { 0: sentence, index } of text.matchAll(/(?:[^.!?\n]|[.!?](?!\s)|\n(?!\n))+/g)) {
    const match = FIELD.exec(sentence);
    const name = match?.[1] ?? match?.[2] ?? '';
    if (match === null || known.includes(`"${name}"`) || !/\b(?:put|write|add|set|include|fill)\b/i.test(sentence))
      continue;
    if (
      /\b(?:no|not|never|without|of|file)\b[^`"]*[`"]?$/i.test(sentence.slice(0, match.index)) &&
      /\.\w{2,4}\b|\bnot\b/.test(sentence)
    )
      continue;
    yield {
      at: index + match.index + match[0].indexOf(name),
      message: `the text asks for the field ${name}, which the schema does not allow`,
    };
  }
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
  return wholeName(name, 'i');
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

/** Words that stand in a list with the texts which the policy allows as a result. */
export function* wordsBesidePayloads(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { entries, body } = source.prompt;
    const results = entries.filter(({ tag }) => tag === 'result').map((entry) => entry.body?.value ?? '');
    if (results.length < 2 || !results.every((payload) => /^[A-Za-z][\w-]+$/.test(payload))) continue;
    const targets = entries.flatMap((entry) => (entry.tag === 'result' ? [] : [entry.body?.value ?? '']));
    const text = withoutLongLines(body.text);
    const other = wordBeside(text, { values: results, names: targets });
    if (other === undefined || text.includes(`>${other.word}<`)) continue;
    yield {
      at: body.at(other.at),
      state: file,
      message: `the text offers "${clip(other.word, 40)}", but the policy allows as a result only ${results.join(', ')}`,
      fix: 'add an entry with this payload, or remove the word from the text',
    };
  }
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
