// The words of a diagram: what stands beside a link, how a node is named where nothing is drawn, and how either is written in SVG and HTML:
// names come from files and tags, and nothing of them may become markup.
import { visible } from '../../protocol/text.js';
import type { Diagram, DiagramLink, DiagramNode, LinkKind, NodeKind } from './parts.js';

/** How links are called. */
export const LINK_WORDS: Readonly<Record<LinkKind, string>> = {
  goto: 'goto',
  reset: 'reset',
  call: 'call',
  function: 'function',
  return: 'returns to',
  fork: 'fork',
  next: 'goes on at',
  ask: 'ask, answered',
  timeout: 'timeout',
  await: 'await',
  result: 'result',
};

/** How nodes are called. */
export const NODE_WORDS: Readonly<Record<NodeKind, string>> = {
  prompt: 'prompt',
  script: 'script',
  workflow: 'another workflow',
  missing: 'missing',
  computed: 'known when it runs',
  end: 'end',
};

/** What stands beside a link. */
export function linkLabel({ kind, note, count }: DiagramLink): string {
  const words = note === undefined ? LINK_WORDS[kind] : `${LINK_WORDS[kind]} (${note})`;
  return count === undefined || count === 0 ? words : `${words} ×${count}`;
}

/** A node in a sentence. */
export function nodeTitle({ label, kind, isEntry, agents }: DiagramNode): string {
  const entry = isEntry ? ', a run begins here' : '';
  const here = agents.length === 0 ? '' : `; here: ${agents.join(', ')}`;
  return `${label} (${NODE_WORDS[kind]}${entry})${here}`;
}

/** The links as rows: from, what, to. */
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

/** The text as it stands in an element or a quoted attribute. */
export function escapedXml(text: string): string {
  return visible(text).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}
