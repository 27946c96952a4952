// Changing open runs: cancel, pause, resume, budget, words to agents, and the recovery of turns whose worker is surely dead.
import type { Client, WorkflowHandle } from '@temporalio/client';
import { ActivityNotFoundError, WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import type { TurnReport } from '../../activities/types.js';
import type { OperatorNote } from '../../protocol/machine/agent.js';
import type { Relocation } from '../../protocol/machine/workspace.js';
import { isTurn } from '../../history/turns.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { clip, dollars } from '../../protocol/text.js';
import { ENDED, type Move, type Revival } from '../../workflows/contract.js';
import { isNotFound, type Link } from '../connect.js';
import { ClientError } from '../error.js';
import { viewRun, type RunView } from '../look/runs.js';

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

/**
 * Lets the agents of an open run pause at the end of their turns; with `now` these are torn and will be done again. `by` is shown with the
 * pause. Throws `RunClosed`.
 */
export async function pauseRun(
  client: Client,
  { view, by, now = false }: { readonly view: RunView; readonly by: string; readonly now?: boolean },
): Promise<void> {
  checkOpen(view);
  await client.workflow.getHandle(view.runId).signal('pause', { by, ...(now ? { now } : {}) });
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
  { told, ...agent }: LiveAgent & { readonly told: OperatorNote },
): Promise<void> {
  await withAgent(client, agent, (handle) => handle.signal('tell', told));
}

/** Lets the workspace of an agent move to another host before its next turn. Throws `RunClosed`, `NoSuchAgent`, `InvalidUsage`. */
export async function relocateAgent(
  client: Client,
  { view, ...wish }: Relocation & { readonly view: RunView },
): Promise<void> {
  const { runId, workspaceRoot } = view;
  if (workspaceRoot === undefined)
    throw new ClientError('InvalidUsage', `the agents of ${runId} have no workspaces: every host sees their folders`);
  // The run ignores what it hears of agents that are none.
  await withAgent(client, { view, agentId: wish.agentId }, (handle) => handle.signal('probe'));
  await client.workflow.getHandle(runId).signal('relocate', wish);
}

/**
 * Lets one agent of an open run try again: one that a failure or a pause holds up, or one that ended without a result. Throws `RunClosed`,
 * `NoSuchAgent`, `NotResumable`.
 */
export async function retryAgent(client: Client, { by, ...agent }: LiveAgent & { readonly by: string }): Promise<void> {
  const { view, agentId } = agent;
  checkOpen(view);
  const status = view.agents.find(({ id }) => id === agentId)?.status;
  if (status !== undefined && REVIVABLE.has(status)) return await revive(client, { view, revival: { agentId, by } });
  if (status !== undefined && !['paused', 'waiting'].includes(status))
    throw new ClientError('NotResumable', `${agentId} is ${status}: there is nothing to try again`);
  await withAgent(client, agent, (handle) => handle.signal('resume'));
}

/** Ends after which an agent can go on from its record. */
const REVIVABLE: ReadonlySet<string> = new Set(['failed', 'cancelled', 'lost']);

/**
 * Sends one agent of an open run to another state: whatever it waits for is given up; a turn that is under way is torn with `now`, else the
 * move is refused. Throws `RunClosed`, `NoSuchAgent`, `TurnUnderWay`, `NotResumable`.
 */
export async function moveAgent(
  link: Pick<Link, 'client'>,
  { move, ...agent }: LiveAgent & { readonly move: Move },
): Promise<void> {
  const { view, agentId } = agent;
  const { runId } = view;
  checkOpen(view);
  const status = view.agents.find(({ id }) => id === agentId)?.status;
  if (status === 'completed')
    throw new ClientError('NotResumable', `${agentId} has completed: it goes nowhere any more`);
  if (status !== undefined && REVIVABLE.has(status))
    return await revive(link.client, { view, revival: { agentId, by: move.by, move } });
  if (move.now !== true && (await pendingTurns(link, { runId, agentId })).length > 0) {
    const message = `a turn of ${agentId} is under way; wait for its end, pause it first (raymond pause ${runId}), or tear it with --now`;
    throw new ClientError('TurnUnderWay', message);
  }
  await withAgent(link.client, agent, (handle) => handle.signal('move', move));
}

async function revive(
  client: Client,
  { view, revival }: { readonly view: RunView; readonly revival: Revival },
): Promise<void> {
  await client.workflow.getHandle(view.runId).signal('revive', revival);
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

/** Throws `NotResumable` for a run that more money would not let go on, `InvalidUsage` for less than it has spent; 0 = no limit. */
export function checkBudget({ runId, open, status, costUsd }: RunView, usd: number): void {
  if (!open && status !== 'over-budget') {
    const next = status === 'completed' ? 'there is nothing to go on with' : `go on with: raymond resume ${runId}`;
    throw new ClientError('NotResumable', `the run ${runId} has ended (${status}), not for its budget; ${next}`);
  }
  if (usd === 0 || usd > costUsd) return;
  const spent = `the run ${runId} has spent ${dollars(costUsd)} already`;
  throw new ClientError('InvalidUsage', `${spent}; name a larger amount, or 0 for no limit`);
}

/** Changes what an open run may cost; `usd` absent = no limit. */
export async function changeBudget(client: Client, { runId, usd }: { runId: string; usd?: number }): Promise<void> {
  await client.workflow.getHandle(runId).signal('budget', usd === undefined ? {} : { usd });
}

/**
 * Fails what the dead worker of a run had begun, turns and other activities, so that Temporal retries it at once. Only for a run whose
 * worker is surely dead.
 */
export async function recoverTurns(link: Link, { runId, agents }: RunView): Promise<void> {
  const live = agents.filter(({ status }) => !ENDED.has(status));
  const workflows = [runId, ...live.map(({ id }) => agentWorkflowId(runId, id))];
  const pending = await Promise.all(workflows.map((workflowId) => pendingActivities(link, workflowId)));
  await Promise.all(pending.flat().flatMap((activity) => (activity.started ? [failActivity(link, activity)] : [])));
}

/**
 * Reports a turn as cancelled, with what its attempts have spent, whether or not it has been given to the queue again; false when it
 * has ended by itself. Only for a run whose worker is surely dead.
 */
export async function endTurn({ client }: Link, turn: PendingActivity, costUsd: number): Promise<boolean> {
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

async function failActivity(
  { connection, namespace }: Link,
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
  link: Link,
  agent: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingActivity[]> {
  return (await pendingTurns(link, agent)).filter(({ started }) => started);
}

/** The turns of an agent that have not ended, begun or given to the queue again: one, or none. */
export async function pendingTurns(
  link: Pick<Link, 'client'>,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<readonly PendingActivity[]> {
  // Whatever else is pending (a record that is stored, files that are saved) has another kind of result.
  return (await pendingActivities(link, agentWorkflowId(runId, agentId))).filter((activity) => activity.isTurn);
}

async function pendingActivities(
  { client }: Pick<Link, 'client'>,
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
