// Renders a diagram as SVG: shapes show the kind of state, strokes the kind of transition; titles and a table serve screen readers.
import type { Diagram, DiagramNode, LinkKind } from './parts.js';
import {
  badgeOf,
  layoutOf,
  slantOf,
  type Layout,
  type PositionedLink,
  type PositionedNode,
  type Point,
} from './layout.js';
import { LINK_WORDS, NODE_WORDS, escapedXml, linkLabel, linkRows, nodeTitle } from './words.js';

/** `href` gives the link of a node; with `boxes`, each state gets `data-file` and `data-box` (`x y width height`) attributes. */
interface SvgOptions {
  readonly href?: (node: DiagramNode) => string | undefined;
  readonly boxes?: boolean;
}

/** The stroke of each kind of link: its colour (a class), its dashes, its width. */
const STROKES: Readonly<Record<LinkKind, { readonly dashes?: string; readonly width?: number }>> = {
  goto: {},
  next: {},
  reset: { dashes: '9 4' },
  call: { width: 2.4 },
  function: { width: 2.4, dashes: '12 3' },
  return: { dashes: '2 4' },
  fork: { dashes: '6 4' },
  ask: {},
  timeout: { dashes: '2 4' },
  await: { dashes: '10 3 2 3' },
  result: {},
};

/** The diagram as an SVG document. */
export function svgOf(diagram: Diagram, { href, boxes = false }: SvgOptions = {}): string {
  const layout = layoutOf(diagram);
  const legend = legendOf(diagram, layout);
  const [width, height] = [Math.max(layout.width, legend.width), layout.height + legend.height];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" class="raymond" role="group" aria-labelledby="raymond-title">`,
    `<title id="raymond-title">${escapedXml(`The states of ${diagram.title}`)}</title>`,
    `<style>${STYLE}</style>`,
    `<defs>${(Object.keys(STROKES) as LinkKind[]).map(markerOf).join('')}</defs>`,
    ...(layout.start === undefined ? [] : [startMarker(layout)]),
    ...layout.links.map((link) => linkOf(link, diagram)),
    ...layout.links.map(labelOf),
    ...layout.nodes.map((node) => linked(nodeOf(node, boxes ? boxAttributes(node) : ''), href?.(node.node))),
    legend.svg,
    tableOf(diagram),
    '</svg>',
  ].join('\n');
}

const STYLE = [
  '.raymond{background:#fff;color:#1e293b;font:13px system-ui,sans-serif}',
  '.raymond .shape{fill:#f8fafc;stroke:#475569;stroke-width:1.5}.raymond .script{fill:#ecfdf5;stroke:#047857}.raymond .prompt{fill:#eff6ff;stroke:#1d4ed8}',
  '.raymond .workflow{fill:#faf5ff;stroke:#7e22ce}.raymond .missing{fill:#fef2f2;stroke:#b91c1c;stroke-dasharray:5 4}.raymond .computed{fill:#fffbeb;stroke:#b45309;stroke-dasharray:2 3}',
  '.raymond .end{fill:none;stroke:#1e293b}.raymond .dot{fill:#1e293b}.raymond .here{stroke-width:3.5;stroke:#1d4ed8}.raymond .shape.stopped{stroke:#b91c1c}.raymond .badge{fill:#1d4ed8;font-size:11px;font-weight:600}.raymond .badge.stopped{fill:#b91c1c}',
  '.raymond text{fill:#1e293b;text-anchor:middle;dominant-baseline:central}.raymond .way{fill:none;stroke-width:1.5}.raymond .label{font-size:11px}.raymond .halo{fill:#fff;opacity:.88}',
  '.raymond .goto,.raymond .next{stroke:#334155;--k:#334155}.raymond .reset{stroke:#0f766e;--k:#0f766e}.raymond .call,.raymond .function,.raymond .return{stroke:#7e22ce;--k:#7e22ce}',
  '.raymond .fork{stroke:#c2410c;--k:#c2410c}.raymond .await{stroke:#c2410c;--k:#c2410c}.raymond .ask{stroke:#0369a1;--k:#0369a1}.raymond .timeout{stroke:#b91c1c;--k:#b91c1c}.raymond .result{stroke:#64748b;--k:#64748b}',
  '.raymond .taken{stroke-width:3}.raymond a:hover .shape,.raymond a:focus .shape{stroke-width:3}.raymond .legend text{text-anchor:start;font-size:11px}.raymond .table{opacity:0;font-size:1px;pointer-events:none}',
  '@media (prefers-color-scheme:dark){.raymond{background:#0f172a}.raymond text,.raymond .dot{fill:#e2e8f0}.raymond .end{stroke:#e2e8f0}.raymond .halo{fill:#0f172a}.raymond .shape{fill:#1e293b}.raymond .script{fill:#052e2b;stroke:#34d399}.raymond .prompt{fill:#172554;stroke:#93c5fd}.raymond .workflow{fill:#3b0764;stroke:#d8b4fe}.raymond .missing{fill:#450a0a;stroke:#fca5a5}.raymond .computed{fill:#451a03;stroke:#fcd34d}.raymond .here{stroke:#93c5fd}.raymond .badge{fill:#93c5fd}.raymond .shape.stopped{stroke:#fca5a5}.raymond .badge.stopped{fill:#fca5a5}.raymond .goto,.raymond .next{stroke:#cbd5e1;--k:#cbd5e1}.raymond .reset{stroke:#5eead4;--k:#5eead4}.raymond .call,.raymond .function,.raymond .return{stroke:#d8b4fe;--k:#d8b4fe}.raymond .fork,.raymond .await{stroke:#fdba74;--k:#fdba74}.raymond .ask{stroke:#7dd3fc;--k:#7dd3fc}.raymond .timeout{stroke:#fca5a5;--k:#fca5a5}.raymond .result{stroke:#94a3b8;--k:#94a3b8}}',
].join('\n');

