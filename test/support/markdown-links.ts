// The links of a Markdown page, and what they may point at: headings by the anchors that GitHub and the docs site give them.
import { fencedBlocks } from './fenced-blocks.js';
import { anchorOf } from '../../scripts/docs/markdown.mjs';

/** The targets of all links and images in the text of a page, blocks and code left out. */
export function linksOf(page: string): readonly string[] {
  const text = withoutBlocks(page).replace(/`[^`\n]*`/g, 'code');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link ?? '');
}

/** The anchors of all headings of a page. */
export function anchorsOf(page: string): readonly string[] {
  return [...withoutBlocks(page).matchAll(/^#+ +(.*)$/gm)].map(([, heading]) => anchorOf(heading ?? ''));
}

function withoutBlocks(page: string): string {
  const lines = page.split('\n');
  for (const { line, text } of fencedBlocks(page)) lines.fill('', line - 1, line + text.split('\n').length);
  return lines.join('\n');
}
