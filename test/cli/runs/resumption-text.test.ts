// What `resume` says that it has done: a line per agent, and the command for everybody whom it does not help.
import { describe, expect, test } from '@jest/globals';
import { resumptionText } from '../../../src/cli/runs/resumption-text.js';
import { factsOf, isEmpty, restarted, resumptionOf } from '../../../src/client/steer/resumption.js';
import type { RunView } from '../../../src/client/look/runs.js';

const now = Date.parse('2026-11-22T12:00:00Z');
type Line = RunView['agents'][number];

const agent = (id: string, status: Line['status'], more: Partial<Line> = {}): Line => ({
  id,
  status,
  state: 'READ.md',
  costUsd: 0,
  ...more,
});

const runOf = (agents: readonly Line[], more: Partial<RunView> = {}): RunView => ({
  runId: 'r',
  workflow: 'flow',
  scope: '/srv/flow',
  status: 'running',
  open: true,
  costUsd: 0,
  agents,
  agentsBefore: 0,
  resumptions: 0,
  taskQueue: 'q',
  startedAt: new Date(now),
  ...more,
});

const linesOf = (run: RunView): readonly string[] => resumptionText('r', resumptionOf(run, now)).split('\n');

describe('an open run', () => {
  test('names the agents that continue, and why they did not', () => {
    const run = runOf([
      agent('main', 'awaiting'),
      agent('main_read1', 'paused', { error: 'main_read1, READ.md: Credit balance is too low\nsee the console' }),
      agent('main_read2', 'waiting', { error: 'main_read2, READ.md: usage limit', until: now + 1000 }),
    ]);
    expect(linesOf(run)).toEqual([
      'resumed main_read1 (paused: Credit balance is too low)',
      'resumed main_read2 (waiting: usage limit)',
    ]);
    expect(factsOf(resumptionOf(run, now))).toEqual({ resumed: ['main_read1', 'main_read2'], failed: [], asks: [] });
  });

  test('that is stopping continues when all of its agents have ended', () => {
    const run = runOf([agent('main', 'running'), agent('main_read1', 'cancelled')], { stopping: true });
    expect(linesOf(run)).toEqual(['r is stopping; it continues when all of its agents have ended']);
    expect(isEmpty(resumptionOf(run, now))).toBe(false);
    expect(factsOf(resumptionOf(run, now))).toEqual({ resumed: [], failed: [], asks: [], reopened: true });
  });

  test('that is about to close without a result continues, too', () => {
    const run = runOf([agent('main', 'cancelled'), agent('main_read1', 'completed')], { status: 'cancelled' });
    expect(linesOf(run)).toEqual(['r is stopping; it continues when all of its agents have ended']);
    const completing = runOf([agent('main', 'completed')], { status: 'completed' });
    expect(isEmpty(resumptionOf(completing, now))).toBe(true);
  });

  test('that no worker executes now keeps the order', () => {
    const resumption = { ...resumptionOf(runOf([agent('main', 'running')]), now), unprocessed: true } as const;
    expect(resumptionText('r', resumption)).toBe('no worker executes r now; the order waits for one');
    expect(isEmpty(resumption)).toBe(false);
  });

  test('names the pause that is taken back, though every agent was still at work', () => {
    const run = runOf([agent('main', 'running')], { pausedBy: 'ada@box' });
    expect(linesOf(run)).toEqual(['cancelled the pause by ada@box']);
    expect(isEmpty(resumptionOf(run, now))).toBe(false);
  });

  test('in which nobody is paused has nothing to resume, and says what helps agents that failed or ask', () => {
    const run = runOf([
      agent('main', 'asking', { ask: { id: 'ask_main_1', prompt: 'Which?' } }),
      agent('main_read1', 'failed', { error: 'main_read1, READ.md: exit code 1' }),
    ]);
    expect(linesOf(run)).toEqual([
      'nothing to resume in r: no agent is paused',
      'main_read1 failed; fix the cause, then run: raymond retry r main_read1',
      'main waits for an answer: raymond answer r ask_main_1 "…"',
    ]);
    expect(isEmpty(resumptionOf(run, now))).toBe(true);
  });

  test('continues an agent whose question expired while no worker executed the run', () => {
    const ask = { id: 'ask_main_late1_1', prompt: 'Which?', until: now - 180_000 };
    const run = runOf([agent('main_late1', 'asking', { ask })]);
    expect(linesOf(run)).toEqual(['resumed main_late1 (ask_main_late1_1 expired 3 minutes ago)']);
    expect(factsOf(resumptionOf(run, now))).toEqual({ resumed: ['main_late1'], failed: [], asks: [] });
  });

  test('of many agents names ten, and counts the others', () => {
    const lines = linesOf(runOf(Array.from({ length: 13 }, (_, at) => agent(`main_${at}`, 'paused'))));
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('and 3 more');
  });
});

test('a closed run that is started again names the agents that continue', () => {
  const run = runOf([agent('main', 'failed'), agent('main_read1', 'cancelled')], { open: false, status: 'failed' });
  const resumption = restarted(run, ['main', 'main_read1']);
  expect(resumptionText('r', resumption).split('\n')).toEqual([
    'started r again',
    'resumed main (failed)',
    'resumed main_read1 (cancelled)',
  ]);
  expect(factsOf(resumption)).toEqual({ resumed: ['main', 'main_read1'], failed: [], asks: [], restarted: true });
});
