// Renders a diagram as Mermaid or DOT. Names come from files and tags, so every character that either language
// could interpret is escaped.
import { visible } from '../../protocol/text.js';
import type { Diagram, DiagramLink, DiagramNode, LinkKind, NodeKind } from './parts.js';
import { linkLabel } from './words.js';

/** Dashed links: they start or end a conversation, or start another agent. */
const DASHED: ReadonlySet<LinkKind> = new Set(['reset', 'fork', 'return', 'timeout']);

const MERMAID: Readonly<Record<NodeKind, readonly [string, string]>> = {
  prompt: ['["', '"]'],
  script: ['{{"', '"}}'],
  workflow: ['[["', '"]]'],
  missing: ['["', '"]'],
  computed: ['("', '")'],
  end: ['((("', '")))'],
};

/** The diagram as a Mermaid flowchart. */
export function mermaidOf(diagram: Diagram): string {
  const ids = idsOf(diagram);
  const nodes = diagram.nodes.map(
    (node) => `  ${idIn(ids, node.id)}${MERMAID[node.kind].join(mermaidText(labelOf(node)))}`,
  );
  const entry = diagram.nodes.find(({ isEntry }) => isEntry);
  const begin = entry === undefined ? [] : ['  begin((" "))', `  begin --> ${idIn(ids, entry.id)}`];
  const links = diagram.links.map((link) => {
    const arrow = DASHED.has(link.kind) ? '-.->' : '-->';
    return `  ${idIn(ids, link.from)} ${arrow}|"${mermaidText(linkLabel(link))}"| ${idIn(ids, link.to)}`;
  });
  const classes = [
    ...classOf(diagram, ids, { name: 'missing', style: 'stroke-dasharray:5 5', has: ({ kind }) => kind === 'missing' }),
    ...classOf(diagram, ids, { name: 'here', style: 'stroke-width:4px', has: ({ agents }) => agents.length > 0 }),
  ];
  return ['flowchart TD', ...nodes, ...begin, ...links, ...classes].join('\n');
}

function classOf(
  { nodes }: Diagram,
  ids: ReadonlyMap<string, string>,
  { name, style, has }: { readonly name: string; readonly style: string; readonly has: (node: DiagramNode) => boolean },
): readonly string[] {
  const marked = nodes.filter(has).map(({ id }) => idIn(ids, id));
  return marked.length === 0 ? [] : [`  classDef ${name} ${style}`, `  class ${marked.join(',')} ${name}`];
}

function idsOf({ nodes }: Diagram): ReadonlyMap<string, string> {
  return new Map(nodes.map(({ id }, index) => [id, `n${index + 1}`]));
}

function idIn(ids: ReadonlyMap<string, string>, id: string): string {
  return ids.get(id) ?? 'n0';
}

function labelOf({ kind, label, agents }: DiagramNode): string {
  if (kind === 'end') return ' ';
  return agents.length === 0 ? label : `${label}\n● ${agents.join(', ')}`;
}

/** Encodes everything except letters, digits and a few signs as Mermaid entities. */
function mermaidText(text: string): string {
  const lines = visible(text).split('\n');
  return lines
    .map((line) => line.replace(/[^\p{L}\p{N} ._,:;×●→…/-]/gu, (sign) => `#${sign.codePointAt(0) ?? 0};`))
    .join('<br/>');
}

const DOT: Readonly<Record<NodeKind, string>> = {
  prompt: 'shape=box',
  script: 'shape=hexagon',
  workflow: 'shape=component',
  missing: 'shape=box style=dashed',
  computed: 'shape=box style=rounded',
  end: 'shape=doublecircle width=0.2',
};

/** The diagram as a DOT graph. */
export function dotOf(diagram: Diagram): string {
  const ids = idsOf(diagram);
  const nodes = diagram.nodes.map((node) => {
    const pen = node.agents.length > 0 ? ' penwidth=3' : '';
    return `  ${idIn(ids, node.id)} [label=${dotText(labelOf(node))} ${DOT[node.kind]}${pen}]`;
  });
  const entry = diagram.nodes.find(({ isEntry }) => isEntry);
  const begin =
    entry === undefined ? [] : ['  begin [label="" shape=circle width=0.2]', `  begin -> ${idIn(ids, entry.id)}`];
  const links = diagram.links.map((link) => `  ${idIn(ids, link.from)} -> ${idIn(ids, link.to)} [${dotLink(link)}]`);
  return [
    `digraph ${dotText(diagram.title)} {`,
    '  node [fontname="sans-serif"]',
    '  edge [fontname="sans-serif"]',
    ...nodes,
    ...begin,
    ...links,
    '}',
  ].join('\n');
}

function dotLink(link: DiagramLink): string {
  return `label=${dotText(linkLabel(link))}${DASHED.has(link.kind) ? ' style=dashed' : ''}`;
}

function dotText(text: string): string {
  return `"${visible(text).replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}
