// What a JSON schema promises to those who read or write such documents, as a set of sentences. A later version keeps all of them.

/** Programs read the documents that Raymond writes (`written`), and write files that Raymond reads (`read`). */
export type Direction = 'written' | 'read';

type Schema = Readonly<Record<string, unknown>>;

/** The promises of `before` that `now` does not keep. */
export function brokenPromises(before: unknown, now: unknown, direction: Direction): readonly string[] {
  const kept = promisesOf(now, direction);
  const isKept = (promise: string): boolean => kept.has(promise) || kept.has(promise.replace(/ = .*/s, ANY));
  return [...promisesOf(before, direction)].filter((promise) => !isKept(promise)).sort();
}

const ANY = ' = any';

function promisesOf(root: unknown, direction: Direction): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown, path: string, refs: readonly string[]): void => {
    if (!isSchema(value)) return;
    const { $ref } = value;
    if (typeof $ref === 'string' && !refs.includes($ref)) walk(target(root, $ref), path, [...refs, $ref]);
    for (const sentence of [...sentencesOf(value, path), ...fieldsOf(value, { path, direction })]) found.add(sentence);
    for (const { schema, at } of partsOf(value)) walk(schema, path + at, refs);
  };
  walk(root, '', []);
  return found;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The part that a reference such as `#/definitions/a` names. */
function target(root: unknown, ref: string): unknown {
  const keys = ref.split('/').slice(1);
  return keys.reduce((schema: unknown, key) => (isSchema(schema) ? schema[key] : undefined), root);
}

/** Types and values. */
function sentencesOf({ type, enum: values, const: only }: Schema, path: string): readonly string[] {
  const types = [type].flat().filter((one) => typeof one === 'string');
  const named = Array.isArray(values) ? values : only === undefined ? undefined : [only];
  const free = named === undefined && types.includes('string') ? [`${path}${ANY}`] : [];
  return [
    ...types.map((one) => `${path}: ${one}`),
    ...(named ?? []).map((one) => `${path} = ${JSON.stringify(one)}`),
    ...free,
  ];
}

function fieldsOf(
  { properties, required }: Schema,
  { path, direction }: { readonly path: string; readonly direction: Direction },
): readonly string[] {
  if (!isSchema(properties)) return [];
  const always = Array.isArray(required) ? required : [];
  return Object.keys(properties).flatMap((key) => {
    const name = `${path}.${key}`;
    if (direction === 'written') return always.includes(key) ? [name, `${name} is always there`] : [name];
    return always.includes(key) ? [name] : [name, `${name} may be left out`];
  });
}

function partsOf(schema: Schema): readonly { readonly schema: unknown; readonly at: string }[] {
  const { properties, items, additionalProperties, patternProperties, prefixItems } = schema;
  const variants = [schema['anyOf'], schema['oneOf'], schema['allOf']].flat().map((one) => ({ schema: one, at: '' }));
  const fields = isSchema(properties)
    ? Object.entries(properties).map(([key, one]) => ({ schema: one, at: `.${key}` }))
    : [];
  const others = [additionalProperties, ...(isSchema(patternProperties) ? Object.values(patternProperties) : [])];
  const elements = [items, prefixItems].flat().map((one) => ({ schema: one, at: '[]' }));
  return [...variants, ...fields, ...others.map((one) => ({ schema: one, at: '{}' })), ...elements];
}
