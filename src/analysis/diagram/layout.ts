// Where the parts of a diagram lie: dagre puts them in layers, our shapes get the room that they need. All lengths are pixels.
import dagre from '@dagrejs/dagre';
import stringWidth from 'string-width';
import { clip, visible } from '../../protocol/text.js';
import type { Diagram, DiagramLink, DiagramNode } from './parts.js';
import { linkLabel } from './words.js';

/** A point. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A node where it lies: its middle, its size, and the text in it. */
export interface PlacedNode extends Point {
  readonly node: DiagramNode;
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

/** A link where it lies: its corners, and the middle of its label. */
export interface PlacedLink {
  readonly link: DiagramLink;
  readonly points: readonly Point[];
  readonly label: Point & { readonly text: string; readonly width: number };
}

/** A diagram with its places. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly links: readonly PlacedLink[];
  /** From where the entry is shown to be one. */
  readonly begin?: Point;
}

const MARGIN = 24;
const NODE_HEIGHT = 36;
const BADGE_HEIGHT = 18;
const CHARACTER = 7.8;
const SMALL_CHARACTER = 6.4;
const LONGEST = 40;
/** Room above the entry for what shows that it is one. */
const BEGIN = 34;

/** What we use of dagre, whose own types cannot be read by a module of Node. */
interface DagreGraph {
  setGraph(options: Readonly<Record<string, string | number>>): void;
  setNode(id: string, size: object): void;
  setEdge(from: string, to: string, size: object, name: string): void;
  node(id: string): Partial<Point> | undefined;
  edge(from: string, to: string, name: string): Way | undefined;
  graph(): { readonly width?: number; readonly height?: number };
}
const { graphlib, layout } = dagre as unknown as {
  readonly graphlib: { readonly Graph: new (options: { readonly multigraph: boolean }) => DagreGraph };
  readonly layout: (graph: DagreGraph) => void;
};

/** Lays a diagram out. */
export function layoutOf(diagram: Diagram): Layout {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 36, edgesep: 18, ranksep: 52, marginx: MARGIN, marginy: MARGIN + BEGIN });
  for (const node of diagram.nodes) graph.setNode(node.id, sizeOf(node));
  for (const [index, link] of diagram.links.entries()) {
    const width = linkLabel(link).length * SMALL_CHARACTER + 8;
    graph.setEdge(link.from, link.to, { width, height: 16, labelpos: 'c', weight: weightOf(link) }, String(index));
  }
  layout(graph);
  const nodes = diagram.nodes.map((node): PlacedNode => {
    const { x = 0, y = 0 } = graph.node(node.id) ?? {};
    return { node, ...sizeOf(node), text: textOf(node), x, y };
  });
  const links = diagram.links.map((link, index) => {
    const way = graph.edge(link.from, link.to, String(index)) ?? {};
    const own = nodes.find(({ node }) => link.from === link.to && node.id === link.from);
    const before = diagram.links.slice(0, index).filter(({ from, to }) => from === link.from && to === link.to).length;
    return placedLink(link, own === undefined ? way : loopAt(own, { way, before }));
  });
  const { width = 0, height = 0 } = graph.graph();
  const entry = nodes.find(({ node }) => node.isEntry);
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes,
    links,
    ...(entry === undefined ? {} : { begin: { x: entry.x, y: entry.y - entry.height / 2 - BEGIN } }),
  };
}

interface Way {
  readonly points?: readonly Point[];
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
}

function placedLink(link: DiagramLink, { points = [], x = 0, y = 0 }: Way): PlacedLink {
  const text = linkLabel(link);
  return { link, points, label: { x, y, text, width: text.length * SMALL_CHARACTER + 8 } };
}

/**
 * A way that leads back to its own node: dagre keeps room for its label to the right of the node, but draws no loop. `before` = how many loops
 * the node has already; each goes round those.
 */
function loopAt(node: PlacedNode, { way, before }: { readonly way: Way; readonly before: number }): Way {
  const { x = 0, width = 0 } = way;
  const [leaves, bends] = [6 + 4 * before, 20 + 14 * before];
  const right =
    node.x + node.width / 2 - (node.node.kind === 'script' ? (slantOf(node) * leaves * 2) / node.height : 0);
  const far = x - width / 2;
  const points = [
    { x: right, y: node.y - leaves },
    { x: far, y: node.y - bends },
    { x: far, y: node.y + bends },
    { x: right, y: node.y + leaves },
  ];
  return { points, x: x + LABEL_GAP, y: node.y };
}

/** Between a loop and its label. */
const LABEL_GAP = 2;

/** How far the sides of a script's shape lean in. */
export function slantOf({ height }: Pick<PlacedNode, 'height'>): number {
  return Math.min(12, height / 3);
}

/** What leads on is drawn straight rather than what leads back. */
function weightOf({ kind }: DiagramLink): number {
  return kind === 'return' || kind === 'timeout' || kind === 'result' ? 1 : 3;
}

function textOf({ label, kind }: DiagramNode): string {
  return kind === 'end' ? '' : clip(visible(label), LONGEST);
}

function sizeOf(node: DiagramNode): { readonly width: number; readonly height: number } {
  if (node.kind === 'end') return { width: 26, height: 26 };
  const words = stringWidth(textOf(node)) * CHARACTER;
  const badge = node.agents.length === 0 ? 0 : stringWidth(badgeOf(node)) * SMALL_CHARACTER;
  const room = node.kind === 'script' ? 44 : 32;
  return {
    width: Math.max(64, Math.ceil(Math.max(words, badge) + room)),
    height: NODE_HEIGHT + (badge > 0 ? BADGE_HEIGHT : 0),
  };
}

/** The agents at a node, as far as there is room. */
export function badgeOf({ agents }: DiagramNode): string {
  const names = agents.slice(0, 3).join(', ');
  return agents.length > 3 ? `${names} and ${agents.length - 3} more` : names;
}
