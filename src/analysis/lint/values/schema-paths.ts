// Follows a path of fields through a JSON schema: which fields the values there have. Pure.
import type { JsonObject } from '../../../protocol/language/policy.js';

/** Keywords that allow an object fields besides its properties. */
export const OPEN_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas', 'not'];

/** What the values at a path lack. */
export interface Lack {
  /** True if the value there is a list, which has no fields. */
  readonly isList: boolean;
  /** The fields that the value has. */
  readonly fields: readonly string[];
}

/** The schema of the values at a path, in which `*` is an item of a list; undefined if it is not known. */
export function schemaAt(schema: JsonObject, path: readonly string[]): JsonObject | undefined {
  let here = resolvedSchema(schema, schema);
  for (const step of path) {
    if (here === undefined || isOpen(here)) return undefined;
    here = resolvedSchema(schema, step === '*' ? here['items'] : objectOf(here['properties'])?.[step]);
  }
  return here;
}

/** Why a value at a path has no such field; undefined if it may have it. */
export function lackAt(
  schema: JsonObject,
  { path, key }: { readonly path: readonly string[]; readonly key: string },
): Lack | undefined {
  const here = schemaAt(schema, path);
  if (here === undefined || isOpen(here)) return undefined;
  const { type, properties, items, additionalProperties } = here;
  if (type === 'array') return items === undefined ? undefined : { isList: true, fields: [] };
  const fields = Object.keys(objectOf(properties) ?? {});
  const mayHaveMore = additionalProperties !== undefined && additionalProperties !== false;
  const isLacking = fields.length > 0 && !mayHaveMore && !fields.includes(key);
  return isLacking && (type === undefined || type === 'object') ? { isList: false, fields } : undefined;
}

function isOpen(schema: JsonObject): boolean {
  return OPEN_KEYWORDS.some((key) => schema[key] !== undefined);
}

/** The schema that a reference such as `#/$defs/item` means; any other schema as it is. */
export function resolvedSchema(root: JsonObject, schema: unknown, steps = 8): JsonObject | undefined {
  const here = objectOf(schema);
  const reference = here?.['$ref'];
  if (reference === undefined) return here;
  if (typeof reference !== 'string' || !reference.startsWith('#/') || steps === 0) return undefined;
  let found: unknown = root;
  for (const step of reference.slice(2).split('/'))
    found = objectOf(found)?.[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  return resolvedSchema(root, found, steps - 1);
}

function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}
