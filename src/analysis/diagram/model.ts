// Turns a package graph into the nodes and links of a diagram, independent of the output format. Equal transitions share one link; a result
// leads to the states that calls return to, or to the end. Pure.
import { allEdges, reachableFrom, type Edge, type Graph, type StateNode } from '../graph.js';
import { displayText } from '../mention.js';
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

/** Builds the diagram of a graph; `marks` adds the progress of a run. */
export function diagramOf(
  graph: Graph,
  { title, marks }: { readonly title: string; readonly marks?: RunMarks },
): Diagram {
  const links = marked(bundled(merged([...allEdges(graph).flatMap(linkOf), ...returnsOf(graph)])), marks);
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
        ...(marks?.stopped.has(file) === true ? { isStopped: true } : {}),
        file,
      });
  }
  const endpoints = new Set(links.flatMap(({ from, to }) => [from, to]));
  for (const edge of allEdges(graph)) {
    const node = externalNode(edge);
    if (node !== undefined && endpoints.has(node.id)) nodes.set(node.id, node);
  }
  for (const id of endpoints) if (id !== END && !nodes.has(id)) nodes.set(id, runOnlyNode(id));
  if (links.some(({ to }) => to === END))
    nodes.set(END, { id: END, kind: 'end', label: 'end', isEntry: false, agents: [] });
  return { title, nodes: [...nodes.values()], links };
}

/** States in breadth-first order from the entry point, then the unreachable ones. */
function inOrder(graph: Graph, entry: string): readonly string[] {
  const reached = [entry];
  for (const file of reached)
    for (const { to } of graph.states.get(file)?.edges ?? [])
      if (to.kind === 'state' && !reached.includes(to.file)) reached.push(to.file);
  return [...new Set([...reached, ...graph.states.keys()])];
}

/** Names without extension, unless two states share one. */
function labelsOf({ states }: Graph): ReadonlyMap<string, string> {
  const all = [...states.values()];
  return new Map(
    all.map(({ file, name }) => [file, all.some((other) => other.file !== file && other.name === name) ? file : name]),
  );
}

function kindOf({ kind }: StateNode): NodeKind {
  return kind === 'script' ? 'script' : 'prompt';
}

/** The node of a target outside the package's states. */
function externalNode(edge: Edge): DiagramNode | undefined {
  const id = idOf(edge);
  const node = { id, isEntry: false, agents: [] };
  switch (edge.to.kind) {
    case 'missing':
      return { ...node, kind: 'missing', label: edge.to.name };
    case 'workflow':
      return { ...node, kind: 'workflow', label: edge.to.specifier };
    case 'computed':
      return { ...node, kind: 'computed', label: displayText(edge.to.text) };
    case 'state':
    case 'end':
      return undefined;
  }
}

/** A node between returns, or one that only the run has shown: another workflow, or a state whose file was deleted since. */
function runOnlyNode(id: string): DiagramNode {
  if (id.startsWith(RETURNS_NODE))
    return { id, kind: 'computed', label: 'back to its caller', isEntry: false, agents: [] };
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
  // returnsOf links results to where calls return. Another workflow's results are unknown, so its node links to the return state.
  if (role === 'return') {
    const target = mention.body?.value;
    if (!tag.endsWith('-workflow') || target === undefined) return [];
    return [{ from: workflowId(target), to: idOf(edge), kind: 'return' }];
  }
  if (to.kind === 'end') return [];
  const delay = mention.attributes.get(role === 'timeout' ? 'timeout' : 'delay')?.value;
  const note = delay === undefined ? {} : { note: displayText(delay) };
  return [{ from, to: idOf(edge), kind: linkKindOf(edge), ...note }];
}

/** The kind of link that an edge becomes. */
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

/** Links of results: to the return states of calls that may be open, and to the end if the state is reachable without a call. */
function returnsOf(graph: Graph): readonly DiagramLink[] {
  const returnsByState = returnTargets(graph);
  const uncalled = reachableFrom(graph, { from: uncalledStarts(graph), accepts: isNotCall });
  const unknown = graph.entry.kind === 'problem';
  return allEdges(graph).flatMap(({ to, from }) => {
    if (to.kind !== 'end') return [];
    const returns = [...(returnsByState.get(from) ?? [])].map((back): DiagramLink => ({
      from,
      to: back,
      kind: 'return',
    }));
    const ends = uncalled.has(from) || returns.length === 0 || unknown;
    return ends ? [...returns, { from, to: END, kind: 'result' }] : returns;
  });
}

