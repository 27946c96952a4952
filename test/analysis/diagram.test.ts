// The diagram of a package in all formats: each shows every kind of transition, and no name breaks the format.
import { describe, expect, test } from '@jest/globals';
import { htmlOf } from '../../src/analysis/diagram/html.js';
import { dotOf, mermaidOf } from '../../src/analysis/diagram/languages.js';
import { diagramOf } from '../../src/analysis/diagram/model.js';
import { END, type Diagram, type RunMarks } from '../../src/analysis/diagram/parts.js';
import { layoutOf } from '../../src/analysis/diagram/layout.js';
import { svgOf } from '../../src/analysis/diagram/svg.js';
import { textOf } from '../../src/analysis/diagram/text.js';
import { graphOf } from '../../src/analysis/graph.js';
import { COMPUTED } from '../../src/analysis/shell/words.js';
import { readSource } from '../../src/analysis/source.js';
import { openScope } from '../../src/packages/open.js';
import { scopeAt } from '../../src/protocol/scope.js';
import { folder } from '../support/folder.js';

async function drawn(files: Readonly<Record<string, string>>, marks?: RunMarks): Promise<Diagram> {
  const scope = scopeAt(await folder(files));
  const graph = graphOf(await readSource(await openScope(scope), { scope, platform: 'unix' }));
  return diagramOf(graph, { title: 'flow', ...(marks === undefined ? {} : { marks }) });
}

const linksOf = ({ links }: Diagram): readonly string[] =>
  links.map(({ from, kind, to, note }) => {
    const target = to.replace(COMPUTED, '…').trim();
    return `${from} ${kind} ${target}${note === undefined ? '' : ` ${note}`}`;
  });

/** Every kind of way. */
const ALL = {
  'START.md': [
    '---',
    'allowed_transitions:',
    '  - { tag: goto, target: WAIT, delay: 5m }',
    '  - { tag: call, target: SUB, return: BACK }',
    '  - { tag: fork, target: WORK, next: WAIT }',
    '  - { tag: call-workflow, target: ../other, return: BACK }',
    '---',
    'Begin.',
    '',
  ].join('\n'),
  'SUB.sh': 'echo "<result>sub</result>"\n',
  'BACK.md': 'Ask: <ask next="END" timeout="1h" timeout_next="LATE">which?</ask>\n',
  'WORK.sh': 'echo "<reset>DEEPER</reset>"\n',
  'DEEPER.sh': 'echo "<goto>$where</goto>"\n',
  'WAIT.md': 'Say <goto>NOWHERE</goto>.\n',
  'LATE.sh': 'echo "<result>late</result>"\n',
  'END.sh': 'echo "<result>end</result>"\n',
};

describe('a diagram', () => {
  test('draws the returns of several states to many callers through one node', async () => {
    const names = ['A', 'B', 'C'];
    const files = Object.fromEntries(
      names.map((name, index) => [
        `${name}.sh`,
        index < 2
          ? `echo '<call return="${names[index + 1]!}">SUB</call>'\n`
          : `echo '<call return="END">SUB</call>'\n`,
      ]),
    );
    const diagram = await drawn({
      'START.sh': 'echo "<goto>A</goto>"\n',
      ...files,
      'SUB.sh': 'if x; then echo "<result>1</result>"; else echo "<goto>SUB2</goto>"; fi\n',
      'SUB2.sh': 'echo "<result>2</result>"\n',
      'END.sh': 'echo "<result>x</result>"\n',
    });
    const returns = diagram.links.filter(({ kind }) => kind === 'return');
    const hub = diagram.nodes.find(({ label }) => label === 'back to its caller')?.id ?? '';
    expect(returns.map(({ from, to }) => [from, to])).toEqual([
      ['SUB.sh', hub],
      ['SUB2.sh', hub],
      [hub, 'B.sh'],
      [hub, 'C.sh'],
      [hub, 'END.sh'],
    ]);
  });

  test('has every transition once, and results lead to where calls return', async () => {
    expect([...linksOf(await drawn(ALL))].sort()).toEqual(
      [
        'START.md goto WAIT.md 5m',
        'START.md call SUB.sh',
        'SUB.sh return BACK.md',
        'START.md fork WORK.sh',
        'START.md next WAIT.md',
        'START.md call workflow ../other',
        ' workflow ../other return BACK.md',
        'BACK.md ask END.sh',
        'BACK.md timeout LATE.sh 1h',
        'WORK.sh reset DEEPER.sh',
        'DEEPER.sh goto computed DEEPER.sh …',
        'WAIT.md goto missing NOWHERE',
        'LATE.sh result end',
        'END.sh result end',
      ].sort(),
    );
  });

  test('has the kind of every node', async () => {
    const kinds = (await drawn(ALL)).nodes.map(({ kind, label }) => `${kind} ${label}`);
    expect([...kinds].sort()).toEqual(
      [
        ...['START', 'BACK', 'WAIT'].map((name) => `prompt ${name}`),
        ...['SUB', 'WORK', 'DEEPER', 'LATE', 'END'].map((name) => `script ${name}`),
        'workflow ../other',
        'missing NOWHERE',
        'computed …',
        'end end',
      ].sort(),
    );
  });

  test('of a run has its agents, and how often it made each transition', async () => {
    const files = {
      'START.sh': 'echo "<goto>NEXT</goto>"\n',
      'NEXT.sh': 'echo "<goto>START</goto><result>x</result>"\n',
    };
    const marks = {
      agents: new Map([
        ['START.sh', ['main_odd (failed)']],
        ['NEXT.sh', ['main']],
      ]),
      stopped: new Set(['NEXT.sh']),
      taken: [{ from: 'START.sh', kind: 'goto', to: 'NEXT.sh', count: 3 }],
    } as const;
    const diagram = await drawn(files, marks);
    expect(diagram.links.map(({ from, count }) => `${from} ${count}`).sort()).toEqual([
      'NEXT.sh 0',
      'NEXT.sh 0',
      'START.sh 3',
    ]);
    expect(textOf(diagram)).toContain('goto ×3 → ');
    expect(mermaidOf(diagram)).toContain('main');
    expect(svgOf(diagram)).toMatch(/● main_odd \(failed\)[^]*✗ main</);
  });
});

