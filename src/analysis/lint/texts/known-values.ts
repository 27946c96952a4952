// The texts that a script may get: as its value, in the fields of a result, and in attributes. They are known only if the package writes them all.
import { isOwnAttribute } from '../../../protocol/language/tag-table.js';
import { edgesInto, type Edge, type StateNode } from '../../graph.js';
import { isComputed } from '../../mention.js';
import { PARSED, type Atom } from '../../program/atoms.js';
import { hasUnknownTargets } from '../helpers.js';
import { attributesPassed, edgesWithValue } from '../passed.js';
import { allGiversOf, resultsAwaited } from '../values/result-rules.js';
import { schemaAt } from '../values/schema-paths.js';
import type { Analysis } from '../rule.js';

/** The values that may reach a state. */
export interface Values {
  readonly texts: ReadonlySet<string>;
  /** True for the choices of a question: a person may also write something else. */
  readonly isOpen: boolean;
}

/** The values that reach a state; undefined when they are not known. */
export function valuesOf(analysis: Analysis, file: string): Values | undefined {
  if (isOpenState(analysis, file)) return undefined;
  const edges = edgesWithValue(analysis, file);
  const values = edges.map((edge) => valuesOn(analysis, { edge, file }));
  if (values.length === 0 || values.some((texts) => texts === undefined)) return undefined;
  const texts = new Set(values.flatMap((some) => some ?? []));
  return texts.size === 0 ? undefined : { texts, isOpen: edges.some(({ tag }) => tag === 'ask') };
}

function valuesOn(
  analysis: Analysis,
  { edge, file }: { readonly edge: Edge; readonly file: string },
): readonly string[] | undefined {
  const { tag, role, mention } = edge;
  if (tag === 'ask') return listOf(mention.attributes.get('choices')?.value);
  if (role === 'return') return resultsOf(allGiversOf(analysis, file));
  const input = mention.attributes.get('input')?.value;
  const isPlain = role === 'target' && mention.source === 'script' && !tag.startsWith('fork');
  return isPlain && input !== undefined && !isComputed(input) ? [input] : undefined;
}

function listOf(choices: string | undefined): readonly string[] | undefined {
  return choices === undefined || isComputed(choices) ? undefined : choices.split(',').map((choice) => choice.trim());
}

/** The fixed results of all these states. */
function resultsOf(states: readonly StateNode[] | undefined): readonly string[] | undefined {
  const results = states?.map(fixedResults);
  return results?.some((texts) => texts === undefined) === false ? results.flatMap((texts) => texts ?? []) : undefined;
}

/** The texts with which a state ends, if they are fixed: of a prompt, by its policy, or by several examples in its text. */
function fixedResults(state: StateNode): readonly string[] | undefined {
  return resultsByPolicy(state) ?? resultsByText(state);
}

function resultsByPolicy({ source, effectiveMentions }: StateNode): readonly string[] | undefined {
  const results = effectiveMentions.filter(
    ({ tag, source: from }) => tag === 'result' && (source.kind !== 'prompt' || from === 'policy'),
  );
  const texts = results.map(({ body }) =>
    body === undefined || isComputed(body.value) ? undefined : body.value.trim(),
  );
  return texts.length > 0 && texts.every((text) => text !== undefined) ? texts : undefined;
}

/** The results that a prompt asks for: several texts, each of one word or with a colon before what is not fixed. */
function resultsByText({ source, mentions }: StateNode): readonly string[] | undefined {
  if (source.kind !== 'prompt' || source.prompt.resultSchema !== undefined) return undefined;
  const texts = mentions.flatMap(({ tag, body, source: from }) =>
    tag === 'result' && from === 'text' && body !== undefined ? [body.value.trim()] : [],
  );
  const isPlain = (text: string): boolean => /^[\w-]+(?::.*)?$|^[\w -]+:.*$/.test(text) && !isComputed(text);
  return new Set(texts).size > 1 && texts.every(isPlain) ? texts : undefined;
}

/** True for a state that a run may begin with, or that an unknown tag may lead to. */
function isOpenState(analysis: Analysis, file: string): boolean {
  const { entry } = analysis.graph;
  const isEntry = entry.kind === 'state' && entry.file === file;
  return isEntry || analysis.entriesFromOutside?.includes(file) === true || hasUnknownTargets(analysis);
}

