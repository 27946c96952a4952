// How `raymond status` shows a run: what each agent is at, what it has cost, and what to do next, in lines of 80 columns.
import { describe, expect, test } from '@jest/globals';
import { statusText, type StatusFacts } from '../../../src/cli/view/status-text.js';
import { nextStep } from '../../../src/client/documents/status-document.js';
import type { RunView } from '../../../src/client/look/runs.js';

const now = Date.parse('2026-11-22T12:00:00Z');
const ago = (seconds: number): Date => new Date(now - seconds * 1000);

const view: RunView = {
  runId: 'r',
  workflow: 'flow',
  scope: '/srv/flow',
  status: 'running',
  open: true,
  costUsd: 0.5,
  budgetUsd: 2,
  agents: [
    { id: 'main', status: 'awaiting', state: 'END.sh', costUsd: 0.3 },
    { id: 'main_work1', status: 'running', state: 'WORK.md', costUsd: 0.2, about: 'item=one' },
  ],
  agentsBefore: 3,
  resumptions: 0,
  taskQueue: 'q',
  startedAt: ago(3600),
};

const facts: StatusFacts = {
  now,
  asks: [],
  details: new Map([
    ['main', { callers: [], since: ago(90) }],
    [
      'main_work1',
      {
        callers: ['BACK.md', 'START.md'],
        since: ago(12),
        beginsAgain: { attempt: 2, spends: true },
        turn: {
          number: 4,
          state: 'WORK.md',
          attempt: 2,
          phase: 'running',
          host: 'box',
          lastOutputAt: ago(3),
          line: 'x'.repeat(200),
        },
      },
    ],
  ]),
};

test('says of every agent what it is at, since when, who has called it, and its last line', () => {
  const lines = statusText(view, facts).split('\n');
  expect(lines.filter((line) => !line.startsWith('started '))).toEqual([
    'r: running',
    'workflow flow in /srv/flow',
    'cost $0.50 of $2.00',
    '  main  awaiting  END.sh  $0.30',
    '      awaits its forks for 1 m 30 s',
    '  main_work1  running  WORK.md  $0.20',
    '      about item=one',
    '      called from BACK.md < START.md',
    '      turn 4, running on box, no output for 3.0 s, for 12 s',
    '      turn starts again (attempt 2); cost of the lost attempt not known yet',
    `      | ${'x'.repeat(71)}…`,
    '  and 3 ended before',
    'next: raymond watch r',
  ]);
  expect(lines.every((line) => line.length <= 80)).toBe(true);
});

test('says in which sandbox a run keeps its turns', () => {
  expect(statusText({ ...view, sandbox: 'process' }, facts).split('\n')[2]).toBe('sandbox process');
});

test('says that a turn continues whose attempt alone was lost', () => {
  const turn = { number: 4, state: 'WORK.md', attempt: 2, phase: 'running', host: 'box', isContinued: true } as const;
  const text = statusText(view, { ...facts, details: new Map([['main_work1', { since: ago(12), turn }]]) });
  expect(text).toContain('      turn 4, running on box, continued by attempt 2, for 12 s\n');
  expect(text).not.toContain('starts again');
});

test('says what a mistake of Raymond blocks, in the run and in an agent', () => {
  const lines = statusText(
    { ...view, blocked: 'a slip' },
    { ...facts, details: new Map([['main', { blocked: 'another slip' }]]) },
  ).split('\n');
  const todo = 'nothing is lost, and a worker with a fixed version of Raymond continues it';
  expect(lines.filter((line) => line.includes('blocked'))).toEqual([
    `blocked: a slip; ${todo}`,
    `      blocked: another slip; ${todo}`,
  ]);
});

test('says why the run waits, and what it could not do', () => {
  const trouble = {
    type: 'StoreUnreachable',
    message: 'cannot collect the results that main awaits: no answer',
  } as const;
  const refused = [{ agentId: 'main_a1', by: 'ann', why: 'it has completed' }];
  const lines = statusText({ ...view, trouble, refused }, facts).split('\n');
  expect(lines.slice(3, 5)).toEqual([
    'waiting, will retry: cannot collect the results that main awaits: no answer (StoreUnreachable)',
    'rejected: ann asked to continue main_a1, but it has completed',
  ]);
  const closed = statusText({ ...view, trouble, open: false, status: 'cancelled' }, facts);
  expect(closed).toContain('not done: cannot collect');
});