describe('as text', () => {
  test('each transition appears once, and a repeated node is marked', async () => {
    const files = {
      '1_START.sh': 'echo "<goto>PLAN</goto>"\n',
      'PLAN.md': '<goto>PLAN</goto> or <result>x</result>\n',
    };
    expect(textOf(await drawn(files))).toBe(
      ['○ ⬡ 1_START', '└─ goto → ▭ PLAN', '   ├─ goto → ▭ PLAN ↑', '   └─ result → ●'].join('\n'),
    );
  });
});

describe('a name with special characters', () => {
  const NASTY = 'a"]]; click n1 <script>alert(1)</script> & -->|x|';
  const nasty: Diagram = {
    title: NASTY,
    nodes: [
      { id: 'A', kind: 'prompt', label: NASTY, isEntry: true, agents: [NASTY], file: NASTY },
      { id: END, kind: 'end', label: 'end', isEntry: false, agents: [] },
    ],
    links: [{ from: 'A', to: END, kind: 'result', note: NASTY, count: 1 }],
  };

  test('is only text in SVG and HTML', () => {
    const html = htmlOf(nasty, { textOf: () => NASTY, description: NASTY });
    for (const text of [svgOf(nasty), html]) {
      expect(text).not.toContain('<script>alert');
      expect(text).toContain('&lt;script&gt;');
    }
  });

  test('is only text in Mermaid and DOT', () => {
    expect(mermaidOf(nasty)).not.toMatch(/\]\]|<script|"\]; |-->\|x/);
    expect(dotOf(nasty).replaceAll('\\"', '')).not.toMatch(/label="[^"]*"[^\] a-z]/);
  });
});

test('a transition to the same state is a loop beside it', async () => {
  const layout = layoutOf(
    await drawn({
      'START.sh': 'echo "<reset delay=\\"5m\\">START</reset>"\necho "<goto>START</goto>"\necho "<goto>THINK</goto>"\n',
      'THINK.md': 'Say <goto>THINK</goto> or <result>done</result>.\n',
    }),
  );
  const loops = layout.links.filter(({ link }) => link.from === link.to);
  expect(loops.map(({ link }) => `${link.from} ${link.kind}`).sort()).toEqual([
    'START.sh goto',
    'START.sh reset',
    'THINK.md goto',
  ]);
  for (const { link, points, label } of loops) {
    const node = layout.nodes.find((one) => one.node.id === link.from)!;
    const [begin, end] = [points[0]!, points.at(-1)!];
    const right = node.x + node.width / 2;
    // From the right side of its node, round its label, back to that side.
    for (const point of [begin, end]) {
      expect(Math.abs(point.x - right)).toBeLessThan(12);
      expect(Math.abs(point.y - node.y)).toBeLessThan(node.height / 2);
    }
    expect(begin.y).toBeLessThan(end.y);
    expect(label.x - label.width / 2).toBeGreaterThan(right);
    expect(points.every(({ x, y }) => x <= layout.width && y >= 0 && y <= layout.height)).toBe(true);
  }
});

test('a picture has titles and a table for screen readers', async () => {
  const svg = svgOf(await drawn(ALL));
  expect(svg).toMatch(/<title>/);
  expect(htmlOf(await drawn(ALL), { textOf: () => undefined })).toContain('<table');
});
