// What the server knows of an activity, when its workflow is open and when it was terminated.
import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import {
  deliverReport,
  hasArrived,
  pendingActivity,
  type ActivityContext,
} from '../../../src/activities/attempt/receipts.js';

function clientWith(status: string, listed: readonly string[]): Client {
  const raw = { pendingActivities: listed.map((activityId) => ({ activityId })) };
  const describe = (): Promise<unknown> => Promise.resolve({ status: { name: status }, raw });
  const withDeadline = (_until: number, call: () => unknown): unknown => call();
  return { workflow: { getHandle: () => ({ describe }) }, withDeadline } as unknown as Client;
}

test.each([
  ['RUNNING', ['1'], { awaited: true, arrived: false }],
  ['RUNNING', ['2'], { awaited: false, arrived: true }],
  ['COMPLETED', [], { awaited: false, arrived: true }],
  // What it was to report is still only on its host.
  ['TERMINATED', ['1'], { awaited: false, arrived: false }],
])('of a workflow that is %s and lists %j', async (status, listed, expected) => {
  const client = clientWith(status, listed);
  const reporter = { workflowId: 'r/main', workflowRunId: 'x', activityId: '1' };
  const awaited = (await pendingActivity(client, reporter)) !== undefined;
  expect({ awaited, arrived: await hasArrived(client, reporter) }).toEqual(expected);
});

const turn = { runId: 'r', agent: { id: 'main' }, report: { number: 2, state: 'A.md', costUsd: 0.1 } };

function delivered(
  signal: (name: string, message: unknown) => Promise<void>,
  request: object = turn,
): Promise<unknown> {
  const withDeadline = (_until: number, call: () => unknown): unknown => call();
  const client = { workflow: { getHandle: () => ({ signal }) }, withDeadline };
  type Request = Parameters<typeof deliverReport>[1];
  return deliverReport({ client } as unknown as ActivityContext, request as Request);
}

test('the report that a turn carries goes to its run, with its number', async () => {
  const sent: unknown[] = [];
  const send = async (...message: readonly unknown[]): Promise<void> =>
    void (await Promise.resolve(sent.push(...message)));
  expect(await delivered(send)).toBe(true);
  const { report, agent } = turn;
  expect(sent).toEqual(['report', { agentId: agent.id, status: { kind: 'running' }, ...report }]);
  expect(await delivered(send, { ...turn, report: undefined })).toBeUndefined();
});

test.each([
  ['is gone', new WorkflowNotFoundError('gone', 'r', undefined), { type: 'RunGone', nonRetryable: true }],
  ['cannot be reached', new Error('no connection'), { type: 'WorkerLost', nonRetryable: false }],
])('a turn does not start when its run %s', async (_, error, failure) => {
  await expect(delivered(() => Promise.reject(error))).rejects.toMatchObject(failure);
});
