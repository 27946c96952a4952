// What a dead worker has left: the activities that Temporal still waits for. Turns can be ended in its place; everything else that it had begun
// is failed, so that another worker takes it at once.
import { ActivityNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TurnReport } from '../../activities/types.js';
import { isTurn } from '../../history/turns.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { exactly } from '../../protocol/text.js';
import { ENDED } from '../../workflows/contract.js';
import { isNotFound, type ClientLink } from '../connect.js';
import type { RunView } from '../look/runs.js';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/**
 * Fails what the dead worker of a run had begun, turns and other activities, so that Temporal retries it at once. Only for a run whose
 * worker is surely dead.
 */
export async function recoverTurns(link: ClientLink, { runId, agents }: RunView): Promise<void> {
  const live = agents.filter(({ status }) => !ENDED.has(status));
  const workflows = [runId, ...live.map(({ id }) => agentWorkflowId(runId, id))];
  const pending = await Promise.all(workflows.map((workflowId) => pendingActivities(link, workflowId)));
  await Promise.all(pending.flat().flatMap((activity) => (activity.started ? [failActivity(link, activity)] : [])));
}

/** What attempts of a turn have left: what they spent, and the report of the turns that their chain had recorded. */
interface Left {
  readonly costUsd: number;
  readonly chain: TurnReport | undefined;
}

/**
 * Cancels an agent and ends its turn, with what its attempts have left, whether or not it has been given to the queue again; false when
 * the turn has ended by itself. Only for a run whose worker is surely dead.
 */
export async function endTurn(
  { client }: Pick<ClientLink, 'client'>,
  turn: PendingActivity,
  { costUsd, chain }: Left,
): Promise<boolean> {
  const { workflowId, workflowRunId: runId, activityId } = turn;
  // First: after the recorded turns of a chain the agent must not begin another one.
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
    // The server has just noticed by itself that the worker is silent.
    if (!isNotFound(error)) throw error;
  }
}

/** An activity that has not ended, as Temporal knows it. */
interface PendingActivity {
  readonly workflowId: string;
  readonly workflowRunId: string;
  readonly activityId: string;
  readonly started: boolean;
  readonly isTurn: boolean;
}

/** The turns of an agent that a worker has begun: one, or none. */
export async function startedTurns(
  link: ClientLink,
  agent: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingActivity[]> {
  return (await pendingTurns(link, agent)).filter(({ started }) => started);
}

/** The turns of an agent that have not ended, begun or given to the queue again: one, or none. */
export async function pendingTurns(
  link: Pick<ClientLink, 'client'>,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingActivity[]> {
  // Whatever else is pending (a record that is stored, files that are saved) has another kind of result.
  return (await pendingActivities(link, agentWorkflowId(runId, agentId))).filter((activity) => activity.isTurn);
}

async function pendingActivities(
  { client }: Pick<ClientLink, 'client'>,
  workflowId: string,
): Promise<readonly PendingActivity[]> {
  try {
    const { raw, runId: workflowRunId } = await client.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).flatMap((activity) => {
      const { activityId, state } = activity;
      const started = state === PENDING_ACTIVITY_STATE_STARTED;
      return activityId ? [{ workflowId, workflowRunId, activityId, started, isTurn: isTurn(activity) }] : [];
    });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}
