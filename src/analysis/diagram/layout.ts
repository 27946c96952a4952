// Computes the layout of a diagram: dagre arranges the nodes in layers, sized to fit our shapes. All lengths are pixels.
import dagre from '@dagrejs/dagre';
import stringWidth from 'string-width';
import { clip, visible } from '../../protocol/text.js';
import type { Diagram, DiagramLink, DiagramNode } from './parts.js';
import { linkLabel } from './words.js';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A node with its center, its size and its text. */
export interface PositionedNode extends Point {
  readonly node: DiagramNode;
  readonly width: number;
  readonly height: number;
  readonly text: string;
}

/** A link with its corners and the center of its label. */
export interface PositionedLink {
  readonly link: DiagramLink;
  readonly points: readonly Point[];
  readonly label: Point & { readonly text: string; readonly width: number };
}

/** A diagram with the coordinates of its parts. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PositionedNode[];
  readonly links: readonly PositionedLink[];
  /** Where the arrow to the entry point starts. */
  readonly start?: Point;
}

const MARGIN = 24;
const NODE_HEIGHT = 36;
const BADGE_HEIGHT = 18;
const CHARACTER_WIDTH = 7.8;
const SMALL_CHARACTER_WIDTH = 6.4;
const MAX_LABEL_LENGTH = 40;
/** Room above the entry point for the mark and its arrow. */
const START_HEIGHT = 34;

/** The part of dagre that we use; Node's module resolution cannot read its own types. */
interface DagreGraph {
  setGraph(options: Readonly<Record<string, string | number>>): void;
  setNode(id: string, size: object): void;
  setEdge(from: string, to: string, size: object, name: string): void;
  node(id: string): Partial<Point> | undefined;
  edge(from: string, to: string, name: string): EdgeRoute | undefined;
  graph(): { readonly width?: number; readonly height?: number };
}
const { graphlib, layout } = dagre as unknown as {
  readonly graphlib: { readonly Graph: new (options: { readonly multigraph: boolean }) => DagreGraph };
  readonly layout: (graph: DagreGraph) => void;
};

/** Computes the layout of a diagram. */
export function layoutOf(diagram: Diagram): Layout {
  const graph = new graphlib.Graph({ multigraph: true });
  graph.setGraph({
    rankdir: 'TB',
    nodesep: 36,
    edgesep: 18,
    ranksep: 52,
    marginx: MARGIN,
    marginy: MARGIN + START_HEIGHT,
  });
  for (const node of diagram.nodes) graph.setNode(node.id, sizeOf(node));
  for (const [index, link] of diagram.links.entries()) {
    const width = linkLabel(link).length * SMALL_CHARACTER_WIDTH + 8;
    graph.setEdge(link.from, link.to, { width, height: 16, labelpos: 'c', weight: weightOf(link) }, String(index));
  }
  layout(graph);
  const nodes = diagram.nodes.map((node): PositionedNode => {
    const { x = 0, y = 0 } = graph.node(node.id) ?? {};
    return { node, ...sizeOf(node), text: textOf(node), x, y };
  });
  const links = diagram.links.map((link, index) => {
    const route = graph.edge(link.from, link.to, String(index)) ?? {};
    const loopNode = nodes.find(({ node }) => link.from === link.to && node.id === link.from);
    const loopIndex = diagram.links
      .slice(0, index)
      .filter(({ from, to }) => from === link.from && to === link.to).length;
    return positionedLink(link, loopNode === undefined ? route : selfLoop(loopNode, { route, loopIndex }));
  });
  const { width = 0, height = 0 } = graph.graph();
  const entry = nodes.find(({ node }) => node.isEntry);
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes,
    links,
    ...(entry === undefined ? {} : { start: { x: entry.x, y: entry.y - entry.height / 2 - START_HEIGHT } }),
  };
}

interface EdgeRoute {
  readonly points?: readonly Point[];
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
}

function positionedLink(link: DiagramLink, { points = [], x = 0, y = 0 }: EdgeRoute): PositionedLink {
  const text = linkLabel(link);
  return { link, points, label: { x, y, text, width: text.length * SMALL_CHARACTER_WIDTH + 8 } };
}

/**
 * Draws a link from a node to itself: dagre reserves room for its label to the right of the node, but draws no loop. `loopIndex` = how many
 * loops the node already has; each one goes around those.
 */
function selfLoop(
  node: PositionedNode,
  { route, loopIndex }: { readonly route: EdgeRoute; readonly loopIndex: number },
): EdgeRoute {
  const { x = 0, width = 0 } = route;
  const [exitOffset, bendOffset] = [6 + 4 * loopIndex, 20 + 14 * loopIndex];
  const right =
    node.x + node.width / 2 - (node.node.kind === 'script' ? (slantOf(node) * exitOffset * 2) / node.height : 0);
  const outerX = x - width / 2;
  const points = [
    { x: right, y: node.y - exitOffset },
    { x: outerX, y: node.y - bendOffset },
    { x: outerX, y: node.y + bendOffset },
    { x: right, y: node.y + exitOffset },
  ];
  return { points, x: x + LABEL_GAP, y: node.y };
}

/** The space between a loop and its label. */
const LABEL_GAP = 2;

/** How far the sides of a script's hexagon lean inwards. */
export function slantOf({ height }: Pick<PositionedNode, 'height'>): number {
  return Math.min(12, height / 3);
}

/** Forward links are drawn straighter than backward ones. */
function weightOf({ kind }: DiagramLink): number {
  return kind === 'return' || kind === 'timeout' || kind === 'result' ? 1 : 3;
}

function textOf({ label, kind }: DiagramNode): string {
  return kind === 'end' ? '' : clip(visible(label), MAX_LABEL_LENGTH);
}

function sizeOf(node: DiagramNode): { readonly width: number; readonly height: number } {
  if (node.kind === 'end') return { width: 26, height: 26 };
  const words = stringWidth(textOf(node)) * CHARACTER_WIDTH;
  const badge = node.agents.length === 0 ? 0 : stringWidth(badgeOf(node)) * SMALL_CHARACTER_WIDTH;
  const padding = node.kind === 'script' ? 44 : 32;
  return {
    width: Math.max(64, Math.ceil(Math.max(words, badge) + padding)),
    height: NODE_HEIGHT + (badge > 0 ? BADGE_HEIGHT : 0),
  };
}

/** The agents at a node, up to three by name. */
export function badgeOf({ agents }: DiagramNode): string {
  const names = agents.slice(0, 3).join(', ');
  return agents.length > 3 ? `${names} and ${agents.length - 3} more` : names;
}
