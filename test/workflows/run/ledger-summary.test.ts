// What a run's books add up to: its status, and the summary that people and scripts read.
import { describe, expect, test } from '@jest/globals';
import { agentState, ledgerOf, runInput, STATUSES, WAYS_TO_END } from './ledgers.js';
import type { AgentStatus, RunStatus } from '../../../src/contract/runs.js';
import { Ledger, newLedger } from '../../../src/workflows/run/ledger.js';
import { isLive } from '../../../src/workflows/run/roster.js';
import { statusOf, summarise } from '../../../src/workflows/run/summary.js';

const { running, waiting, paused, completed } = STATUSES;
const { failed, cancelled, lost } = WAYS_TO_END;
const fresh = new Ledger(newLedger(agentState('main'), 1000));

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

test.each<[RunStatus, readonly AgentStatus[]]>([
  ['cancelled', [cancelled, failed]],
  ['cancelled', [completed, failed]],
  ['cancelled', [lost, cancelled]],
  ['running', [running, failed]],
  ['completed', [completed, completed]],
])('a run that was cancelled manually is %s when its agents are %j', (status, agents) => {
  const ledger = ledgerOf(Object.fromEntries(agents.map((agent, n) => [`agent${n}`, agent])));
  expect(statusOf(ledger, 'cancelled')).toBe(status);
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
  const ledger = ledgerOf(
    { main: completed, a: failed, b: waiting, c: { kind: 'completed', result: 'x'.repeat(401) }, d: lost },
    { result: 'done', archived: { count: 7, costUsd: 0.5, failed: 0, cancelled: 0 }, resumptions: 2 },
  );

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
        { id: 'a', status: 'failed', state: 'A.md', costUsd: 0, error: 'it broke', errorType: 'ScriptFailed' },
        {
          id: 'b',
          status: 'waiting',
          state: 'A.md',
          costUsd: 0,
          error: 'it broke',
          errorType: 'ScriptFailed',
          until: 5000,
        },
        { id: 'c', status: 'completed', state: 'A.md', costUsd: 0 },
        { id: 'd', status: 'lost', state: 'A.md', costUsd: 0 },
      ],
      agentsBefore: 7,
      resumptions: 2,
      startedAt: 1000,
    });
  });

  test('says what the run waits for, and what it could not do', () => {
    const trouble = { type: 'StoreUnreachable', message: 'cannot gather the results: no answer' } as const;
    const refused = { agentId: 'a', by: 'ann', why: 'it has completed' };
    const ledger = ledgerOf({ main: running });
    ledger.refuse(refused);
    const summary = summarise(ledger, { input: runInput({}), status: 'running', trouble });
    expect(summary).toMatchObject({ trouble, refused: [refused] });
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

  test('is small, however many agents there are and however long their texts', () => {
    const ask = (n: number) => ({ id: `ask_a${n}_1`, prompt: 'x'.repeat(1024), until: 5000 });
    const asking = Object.fromEntries(
      Array.from({ length: 1000 }, (_, n) => [`a${n}`, { kind: 'asking', ask: ask(n) } as const]),
    );
    const summary = summarise(ledgerOf({ main: completed, ...asking }), { input: runInput({}), status: 'asking' });
    expect(JSON.stringify(summary).length).toBeLessThan(64 * 1024);
    expect([summary.agents.length, summary.agentsHidden]).toEqual([150, 851]);
    expect(summary.agents.slice(1).every(({ ask: shown }, n) => shown?.id === `ask_a${n}_1`)).toBe(true);
    expect(summary.agents[1]?.ask?.prompt).toHaveLength(1024);
    expect(summary.agents.at(-1)?.ask).toEqual({ id: 'ask_a148_1', until: 5000 });
  });
});

test('the line of an agent that awaits others says when that expires', () => {
  const awaiting = { kind: 'awaiting', forks: { after: 0, last: 1 }, until: 5000 } as const;
  const { agents } = summarise(ledgerOf({ main: awaiting }), { input: runInput({}), status: 'running' });
  expect(agents).toMatchObject([{ id: 'main', status: 'awaiting', until: 5000 }]);
});

test.each([
  [undefined, undefined],
  [{ owner: { kind: 'none' } }, undefined],
  [{ owner: { kind: 'none' }, package: { kind: 'process' } }, 'process'],
  [{ owner: { kind: 'container' }, package: { kind: 'process' } }, 'container'],
] as const)('a summary has the weakest sandbox of the turns: of %j it is %s', (sandbox, kind) => {
  const { settings, ...input } = runInput({});
  const turn = { ...settings.turn, ...(sandbox === undefined ? {} : { sandbox }) };
  expect(summarise(fresh, { input: { ...input, settings: { ...settings, turn } }, status: 'running' }).sandbox).toBe(
    kind,
  );
});
