// Compares the examples of a result that a prompt shows with the schema of the result. Pure.
import type { JsonObject } from '../../../protocol/language/policy.js';
import { clip, nearest } from '../../../protocol/text.js';
import { NO_VALUE, patternOf } from './schema-forms.js';

/** A request that does not fit: its offset in the text, and why. */
export interface Misfit {
  readonly at: number;
  readonly message: string;
}

/** Keywords with which a schema may allow more than its own keywords show. */
const OPEN = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if'];

/** The fields of a schema whose own keywords say everything. */
export function fieldsOf(schema: JsonObject | undefined): ReadonlyMap<string, JsonObject> {
  const properties = schema?.['properties'];
  if (!isObject(properties) || OPEN.some((key) => schema?.[key] !== undefined)) return new Map();
  return new Map(
    Object.entries(properties).flatMap(([name, field]) =>
      isObject(field) && !OPEN.some((key) => field[key] !== undefined) ? [[name, field] as const] : [],
    ),
  );
}

/** Examples of a result: in the tag, or in a code span or fence that begins with a brace. */
const EXAMPLE =
  /<result>\s*(\{[^]{2,2000}?\})\s*<\/result>|(?<=\b(?:reply|return|answer|respond|result|json|example)\b[^{}<>]{0,80})(\{\s*"[^<>]{2,1000}?\})(?=\s*(?:`|$))/gim;

/** The examples that do not fit a schema. */
export function* examplesIn(text: string, schema: JsonObject): Generator<Misfit> {
  for (const match of text.matchAll(EXAMPLE)) {
    const json = match[1] ?? match[2] ?? '';
    const value = parsed(json) ?? parsed(json.replace(/"\s*(?:\||\/|,?\s*\bor\b)\s*"/g, ' | '));
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
    const type = field === undefined ? undefined : misfitType(given, { name, schema: field });
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

/** Words of which one is the value, such as "keep, delete or unclear". */
const LIST = /^[\w-]+(?:(?:\s*,\s*(?:or\s+)?|\s+or\s+|\s*[|/]\s*)[\w-]+)+$/;
const BETWEEN = /\s*,\s*(?:or\s+)?|\s+or\s+|\s*[|/]\s*/;

function misfitText(
  value: string,
  { name, schema }: { readonly name: string; readonly schema: JsonObject },
): string | undefined {
  const { type, enum: values, pattern } = schema;
  if (type === 'integer' || type === 'number' || type === 'boolean')
    return /^\d+(?:\.\d+)?$/.test(value) || !STANDS_FOR.test(value) ? `the type ${type}` : undefined;
  const fits = patternOf(schema);
  const isSample = /^[\d.:/ T+-]*\d[\d.:/ T+-]*$/.test(value);
  if (isSample && fits !== undefined && !fits(value)) return `the pattern ${String(pattern)}`;
  if (!Array.isArray(values) || !values.every((one) => typeof one === 'string') || values.includes(value))
    return undefined;
  if (LIST.test(value)) {
    const words = value.split(BETWEEN);
    const isAllowed = (word: string): boolean => values.some((one) => one.toLowerCase() === word.toLowerCase());
    const others = words.filter((word) => !isAllowed(word) && !NO_VALUE.test(word));
    const isOfField = words.some(isAllowed) || words.every((word) => nearest(word, values) !== undefined);
    return isOfField && others.length > 0 ? `one of ${values.join(', ')}` : undefined;
  }
  const isWord = /^[a-z][a-z-]*$|^[A-Z][a-z][a-z-]+$|^[A-Za-z][a-z-]*\d+$/.test(value) && !STANDS_FOR.test(value);
  const isOtherCase = values.some((one) => one.toLowerCase() === value.toLowerCase());
  return isOtherCase || (isWord && value.toLowerCase() !== name.toLowerCase())
    ? `one of ${values.join(', ')}`
    : undefined;
}

/** What a schema requires instead of a value; undefined when the value may fit. */
function misfitType(
  value: unknown,
  { name, schema }: { readonly name: string; readonly schema: JsonObject },
): string | undefined {
  const { type, minimum, maximum } = schema;
  if (typeof value === 'string') return misfitText(value, { name, schema });
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