/** What a variable of a script's environment may hold; undefined when it is not known. */
export function valuesOfVariable(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): Values | undefined {
  if (/^RAYMOND_(?:INPUT|RESULT)$/.test(name)) return valuesOf(analysis, file);
  if (isOpenState(analysis, file)) return undefined;
  const [, field] = /^RAYMOND_RESULT_(\w+)$/.exec(name) ?? [];
  const texts =
    field === undefined ? valuesOfAttribute(analysis, { file, name }) : enumsOf(allGiversOf(analysis, file), [field]);
  return texts === undefined ? undefined : { texts: new Set(texts), isOpen: false };
}

/** What a value of a program may be: a text, a variable, or a field of a result that was parsed; undefined when it is not known. */
export function valuesOfAtom(
  analysis: Analysis,
  { file, atom }: { readonly file: string; readonly atom: Atom },
): Values | undefined {
  if (atom.kind === 'text') return { texts: new Set([atom.text]), isOpen: false };
  if (atom.kind === 'variable') return valuesOfVariable(analysis, { file, name: atom.name });
  if (atom.kind !== 'json' || isOpenState(analysis, file)) return undefined;
  const [whole, field] = /^RAYMOND_(?:INPUT|RESULT(?:_(\w+))?)$/.exec(atom.of) ?? [];
  if (whole === undefined) return undefined;
  const path = field === undefined ? atom.path : [field, ...atom.path];
  const texts = valuesOfAgents(analysis, { file, path }) ?? enumsOf(allGiversOf(analysis, file), path);
  return texts === undefined || texts.length === 0 ? undefined : { texts: new Set(texts), isOpen: false };
}

/** What the results of forked agents, or a field of them, may be in the list that an await gives. */
function valuesOfAgents(
  analysis: Analysis,
  { file, path: [agent, key, parsed, ...field] }: { readonly file: string; readonly path: readonly string[] },
): readonly string[] | undefined {
  if (agent !== '*' || key !== 'result') return undefined;
  const ends = resultsAwaited(analysis, file);
  if (parsed === undefined) return resultsOf(ends);
  return parsed === PARSED && field.length > 0 ? enumsOf(ends, field) : undefined;
}

/** The values that the schemas of all results allow at a path, if each has a list of texts. */
function enumsOf(givers: readonly StateNode[] | undefined, path: readonly string[]): readonly string[] | undefined {
  const lists = (givers ?? []).map(({ source }) => {
    const schema = source.kind === 'prompt' ? source.prompt.resultSchema : undefined;
    const { enum: texts } = (schema && schemaAt(schema, path)) ?? {};
    return Array.isArray(texts) && texts.every((text) => typeof text === 'string') ? texts : undefined;
  });
  return known(lists);
}

/** The values that scripts write into an attribute, if each tag that leads to the state has it. */
function valuesOfAttribute(
  analysis: Analysis,
  { file, name }: { readonly file: string; readonly name: string },
): readonly string[] | undefined {
  const { graph } = analysis;
  if (graph.source.parsedManifest?.labels?.includes(name) === true) return undefined;
  if (!attributesPassed(analysis, file).has(name)) return undefined;
  const edges = edgesInto(graph, file);
  return known(
    edges.map(({ role, tag, mention }) => {
      const value = mention.attributes.get(name)?.value;
      const isPlain = role === 'target' && mention.source === 'script' && isOwnAttribute(tag, name);
      return isPlain && value !== undefined && !isComputed(value) ? [value] : undefined;
    }),
  );
}

function known(lists: readonly (readonly string[] | undefined)[]): readonly string[] | undefined {
  if (lists.length === 0 || lists.some((list) => list === undefined)) return undefined;
  return lists.flatMap((list) => list ?? []);
}

/** True for a `case` at the beginning of this text that has a branch for each value that its variable may hold. */
export function coversAll(
  analysis: Analysis,
  { file, text }: { readonly file: string; readonly text: string },
): boolean {
  const [, name, body = ''] = /^case\s+"?\$\{?(\w+)\}?"?\s+in\b([^]*?)\besac\b/.exec(text) ?? [];
  const values = name === undefined ? undefined : valuesOfVariable(analysis, { file, name });
  if (values === undefined || values.isOpen) return false;
  const patterns = [...body.matchAll(/^\s*\(?([^()\n]+)\)/gm)].flatMap(([, list = '']) => list.split('|'));
  const texts = new Set(patterns.map((pattern) => pattern.trim().replace(/^(["'])(.*)\1$/, '$2')));
  return [...values.texts].every((value) => texts.has(value));
}
