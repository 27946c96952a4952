// The graph of a package: its states, and the edges that agents follow between them. Linting and diagrams work on it. Pure: built from the
// source that was read, without file access.
import { assertNever } from '../protocol/failure.js';
import { stem } from '../protocol/ids.js';
import type { Problem } from '../protocol/language/problem.js';
import { executorOf, isModule, resolveEntry, resolveState, type Folder } from '../protocol/language/resolve.js';
import { TAG_RULES } from '../protocol/language/tag-table.js';
import type { TagName } from '../protocol/language/tag.js';
import { hasComputedAttributes, isComputed, mentionsIn, type Mention, type SourceText } from './mention.js';
import type { TracedText, Position } from './position.js';
import type { ScriptSource } from './script/source.js';
import { COMPUTED } from './shell/words.js';
import { printsByLibrary } from './library-output.js';
import type { Source, SourceFile } from './source.js';
import { spacedTags, unescaped, withoutProse } from './tag-text.js';

/** Where an edge leads. */
type Target =
  | { readonly kind: 'state'; readonly file: string }
  | { readonly kind: 'missing'; readonly name: string; readonly problem: Problem }
  | { readonly kind: 'workflow'; readonly specifier: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'computed'; readonly text: string };

/** Which part of a tag names the target: its body, or its `return`, `next` or `timeout_next` attribute. */
export type EdgeRole = 'target' | 'return' | 'next' | 'timeout';

/** One possible transition of a state. */
export interface Edge {
  readonly from: string;
  readonly tag: TagName;
  readonly role: EdgeRole;
  readonly to: Target;
  /** The position of the target's name. */
  readonly at: Position;
  readonly mention: Mention;
}

/** A state of the package, with its tags and transitions. */
export interface StateNode {
  readonly file: string;
  readonly name: string;
  readonly kind: 'prompt' | 'script' | 'unreadable';
  readonly at: Position;
  readonly source: SourceFile;
  /** All its tags; of a prompt with a policy, those of the policy and of the text. */
  readonly mentions: readonly Mention[];
  /** The tags that can take effect: of a prompt with a policy, only those that the policy allows. */
  readonly effectiveMentions: readonly Mention[];
  /** The transitions that the effective tags name. */
  readonly edges: readonly Edge[];
  /** True if it may have transitions that its text does not show. */
  readonly hasUnknownTargets: boolean;
}

/** The state with which a run starts, or why there is none. */
type EntryPoint =
  { readonly kind: 'state'; readonly file: string } | { readonly kind: 'problem'; readonly problem: Problem };

/** A package as a graph. */
export interface Graph {
  readonly source: Source;
  readonly entry: EntryPoint;
  /** By file name. */
  readonly states: ReadonlyMap<string, StateNode>;
}

/** Builds the graph of a package; `entry` names the first state, otherwise it is the entry point. */
export function graphOf(source: Source, entry?: string): Graph {
  const { folder } = source;
  const states = [...source.files.values()].flatMap((file) => stateOf(file, folder) ?? []);
  const entryPoint =
    entry === undefined ? resolveEntry({ ...folder, path: source.path }) : resolveState({ ...folder, name: entry });
  const named = new Set(
    states.flatMap(({ edges }) => edges.flatMap(({ to }) => (to.kind === 'state' ? [to.file] : []))),
  );
  if (entryPoint.kind === 'state') named.add(entryPoint.file);
  for (const file of statesToStart(source)) named.add(file);
  const fragments = fragmentsOf(source);
  const real = states.filter(
    ({ file }) => named.has(file) || !(fragments.has(file) || isModule(file) || isHelper(file, source)),
  );
  return { source, entry: entryPoint, states: new Map(real.map((state) => [state.file, state])) };
}

/** The states with which a text of the package says that people start it: `raymond start mailer/RESEND`. */
export function statesToStart({ files, folder }: Source): readonly string[] {
  const texts = [...files.values()].flatMap((file) => ('raw' in file ? [file.raw.text.slice(0, MAX_NOTE)] : []));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/\braymond(?: start)? [\w./-]{0,200}\/([A-Z1][\w.]*\w)/g)].map(([, name = '']) => name),
  );
  return [...new Set(names)].flatMap((name) => {
    const resolved = resolveState({ ...folder, name });
    return resolved.kind === 'state' ? [resolved.file] : [];
  });
}

