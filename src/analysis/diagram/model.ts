// What a diagram of a package shows: nodes and links, whatever it is drawn with. Equal ways are one link; a result leads back to the states
// that calls return to, or to the end. Pure.
import { allEdges, reachableFrom, type Edge, type Graph, type StateNode } from '../graph.js';
import { shown } from '../mention.js';

/** What a node stands for. */
export type NodeKind = 'prompt' | 'script' | 'workflow' | 'missing' | 'computed' | 'end';

/** What an agent does that takes a link. `next` is where a forking agent itself goes on. */
export type LinkKind =
  'goto' | 'reset' | 'call' | 'function' | 'return' | 'fork' | 'next' | 'ask' | 'timeout' | 'await' | 'result';

/** A state, or what ways lead to that is none. */
export interface DiagramNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly isEntry: boolean;
  /** The agents of a run that are here. */
  readonly agents: readonly string[];
  /** The file of the state. */
  readonly file?: string;
}

/** A way from one node to another. */
export interface DiagramLink {
  readonly from: string;
  readonly to: string;
  readonly kind: LinkKind;
  /** What stands beside it: how long it waits. */
  readonly note?: string;
  /** How often a run has taken it; absent = no run is shown. */
  readonly count?: number;
}

/** All that is drawn. */
export interface Diagram {
  readonly title: string;
  readonly nodes: readonly DiagramNode[];
  readonly links: readonly DiagramLink[];
}

/** Where a run is: its agents by the files of their states, and how often each way was taken, by `linkKey`. */
export interface RunMarks {
  readonly agents: ReadonlyMap<string, readonly string[]>;
  readonly taken: ReadonlyMap<string, number>;
}

/** The id of the node at which agents end. */
export const END = ' end';

/** Stands for whichever other workflow a state leads to, where only that it is another one is known. */
export const ELSEWHERE = ' workflow';

/** What a link is counted by. */
export function linkKey({ from, to, kind }: Pick<DiagramLink, 'from' | 'to' | 'kind'>): string {
  return [from, kind, to].join('\n');
}

/** What a diagram of this graph shows; `marks` lays a run over it. */
export function diagramOf(
  graph: Graph,
  { title, marks }: { readonly title: string; readonly marks?: RunMarks },
): Diagram {
  const links = counted(merged([...allEdges(graph).flatMap(linkOf), ...returnsOf(graph)]), marks);
  const nodes = new Map<string, DiagramNode>();
  const entry = graph.entry.kind === 'state' ? graph.entry.file : undefined;
  const labels = labelsOf(graph);
  const order = entry === undefined ? [...graph.states.keys()] : inOrder(graph, entry);
  for (const file of order) {
    const state = graph.states.get(file);
    const agents = marks?.agents.get(file) ?? [];
    if (state !== undefined)
      nodes.set(file, {
        id: file,
        kind: kindOf(state),
        label: labels.get(file) ?? file,
        isEntry: file === entry,
        agents,
        file,
      });
  }
  for (const edge of allEdges(graph)) {
    const node = strangerOf(edge);
    if (node !== undefined) nodes.set(node.id, node);
  }
  if (links.some(({ to }) => to === END))
    nodes.set(END, { id: END, kind: 'end', label: 'end', isEntry: false, agents: [] });
  return { title, nodes: [...nodes.values()], links };
}

/** States in the order in which they can be reached, then the others. */
function inOrder(graph: Graph, entry: string): readonly string[] {
  const found = [entry];
  for (const file of found)
    for (const { to } of graph.states.get(file)?.edges ?? [])
      if (to.kind === 'state' && !found.includes(to.file)) found.push(to.file);
  return [...new Set([...found, ...graph.states.keys()])];
}

/** Names without extension, where no other state has the same. */
function labelsOf({ states }: Graph): ReadonlyMap<string, string> {
  const all = [...states.values()];
  return new Map(
    all.map(({ file, name }) => [file, all.some((other) => other.file !== file && other.name === name) ? file : name]),
  );
}

function kindOf({ kind }: StateNode): NodeKind {
  return kind === 'script' ? 'script' : 'prompt';
}

/** What an edge leads to that is no state of the package. */
function strangerOf(edge: Edge): DiagramNode | undefined {
  const id = idOf(edge);
  const node = { id, isEntry: false, agents: [] };
  switch (edge.to.kind) {
    case 'missing':
      return { ...node, kind: 'missing', label: edge.to.name };
    case 'workflow':
      return { ...node, kind: 'workflow', label: edge.to.specifier };
    case 'computed':
      return { ...node, kind: 'computed', label: shown(edge.to.text) };
    case 'state':
    case 'end':
      return undefined;
  }
}

