// What the runs of a workflow came to.
import { expect, test } from '@jest/globals';
import { statisticsOf } from '../../../src/client/look/statistics.js';
import type { RunLine } from '../../../src/client/look/runs.js';
import type { RunStatus } from '../../../src/contract/runs.js';

const run = (status: RunStatus, costUsd?: number, seconds = 1): Parameters<typeof statisticsOf>[0][number] => ({
  status,
  open: status === 'running',
  startedAt: new Date(0),
  ...(status === 'running' ? {} : { endedAt: new Date(seconds * 1000) }),
  ...(costUsd === undefined ? {} : { costUsd }),
});

test.each([
  ['none', [], { runs: 0, open: 0, completed: 0, withFailures: 0, failed: 0, cancelled: 0, overBudget: 0, costUsd: 0 }],
  [
    'those that did not complete do not count in the medians',
    [run('failed', 90), run('cancelled', 90), run('over-budget', 90), run('running', 90)],
    { runs: 4, open: 1, completed: 0, withFailures: 0, failed: 1, cancelled: 1, overBudget: 1, costUsd: 360 },
  ],
  [
    'of an odd number the middle one',
    [run('completed', 3, 30), run('completed', 1, 10), run('completed', 2, 20)],
    {
      runs: 3,
      open: 0,
      completed: 3,
      withFailures: 0,
      failed: 0,
      cancelled: 0,
      overBudget: 0,
      costUsd: 6,
      medianCostUsd: 2,
      highCostUsd: 3,
      medianMs: 20_000,
    },
  ],
  [
    'without costs only the time',
    [run('completed', undefined, 5)],
    {
      runs: 1,
      open: 0,
      completed: 1,
      withFailures: 0,
      failed: 0,
      cancelled: 0,
      overBudget: 0,
      costUsd: 0,
      medianMs: 5000,
    },
  ],
  [
    'runs that completed although an agent failed count in both',
    [
      {
        ...run('completed'),
        agents: [{ status: 'failed' }, { status: 'completed' }] as unknown as NonNullable<RunLine['agents']>,
      },
    ],
    {
      runs: 1,
      open: 0,
      completed: 1,
      withFailures: 1,
      failed: 0,
      cancelled: 0,
      overBudget: 0,
      costUsd: 0,
      medianMs: 1000,
    },
  ],
])('%s', (_what, lines, expected) => expect(statisticsOf(lines)).toEqual(expected));
