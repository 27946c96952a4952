// Renders a diagram as a text tree with every link once. A repeated node is marked ↑ and not expanded again.
import type { Diagram, DiagramLink, DiagramNode, NodeKind } from './parts.js';
import { linkLabel } from './words.js';

const SHAPES: Readonly<Record<NodeKind, string>> = {
  prompt: '▭',
  script: '⬡',
  workflow: '⧉',
  missing: '✗',
  computed: '?',
  end: '●',
};

/** The tree in lines: from the entry point, then the states that it does not reach. */
export function textOf(diagram: Diagram): string {
  const tree = new Tree(diagram);
  const roots = [
    ...diagram.nodes.filter(({ isEntry }) => isEntry),
    ...diagram.nodes.filter(({ isEntry, kind }) => !isEntry && (kind === 'prompt' || kind === 'script')),
  ];
  return roots.flatMap((root) => tree.from(root)).join('\n');
}

class Tree {
  private readonly done = new Set<string>();
  private readonly nodes: ReadonlyMap<string, DiagramNode>;

  constructor(private readonly diagram: Diagram) {
    this.nodes = new Map(diagram.nodes.map((node) => [node.id, node]));
  }

  /** The lines of a node and its descendants; none if the tree already contains it. */
  from(root: DiagramNode): readonly string[] {
    if (this.done.has(root.id)) return [];
    return [`${root.isEntry ? '○ ' : ''}${nameOf(root)}`, ...this.below(root, '')];
  }

  private below({ id }: DiagramNode, indent: string): readonly string[] {
    this.done.add(id);
    const links = this.diagram.links.filter(({ from }) => from === id);
    return links.flatMap((link, index) => this.branch(link, { indent, isLast: index === links.length - 1 }));
  }

  private branch(
    link: DiagramLink,
    { indent, isLast }: { readonly indent: string; readonly isLast: boolean },
  ): readonly string[] {
    const to = this.nodes.get(link.to);
    if (to === undefined) return [];
    const known = this.done.has(to.id) && to.kind !== 'end';
    const line = `${indent}${isLast ? '└─' : '├─'} ${linkLabel(link)} → ${nameOf(to)}${known ? ' ↑' : ''}`;
    return this.done.has(to.id) ? [line] : [line, ...this.below(to, `${indent}${isLast ? '   ' : '│  '}`)];
  }
}

function nameOf({ kind, label, agents }: DiagramNode): string {
  const here = agents.length === 0 ? '' : `  ◀ ${agents.join(', ')}`;
  return kind === 'end' ? `${SHAPES.end}${here}` : `${SHAPES[kind]} ${label}${here}`;
}
