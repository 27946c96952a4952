// Tasks of workflows that no worker answers, because it was frozen, overloaded or wrong: how long the server lets each of them wait.
import { Client, Connection } from '@temporalio/client';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sharedServer } from '../support/shared-server.js';

const QUEUE = 'unanswered';
const ATTEMPTS = 9;
const POLL_MS = 60_000;

let connection: Connection;
beforeAll(async () => (connection = await Connection.connect({ address: await sharedServer() })));
afterAll(() => connection.close());

test(
  'the server waits for an answer to a task not much longer at the ninth attempt than at the first',
  async () => {
    const client = new Client({ connection });
    const workflowId = `unanswered-${Date.now()}`;
    const handle = await client.workflow.start('none', { taskQueue: QUEUE, workflowId });
    const seconds: number[] = [];
    const worker = { namespace: 'default', identity: 'test' };
    while (seconds.length < ATTEMPTS) {
      const task = await connection.withDeadline(Date.now() + POLL_MS, () =>
        connection.workflowService.pollWorkflowTaskQueue({ ...worker, taskQueue: { name: QUEUE } }),
      );
      if (task.taskToken.length === 0) continue;
      const events = task.history?.events ?? [];
      const scheduled = events.findLast((event) => event.workflowTaskScheduledEventAttributes != null);
      const { startToCloseTimeout } = scheduled?.workflowTaskScheduledEventAttributes ?? {};
      seconds.push(Number(startToCloseTimeout?.seconds));
      await connection.workflowService.respondWorkflowTaskFailed({ ...worker, taskToken: task.taskToken });
    }
    await handle.terminate();
    expect(seconds[0]).toBe(10);
    expect(Math.max(...seconds)).toBeLessThanOrEqual(20);
  },
  POLL_MS,
);
