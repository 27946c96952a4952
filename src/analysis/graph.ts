// The graph of a package: its states, and the edges along which agents go from one to the next. Everything that checks or draws a package
// works on it. Pure: made of a package as written, without its files being looked at again.
import { assertNever } from '../protocol/failure.js';
import { stem } from '../protocol/ids.js';
import type { Problem } from '../protocol/language/problem.js';
import { resolveEntry, resolveState, type Folder } from '../protocol/language/resolve.js';
import { TAG_RULES } from '../protocol/language/tag-table.js';
import type { TagName } from '../protocol/language/tag.js';
import { isComputed, mentionsIn, type Mention, type Written } from './mention.js';
import { TracedText, type Position } from './position.js';
import type { Source, SourceFile } from './source.js';

/** Where an edge leads. */
export type Target =
  | { readonly kind: 'state'; readonly file: string }
  | { readonly kind: 'missing'; readonly name: string; readonly problem: Problem }
  | { readonly kind: 'workflow'; readonly specifier: string }
  | { readonly kind: 'end' }
  | { readonly kind: 'computed'; readonly text: string };

/** What an agent does when it takes an edge: what its tag says, or what a `return`, `next` or `timeout_next` beside it says. */
export type EdgeRole = 'target' | 'return' | 'next' | 'timeout';

/** One way from a state. */
export interface Edge {
  readonly from: string;
  readonly tag: TagName;
  readonly role: EdgeRole;
  readonly to: Target;
  /** Where the name of its target is written. */
  readonly at: Position;
  readonly mention: Mention;
}

/** A state that its package has, with what it says. */
export interface StateNode {
  readonly file: string;
  readonly name: string;
  readonly kind: 'prompt' | 'script' | 'unreadable';
  readonly at: Position;
  readonly source: SourceFile;
  /** All tags in it; of a prompt with a policy those of its entries, and those of its text. */
  readonly mentions: readonly Mention[];
  /** The tags that count: of a prompt with a policy only those that it allows. */
  readonly counted: readonly Mention[];
  /** The transitions that those tags name. */
  readonly edges: readonly Edge[];
  /** True when it may go on in ways that its text does not show. */
  readonly open: boolean;
}

/** Where a run begins, or why it cannot. */
export type EntryPoint =
  { readonly kind: 'state'; readonly file: string } | { readonly kind: 'problem'; readonly problem: Problem };

/** A package as a graph. */
export interface Graph {
  readonly source: Source;
  readonly entry: EntryPoint;
  /** By the names of their files. */
  readonly states: ReadonlyMap<string, StateNode>;
}

/** Makes the graph of a package; `entry` = the state that was named to begin with. */
export function graphOf(source: Source, entry?: string): Graph {
  const { folder } = source;
  const states = [...source.files.values()].flatMap((file) => stateOf(file, folder) ?? []);
  const named =
    entry === undefined ? resolveEntry({ ...folder, path: source.path }) : resolveState({ ...folder, name: entry });
  return { source, entry: named, states: new Map(states.map((state) => [state.file, state])) };
}

function stateOf(source: SourceFile, folder: Folder): StateNode | undefined {
  if (source.kind === 'other' || isForeign(source.file, folder)) return undefined;
  const mentions = mentionsOf(source);
  const counted = countedMentions(source, mentions);
  const { file, at, kind } = source;
  const edges = counted.flatMap((mention) => edgesOf(mention, { from: file, folder }));
  const computed = edges.some(({ to }) => to.kind === 'computed');
  const unknown = source.kind === 'script' && mentions.length === 0 && source.script.opaque;
  return {
    file,
    name: stem(file),
    kind,
    at,
    source,
    mentions,
    counted,
    edges,
    open: computed || unknown || namesComputed(source),
  };
}

/** A script of the other platform, which does not run here. */
function isForeign(file: string, folder: Folder): boolean {
  const found = resolveState({ ...folder, kind: 'directory', name: file });
  return found.kind === 'problem' && found.problem.kind === 'wrong-platform';
}

function mentionsOf(source: SourceFile): readonly Mention[] {
  if (source.kind === 'prompt') {
    const { body, entries } = source.prompt;
    const plain = unescaped(body.text);
    const at = (index: number): Position => body.at(plain.offsetOf(index));
    return [...entries, ...mentionsIn({ text: plain.text, source: 'text', at })];
  }
  if (source.kind !== 'script') return [];
  const { script, raw } = source;
  return script.printed.flatMap((printed) =>
    mentionsIn({ text: printed.text, source: 'script', at: (index) => raw.at(printed.offsetOf(index)) }),
  );
}