/** How much of a file is read for such a note, in characters. */
const MAX_NOTE = 20_000;

/** A file of the package that a prompt includes: `@{{state_dir}}/guide.md`. */
export const FRAGMENT = /@\{\{state_dir\}\}\/([\w.-]*\w)/g;

/** The files that prompts include: no states, unless a tag names them as well. */
function fragmentsOf({ files }: Source): ReadonlySet<string> {
  const bodies = [...files.values()].flatMap((file) => (file.kind === 'prompt' ? [file.prompt.body.text] : []));
  return new Set(bodies.flatMap((body) => [...body.matchAll(FRAGMENT)].map((match) => match[1] ?? '')));
}

/** True for a script that others run or source by its file name. */
function isHelper(file: string, { files }: Source): boolean {
  if (executorOf(file) === 'prompt') return false;
  const name = new RegExp(`(?<![\\w-])${file.replace(/[^\w-]/g, '\\$&')}(?!\\w)`);
  return [...files.values()].some((other) => {
    if (other.file === file || (other.kind !== 'prompt' && other.kind !== 'script')) return false;
    return name.test(other.raw.text);
  });
}

function stateOf(source: SourceFile, folder: Folder): StateNode | undefined {
  if (source.kind === 'other' || isForeign(source.file, folder)) return undefined;
  const mentions = mentionsOf(source);
  const effectiveMentions = findEffectiveMentions(source, mentions);
  const { file, at, kind } = source;
  const evaluators = source.kind === 'prompt' ? source.prompt.evaluators : [];
  const edges = [...effectiveMentions, ...evaluators].flatMap((mention) => {
    const assigned = source.kind === 'script' ? assignedEdges(mention, { from: file, folder, source }) : [];
    const isAssigned = ({ to, role }: Edge): boolean =>
      to.kind === 'computed' && role !== 'target' && assigned.some((edge) => edge.role === role);
    return [...edgesOf(mention, { from: file, folder }).filter((edge) => !isAssigned(edge)), ...assigned];
  });
  const computed = edges.some(({ to }) => to.kind === 'computed');
  const isOpaque =
    source.kind === 'script' &&
    source.script.opaque &&
    (mentions.every(({ isCertain }) => isCertain === false) || printsComputed(source.script));
  return {
    file,
    name: stem(file),
    kind,
    at,
    source,
    mentions,
    effectiveMentions,
    edges,
    hasUnknownTargets: computed || isOpaque || computesTagName(source) || printsByLibrary(source, folder),
  };
}

/** True for a script that only the other platform can run. */
function isForeign(file: string, folder: Folder): boolean {
  const resolved = resolveState({ ...folder, kind: 'directory', name: file });
  return resolved.kind === 'problem' && resolved.problem.kind === 'wrong-platform';
}

function mentionsOf(source: SourceFile): readonly Mention[] {
  if (source.kind === 'prompt') {
    const { body, entries } = source.prompt;
    const plain = unescaped(body.text);
    const at = (index: number): Position => body.at(plain.offsetOf(index));
    return [...entries, ...mentionsIn({ text: withoutProse(plain.text), source: 'text', at })];
  }
  if (source.kind !== 'script') return [];
  const { script, raw } = source;
  const found = (text: TracedText): readonly Mention[] => {
    const printed = spacedTags(text);
    return mentionsIn({ text: printed.text, source: 'script', at: (index) => raw.at(printed.offsetOf(index)) });
  };
  const certain = script.printed.flatMap(found);
  // Of a template that is surely printed, the filled forms are known.
  const filled = new Set(script.opaque ? [] : certain.map(({ tag, at }) => `${tag} ${at.line} ${at.column}`));
  const possible = script.handedOver
    .flatMap(found)
    .filter(({ tag, at }) => !filled.has(`${tag} ${at.line} ${at.column}`))
    .map((mention) => ({ ...mention, isCertain: false }));
  return distinctMentions([...certain, ...possible]);
}

