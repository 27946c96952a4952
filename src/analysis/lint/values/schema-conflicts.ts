// Finds what no value can fit in a JSON schema: only contradictions that the schema itself shows. Pure.
import type { JsonObject } from '../../../protocol/language/policy.js';
import { resolvedSchema } from './schema-paths.js';

/** A contradiction: the name or value in it, for its position, and why nothing fits. */
export interface SchemaConflict {
  readonly word: string;
  /** The only property that the schema does not require, in the place of which it may need the word. */
  readonly other?: string;
  readonly message: string;
}

/** The contradictions of a schema, and of the schemas of its properties and items. */
export function* schemaConflicts(schema: unknown): Generator<SchemaConflict> {
  if (isObject(schema)) yield* conflictsIn(schema, { root: schema, depth: 0 });
}

function* conflictsIn(
  written: unknown,
  { root, depth }: { readonly root: JsonObject; readonly depth: number },
): Generator<SchemaConflict> {
  const schema = resolvedSchema(root, written);
  if (schema === undefined || depth > 16) return;
  yield* missingProperties(schema);
  yield* impossibleValues(schema);
  yield* emptyRanges(schema);
  const { properties, items } = schema;
  for (const inner of [...(isObject(properties) ? Object.values(properties) : []), items])
    yield* conflictsIn(inner, { root, depth: depth + 1 });
}

function* missingProperties(schema: JsonObject): Generator<SchemaConflict> {
  const { properties, required, additionalProperties, patternProperties } = schema;
  if (!Array.isArray(required) || additionalProperties !== false || patternProperties !== undefined) return;
  const known = isObject(properties) ? properties : {};
  const [other, ...others] = Object.keys(known).filter((name) => !required.includes(name));
  for (const name of required)
    if (typeof name === 'string' && !Object.hasOwn(known, name))
      yield {
        word: name,
        ...(other === undefined || others.length > 0 ? {} : { other }),
        message: `the schema requires ${name}, but \`properties\` lacks it and \`additionalProperties\` is false: no result can fit`,
      };
}

function* impossibleValues({ type, enum: values, const: constant }: JsonObject): Generator<SchemaConflict> {
  const types = typeof type === 'string' ? [type] : Array.isArray(type) ? type : undefined;
  const allowed: readonly unknown[] = Array.isArray(values) ? values : constant === undefined ? [] : [constant];
  if (
    types === undefined ||
    allowed.length === 0 ||
    allowed.some((value) => types.some((name) => hasType(value, name)))
  )
    return;
  const [first] = allowed;
  yield {
    word: String(first),
    message: `no value of ${values === undefined ? '`const`' : '`enum`'} is of the type ${types.join(' or ')}`,
  };
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

const RANGES = [
  ['minimum', 'maximum'],
  ['minLength', 'maxLength'],
  ['minItems', 'maxItems'],
  ['minProperties', 'maxProperties'],
] as const;

function* emptyRanges(schema: JsonObject): Generator<SchemaConflict> {
  for (const [low, high] of RANGES) {
    const [from, to] = [schema[low], schema[high]];
    if (typeof from === 'number' && typeof to === 'number' && from > to)
      yield { word: String(from), message: `${low} is greater than ${high}: no value fits` };
  }
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
