// What a diagram of a package shows: nodes and links, whatever it is drawn with. Equal ways are one link; a result leads back to the states
// that calls return to, or to the end. Pure.
import { allEdges, reachableFrom, type Edge, type Graph, type StateNode } from '../graph.js';
import { shown } from '../mention.js';
import {
  COMPUTED_NODE,
  END,
  linkKey,
  workflowId,
  type Diagram,
  type DiagramLink,
  type DiagramNode,
  type LinkKind,
  type NodeKind,
  type RunMarks,
} from './parts.js';

/** What a diagram of this graph shows; `marks` lays a run over it. */
export function diagramOf(
  graph: Graph,
  { title, marks }: { readonly title: string; readonly marks?: RunMarks },
): Diagram {
  const links = marked(merged([...allEdges(graph).flatMap(linkOf), ...returnsOf(graph)]), marks);
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
  const ends = new Set(links.flatMap(({ from, to }) => [from, to]));
  for (const edge of allEdges(graph)) {
    const node = strangerOf(edge);
    if (node !== undefined && ends.has(node.id)) nodes.set(node.id, node);
  }
  for (const id of ends) if (id !== END && !nodes.has(id)) nodes.set(id, seenNode(id));
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

/** What only the run has shown: another workflow, or a state whose file is gone since. */
function seenNode(id: string): DiagramNode {
  const specifier = id.startsWith(workflowId('')) ? id.slice(workflowId('').length) : undefined;
  const node = { id, isEntry: false, agents: [] };
  return specifier === undefined
    ? { ...node, kind: 'missing', label: id }
    : { ...node, kind: 'workflow', label: specifier };
}

function idOf({ from, to }: Edge): string {
  switch (to.kind) {
    case 'state':
      return to.file;
    case 'missing':
      return ` missing ${to.name}`;
    case 'workflow':
      return workflowId(to.specifier);
    case 'computed':
      return `${COMPUTED_NODE}${from} ${to.text}`;
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
    return [{ from: workflowId(target), to: idOf(edge), kind: 'return' }];
  }
  if (to.kind === 'end') return [];
  const delay = mention.attributes.get(role === 'timeout' ? 'timeout' : 'delay')?.value;
  const note = delay === undefined ? {} : { note: shown(delay) };
  return [{ from, to: idOf(edge), kind: linkKindOf(edge), ...note }];
}

/** What an agent does that takes an edge. */
export function linkKindOf({ tag, role }: Pick<Edge, 'tag' | 'role'>): LinkKind {
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

/** The links with how often the run took them, and those that only the run shows. One that leaves its target open gives way to where it led. */
function marked(links: readonly DiagramLink[], marks: RunMarks | undefined): readonly DiagramLink[] {
  if (marks === undefined) return links;
  const counts = new Map(marks.taken.map((link) => [linkKey(link), link.count]));
  const known = new Set(links.map(linkKey));
  const seen = marks.taken.filter((link) => !known.has(linkKey(link)));
  const open = links.filter(({ to }) => to.startsWith(COMPUTED_NODE));
  const led = new Set(open.filter(({ from, kind }) => seen.some((link) => link.from === from && link.kind === kind)));
  const shown = links
    .filter((link) => !led.has(link))
    .map((link) => ({ ...link, count: counts.get(linkKey(link)) ?? 0 }));
  return [...shown, ...seen];
}