/** Where a prompt shows a tag within quotes, as in JSON, the quotes of the tag have a backslash. */
function unescaped(text: string): TracedText {
  const plain = new TracedText();
  let from = 0;
  for (const { index } of text.matchAll(/\\(?=["'])/g)) {
    plain.add(text.slice(from, index), from);
    from = index + 1;
  }
  plain.add(text.slice(from), from);
  return plain;
}

/** What a policy does not allow never happens, whatever the text says. */
function countedMentions(source: SourceFile, mentions: readonly Mention[]): readonly Mention[] {
  const allowed = mentions.filter((mention) => mention.source === 'policy');
  return source.kind === 'prompt' && allowed.length > 0 ? allowed : mentions;
}

/** True for a script that prints a tag whose name is only known when it runs. */
function namesComputed(source: SourceFile): boolean {
  return source.kind === 'script' && source.script.printed.some(({ text }) => /<\uE000[^<>]*>/.test(text));
}

interface EdgeContext {
  readonly from: string;
  readonly folder: Folder;
}

/** The attributes that name states, by what happens there. */
const ROLES: Readonly<Record<string, EdgeRole>> = { return: 'return', next: 'next', timeout_next: 'timeout' };

function edgesOf(mention: Mention, { from, folder }: EdgeContext): readonly Edge[] {
  const { needs, mayName } = TAG_RULES[mention.tag];
  const edges: Edge[] = [];
  const main = mainTarget(mention, folder);
  if (main !== undefined) edges.push({ from, tag: mention.tag, role: 'target', mention, ...main });
  for (const name of [...needs, ...mayName]) {
    const attribute = mention.attributes.get(name);
    if (attribute === undefined || attribute.value.trim() === '') continue;
    const to = stateTarget(attribute.value.trim(), folder);
    edges.push({ from, tag: mention.tag, role: ROLES[name] ?? 'next', to, at: attribute.valueAt, mention });
  }
  return edges;
}

function mainTarget(mention: Mention, folder: Folder): Pick<Edge, 'to' | 'at'> | undefined {
  const { tag, body, at } = mention;
  const { body: form } = TAG_RULES[tag];
  switch (form) {
    case 'payload':
      return { to: { kind: 'end' }, at };
    case 'prompt':
    case 'none':
      return undefined;
    case 'state':
      // A policy that names no state leaves it open.
      if (body === undefined) return { to: { kind: 'computed', text: 'STATE' }, at };
      return body.value === '' ? undefined : { to: stateTarget(body.value, folder), at: body.at };
    case 'workflow':
      if (body === undefined) return { to: { kind: 'computed', text: '…' }, at };
      return { to: workflowTarget(body), at: body.at };
    default:
      return assertNever(form);
  }
}

function stateTarget(name: string, folder: Folder): Target {
  if (isComputed(name)) return { kind: 'computed', text: name };
  const found = resolveState({ ...folder, name });
  return found.kind === 'state' ? found : { kind: 'missing', name, problem: found.problem };
}

function workflowTarget({ value }: Written): Target {
  return isComputed(value) ? { kind: 'computed', text: value } : { kind: 'workflow', specifier: value };
}

/** The tags by which a state may ask a person. */
export function asksOf({ counted }: StateNode): readonly Mention[] {
  return counted.filter(({ tag }) => tag === 'ask');
}

/** All edges, in the order of the states' files; put together once, because rules ask for each state. */
export function allEdges({ states }: Graph): readonly Edge[] {
  const edges = edgesByStates.get(states) ?? [...states.values()].flatMap((state) => state.edges);
  edgesByStates.set(states, edges);
  return edges;
}

const edgesByStates = new WeakMap<Graph['states'], readonly Edge[]>();

/** The states that an agent can come to from `from` on, itself included, along the edges that `takes` accepts. */
export function reachableFrom(
  { states }: Pick<Graph, 'states'>,
  { from, takes = () => true }: { readonly from: readonly string[]; readonly takes?: (edge: Edge) => boolean },
): ReadonlySet<string> {
  const seen = new Set<string>();
  const todo = [...from];
  for (let file = todo.pop(); file !== undefined; file = todo.pop()) {
    if (seen.has(file)) continue;
    seen.add(file);
    for (const edge of states.get(file)?.edges ?? []) {
      if (edge.to.kind === 'state' && takes(edge)) todo.push(edge.to.file);
    }
  }
  return seen;
}