/** Several paths of a script may print the same tag. */
function distinctMentions(mentions: readonly Mention[]): readonly Mention[] {
  const seen = new Map<string, Mention>();
  for (const mention of mentions) {
    const { tag, at, body, attributes } = mention;
    const values = [...attributes].map(([name, { value }]) => [name, value]);
    const certain = JSON.stringify([tag, at, body?.value, values]);
    if (!seen.has(certain)) seen.set(certain, mention);
  }
  return [...seen.values()];
}

/** A tag that the policy does not allow is never applied, even if the text names it. */
function findEffectiveMentions(source: SourceFile, mentions: readonly Mention[]): readonly Mention[] {
  const allowed = mentions.filter((mention) => mention.source === 'policy');
  return source.kind === 'prompt' && allowed.length > 0
    ? allowed.flatMap((entry) => [entry, ...completed(entry, mentions)])
    : mentions;
}

/** What a policy leaves open, such as the target of a call or the `next` of a fork, is what the tags of the text name. */
function completed(entry: Mention, mentions: readonly Mention[]): readonly Mention[] {
  const { needs, mayName } = TAG_RULES[entry.tag];
  const open = [...needs, ...mayName].filter((name) => !entry.attributes.has(name));
  return mentions.flatMap((mention) => {
    if (mention.source !== 'text' || mention.tag !== entry.tag) return [];
    if (entry.body === undefined && TAG_RULES[entry.tag].body === 'state') return [mention];
    const named = [...mention.attributes].filter(([name]) => open.includes(name));
    return named.length === 0 ? [] : [{ ...entry, at: mention.at, attributes: new Map(named) }];
  });
}

/** True for a script that prints on one of its paths nothing but what is known only at run time. */
function printsComputed({ flow }: ScriptSource): boolean {
  const paths = flow?.isComplete === true ? flow.paths : [];
  return paths.some(({ status, text: { text } }) => status !== 'false' && text.trim() === COMPUTED);
}

/** True for a script that prints a tag whose name is known only at run time. */
function computesTagName(source: SourceFile): boolean {
  return (
    source.kind === 'script' && source.script.printed.some((text) => /<[\w-]*\uE000[^<>]*>/.test(spacedTags(text).text))
  );
}

interface EdgeContext {
  readonly from: string;
  readonly folder: Folder;
}

/** The role of each attribute that names a state. */
const ATTRIBUTE_ROLES: Readonly<Record<string, EdgeRole>> = { return: 'return', next: 'next', timeout_next: 'timeout' };

function edgesOf(mention: Mention, { from, folder }: EdgeContext): readonly Edge[] {
  const { needs, mayName } = TAG_RULES[mention.tag];
  const edges: Edge[] = [];
  const primary = primaryTarget(mention, folder);
  if (primary !== undefined) edges.push({ from, tag: mention.tag, role: 'target', mention, ...primary });
  for (const name of [...needs, ...mayName]) {
    const attribute = mention.attributes.get(name);
    if (attribute === undefined && needs.includes(name) && hasComputedAttributes(mention)) {
      const to = { kind: 'computed', text: COMPUTED } as const;
      edges.push({ from, tag: mention.tag, role: ATTRIBUTE_ROLES[name] ?? 'next', to, at: mention.at, mention });
    }
    if (attribute === undefined || attribute.value.trim() === '') continue;
    const to = stateTarget(attribute.value.trim(), folder);
    edges.push({ from, tag: mention.tag, role: ATTRIBUTE_ROLES[name] ?? 'next', to, at: attribute.valueAt, mention });
  }
  return edges;
}

