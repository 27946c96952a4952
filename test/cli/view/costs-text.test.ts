import { expect, test } from '@jest/globals';
import { costsText } from '../../../src/cli/view/costs-text.js';
import type { RunView } from '../../../src/client/look/runs.js';

const view: RunView = {
  runId: 'r',
  status: 'failed',
  open: false,
  workflow: 'flow',
  scope: '/p/flow',
  taskQueue: 'q',
  resumptions: 0,
  costUsd: 0.4,
  budgetUsd: 10,
  startedAt: new Date(0),
  agents: [],
  agentsBefore: 0,
};

const costs = {
  byAgent: [{ name: 'main', turns: 12, costUsd: 0.4 }],
  byState: [{ name: 'WORK.md', turns: 12, costUsd: 0.4 }],
  byModel: [{ name: 'haiku', turns: 12, costUsd: 0.4 }],
};

test('says what a run has cost, by agent, state and model', () => {
  expect(costsText(view, costs).split('\n')).toEqual([
    'r: cost $0.40 of $10.00',
    'cost by agent:',
    '  main  12 turns  $0.40',
    'cost by state:',
    '  WORK.md  12 turns  $0.40',
    'cost by model:',
    '  haiku  12 turns  $0.40',
  ]);
});

test('of many agents lists the 20 most expensive ones', () => {
  const byAgent = Array.from({ length: 23 }, (_, at) => ({ name: `a${at}`, turns: 1, costUsd: 0.01 }));
  const lines = costsText(view, { ...costs, byAgent }).split('\n');
  expect(lines.slice(21, 24)).toEqual([
    '  a19  1 turn  $0.0100',
    '  and 3 more: raymond costs r --json',
    'cost by state:',
  ]);
});

test('names the turns whose cost only a lost host knows', () => {
  const unreported = [{ agentId: 'main', turn: 3, host: 'box-2' }];
  expect(costsText({ ...view, unreported }, costs)).toContain(
    'cost not known yet: an attempt of turn 3 of main on host box-2\n',
  );
});
