// Orders to open runs: cancel, pause, resume, budget, and orders to one agent. An order without effect is an error.
import type { Client, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import pMap from 'p-map';
import type { OperatorNote } from '../../protocol/machine/agent.js';
import type { Relocation } from '../../protocol/machine/workspace.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { clip, dollars } from '../../protocol/text.js';
import { ENDED, type AgentLine, type Move, type Revival } from '../../contract/runs.js';
import type { Link } from '../connect.js';
import { ClientError } from '../error.js';
import { viewRun, type RunView } from '../look/runs.js';
import { pendingTurns } from './dead-worker.js';
import { expiredAsk } from './expired.js';

/** How many agents receive an order at the same time. */
const AT_ONCE = 20;

/** Throws `RunClosed`. */
export function checkOpen({ runId, open, status }: RunView): void {
  if (open) return;
  const next = status === 'completed' ? '' : `; continue it with: raymond resume ${runId}`;
  throw new ClientError('RunClosed', `the run ${runId} has already ended (${status})${next}`);
}

/** Asks a run to stop its agents and end. Throws `RunClosed`. */
export async function cancelRun(client: Client, runId: string): Promise<void> {
  checkOpen(await viewRun(client, runId));
  await client.workflow.getHandle(runId).cancel();
}

/**
 * Pauses the agents of an open run at the end of their turns; with `now` turns are interrupted and run again later.
 * `by` is shown with the pause. Throws `RunClosed`, and `NothingToDo` when the run is already paused.
 */
export async function pauseRun(
  client: Client,
  { view, by, now = false }: { readonly view: RunView; readonly by: string; readonly now?: boolean },
): Promise<void> {
  checkOpen(view);
  const { runId, pausedBy, agents } = view;
  const pause = { by, ...(now ? { now } : {}) };
  // Also when it is already paused: a resumption that no worker has processed yet may follow.
  await client.workflow.getHandle(runId).signal('pause', pause);
  // Also directly: the run passes the pause on, and a later `goto` or answer could arrive at the agent earlier. Only
  // the run takes pauses back, so that its own copy of this one never follows an order that ends it.
  const live = agents.filter(({ status }) => !ENDED.has(status));
  const handleOf = ({ id }: AgentLine): WorkflowHandle => client.workflow.getHandle(agentWorkflowId(runId, id));
  await pMap(live, (agent) => unlessEnded(handleOf(agent).signal('pause', pause)), { concurrency: AT_ONCE });
  const isAtWork = agents.some(({ status }) => status === 'running');
  if (pausedBy === undefined || (now && isAtWork)) return;
  const how = isAtWork ? 'is being paused' : 'is paused';
  throw new ClientError(
    'NothingToDo',
    `${runId} ${how} already (by ${pausedBy}); resume it with: raymond resume ${runId}`,
  );
}

/** An open agent of an open run. */
interface LiveAgent {
  readonly view: RunView;
  readonly agentId: string;
}

/** Stops one agent; the others continue. Throws `RunClosed`, `NoSuchAgent`. */
export async function cancelAgent(client: Client, agent: LiveAgent): Promise<void> {
  await withAgent(client, agent, (handle) => handle.cancel());
}

/** Adds a note to the beginning of an agent's next prompt. Throws `RunClosed`, `NoSuchAgent`. */
export async function tellAgent(
  client: Client,
  { note, ...agent }: LiveAgent & { readonly note: OperatorNote },
): Promise<void> {
  await withAgent(client, agent, (handle) => handle.signal('tell', note));
}

/** Removes the notes to an agent that no prompt has received. Throws `RunClosed`, `NoSuchAgent`. */
export async function withdrawNotes(
  client: Client,
  { by, ...agent }: LiveAgent & { readonly by: string },
): Promise<void> {
  await withAgent(client, agent, (handle) => handle.signal('withdraw', { by }));
}

/**
 * Moves the workspace of an agent to another host before its next turn. Throws `RunClosed`, `NoSuchAgent`,
 * `InvalidUsage`.
 */
export async function relocateAgent(
  client: Client,
  { view, ...relocation }: Relocation & { readonly view: RunView },
): Promise<void> {
  const { runId, workspaceRoot } = view;
  if (workspaceRoot === undefined)
    throw new ClientError('InvalidUsage', `the agents of ${runId} have no workspaces: every host sees their folders`);
  const { host } = view.agents.find(({ id }) => id === relocation.agentId) ?? {};
  if (relocation.to !== undefined && relocation.to === host)
    throw new ClientError('NothingToDo', `the workspace of ${relocation.agentId} is already on ${host}`);
  await checkReached(client, { view, agentId: relocation.agentId });
  await client.workflow.getHandle(runId).signal('relocate', relocation);
}

/**
 * Retries one agent of an open run: one that a failure or a pause holds, or one that ended without a result. Throws
 * `RunClosed`, `NoSuchAgent`, `NotResumable`.
 */
export async function retryAgent(client: Client, { by, ...agent }: LiveAgent & { readonly by: string }): Promise<void> {
  const { view, agentId } = agent;
  checkOpen(view);
  const status = view.agents.find(({ id }) => id === agentId)?.status;
  const hasEnded = status !== undefined && REVIVABLE.has(status);
  if (status !== undefined && !hasEnded && !['paused', 'waiting'].includes(status)) throw notRetryable(agent, status);
  if (!hasEnded) await checkReached(client, agent);
  // Not to the agent: its run keeps pauses and retries in the order in which they were given.
  await revive(client, { view, revival: { agentId, by } });
}

function notRetryable({ view, agentId }: LiveAgent, status: AgentLine['status']): ClientError {
  const { ask } = view.agents.find(({ id }) => id === agentId) ?? {};
  const next = ask === undefined ? '' : `; answer it with: raymond answer ${view.runId} ${ask.id} "…"`;
  return new ClientError('NotResumable', `${agentId} is ${status}: there is nothing to retry${next}`);
}

/** Ends after which an agent can continue from its record. */
const REVIVABLE: ReadonlySet<string> = new Set(['failed', 'cancelled', 'lost']);

/**
 * Continues one agent of an open run at another state: whatever it waits for is dropped; a turn in progress is
 * interrupted with `now`, else the order is an error. Throws `RunClosed`, `NoSuchAgent`, `TurnUnderWay`,
 * `NotResumable`.
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
    throw new ClientError('NotResumable', `${agentId} has completed and cannot continue at another state`);
  if (status !== undefined && REVIVABLE.has(status))
    return await revive(link.client, { view, revival: { agentId, by: move.by, move } });
  if (move.now !== true && (await pendingTurns(link, { runId, agentId })).length > 0) {
    const message = `a turn of ${agentId} is in progress; wait for its end, pause it first (raymond pause ${runId}), or interrupt it with --now`;
    throw new ClientError('TurnUnderWay', message);
  }
  await withAgent(link.client, agent, (handle) => handle.signal('move', move));
}

async function revive(
  client: Client,
  { view, revival }: { readonly view: RunView; readonly revival: Revival },
): Promise<void> {
  const order = view.stopping === true ? { ...revival, afterCancel: true } : revival;
  await client.workflow.getHandle(view.runId).signal('revive', order);
}

/**
 * Checks that an agent can receive orders: a run ignores messages about agents that it does not have. Throws
 * `RunClosed`, `NoSuchAgent`.
 */
export async function checkReached(client: Client, agent: LiveAgent): Promise<void> {
  await withAgent(client, agent, (handle) => handle.signal('probe'));
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
    if (live.includes(agentId)) throw await notReached(client, { runId: view.runId, agentId });
    const message = `the run ${view.runId} has no open agent ${agentId}; the open agents are ${clip(live.join(', '), 200)}`;
    throw new ClientError('NoSuchAgent', message, { cause: error });
  }
}

