// The labels of a diagram: of links, of node and link kinds, of nodes in plain text. Names come from files and tags, so SVG and HTML escape
// them.
import { visible } from '../../protocol/text.js';
import type { Diagram, DiagramLink, DiagramNode, LinkKind, NodeKind } from './parts.js';

/** The label of each kind of link. */
export const LINK_WORDS: Readonly<Record<LinkKind, string>> = {
  goto: 'goto',
  reset: 'reset',
  call: 'call',
  function: 'function',
  return: 'returns to',
  fork: 'fork',
  next: 'continues at',
  ask: 'ask, answered',
  timeout: 'timeout',
  await: 'await',
  result: 'result',
};

/** The name of each kind of node. */
export const NODE_WORDS: Readonly<Record<NodeKind, string>> = {
  prompt: 'prompt',
  script: 'script',
  workflow: 'another workflow',
  missing: 'missing',
  computed: 'known only at run time',
  end: 'end',
};

/** The label of a link, with its wait and its count. */
export function linkLabel({ kind, note, count }: DiagramLink): string {
  const words = note === undefined ? LINK_WORDS[kind] : `${LINK_WORDS[kind]} (${note})`;
  return count === undefined || count === 0 ? words : `${words} ×${count}`;
}

/** A node as plain text. */
export function nodeTitle({ label, kind, isEntry, agents }: DiagramNode): string {
  const entry = isEntry ? ', entry point' : '';
  const here = agents.length === 0 ? '' : `; agents here: ${agents.join(', ')}`;
  return `${label} (${NODE_WORDS[kind]}${entry})${here}`;
}

/** The links as table rows. */
export function linkRows({ nodes, links }: Diagram): readonly (readonly [from: string, what: string, to: string])[] {
  const labels = new Map(nodes.map(({ id, label }) => [id, label]));
  return links.map((link) => [labels.get(link.from) ?? link.from, linkLabel(link), labels.get(link.to) ?? link.to]);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or a quoted attribute. */
export function escapedXml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