function markerOf(kind: LinkKind): string {
  return `<marker id="raymond-${kind}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="${kind}" d="M0 0.5 9.5 5 0 9.5z" style="fill:var(--k);stroke:none"/></marker>`;
}

function startMarker({ start, nodes }: Layout): string {
  const entry = nodes.find(({ node }) => node.isEntry);
  if (start === undefined || entry === undefined) return '';
  const top = entry.y - entry.height / 2 - 2;
  return `<circle class="shape end" cx="${start.x}" cy="${start.y}" r="7"/><path class="way goto" marker-end="url(#raymond-goto)" d="M${start.x} ${start.y + 8}V${top}"/>`;
}

function strokeOf(kind: LinkKind): string {
  const { dashes, width } = STROKES[kind];
  return `${dashes === undefined ? '' : ` stroke-dasharray="${dashes}"`}${width === undefined ? '' : ` style="stroke-width:${width}"`}`;
}

function linkOf({ link, points }: PositionedLink, { nodes }: Diagram): string {
  const name = (id: string): string => nodes.find((node) => node.id === id)?.label ?? id;
  const title = escapedXml(`${name(link.from)}: ${linkLabel(link)} ${name(link.to)}`);
  const taken = link.count !== undefined && link.count > 0 ? ' taken' : '';
  return `<g><title>${title}</title><path class="way ${link.kind}${taken}"${strokeOf(link.kind)} marker-end="url(#raymond-${link.kind})" d="${curve(points)}"/></g>`;
}

/** A smooth path through the corners. */
function curve(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return '';
  const parts = [`M${at(first)}`];
  for (const [index, corner] of rest.entries()) {
    const next = rest[index + 1];
    if (next === undefined) parts.push(`L${at(corner)}`);
    else parts.push(`Q${at(corner)} ${at({ x: (corner.x + next.x) / 2, y: (corner.y + next.y) / 2 })}`);
  }
  return parts.join('');
}

function at({ x, y }: Point): string {
  return `${round(x)} ${round(y)}`;
}

function round(length: number): number {
  return Math.round(length * 10) / 10;
}

function labelOf({ label: { x, y, text, width } }: PositionedLink): string {
  const halo = `<rect class="halo" x="${round(x - width / 2)}" y="${round(y - 8)}" width="${round(width)}" height="16" rx="3"/>`;
  return `<g aria-hidden="true">${halo}<text class="label" x="${round(x)}" y="${round(y)}">${escapedXml(text)}</text></g>`;
}

function linked(drawn: string, href: string | undefined): string {
  return href === undefined ? drawn : `<a href="${escapedXml(href)}">${drawn}</a>`;
}

/** Lets a page place overlays on the states. */
function boxAttributes({ node: { file }, x, y, width, height }: PositionedNode): string {
  const box = [x - width / 2, y - height / 2, width, height].map(round).join(' ');
  return file === undefined ? '' : ` data-file="${escapedXml(file)}" data-box="${box}"`;
}

