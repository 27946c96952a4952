// What the server knows of an activity, when its workflow is open and when it was terminated.
import { expect, test } from '@jest/globals';
import type { Client } from '@temporalio/client';
import { hasArrived, pendingActivity } from '../../../src/activities/attempt/receipts.js';

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