/** For a tag that gets attributes from a variable: the states that an attribute in the texts of the script names. */
function assignedEdges(
  mention: Mention,
  { from, folder, source }: EdgeContext & { readonly source: SourceFile & { readonly kind: 'script' } },
): readonly Edge[] {
  const { needs, mayName } = TAG_RULES[mention.tag];
  const texts = hasComputedAttributes(mention) ? source.raw.text.matchAll(NAMING_ATTRIBUTE) : [];
  return [...texts].flatMap(({ index, 1: name = '', 2: value = '' }) => {
    const isOpen = [...needs, ...mayName].includes(name) && !mention.attributes.has(name);
    const to = isOpen ? stateTarget(value, folder) : undefined;
    const role = ATTRIBUTE_ROLES[name] ?? 'next';
    return to?.kind === 'state' ? [{ from, tag: mention.tag, role, to, at: source.raw.at(index), mention }] : [];
  });
}

/** An attribute in a text, or as the key of an object, the first of a pair or the name of an argument. */
const NAMING_ATTRIBUTE =
  /(?<![\w-])(return|next|timeout_next)(?:[ \t]*=[ \t]*|\\?["']?[ \t]*[:,][ \t]*)\\?["']([\w.-]+)\\?["']/g;

function primaryTarget(mention: Mention, folder: Folder): Pick<Edge, 'to' | 'at'> | undefined {
  const { tag, body, at } = mention;
  const { body: bodyKind } = TAG_RULES[tag];
  switch (bodyKind) {
    case 'payload':
      return { to: { kind: 'end' }, at };
    case 'prompt':
    case 'none':
      return undefined;
    case 'state':
      // A policy entry without a target allows any state.
      if (body === undefined) return { to: { kind: 'computed', text: 'STATE' }, at };
      return body.value === '' ? undefined : { to: stateTarget(body.value, folder), at: body.at };
    case 'workflow':
      if (body === undefined) return { to: { kind: 'computed', text: '…' }, at };
      return { to: workflowTarget(body), at: body.at };
    default:
      return assertNever(bodyKind);
  }
}

function stateTarget(name: string, folder: Folder): Target {
  if (isComputed(name)) return { kind: 'computed', text: name };
  const resolved = resolveState({ ...folder, name });
  return resolved.kind === 'state' ? resolved : { kind: 'missing', name, problem: resolved.problem };
}

function workflowTarget({ value }: SourceText): Target {
  return isComputed(value) ? { kind: 'computed', text: value } : { kind: 'workflow', specifier: value };
}

/** The tags by which a state may ask a person. */
export function asksOf({ effectiveMentions }: StateNode): readonly Mention[] {
  return effectiveMentions.filter(({ tag }) => tag === 'ask');
}

/** All edges in the order of the state files; cached, because rules call it once per state. */
export function allEdges({ states }: Pick<Graph, 'states'>): readonly Edge[] {
  const edges = edgesByStates.get(states) ?? [...states.values()].flatMap((state) => state.edges);
  edgesByStates.set(states, edges);
  return edges;
}

const edgesByStates = new WeakMap<Graph['states'], readonly Edge[]>();

/** The edges that lead to a state, in the same order; cached, because rules call it once per state. */
export function edgesInto({ states }: Pick<Graph, 'states'>, file: string): readonly Edge[] {
  const known = edgesByTarget.get(states) ?? byTarget({ states });
  edgesByTarget.set(states, known);
  return known.get(file) ?? [];
}

const edgesByTarget = new WeakMap<Graph['states'], ReadonlyMap<string, readonly Edge[]>>();

function byTarget(graph: Pick<Graph, 'states'>): ReadonlyMap<string, readonly Edge[]> {
  const edges = new Map<string, Edge[]>();
  for (const edge of allEdges(graph)) {
    if (edge.to.kind !== 'state') continue;
    const { file } = edge.to;
    const others = edges.get(file);
    if (others === undefined) edges.set(file, [edge]);
    else others.push(edge);
  }
  return edges;
}

/** The states that an agent can reach from `from`, including `from`, along the edges that `accepts` allows. */
export function reachableFrom(
  { states }: Pick<Graph, 'states'>,
  { from, accepts = () => true }: { readonly from: readonly string[]; readonly accepts?: (edge: Edge) => boolean },
): ReadonlySet<string> {
  const seen = new Set<string>();
  const pending = [...from];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const edge of states.get(file)?.edges ?? []) {
      if (edge.to.kind === 'state' && accepts(edge)) pending.push(edge.to.file);
    }
  }
  return seen;
}
