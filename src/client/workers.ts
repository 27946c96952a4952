// Whether anybody polls a task queue. The server's list of pollers lags by half a minute: a hint, not evidence.
// Must not start workers.
import proto from '@temporalio/proto';
import type { Link } from './connect.js';

/** True when a worker polled the queue lately. */
export async function hasWorkers({ connection, namespace }: Link, taskQueue: string): Promise<boolean> {
  const { pollers } = await connection.workflowService.describeTaskQueue({
    namespace,
    taskQueue: { name: taskQueue },
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW,
  });
  return pollers.length > 0;
}
