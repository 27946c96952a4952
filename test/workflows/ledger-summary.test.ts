// What a run's books add up to: its status, and the summary that people and scripts read.
import { describe, expect, test } from '@jest/globals';
import { agentState, ledgerOf, runInput, STATUSES, WAYS_TO_END } from './ledgers.js';
import type { AgentStatus, RunStatus } from '../../src/workflows/contract.js';
import { isLive, openLedger } from '../../src/workflows/ledger.js';
import { statusOf, summarise } from '../../src/workflows/summary.js';

const { running, waiting, paused, completed } = STATUSES;
const { failed, cancelled, lost } = WAYS_TO_END;
const fresh = openLedger(agentState('main'), 1000);

test.each<[RunStatus, readonly AgentStatus[]]>([
  ['running', [running]],
  ['running', [running, failed]],
  ['running', [waiting]],
  ['running', [waiting, paused]],
  ['running', [running, paused]],
  ['paused', [paused]],
  ['paused', [paused, paused, completed, failed]],
  ['completed', [completed]],
  ['completed', [completed, completed]],
  ['failed', [completed, failed]],
  ['failed', [lost, completed]],
  ['failed', [failed, cancelled]],
  ['cancelled', [completed, cancelled]],
])('a run is %s when its agents are %j', (status, agents) => {
  const ledger = ledgerOf(Object.fromEntries(agents.map((agent, n) => [`agent${n}`, agent])));
  expect(statusOf(ledger)).toBe(status);
});

test.each([
  [running, true],
  [waiting, true],
  [paused, true],
  [completed, false],
  [failed, false],
  [cancelled, false],
  [lost, false],
])('%j: live is %s', (status, live) => {
  expect(isLive(status)).toBe(live);
});

describe('the summary', () => {
  const ledger = {
    ...ledgerOf({ main: completed, a: failed, b: waiting, c: { kind: 'completed', result: 'x'.repeat(401) }, d: lost }),
    result: 'done',
    completedBefore: { count: 7, costUsd: 0.5 },
    resumptions: 2,
  };

  test('says of every agent what people ask for, and of the run its sums', () => {
    expect(summarise(ledger, { input: runInput({ budgetUsd: 10 }), status: 'running' })).toEqual({
      runId: 'r1',
      workflow: 'flow',
      scope: '/flows/flow',
      status: 'running',
      result: 'done',
      costUsd: 0.5,
      budgetUsd: 10,
      agents: [
        { id: 'main', status: 'completed', state: 'A.md', costUsd: 0, result: 'done' },
        { id: 'a', status: 'failed', state: 'A.md', costUsd: 0, error: 'it broke' },
        { id: 'b', status: 'waiting', state: 'A.md', costUsd: 0, error: 'it broke', until: 5000 },
        { id: 'c', status: 'completed', state: 'A.md', costUsd: 0 },
        { id: 'd', status: 'lost', state: 'A.md', costUsd: 0 },
      ],
      agentsBefore: 7,
      resumptions: 2,
      startedAt: 1000,
    });
  });

  test('has no budget and no result where there is none', () => {
    const summary = summarise(fresh, { input: runInput({}), status: 'running' });
    expect(summary).not.toHaveProperty('budgetUsd');
    expect(summary).not.toHaveProperty('result');
  });

  test('keeps a large result as its reference', () => {
    const result = { sha256: 'f'.repeat(64), bytes: 40_000 };
    const large = ledgerOf({ main: { kind: 'completed', result } });
    expect(summarise(large, { input: runInput({}), status: 'completed' }).agents[0]?.result).toEqual(result);
  });
});
