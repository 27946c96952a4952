// Whether an attempt still counts when it begins: a worker that was frozen finds tasks in its hands which others have taken since.
// Must not be asked when the task is fresh: turns are short, and this is a call to the server.
import type { Client } from '@temporalio/client';
import type { Context } from '@temporalio/activity';

/** Half of the time after which the server gives the turn of a silent worker to another one. */
const FRESH_MS = 7500;

/** False when the server has given the turn to somebody else, or no longer waits for it. */
export async function isCurrent(context: Context): Promise<boolean> {
  const { workflowExecution: execution, activityId, attempt, currentAttemptScheduledTimestampMs: since } = context.info;
  const client = clientOf(context);
  if (Date.now() - since < FRESH_MS || client === undefined || execution === undefined) return true;
  const { raw } = await client.workflow.getHandle(execution.workflowId, execution.runId).describe();
  return (raw.pendingActivities ?? []).some(
    (pending) => pending.activityId === activityId && pending.attempt === attempt,
  );
}

/** The worker's client; undefined outside of a worker. */
export function clientOf(context: Context): Client | undefined {
  try {
    return context.client;
  } catch {
    return undefined;
  }
}
