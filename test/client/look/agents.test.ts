// What an agent is at, read from what its worker has told Temporal last.
import { expect, test } from '@jest/globals';
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { lostCosts } from '../../../src/client/look/agents.js';
import { liveTurn } from '../../../src/client/look/live-turn.js';

const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
const client = { options: { namespace: 'default', loadedDataConverter } } as unknown as Client;

/** An agent whose pending activity has told this. */
function telling(...told: readonly unknown[]): WorkflowExecutionDescription {
  const payloads = told.map((beat) => defaultPayloadConverter.toPayload(beat));
  const activity = { activityId: '1', activityType: { name: 'runPrompt' }, attempt: 2, heartbeatDetails: { payloads } };
  const other = { activityId: '2', activityType: { name: 'storeRecord' }, attempt: 1 };
  const pendingActivities = [other, activity];
  return {
    workflowId: 'r/main',
    status: { name: 'RUNNING' },
    raw: { pendingActivities },
  } as unknown as WorkflowExecutionDescription;
}

test('a turn that is in progress is what its worker has told last', async () => {
  const beat = { host: 'h1', pid: 1, startTime: '1', state: 'A.md', turn: 3, phase: 'running', line: 'hello' };
  expect(await liveTurn(client, telling(beat))).toEqual({
    number: 3,
    state: 'A.md',
    attempt: 2,
    phase: 'running',
    host: 'h1',
    line: 'hello',
  });
});

test.each([
  ['this attempt', 2, true],
  ['an earlier one', 1, undefined],
])('a turn that %s continues is not one that starts again', async (_who, continuedBy, isContinued) => {
  const beat = { host: 'h1', pid: 1, startTime: '1', state: 'A.md', turn: 3, phase: 'running', continuedBy };
  expect((await liveTurn(client, telling(beat)))?.isContinued).toBe(isContinued);
});

test('a terminated agent has no turn', async () => {
  const beat = { host: 'h1', pid: 1, startTime: '1', state: 'A.md', turn: 3, phase: 'running' };
  const closed = { ...telling(beat), status: { name: 'TERMINATED' } } as WorkflowExecutionDescription;
  expect(await liveTurn(client, closed)).toBeUndefined();
});

test.each([
  ['nothing', []],
  ['a bare sign of life', [undefined]],
])('of an activity that has told %s there is no turn', async (_what, told) => {
  expect(await liveTurn(client, telling(...told))).toBeUndefined();
});

test('lost attempts cost what later ones have found of them, and what only another host knows is named', () => {
  const turn = { agentId: 'main', number: 1 };
  expect(lostCosts([turn])).toBeUndefined();
  const unknown = { ...turn, number: 3, lost: { usd: 0, unknownOn: 'box-2' } };
  expect(lostCosts([turn, { ...turn, lost: { usd: 0.1 } }, { ...turn, lost: { usd: 0.2 } }, unknown])).toEqual({
    costUsd: 0.3,
    unknown: [{ agentId: 'main', turn: 3, host: 'box-2' }],
  });
});
