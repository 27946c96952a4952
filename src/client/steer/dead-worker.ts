// Cleans up after a dead worker: the activities that Temporal still waits for. Turns can be ended in its place;
// everything else is failed, so that another worker retries it at once.
import { ActivityNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TurnReport } from '../../contract/turns.js';
import { pendingActivities } from '../../history/pending.js';
import { isTurn } from '../../history/pending.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined, exactly } from '../../protocol/text.js';
import { isNotFound, type ClientLink } from '../connect.js';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * Fails the activities that a dead worker left in a workflow, turns and others, so that Temporal retries them at once.
 * Only for a worker that is surely dead.
 */
export async function recoverActivities(link: ClientLink, workflowId: string): Promise<void> {
  const pending = await openActivities(link, workflowId);
  await Promise.all(pending.flatMap((activity) => (activity.started ? [failActivity(link, activity)] : [])));
}

const PAGE = 1000;

/** The ids of the open workflows of a task queue: runs and their agents. */
export async function openWorkflows(
  { client, namespace }: Pick<ClientLink, 'client' | 'namespace'>,
  taskQueue: string,
): Promise<readonly string[]> {
  const query = `ExecutionStatus = "Running" AND TaskQueue = "${taskQueue}"`;
  const found: string[] = [];
  for (let token: Uint8Array | undefined; ;) {
    const request = { namespace, query, pageSize: PAGE, ...defined({ nextPageToken: token }) };
    const { executions, nextPageToken } = await client.connection.workflowService.listWorkflowExecutions(request);
    found.push(...executions.flatMap(({ execution }) => execution?.workflowId ?? []));
    if (nextPageToken.length === 0) return found;
    token = nextPageToken;
  }
}

/** What attempts of a turn left: their spending, and the recorded turns of their chain. */
interface LostWork {
  readonly costUsd: number;
  readonly chain: TurnReport | undefined;
}

/**
 * Cancels an agent and ends its turn, with what its attempts left, whether or not a new attempt is queued; false when
 * the turn has ended by itself. Only for a run whose worker is surely dead.
 */
export async function endTurn(
  { client }: Pick<ClientLink, 'client'>,
  turn: PendingActivity,
  { costUsd, chain }: LostWork,
): Promise<boolean> {
  const { workflowId, workflowRunId: runId, activityId } = turn;
  // First: after the recorded turns of a chain the agent must not start another one.
  await client.workflow.getHandle(workflowId, runId).cancel();
  const report: TurnReport =
    chain === undefined
      ? { outcome: { kind: 'cancelled' }, costUsd, durationMs: 0 }
      : { ...chain, costUsd: exactly(chain.costUsd + costUsd) };
  try {
    await client.activity.complete({ workflowId, runId, activityId }, report);
    return true;
  } catch (error) {
    if (error instanceof ActivityNotFoundError) return false;
    throw error;
  }
}

async function failActivity(
  { client: { connection }, namespace }: ClientLink,
  { workflowId, activityId }: PendingActivity,
): Promise<void> {
  const applicationFailureInfo = { type: 'WorkerLost', nonRetryable: false };
  const failure = { message: 'the worker of this attempt is dead', applicationFailureInfo };
  try {
    const request = { namespace, workflowId, activityId, failure, identity: 'raymond' };
    await connection.workflowService.respondActivityTaskFailedById(request);
  } catch (error) {
    // The server has just noticed the lost worker itself.
    if (!isNotFound(error)) throw error;
  }
}

/** An open activity, as Temporal knows it. */
interface PendingActivity {
  readonly workflowId: string;
  readonly workflowRunId: string;
  readonly activityId: string;
  readonly started: boolean;
  readonly isTurn: boolean;
}

/** The open turns of an agent, started or queued again: one, or none. */
export async function pendingTurns(
  link: Pick<ClientLink, 'client'>,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingActivity[]> {
  // Any other pending activity (storing a record, saving files) has another kind of result.
  return (await openActivities(link, agentWorkflowId(runId, agentId))).filter((activity) => activity.isTurn);
}

async function openActivities(
  { client }: Pick<ClientLink, 'client'>,
  workflowId: string,
): Promise<readonly PendingActivity[]> {
  try {
    const description = await client.workflow.getHandle(workflowId).describe();
    const { runId: workflowRunId } = description;
    return pendingActivities(description).flatMap((activity) => {
      const { activityId, state } = activity;
      const started = state === PENDING_ACTIVITY_STATE_STARTED;
      return activityId ? [{ workflowId, workflowRunId, activityId, started, isTurn: isTurn(activity) }] : [];
    });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}
