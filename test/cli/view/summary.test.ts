// The summary of a run that has ended: what each agent came to, folded when they are many, and the sums.
import { expect, test } from '@jest/globals';
import pc from 'picocolors';
import type { RunView } from '../../../src/client/look/runs.js';
import { summaryTable } from '../../../src/cli/view/summary.js';

const STARTED = Date.UTC(2026, 10, 22, 8);
const space = { width: 80, height: 20, now: STARTED + 125_000, unicode: true, colors: pc.createColors(false) };

const run = (agents: RunView['agents'], more: Partial<RunView> = {}): RunView => ({
  runId: 'r',
  workflow: 'flow',
  scope: '/flow',
  status: 'completed',
  open: false,
  taskQueue: 'q',
  costUsd: 0.35,
  budgetUsd: 10,
  agents,
  agentsBefore: 0,
  resumptions: 0,
  startedAt: new Date(STARTED),
  ...more,
});

test('tells what each agent came to, what it took and cost, and the sums', () => {
  const view = run([
    { id: 'main', status: 'completed', state: 'END.md', costUsd: 0.25, result: '\nall done\nin two lines' },
    { id: 'main_work1', status: 'completed', state: 'WORK.md', costUsd: 0.1, about: 'item=one', result: 'one' },
    { id: 'main_work2', status: 'failed', state: 'WORK.md', costUsd: 0, error: 'main_work2, WORK.md: no tag\nat all' },
    { id: 'main_work3', status: 'completed', state: 'WORK.md', costUsd: 0, result: { sha256: 'a', bytes: 40_000 } },
    { id: 'main_work4', status: 'cancelled', state: 'WORK.md', costUsd: 0 },
  ]);
  const took: Readonly<Record<string, number>> = { main: 125_000, main_work1: 4200 };
  expect(summaryTable(view, { tookOf: (id) => took[id], space }).split('\n')).toEqual([
    '✓ main        2 m 05 s  $0.25  all done',
    '✓ main_work1  4.2 s  $0.10  item=one · one',
    '✗ main_work2  failed  WORK.md: no tag',
    '✓ main_work3  a result of 40000 bytes',
    '✗ main_work4  cancelled',
    '2 m 05 s · $0.35 of $10.00 · 3 completed, 1 failed, 1 cancelled',
  ]);
});

test('folds a crowd: main and who failed stay', () => {
  const crowd = Array.from({ length: 100 }, (_, number) => ({
    id: number === 0 ? 'main' : `main_work${number}`,
    status: number === 3 ? ('failed' as const) : ('completed' as const),
    state: 'WORK.sh',
    costUsd: 0,
  }));
  const lines = summaryTable(run(crowd, { agentsBefore: 50 }), { tookOf: () => 1000, space }).split('\n');
  expect(lines).toHaveLength(21);
  expect(lines[0]).toBe('✓ main         1.0 s');
  expect(lines[1]).toBe('✗ main_work3   failed  1.0 s');
  expect(lines.at(-2)).toBe('and 81 more: 81 completed');
  expect(lines.at(-1)).toContain('99 completed, 1 failed, 50 more');
});