function nodeOf(positioned: PositionedNode, attributes: string): string {
  const { node, x, y, text } = positioned;
  const middle = node.agents.length === 0 ? y : y - 9;
  const stopped = node.isStopped === true ? ' stopped' : '';
  const badge =
    node.agents.length === 0
      ? ''
      : `<text class="badge${stopped}" x="${round(x)}" y="${round(y + 11)}">${node.isStopped === true ? '✗' : '●'} ${escapedXml(badgeOf(node))}</text>`;
  const words = text === '' ? '' : `<text x="${round(x)}" y="${round(middle)}">${escapedXml(text)}</text>`;
  return `<g${attributes} role="img" aria-label="${escapedXml(nodeTitle(node))}"><title>${escapedXml(nodeTitle(node))}</title>${shapeOf(positioned)}${words}${badge}</g>`;
}

function shapeOf(positioned: PositionedNode): string {
  const { node, x, y, width, height } = positioned;
  const slant = round(slantOf(positioned));
  const [left, top, right, bottom] = [x - width / 2, y - height / 2, x + width / 2, y + height / 2].map(round) as [
    number,
    number,
    number,
    number,
  ];
  const kind = `shape ${node.kind}${node.agents.length > 0 ? ' here' : ''}${node.isStopped === true ? ' stopped' : ''}`;
  const box = `x="${left}" y="${top}" width="${width}" height="${height}"`;
  switch (node.kind) {
    case 'end':
      return `<circle class="${kind}" cx="${round(x)}" cy="${round(y)}" r="11"/><circle class="dot" cx="${round(x)}" cy="${round(y)}" r="6"/>`;
    case 'script':
      return `<path class="${kind}" d="M${left + slant} ${top}H${right - slant}L${right} ${round(y)} ${right - slant} ${bottom}H${left + slant}L${left} ${round(y)}z"/>`;
    case 'workflow':
      return `<rect class="${kind}" ${box}/><path class="${kind}" d="M${left + 7} ${top}V${bottom}M${right - 7} ${top}V${bottom}"/>`;
    case 'computed':
      return `<rect class="${kind}" ${box} rx="${height / 2}"/>`;
    case 'prompt':
    case 'missing':
      return `<rect class="${kind}" ${box} rx="6"/>`;
  }
}

/** Explains the strokes and shapes that the diagram uses. */
function legendOf(
  { links, nodes }: Diagram,
  { height }: Layout,
): { readonly svg: string; readonly height: number; readonly width: number } {
  const kinds = (Object.keys(STROKES) as LinkKind[]).filter((kind) => links.some((link) => link.kind === kind));
  const shapes = [...new Set(nodes.map(({ kind }) => kind))];
  const lines = kinds.map((kind, index) => {
    const [x, y] = [24 + (index % 4) * 118, height + 8 + Math.floor(index / 4) * 20];
    return `<path class="way ${kind}"${strokeOf(kind)} marker-end="url(#raymond-${kind})" d="M${x} ${y}h26"/><text x="${x + 34}" y="${y}">${LINK_WORDS[kind]}</text>`;
  });
  const rows = Math.ceil(kinds.length / 4);
  const boxes = shapes
    .filter((kind) => kind !== 'end')
    .map((kind, index) => {
      const [x, y] = [24 + (index % 4) * 118, height + 12 + (rows + Math.floor(index / 4)) * 20];
      const shape = shapeOf({
        node: { id: '', kind, label: '', isEntry: false, agents: [] },
        x: x + 13,
        y,
        width: 26,
        height: 12,
        text: '',
      });
      return `${shape}<text x="${x + 34}" y="${y}">${NODE_WORDS[kind]}</text>`;
    });
  const rowCount = rows + Math.ceil(boxes.length / 4);
  const columns = Math.min(4, Math.max(kinds.length, boxes.length));
  return {
    svg: `<g class="legend" aria-hidden="true">${lines.join('')}${boxes.join('')}</g>`,
    height: rowCount * 20 + 24,
    width: 24 + columns * 118 + 24,
  };
}

/** Invisible, for screen readers. */
function tableOf(diagram: Diagram): string {
  const rows = linkRows(diagram).map(
    (cells) => `<g role="row">${cells.map((cell) => `<text role="cell">${escapedXml(cell)}</text>`).join('')}</g>`,
  );
  return `<g class="table" role="table" aria-label="${escapedXml(`How the states of ${diagram.title} follow each other`)}">${rows.join('')}</g>`;
}