function idOf({ from, to }: Edge): string {
  switch (to.kind) {
    case 'state':
      return to.file;
    case 'missing':
      return ` missing ${to.name}`;
    case 'workflow':
      return ` workflow ${to.specifier}`;
    case 'computed':
      return ` computed ${from} ${to.text}`;
    case 'end':
      return END;
  }
}

function linkOf(edge: Edge): readonly DiagramLink[] {
  const { from, tag, role, to, mention } = edge;
  // What a call returns to is reached from where its result is; of another workflow only the call is known.
  if (role === 'return') {
    const target = mention.body?.value;
    if (!tag.endsWith('-workflow') || target === undefined) return [];
    return [{ from: ` workflow ${target}`, to: idOf(edge), kind: 'return' }];
  }
  if (to.kind === 'end') return [];
  const delay = mention.attributes.get(role === 'timeout' ? 'timeout' : 'delay')?.value;
  const note = delay === undefined ? {} : { note: shown(delay) };
  return [{ from, to: idOf(edge), kind: linkKindOf(edge), ...note }];
}

function linkKindOf({ tag, role }: Edge): LinkKind {
  if (role === 'timeout') return 'timeout';
  if (tag === 'ask' || tag === 'await') return tag;
  if (role === 'next') return 'next';
  switch (tag) {
    case 'call-workflow':
      return 'call';
    case 'function-workflow':
      return 'function';
    case 'fork-workflow':
      return 'fork';
    case 'reset-workflow':
      return 'reset';
    default:
      return tag;
  }
}

/** Results: to what the calls that may be open return to, and to the end where no call need be open. */
function returnsOf(graph: Graph): readonly DiagramLink[] {
  const inside = callsAround(graph);
  const outside = reachableFrom(graph, { from: outermost(graph), takes: isNoCall });
  const unknown = graph.entry.kind === 'problem';
  return allEdges(graph).flatMap(({ to, from }) => {
    if (to.kind !== 'end') return [];
    const backs = [...(inside.get(from) ?? [])].map((back): DiagramLink => ({ from, to: back, kind: 'return' }));
    const ends = outside.has(from) || backs.length === 0 || unknown;
    return ends ? [...backs, { from, to: END, kind: 'result' }] : backs;
  });
}

/** Where agents begin that nobody has called. */
function outermost(graph: Graph): readonly string[] {
  const forked = allEdges(graph).flatMap(({ tag, role, to }) =>
    tag === 'fork' && role === 'target' && to.kind === 'state' ? [to.file] : [],
  );
  return graph.entry.kind === 'state' ? [graph.entry.file, ...forked] : forked;
}

function isNoCall({ tag, role }: Edge): boolean {
  return !(role === 'target' && (tag === 'call' || tag === 'function' || tag === 'fork'));
}

/** For each state, what the calls return to within which it may be done. */
function callsAround(graph: Graph): ReadonlyMap<string, ReadonlySet<string>> {
  const around = new Map<string, Set<string>>();
  const edges = allEdges(graph);
  for (const call of edges) {
    if (call.role !== 'target' || call.to.kind !== 'state' || (call.tag !== 'call' && call.tag !== 'function'))
      continue;
    const back = edges.find(({ role, mention }) => role === 'return' && mention === call.mention);
    if (back === undefined) continue;
    for (const file of reachableFrom(graph, { from: [call.to.file], takes: isNoCall }))
      around.set(file, (around.get(file) ?? new Set()).add(idOf(back)));
  }
  return around;
}

function merged(links: readonly DiagramLink[]): readonly DiagramLink[] {
  const known = new Map<string, DiagramLink>();
  for (const link of links) {
    const before = known.get(linkKey(link));
    known.set(linkKey(link), before?.note === undefined ? link : before);
  }
  return [...known.values()];
}

function counted(links: readonly DiagramLink[], marks: RunMarks | undefined): readonly DiagramLink[] {
  if (marks === undefined) return links;
  return links.map((link) => {
    const to = link.to.startsWith(ELSEWHERE) ? ELSEWHERE : link.to;
    return { ...link, count: marks.taken.get(linkKey({ ...link, to })) ?? 0 };
  });
}
