// The table of agents on a terminal: a line each in a stable order, folded when they are many, never wider than the terminal.
import { describe, expect, test } from '@jest/globals';
import pc from 'picocolors';
import stringWidth from 'string-width';
import { agentTable, type TableRow, type TableSpace } from '../../../src/cli/view/table.js';

const NOW = Date.UTC(2026, 10, 22, 8);
const SPACE: TableSpace = { width: 80, height: 10, now: NOW, unicode: true, colors: pc.createColors(false) };
const SUMS = { startedAt: NOW - 125_000, costUsd: 0.25, budgetUsd: 10, others: 0 };

const row = (id: string, status: string, more: Partial<TableRow> = {}): TableRow => ({
  id,
  status,
  state: 'WORK.md',
  costUsd: 0,
  ...more,
});
const table = (rows: readonly TableRow[], space: Partial<TableSpace> = {}): string =>
  agentTable(rows, { sums: SUMS, space: { ...SPACE, ...space } });

test('shows of each agent what it does, for how long, and what it said last; and the sums', () => {
  const rows = [
    row('main', 'awaiting'),
    row('main_work1', 'running', { since: NOW - 12_000, costUsd: 0.25, about: 'item=one', line: 'reading files' }),
    row('main_work2', 'sleeping', { until: NOW + 90_000 }),
    row('main_work3', 'asking'),
    row('main_work4', 'completed', { costUsd: 0.1 }),
    row('main_work5', 'failed'),
    row('main_work6', 'paused'),
  ];
  expect(table(rows).split('\n')).toEqual([
    '◌ main        WORK.md  awaiting',
    '● main_work1  WORK.md  12 s  $0.25  item=one · reading files',
    '◌ main_work2  WORK.md  sleeping, 1 m 30 s left',
    '? main_work3  WORK.md  asking',
    '✓ main_work4  WORK.md  $0.10',
    '✗ main_work5  WORK.md  failed',
    '⏸ main_work6  WORK.md  paused',
    '2 m 05 s · $0.25 of $10.00 · 1 awaiting, 1 running, 1 sleeping, 1 asking, 1 completed, 1 failed, 1 paused'.slice(
      0,
      79,
    ) + '…',
  ]);
});

test('lists agents by name, whatever their order', () => {
  const ids = ['main_work10', 'main_work2', 'main', 'main_work2_x1', 'main_work1'];
  const lines = table(ids.map((id) => row(id, 'running'))).split('\n');
  expect(lines.slice(0, 5).map((line) => line.split(/ +/)[1])).toEqual([
    'main',
    'main_work1',
    'main_work2',
    'main_work2_x1',
    'main_work10',
  ]);
});

test('folds a crowd: who needs a person stays, the others are counted by what they do', () => {
  const workers = Array.from({ length: 98 }, (_, n) => row(`main_work${n + 1}`, n < 60 ? 'running' : 'completed'));
  const rows = [row('main', 'awaiting'), ...workers, row('main_work99', 'asking')];
  const lines = table(rows, { width: 100 }).split('\n');
  expect(lines).toHaveLength(11);
  expect(lines[0]).toContain('main ');
  expect(lines[8]).toBe('? main_work99  WORK.md  asking');
  expect(lines[9]).toBe('and 91 more: 53 running in WORK.md, 38 completed in WORK.md');
  expect(lines[10]).toContain('60 running, 38 completed, 1 awaiting, 1 asking');
});

describe.each([40, 60, 80, 120, 200])('on %i columns', (width) => {
  test('no line is wider, whatever the agents are called and say', () => {
    const long = 'a long line of words 日本語のテキスト 👩‍👩‍👧 '.repeat(20);
    const rows = [
      row('main_very_long_name_of_an_agent_that_was_forked_often', 'running', { since: NOW - 5e6, line: long }),
      row('main_日本語', 'asking', { state: `${'STATE'.repeat(20)}.md`, about: long }),
      row('main', 'waiting', { until: NOW + 30 * 86_400_000, costUsd: 123.4567 }),
    ];
    for (const colors of [pc.createColors(false), pc.createColors(true)])
      for (const line of table(rows, { width, colors }).split('\n'))
        expect(stringWidth(line)).toBeLessThanOrEqual(width);
  });
});

test('has ASCII glyphs for a terminal without UTF-8', () => {
  const rows = ['running', 'asking', 'sleeping', 'completed', 'failed', 'paused'].map((status) => row(status, status));
  // eslint-disable-next-line no-control-regex -- that is the point
  expect(table(rows, { unicode: false })).toMatch(/^[\x00-\x7f]*$/);
});

test('shows what would move the cursor, and takes no line end from a state', () => {
  const text = table([row('main', 'running', { since: NOW, line: 'one\ntwo \u001b[2J' })]);
  expect(text.split('\n')).toHaveLength(2);
  expect(text).not.toContain('\u001b');
});
