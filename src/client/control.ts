// Changing runs: cancel, resume, and the recovery of turns whose worker is surely dead.
// Must not serve a run or print.
import type { Client } from '@temporalio/client';
import { isGrpcServiceError, WorkflowIdReusePolicy, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { ArtifactStore } from '../activities/artifacts.js';
import type { TurnFailureDetails } from '../activities/types.js';
import { agentWorkflowId } from '../protocol/names.js';
import { spentUsd } from '../workflows/ledger.js';
import { summarise } from '../workflows/summary.js';
import type { Ledger, RunInput, RunSettings } from '../workflows/contract.js';
import { SUMMARY_MEMO } from '../workflows/contract.js';
import { attributePairs } from '../workflows/attributes.js';
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

/** What a closed run is started again with; `budget` replaces its old one, without `usd` there is none. */
export interface Revival {
  readonly view: RunView;
  readonly artifacts: ArtifactStore;
  readonly taskQueue: string;
  readonly budget?: { readonly usd?: number };
}

/** Starts a closed run again from its books, under its old id. Throws `NotResumable`. */
export async function reviveRun(client: Client, { view, artifacts, taskQueue, budget }: Revival): Promise<void> {
  if (view.status === 'completed')
    throw new ClientError('NotResumable', `the run ${view.runId} has completed; there is nothing to resume`);
  if (view.record === undefined) {
    throw new ClientError(
      'NotResumable',
      `the run ${view.runId} left no record (it was terminated from outside); start it anew`,
    );
  }
  const { input, ledger } = JSON.parse(await artifacts.text(view.record)) as { input: RunInput; ledger: Ledger };
  const settings = budget === undefined ? input.settings : withBudget(input.settings, budget);
  const resumed: RunInput = { ...input, settings, ledger, revive: true };
  await client.workflow.start('run', {
    workflowId: view.runId,
    taskQueue,
    args: [resumed],
    workflowIdReusePolicy: WorkflowIdReusePolicy.ALLOW_DUPLICATE,
    memo: { [SUMMARY_MEMO]: summarise(ledger, { input: resumed, status: 'running' }) },
    typedSearchAttributes: attributePairs(
      {
        RaymondWorkflow: input.workflow,
        RaymondRun: view.runId,
        RaymondStatus: 'running',
        RaymondCostUsd: spentUsd(ledger),
      },
      input.settings.searchAttributes,
    ),
    staticSummary: `${input.workflow} · run`,
  });
}

function withBudget({ budgetUsd: _old, ...settings }: RunSettings, { usd }: { readonly usd?: number }): RunSettings {
  return { ...settings, ...(usd === undefined ? {} : { budgetUsd: usd }) };
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
  const payloads = [defaultPayloadConverter.toPayload(details)];
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
