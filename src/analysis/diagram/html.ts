// Renders a diagram as one self-contained HTML page: the picture, a table of transitions, and the text of every state. No script.
import type { Diagram } from './parts.js';
import { svgOf } from './svg.js';
import { NODE_WORDS, escapedXml, linkRows } from './words.js';

/** What the page shows besides the diagram. */
interface PageOptions {
  /** The text of a state's file. */
  readonly textOf: (file: string) => string | undefined;
  readonly description?: string | undefined;
}

const STYLE = [
  ':root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;margin:0;padding:1.5rem 2rem;max-width:76rem;background:#fff;color:#1e293b}',
  'h1{font-size:1.4rem;margin:0 0 .3rem}h2{font-size:1.05rem;margin:2rem 0 .6rem}.picture{overflow:auto}.picture svg{max-width:none}',
  'table{border-collapse:collapse}th,td{text-align:left;padding:.2rem .9rem .2rem 0;border-bottom:1px solid #e2e8f0}',
  'details{margin:.3rem 0;border:1px solid #e2e8f0;border-radius:6px;padding:.3rem .8rem}details:target{border-color:#1d4ed8}summary{cursor:pointer;font-weight:600}summary span{font-weight:400;opacity:.7}',
  'pre{white-space:pre-wrap;overflow-wrap:anywhere;font:13px/1.5 ui-monospace,monospace}',
  '@media (prefers-color-scheme:dark){body{background:#0f172a;color:#e2e8f0}th,td,details{border-color:#334155}}',
].join('\n');

/** Renders the page. */
export function htmlOf(diagram: Diagram, { textOf, description }: PageOptions): string {
  const anchors = new Map(
    diagram.nodes.flatMap(({ file }, index) => (file === undefined ? [] : [[file, `state-${index + 1}`] as const])),
  );
  const svg = svgOf(diagram, { href: ({ file }) => (file === undefined ? undefined : `#${anchors.get(file) ?? ''}`) });
  const rows = linkRows(diagram).map(
    (cells) => `<tr>${cells.map((cell) => `<td>${escapedXml(cell)}</td>`).join('')}</tr>`,
  );
  const states = diagram.nodes.flatMap(({ file, kind }) => {
    if (file === undefined) return [];
    const summary = `<summary>${escapedXml(file)} <span>${NODE_WORDS[kind]}</span></summary>`;
    return [
      `<details id="${anchors.get(file) ?? ''}">${summary}<pre>${escapedXml(textOf(file) ?? '')}</pre></details>`,
    ];
  });
  return [
    '<!doctype html>',
    '<html lang="en">',
    `<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapedXml(diagram.title)}</title><style>${STYLE}</style></head>`,
    '<body>',
    `<h1>${escapedXml(diagram.title)}</h1>`,
    ...(description === undefined ? [] : [`<p>${escapedXml(description)}</p>`]),
    `<div class="picture">${svg}</div>`,
    '<h2>How the states follow each other</h2>',
    `<table><thead><tr><th scope="col">From</th><th scope="col">What</th><th scope="col">To</th></tr></thead><tbody>${rows.join('\n')}</tbody></table>`,
    '<h2>The states</h2>',
    ...states,
    '</body>',
    '</html>',
  ].join('\n');
}
