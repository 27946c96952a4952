// The pollers of a queue, and which of them have ended. The server lists a poller for minutes after its last poll, so a worker that ends polls once more: a queue on which
// no task is ever scheduled, and whose pollers are the workers that have ended.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { msOf } from '../../history/events.js';

const { TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;

export type TaskQueueType = proto.temporal.api.enums.v1.TaskQueueType;
export type PollerInfo = proto.temporal.api.taskqueue.v1.IPollerInfo;

/** The server refuses polls with less time. */
const POLL_MS = 5000;

/** A poller is listed as soon as its poll arrives. */
const ARRIVAL_MS = 250;

/** The pollers of a queue that the server lists. */
export async function pollersOf(
  { connection, options: { namespace } }: Client,
  name: string,
  types: readonly TaskQueueType[] = [TASK_QUEUE_TYPE_ACTIVITY],
): Promise<readonly PollerInfo[]> {
  const answers = types.map((taskQueueType) =>
    connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType }),
  );
  return (await Promise.all(answers)).flatMap(({ pollers }) => pollers);
}

/** Tells everyone who asks for this queue's workers that the worker with this identity has ended. */
export async function announceEnd(
  { connection, options: { namespace } }: Client,
  { taskQueue, identity }: { readonly taskQueue: string; readonly identity: string },
): Promise<void> {
  const request = { namespace, taskQueue: { name: endedQueue(taskQueue) }, identity };
  const poll = connection.withDeadline(Date.now() + POLL_MS, () =>
    connection.workflowService.pollActivityTaskQueue(request),
  );
  await Promise.race([poll.catch(() => undefined), delay(ARRIVAL_MS)]); // without it the worker counts as lost 75 s later
}

/** Whether the worker behind a poller of this queue has ended since its poll. */
export async function endedPollers(client: Client, taskQueue: string): Promise<(poller: PollerInfo) => boolean> {
  const pollers = await pollersOf(client, endedQueue(taskQueue));
  const endedAt = new Map(pollers.map(({ identity, lastAccessTime }) => [identity, msOf(lastAccessTime)]));
  // In containers a worker that starts again may have the same identity.
  return ({ identity, lastAccessTime }) => (endedAt.get(identity) ?? 0) >= msOf(lastAccessTime);
}

function endedQueue(taskQueue: string): string {
  return `${taskQueue}/ended`;
}
