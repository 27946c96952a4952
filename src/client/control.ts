// Changing open runs: cancel, resume, budget, and the recovery of turns whose worker is surely dead.
// Must not serve a run or print.
import type { Client } from '@temporalio/client';
import { isGrpcServiceError, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TurnFailureDetails } from '../activities/types.js';
import { toPayload } from '../codec/converter.js';
import { agentWorkflowId } from '../protocol/names.js';
import type { Link } from './connect.js';
import { ClientError } from './error.js';
import type { RunView } from './runs.js';
import { viewRun } from './runs.js';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** gRPC's status for it, a number of every version of that protocol. */
const NOT_FOUND = 5;

/** Asks a run to stop its agents and end. Throws `RunClosed`. */
export async function cancelRun(client: Client, runId: string): Promise<void> {
  const view = await viewRun(client, runId);
  if (!view.open) throw new ClientError('RunClosed', `the run ${runId} has ended already (${view.status})`);
  await client.workflow.getHandle(runId).cancel();
}

/** Lets the paused agents of an open run try again; gives the number of resumptions to wait for in its summary. */
export async function resumeOpenRun(client: Client, { runId, resumptions }: RunView): Promise<number> {
  await client.workflow.getHandle(runId).signal('resume');
  return resumptions + 1;
}

/** Changes what an open run may cost; `usd` absent = no limit. */
export async function changeBudget(client: Client, { runId, usd }: { runId: string; usd?: number }): Promise<void> {
  await client.workflow.getHandle(runId).signal('budget', usd === undefined ? {} : { usd });
}

/** Fails the started turns of a run's agents, so that Temporal retries them at once. Only for a run whose worker is surely dead. */
export async function recoverTurns(link: Link, { runId, agents }: RunView): Promise<void> {
  for (const { id } of agents.filter(({ status }) => status === 'running')) {
    for (const turn of await startedTurns(link, { runId, agentId: id }))
      await failTurn(link, turn, { nonRetryable: false });
  }
}

/** Fails a started turn for good, with what its attempts have spent; false when it has ended by itself. Only when its worker is surely dead. */
export async function endTurn(link: Link, turn: StartedTurn, costUsd: number): Promise<boolean> {
  const details: TurnFailureDetails = { type: 'WorkerLost', costUsd };
  const payloads = [await toPayload(link.client.options.loadedDataConverter, details)];
  return await failTurn(link, turn, { nonRetryable: true, details: { payloads } });
}

async function failTurn(
  { connection, namespace }: Link,
  { workflowId, activityId }: StartedTurn,
  how: proto.temporal.api.failure.v1.IApplicationFailureInfo,
): Promise<boolean> {
  const applicationFailureInfo = { type: 'WorkerLost', ...how };
  const failure = { message: 'the worker of this attempt is dead', applicationFailureInfo };
  try {
    const request = { namespace, workflowId, activityId, failure, identity: 'raymond' };
    await connection.workflowService.respondActivityTaskFailedById(request);
    return true;
  } catch (error) {
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    // The server has just noticed by itself that the worker is silent.
    if (code !== NOT_FOUND) throw error;
    return false;
  }
}

/** A turn that a worker has begun, as Temporal knows it. */
export interface StartedTurn {
  readonly workflowId: string;
  readonly workflowRunId: string;
  readonly activityId: string;
}

/** The started turns of an agent: one, or none. */
export async function startedTurns(
  { client }: Link,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<readonly StartedTurn[]> {
  const workflowId = agentWorkflowId(runId, agentId);
  try {
    const { raw, runId: workflowRunId } = await client.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? [])
      .filter(({ state }) => state === PENDING_ACTIVITY_STATE_STARTED)
      .flatMap(({ activityId }) => (activityId ? [{ workflowId, workflowRunId, activityId }] : []));
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}