/** The states at which an agent can start outside any call. */
function uncalledStarts(graph: Graph): readonly string[] {
  const forked = allEdges(graph).flatMap(({ tag, role, to }) =>
    tag === 'fork' && role === 'target' && to.kind === 'state' ? [to.file] : [],
  );
  return graph.entry.kind === 'state' ? [graph.entry.file, ...forked] : forked;
}

function isNotCall({ tag, role }: Edge): boolean {
  return !(role === 'target' && (tag === 'call' || tag === 'function' || tag === 'fork'));
}

/** For each state, the return states of the calls during which it may run. */
function returnTargets(graph: Graph): ReadonlyMap<string, ReadonlySet<string>> {
  const targets = new Map<string, Set<string>>();
  const edges = allEdges(graph);
  for (const call of edges) {
    if (call.role !== 'target' || call.to.kind !== 'state' || (call.tag !== 'call' && call.tag !== 'function'))
      continue;
    const returnEdge = edges.find(({ role, mention }) => role === 'return' && mention === call.mention);
    if (returnEdge === undefined) continue;
    for (const file of reachableFrom(graph, { from: [call.to.file], accepts: isNotCall }))
      targets.set(file, (targets.get(file) ?? new Set()).add(idOf(returnEdge)));
  }
  return targets;
}

/** The prefix of the ids of nodes between the results and the return states of calls. */
const RETURNS_NODE = `${COMPUTED_NODE}returns `;

/** With this many return states, the returns of several states are drawn through one node. */
const MANY_RETURNS = 3;

/** Several states that may return to the same many states share one node: m + n links instead of m × n. */
function bundled(links: readonly DiagramLink[]): readonly DiagramLink[] {
  const targets = new Map<string, string[]>();
  for (const { from, to, kind } of links) if (kind === 'return') targets.set(from, [...(targets.get(from) ?? []), to]);
  const sources = new Map<string, string[]>();
  for (const [from, to] of targets) {
    const key = to.toSorted().join('\n');
    if (to.length >= MANY_RETURNS) sources.set(key, [...(sources.get(key) ?? []), from]);
  }
  const bundles = [...sources].filter(([, from]) => from.length > 1);
  const hubs = new Map(
    bundles.flatMap(([, from], index) => from.map((one) => [one, `${RETURNS_NODE}${index}`] as const)),
  );
  const direct = links.filter(({ from, kind }) => kind !== 'return' || !hubs.has(from));
  const into = [...hubs].map(([from, to]): DiagramLink => ({ from, to, kind: 'return' }));
  const outOf = bundles.flatMap(([key], index) =>
    key.split('\n').map((to): DiagramLink => ({ from: `${RETURNS_NODE}${index}`, to, kind: 'return' })),
  );
  return [...direct, ...into, ...outOf];
}

function merged(links: readonly DiagramLink[]): readonly DiagramLink[] {
  const byKey = new Map<string, DiagramLink>();
  for (const link of links) {
    const before = byKey.get(linkKey(link));
    byKey.set(linkKey(link), before?.note === undefined ? link : before);
  }
  return [...byKey.values()];
}

/** Adds the run's counts, and links that only the run shows. A computed link is replaced by the links that it resolved to. */
function marked(links: readonly DiagramLink[], marks: RunMarks | undefined): readonly DiagramLink[] {
  if (marks === undefined) return links;
  const counts = new Map(marks.taken.map((link) => [linkKey(link), link.count]));
  const known = new Set(links.map(linkKey));
  const runOnly = marks.taken.filter((link) => !known.has(linkKey(link)));
  const computed = links.filter(({ to }) => to.startsWith(COMPUTED_NODE));
  const resolved = new Set(
    computed.filter(({ from, kind }) => runOnly.some((link) => link.from === from && link.kind === kind)),
  );
  const listed = links
    .filter((link) => !resolved.has(link))
    .map((link) => ({ ...link, count: counts.get(linkKey(link)) ?? 0 }));
  return [...listed, ...runOnly];
}
