// Rules about results with a schema: the result of a state must match the schema of the state that receives it.
import { allEdges, type Edge, type Graph, type StateNode } from '../../graph.js';
import type { JsonObject } from '../../../protocol/language/policy.js';
import type { Position } from '../../position.js';
import { jsonOf, nearest } from '../../../protocol/text.js';
import { otherSpelling } from './default-variables.js';
import { edgesWithValue } from '../passed.js';
import { matches, packageNamed, promptsOf, scriptsOf, searchableText, statesOf, type PromptState } from '../helpers.js';
import { nestedFields, outerField } from './nested-field-rules.js';
import { fieldsOfTexts, missingField } from './result-field-rules.js';
import type { Analysis, FindingDetails, Rule } from '../rule.js';
import { OPEN_KEYWORDS } from './schema-paths.js';
import { fieldsRead } from '../texts/field-reads.js';
import { composedReads } from './json-reads.js';

/** Fields that no result has: of the whole result, inside of its fields, and under another spelling. */
function* allUnknownFields(analysis: Analysis): Generator<FindingDetails> {
  const seen = new Set<string>();
  const found = [unknownFields(analysis), nestedFields(analysis, allGiversOf), misspeltFields(analysis)];
  for (const findings of found)
    for (const finding of findings) {
      const { file, line } = finding.at;
      const key = `${file}:${line}:${/has (?:no|the) field (\w+)/.exec(finding.message)?.[1] ?? ''}`;
      if (!seen.has(key)) yield finding;
      seen.add(key);
    }
}

/** Fields of the parsed result under another spelling, such as `deliveryDay` for `delivery_day`. */
function* misspeltFields(analysis: Analysis): Generator<FindingDetails> {
  for (const state of scriptsOf(analysis)) {
    const reads = fieldsRead(state);
    const givers = reads.length === 0 ? undefined : allGiversOf(analysis, state.file);
    const fields = givers === undefined ? undefined : (fieldsOf(givers) ?? fieldsOfTexts(givers));
    if (givers === undefined || fields === undefined) continue;
    for (const { name, at } of reads) {
      const meant = otherSpelling(name, fields);
      if (meant === undefined) continue;
      yield {
        at: state.source.raw.at(at),
        state: state.file,
        message: `no result that reaches ${state.file} has the field ${name}: that of ${givers.map(({ file }) => file).join(', ')} has ${[...fields].join(', ')}`,
        fix: `did you mean ${meant}?`,
      };
    }
  }
}

function* unknownFields(analysis: Analysis): Generator<FindingDetails> {
  for (const state of statesOf(analysis)) {
    const taken = [...fieldsTaken(state)];
    if (taken.length === 0) continue;
    const givers = allGiversOf(analysis, state.file);
    const fields = givers === undefined ? undefined : fieldsOf(givers);
    if (givers === undefined) continue;
    if (fields === undefined) {
      yield* fieldsOfPlainTexts(state, { givers, taken });
      continue;
    }
    for (const { name, at } of taken) {
      if (fields.has(name)) continue;
      yield {
        at,
        state: state.file,
        message: `no result that reaches ${state.file} has the field ${name}: the schema of ${givers.map(({ file }) => file).join(', ')} has ${[...fields].join(', ')}`,
        fix: fixOfField(name, { givers, fields }),
      };
    }
  }
}

function fixOfField(
  name: string,
  { givers, fields }: { readonly givers: readonly StateNode[]; readonly fields: ReadonlySet<string> },
): string {
  const inside = outerField(givers, name);
  if (inside !== undefined)
    return `there are no variables for values inside of a field: read ${inside.inner} from the JSON in RAYMOND_RESULT_${inside.outer}`;
  const near = nearest(name, [...fields]);
  return near === undefined ? 'add it to the schema, or remove it here' : `did you mean ${near}?`;
}

