// Changing open runs: cancel, pause, resume, budget, words to agents, and the recovery of turns whose worker is surely dead.
import type { Client, WorkflowHandle } from '@temporalio/client';
import { ActivityNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TurnReport } from '../activities/types.js';
import type { Told } from '../protocol/agent.js';
import { agentWorkflowId } from '../protocol/ids.js';
import { clip } from '../protocol/text.js';
import { ENDED } from '../workflows/contract.js';
import { isNotFound, type Link } from './connect.js';
import { ClientError } from './error.js';
import { viewRun, type RunView } from './runs.js';

const { PENDING_ACTIVITY_STATE_STARTED } = proto.temporal.api.enums.v1.PendingActivityState;

/** Throws `RunClosed`. */
export function checkOpen({ runId, open, status }: RunView): void {
  if (!open) throw new ClientError('RunClosed', `the run ${runId} has ended already (${status})`);
}

/** Asks a run to stop its agents and end. Throws `RunClosed`. */
export async function cancelRun(client: Client, runId: string): Promise<void> {
  checkOpen(await viewRun(client, runId));
  await client.workflow.getHandle(runId).cancel();
}

/** Lets the agents of an open run pause at the end of their turns; `by` is shown with the pause. Throws `RunClosed`. */
export async function pauseRun(
  client: Client,
  { view, by }: { readonly view: RunView; readonly by: string },
): Promise<void> {
  checkOpen(view);
  await client.workflow.getHandle(view.runId).signal('pause', { by });
}

/** One live agent of an open run. */
interface LiveAgent {
  readonly view: RunView;
  readonly agentId: string;
}

/** Asks one agent to stop; the others go on. Throws `RunClosed`, `NoSuchAgent`. */
export async function cancelAgent(client: Client, agent: LiveAgent): Promise<void> {
  await withAgent(client, agent, (handle) => handle.cancel());
}

/** Says something to an agent: its next prompt begins with that. Throws `RunClosed`, `NoSuchAgent`. */
export async function tellAgent(
  client: Client,
  { told, ...agent }: LiveAgent & { readonly told: Told },
): Promise<void> {
  await withAgent(client, agent, (handle) => handle.signal('tell', told));
}

/** Lets one agent try again that a failure or a pause holds up. Throws `RunClosed`, `NoSuchAgent`, `NotResumable`. */
export async function retryAgent(client: Client, agent: LiveAgent): Promise<void> {
  const { view, agentId } = agent;
  checkOpen(view);
  const line = view.agents.find(({ id }) => id === agentId);
  if (line !== undefined && !['paused', 'waiting'].includes(line.status)) {
    const message = `${agentId} is ${line.status}: there is nothing to try again`;
    throw new ClientError('NotResumable', message);
  }
  await withAgent(client, agent, (handle) => handle.signal('resume'));
}

async function withAgent(
  client: Client,
  { view, agentId }: LiveAgent,
  act: (handle: WorkflowHandle) => Promise<unknown>,
): Promise<void> {
  checkOpen(view);
  try {
    await act(client.workflow.getHandle(agentWorkflowId(view.runId, agentId)));
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    const live = view.agents.filter(({ status }) => !ENDED.has(status)).map(({ id }) => id);
    if (live.includes(agentId)) throw notBegun(view.runId, agentId);
    const message = `the run ${view.runId} has no agent ${agentId} that is alive; alive are ${clip(live.join(', '), 200)}`;
    throw new ClientError('NoSuchAgent', message, { cause: error });
  }
}

/** A run tells of an agent that it is about to start: what is said to it now would be lost. */
function notBegun(runId: string, agentId: string): ClientError {
  const message = `${agentId} of the run ${runId} has not begun yet; say it again when a worker has taken it up`;
  return new ClientError('NoSuchAgent', message);
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
    for (const turn of await startedTurns(link, { runId, agentId: id })) await failTurn(link, turn);
  }
}

/**
 * Reports a turn as cancelled, with what its attempts have spent, whether or not it has been given to the queue again; false when it
 * has ended by itself. Only for a run whose worker is surely dead.
 */
export async function endTurn({ client }: Link, turn: PendingTurn, costUsd: number): Promise<boolean> {
  const { workflowId, workflowRunId: runId, activityId } = turn;
  const report: TurnReport = { outcome: { kind: 'cancelled' }, costUsd, durationMs: 0 };
  try {
    await client.activity.complete({ workflowId, runId, activityId }, report);
    return true;
  } catch (error) {
    if (error instanceof ActivityNotFoundError) return false;
    throw error;
  }
}

async function failTurn({ connection, namespace }: Link, { workflowId, activityId }: PendingTurn): Promise<void> {
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

/** A turn that has not ended, as Temporal knows it. */
interface PendingTurn {
  readonly workflowId: string;
  readonly workflowRunId: string;
  readonly activityId: string;
  readonly started: boolean;
}

/** The turns of an agent that a worker has begun: one, or none. */
export async function startedTurns(
  link: Link,
  agent: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingTurn[]> {
  return (await pendingTurns(link, agent)).filter(({ started }) => started);
}

/** The turns of an agent that have not ended, begun or given to the queue again: one, or none. */
export async function pendingTurns(
  { client }: Link,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingTurn[]> {
  const workflowId = agentWorkflowId(runId, agentId);
  try {
    const { raw, runId: workflowRunId } = await client.workflow.getHandle(workflowId).describe();
    return (raw.pendingActivities ?? []).flatMap(({ activityId, state }) => {
      const started = state === PENDING_ACTIVITY_STATE_STARTED;
      return activityId ? [{ workflowId, workflowRunId, activityId, started }] : [];
    });
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}
