// Fields inside of a result: a state reads a path such as `contact.mail` that the schemas of the results do not have. Pure.
import type { JsonObject } from '../../../protocol/language/policy.js';
import { nearest } from '../../../protocol/text.js';
import type { StateNode } from '../../graph.js';
import type { Position } from '../../position.js';
import { matches, statesOf } from '../helpers.js';
import type { Analysis, FindingDetails } from '../rule.js';
import { lackAt, schemaAt } from './schema-paths.js';
import { jsonReads } from './json-reads.js';

interface FieldRead {
  readonly path: readonly string[];
  readonly key: string;
  readonly at: Position;
}

/** The states whose results a state gets, which the caller knows how to find. */
type GiversOf = (analysis: Analysis, file: string) => readonly StateNode[] | undefined;

/** Fields that no schema has at their path. */
export function* nestedFields(analysis: Analysis, giversOf: GiversOf): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const reads = readsOf(state);
    const schemas = reads.length === 0 ? [] : schemasOf(giversOf(analysis, state.file));
    if (schemas.length === 0) continue;
    const seen = new Set<string>();
    for (const { path, key, at } of reads) {
      const lacks = schemas.map((schema) => lackAt(schema, { path, key }));
      const [lack] = lacks;
      const place = `${at.line}:${at.column}`;
      if (lack === undefined || lacks.includes(undefined) || seen.has(place)) continue;
      seen.add(place);
      const fields = lacks.flatMap((one) => one?.fields ?? []);
      yield { at, state: state.file, ...lacking({ path, key, fields, isList: lack.isList }) };
    }
  }
}

/** The schemas of all results; none if one of them may be of another form. */
function schemasOf(givers: readonly StateNode[] | undefined): readonly JsonObject[] {
  const schemas = (givers ?? []).map(({ source }) =>
    source.kind === 'prompt' ? source.prompt.resultSchema : undefined,
  );
  const known = schemas.filter((schema) => schema !== undefined);
  return known.length === schemas.length ? known : [];
}

function readsOf(state: StateNode): readonly FieldRead[] {
  const { source } = state;
  if (source.kind === 'prompt') return readsOfPrompt(state);
  if (source.kind !== 'script') return [];
  return jsonReads({ source }).flatMap(({ of, path, key, at }) => {
    const [, field] = /^RAYMOND_(?:INPUT|RESULT(?:_(?!FILE$)(\w+))?)$/.exec(of) ?? [undefined, undefined];
    if (!/^RAYMOND_(?:INPUT|RESULT)/.test(of)) return [];
    return [{ path: field === undefined ? path : [field, ...path], key, at: source.raw.at(at) }];
  });
}

/** `{{result.a.b}}` reads `a`, and `b` inside of it. */
function readsOfPrompt({ source }: StateNode): readonly FieldRead[] {
  if (source.kind !== 'prompt') return [];
  return [...matches(source.prompt.body, /\{\{(result|input)\.([^{}\s]+)\}\}/g)].flatMap(({ match, at }) => {
    const [, base, names = ''] = match;
    const steps = names.split('.').map((step) => (/^\d+$/.test(step) ? '*' : step));
    return steps.flatMap((key, index) =>
      key === '*' || (index === 0 && base === 'result') ? [] : [{ path: steps.slice(0, index), key, at }],
    );
  });
}

function lacking({
  path,
  key,
  fields,
  isList,
}: Omit<FieldRead, 'at'> & { readonly fields: readonly string[]; readonly isList: boolean }): Pick<
  FindingDetails,
  'message' | 'fix'
> {
  const what = path.length === 0 ? 'the result' : path.join('.').replaceAll('.*', '.0');
  if (isList)
    return {
      message: `${what} is a list, and a list has no field ${key}`,
      fix: `read ${key} of each item of the list`,
    };
  const near = nearest(key, fields);
  return {
    message: `${what} has no field ${key}: in the schema of the result, its fields are ${[...new Set(fields)].join(', ')}`,
    fix: near === undefined ? 'add it to the schema, or read one of these fields' : `did you mean ${near}?`,
  };
}

/** The field in which a schema has a field of this name, if `name` is the path to it, as in `guest_phone`. */
export function outerField(
  givers: readonly StateNode[],
  name: string,
): { readonly outer: string; readonly inner: string } | undefined {
  for (const schema of schemasOf(givers))
    for (const { index } of name.matchAll(/_/g)) {
      const [outer, inner] = [name.slice(0, index), name.slice(index + 1)];
      if (schemaAt(schema, [outer, inner]) !== undefined) return { outer, inner };
    }
  return undefined;
}