/** A run lists an agent before it starts, and for a while after it was terminated: neither can receive orders. */
async function notReached(
  client: Client,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<ClientError> {
  const handle = client.workflow.getHandle(agentWorkflowId(runId, agentId));
  const hasBegun = await handle.describe().then(
    () => true,
    () => false, // there is no such workflow yet
  );
  const message = hasBegun
    ? `${agentId} of the run ${runId} has just ended, or its workflow was terminated; see: raymond status ${runId}`
    : `${agentId} of the run ${runId} has not started yet: no worker has accepted it; repeat the order when it has started`;
  return new ClientError('NoSuchAgent', message);
}

/** The run after it has processed all earlier orders; undefined = no worker does so now. */
export async function viewAfterOrders(client: Client, { runId }: RunView): Promise<RunView | undefined> {
  return (await onceProcessed(client.workflow.getHandle(runId), 'summary')) ? await viewRun(client, runId) : undefined;
}

/** Waits until all orders to an agent are in its history: Temporal adds those that arrive during a workflow task later. */
export async function onceRecorded(client: Client, { view, agentId }: LiveAgent): Promise<void> {
  const handle = client.workflow.getHandle(agentWorkflowId(view.runId, agentId));
  const { raw } = await handle.describe();
  if (raw.pendingWorkflowTask?.startedTime) await onceProcessed(handle, 'record');
}

/** How long a workflow may take to process the orders that it has received. */
const PROCESSED_MS = 5000;

/** Waits until a workflow has processed all earlier orders; false = no worker does so now. */
async function onceProcessed(handle: WorkflowHandle, query: 'summary' | 'record'): Promise<boolean> {
  try {
    await handle.client.connection.withDeadline(Date.now() + PROCESSED_MS, () => handle.query(query));
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw error;
    return false; // A server that does not answer fails the order itself, too.
  }
}

/** Retries the paused agents of an open run; returns the number of resumptions to wait for in its summary. */
export async function resumeOpenRun(client: Client, view: RunView): Promise<number> {
  const { runId, resumptions, agents, stopping } = view;
  // Before their run does, and before they notice their own expiry: then they ask again without a timeout.
  for (const { id } of agents.filter((line) => expiredAsk(line, Date.now()) !== undefined))
    await unlessEnded(client.workflow.getHandle(agentWorkflowId(runId, id)).signal('resume'));
  await client.workflow.getHandle(runId).signal('resume', ...(stopping === true ? [{ afterCancel: true }] : []));
  return resumptions + 1;
}

/** An agent that has ended meanwhile needs no signal: its run knows the order. */
async function unlessEnded(sent: Promise<void>): Promise<void> {
  try {
    await sent;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Throws `NotResumable` for a run that a larger budget would not continue, `InvalidUsage` for less than it has spent; 0
 * = no limit.
 */
export function checkBudget({ runId, open, status, costUsd }: RunView, usd: number): void {
  if (!open && status !== 'over-budget') {
    const next = status === 'completed' ? 'there is nothing to continue' : `continue with: raymond resume ${runId}`;
    throw new ClientError(
      'NotResumable',
      `the run ${runId} has ended (${status}), but not because of its budget; ${next}`,
    );
  }
  if (usd === 0 || usd > costUsd) return;
  const spent = `the run ${runId} has spent ${dollars(costUsd)} already`;
  throw new ClientError('InvalidUsage', `${spent}; give a larger amount, or 0 for no limit`);
}

/** Changes the budget of an open run; `usd` absent = no limit. */
export async function changeBudget(client: Client, { runId, usd }: { runId: string; usd?: number }): Promise<void> {
  await client.workflow.getHandle(runId).signal('budget', usd === undefined ? {} : { usd });
}