test('with costs shows what states and models have cost', () => {
  const costs = {
    byAgent: [{ name: 'main', turns: 13, costUsd: 0.4 }],
    byState: [
      { name: 'WORK.md', turns: 12, costUsd: 0.4 },
      { name: 'END.sh', turns: 1, costUsd: 0 },
    ],
    byModel: [{ name: 'haiku', turns: 12, costUsd: 0.4 }],
  };
  expect(statusText(view, { ...facts, costs })).toContain(
    [
      'cost by state:',
      '  WORK.md  12 turns  $0.40',
      '  END.sh   1 turn    $0.00',
      'cost by model:',
      '  haiku  12 turns  $0.40',
    ].join('\n'),
  );
});

describe('what to do next', () => {
  const ask = { id: 'ask_main_1', prompt: 'Which?' };
  const late = { ...ask, until: now - 180_000 };
  const expired: Partial<RunView> = {
    status: 'asking',
    agents: [{ id: 'main', status: 'asking', state: 'A.sh', costUsd: 0, ask: late }],
  };
  test.each<readonly [when: string, next: string, look: { readonly served: boolean } & Partial<RunView>]>([
    ['it runs', 'raymond watch r', { served: true }],
    ['it runs and the engine does not', 'raymond up', { served: false }],
    [
      'it asks',
      'raymond answer r ask_main_1 "…"',
      { served: false, status: 'asking', agents: [{ id: 'main', status: 'asking', state: 'A.sh', costUsd: 0, ask }] },
    ],
    ['its question has expired while no process executed it', 'raymond up', { served: false, ...expired }],
    ['its question has expired just now', 'raymond watch r', { served: true, ...expired }],
    ['it is paused', 'raymond resume r', { served: true, status: 'paused' }],
    ['it failed', 'raymond resume r', { served: true, status: 'failed', open: false }],
    ['its budget is used up', 'raymond budget r AMOUNT', { served: true, status: 'over-budget', open: false }],
    ['it has completed', 'raymond result r', { served: true, status: 'completed', open: false }],
  ])('when %s', (_when, next, { served, ...change }) => {
    expect(nextStep({ ...view, ...change }, { served, now })).toBe(next);
  });
});

test('of a question that has expired says since when, and what continues the run', () => {
  const ask = { askId: 'ask_main_1', agentId: 'main', prompt: 'Which?', until: ago(180).toISOString() };
  const text = statusText({ ...view, status: 'asking' }, { ...facts, asks: [ask] });
  expect(text).toContain('  ask_main_1 expired 3 minutes ago; continue with: raymond resume r');
  expect(text).not.toContain('answer with');
});

test('of an agent that failed says how it is started again, as long as the run is open', () => {
  const agents: RunView['agents'] = [{ id: 'main_a1', status: 'failed', state: 'A.sh', costUsd: 0, error: 'no' }];
  const retry = '      fix the cause, then run: raymond retry r main_a1';
  expect(statusText({ ...view, agents }, facts)).toContain(retry);
  expect(statusText({ ...view, agents, open: false, status: 'failed' }, facts)).not.toContain(retry);
});

test('with costs says what lost attempts have cost, and of which that is not known', () => {
  const unknown = [{ agentId: 'main', turn: 3, host: 'box-2' }];
  const costs = { byAgent: [], byState: [], byModel: [], lost: { costUsd: 0.06, unknown } };
  expect(statusText(view, { ...facts, costs })).toContain(
    ['of which lost attempts: $0.0600', 'cost not known: an attempt of turn 3 of main on host box-2'].join('\n'),
  );
});

test('names the turns whose cost only a lost host knows', () => {
  const unreported = [{ agentId: 'main', turn: 3, host: 'box-2' }];
  const what = 'an attempt of turn 3 of main on host box-2';
  expect(statusText({ ...view, unreported }, facts)).toContain(`cost not known yet: ${what}\n`);
  const completed = { ...view, unreported, status: 'completed', open: false } as const;
  expect(statusText(completed, facts)).toContain(`cost not known: ${what}; its journal stays there`);
});