/** Fields that no result without a schema has. */
function* fieldsOfPlainTexts(
  { file }: StateNode,
  { givers, taken }: { readonly givers: readonly StateNode[]; readonly taken: readonly Taken[] },
): Generator<FindingDetails> {
  const fields = fieldsOfTexts(givers);
  if (fields === undefined) return;
  for (const { name, at } of taken)
    if (!fields.has(name)) yield { at, state: file, ...missingField(name, { file, fields, givers }) };
}

interface Taken {
  readonly name: string;
  readonly at: Position;
}

function* fieldsTaken({ source }: StateNode): Generator<Taken> {
  const [text, pattern] =
    source.kind === 'prompt'
      ? [source.prompt.body, /\{\{result\.([^{}.\s]+)/g]
      : [source.kind === 'script' ? source.raw : undefined, /\bRAYMOND_RESULT_(?!FILE\b)(\w+)/g];
  if (text === undefined) return;
  const found = searchableText({ source }).matchAll(pattern);
  const direct = [...found].map(({ index, 1: name = '' }) => ({ name, at: text.at(index) }));
  yield* direct;
  if (source.kind !== 'script') return;
  const names = new Set(direct.map(({ name }) => name));
  for (const { name, at } of composedReads({ source })) {
    const [, field = ''] = /^RAYMOND_RESULT_(?!FILE$)(\w+)$/.exec(name) ?? [];
    if (field !== '' && !names.has(field)) yield { name: field, at: source.raw.at(at) };
  }
}

/** The states whose results a state gets by all calls that return to it; undefined when it may get others, too. */
export function giversOf(analysis: Analysis, file: string): readonly StateNode[] | undefined {
  const calls = callsReturningTo(analysis, file);
  return calls?.some((call) => call?.to.kind === 'workflow') === true ? undefined : calls && endsOf(analysis, calls);
}

/** The same, also with states of other packages, which workflows are called from here. */
export function allGiversOf(analysis: Analysis, file: string): readonly StateNode[] | undefined {
  const calls = callsReturningTo(analysis, file) ?? [undefined];
  return endsOfAll(analysis, calls);
}

function endsOfAll(analysis: Analysis, begin: readonly (Edge | undefined)[]): readonly StateNode[] | undefined {
  const ends = begin.map((edge) => {
    if (edge?.to.kind !== 'workflow') return endsOf(analysis, [edge]);
    const other = packageNamed(analysis, edge.to.specifier);
    return other && endsFrom(other.graph, [other.graph.entry.kind === 'state' ? other.graph.entry.file : undefined]);
  });
  return ends.includes(undefined) ? undefined : [...new Set(ends.flatMap((some) => some ?? []))];
}

/** The calls that return to a state; undefined if something else leads there. */
function callsReturningTo({ graph }: Analysis, file: string): readonly (Edge | undefined)[] | undefined {
  const returns = allEdges(graph).filter((edge) => leadsTo(edge, file));
  if (returns.length === 0 || returns.some(({ role }) => role !== 'return')) return undefined;
  return returns.map(({ mention, from }) =>
    graph.states.get(from)?.edges.find((edge) => edge.mention === mention && edge.role === 'target'),
  );
}

/** The states with which the work that these edges begin may end; undefined when they are not known. */
function endsOf({ graph }: Analysis, begin: readonly (Edge | undefined)[]): readonly StateNode[] | undefined {
  return endsFrom(
    graph,
    begin.map((edge) => (edge?.to.kind === 'state' ? edge.to.file : undefined)),
  );
}

function endsFrom(graph: Graph, begin: readonly (string | undefined)[]): readonly StateNode[] | undefined {
  if (begin.includes(undefined)) return undefined;
  const pending = [...begin];
  const seen = new Set<string>();
  const givers: StateNode[] = [];
  for (let next = pending.pop(); pending.length >= 0 && next !== undefined; next = pending.pop()) {
    const state = graph.states.get(next);
    if (state === undefined || state.hasUnknownTargets) return undefined;
    if (seen.has(next)) continue;
    seen.add(next);
    if (state.edges.some(({ to }) => to.kind === 'end')) givers.push(state);
    for (const edge of state.edges.filter(staysInCall)) {
      if (edge.to.kind !== 'state') return undefined;
      pending.push(edge.to.file);
    }
  }
  return givers;
}

/** The states with which the agents may end whose results a state gets by an await alone. */
export function resultsAwaited(analysis: Analysis, file: string): readonly StateNode[] | undefined {
  const edges = edgesWithValue(analysis, file);
  if (edges.length === 0 || !edges.every(({ tag, role }) => tag === 'await' && role === 'next')) return undefined;
  return endsOfAll(
    analysis,
    allEdges(analysis.graph).filter(({ tag, role }) => tag.startsWith('fork') && role === 'target'),
  );
}

function leadsTo({ to }: Edge, file: string): boolean {
  return to.kind === 'state' && to.file === file;
}

/** True for an edge to a state within the same call. */
function staysInCall({ tag, role, to }: Edge): boolean {
  if (to.kind === 'end') return false;
  return role !== 'target' || tag === 'goto' || tag === 'reset';
}

/** The fields that the schemas of all givers name; undefined when one of them may have others. */
function fieldsOf(givers: readonly StateNode[]): ReadonlySet<string> | undefined {
  const named = givers.map(({ source }) => (source.kind === 'prompt' ? propertiesOf(source.prompt.resultSchema) : []));
  const isKnown = givers.length > 0 && named.every((names) => names.length > 0);
  return isKnown ? new Set(named.flat()) : undefined;
}

/** Keywords that allow an object fields besides its properties. */
const OPEN = ['$ref', ...OPEN_KEYWORDS];

function propertiesOf(schema: JsonObject | undefined): readonly string[] {
  const { properties } = schema ?? {};
  if (typeof properties !== 'object' || properties === null || OPEN.some((key) => schema?.[key] !== undefined))
    return [];
  return Object.keys(properties);
}

/** A prompt whose example of a result is a text, though its schema wants an object or a list. */
function* textForJson(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { resultSchema, body } = source.prompt;
    const { type } = resultSchema ?? {};
    if (/\bjson\b/i.test(body.text)) continue;
    if (type !== 'object' && type !== 'array') {
      yield* plainForScalar(source.prompt, file);
      continue;
    }
    const examples = [...matches(body, /<result>([^<]*)<\/result>/g)];
    if (examples.some(({ match }) => /[{[…]|\.\.\./.test(match[1] ?? ''))) continue;
    for (const { at } of examples.slice(0, 1))
      yield {
        at,
        state: file,
        message: `this example does not match the result schema of ${file}, which requires ${type === 'object' ? 'an object' : 'a list'}`,
        fix: 'ask for JSON in <result>…</result>, with an example that matches the schema',
      };
  }
}

/** Examples of a text without quotes, or of a number with words, though the schema wants JSON. */
function* plainForScalar(
  { resultSchema, body }: PromptState['source']['prompt'],
  file: string,
): Generator<FindingDetails> {
  const { type, enum: values } = resultSchema ?? {};
  const words = Array.isArray(values) && values.every((value) => typeof value === 'string');
  const isText = type === 'string' || (type === undefined && words);
  if (!isText && type !== 'integer' && type !== 'number' && type !== 'boolean') return;
  const [example] = [...matches(body, /<result>([^<]*)<\/result>/g)].filter(({ match }) => {
    const text = (match[1] ?? '').trim();
    if (/…|\.\.\.|\{\{|^["“`]|^$/.test(text)) return false;
    // A number is often described in words, such as "the score".
    return isText || (/\d/.test(text) && !/^-?\d+(?:\.\d+)?$/.test(text) && !/[-–]|\bto\b/.test(text));
  });
  if (example === undefined || (isText && /\bquot|"[^"]*"\s*<\/result>/i.test(body.text))) return;
  yield {
    at: example.at,
    state: file,
    message: `this example is not JSON, which the result schema of ${file} requires${isText ? ': a text needs quotes' : ''}`,
    fix: isText ? 'write the text in double quotes, as in <result>"good"</result>' : 'write the number alone',
  };
}

/** A schema although the policy allows no result. */
function* unusedSchemas(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of promptsOf(analysis)) {
    const { entries, keys, resultSchema } = source.prompt;
    const key = keys.find(({ key: name }) => name === 'result');
    // A pattern or a judge may put a result in the place of another tag.
    const isEvaluated = keys.some(({ key: name }) => name === 'evaluate');
    if (resultSchema === undefined || key === undefined || entries.length === 0 || isEvaluated) continue;
    const results = entries.filter(({ tag }) => tag === 'result');
    if (results.length === 0)
      yield {
        at: key.at,
        state: file,
        message: `${file} has a schema for its result, but its policy does not allow <result>`,
        fix: 'add { tag: result } to allowed_transitions, or remove the schema',
      };
    for (const { body } of results)
      if (body !== undefined && jsonOf(body.value.trim()) === undefined)
        yield {
          at: body.at,
          state: file,
          message: `no reply can match this entry and the schema: "${body.value}" is not JSON`,
          fix: 'leave out payload, or write JSON that fits the schema',
        };
  }
}

/** `for word in $RAYMOND_RESULT_list`, though a list arrives as JSON. */
export function* listsAsWords(analysis: Analysis): Generator<FindingDetails> {
  for (const { source, file } of statesOf(analysis)) {
    if (source.kind !== 'script' || source.script.shell === undefined) continue;
    for (const { match, at } of matches(source.raw, /\bfor\s+\w+\s+in\s+\$\{?RAYMOND_RESULT_(\w+)\}?\s*(?:;|$)/gm)) {
      const [, name = ''] = match;
      const givers = allGiversOf(analysis, file) ?? [];
      if (givers.length === 0 || !givers.every((giver) => typeOfField(giver, name) === 'array')) continue;
      yield {
        at,
        state: file,
        message: `RAYMOND_RESULT_${name} is a list as JSON text, such as ["a","b"], so the loop runs over pieces of that text`,
        fix: `read it with jq: jq -r '.[]' <<<"$RAYMOND_RESULT_${name}"`,
      };
    }
  }
}

/** What the schema of a state's result says of the type of a field. */
export function typeOfField(state: StateNode, name: string): unknown {
  return schemaOfField(state, name)?.['type'];
}

/** The schema of a field of a state's result. */
export function schemaOfField({ source }: StateNode, name: string): JsonObject | undefined {
  const { properties } = (source.kind === 'prompt' ? source.prompt.resultSchema : undefined) ?? {};
  const field = typeof properties === 'object' && properties !== null ? (properties as JsonObject)[name] : undefined;
  return typeof field === 'object' && field !== null ? (field as JsonObject) : undefined;
}

/** Rules about results with a schema. */
export const RESULT_RULES: readonly Rule[] = [
  {
    id: 'unknown-result-field',
    severity: 'warning',
    summary:
      'A state reads a field of a result, such as {{result.score}}, but none of the results that reach the state has this field.',
    why: 'The states whose results come here have a schema (result: in their frontmatter) that does not name the field, or they end with plain text or with JSON that has other fields. The placeholder stays unchanged, or the variable is not set.',
    check: allUnknownFields,
  },
  {
    id: 'text-for-json',
    severity: 'warning',
    summary: 'A prompt shows an example of its result in plain text, but the schema of the result requires JSON.',
    why: 'A reply whose result does not match the schema is rejected with a reminder, which costs a turn. After the last reminder the turn fails.',
    check: textForJson,
  },
  {
    id: 'unused-schema',
    severity: 'warning',
    summary:
      'The schema of a result has no effect or cannot be met, because the policy of the prompt does not allow a result that fits the schema.',
    why: 'The schema applies to <result> only. A policy that does not allow <result>, or only with a text that is not JSON, leaves no way to reply with a value that fits.',
    check: unusedSchemas,
  },
];
