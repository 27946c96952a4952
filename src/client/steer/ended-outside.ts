// Handles what people end with Temporal's own tools: agents that their run believes to be open, and agents whose run is
// gone.
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import pMap from 'p-map';
import { agentWorkflowId } from '../../protocol/ids.js';
import { ENDED, type AgentLine } from '../../contract/runs.js';
import { lostLine, viewRun, type RunView } from '../look/runs.js';
import type { EngineAccess } from '../open.js';

/** How many executions are checked together. */
const AT_ONCE = 20;

/** How long after the end of its run an agent may still be about to report. */
const LAST_WORD_MS = 30_000;

/** Agents without a workflow: they were deleted, or have not started yet. One that is missing twice was deleted. */
export class MissingAgents {
  private before: ReadonlySet<string> = new Set();
  private now = new Set<string>();

  /** Begins another look. */
  lookAgain(): void {
    this.before = this.now;
    this.now = new Set();
  }

  /** Notes one; true when it was missing at the last look, too. */
  isMissingAgain(workflowId: string): boolean {
    this.now.add(workflowId);
    return this.before.has(workflowId);
  }
}

/** The agents that an open run believes to be open, and whose workflows are closed or deleted. */
export async function endedOutside(
  client: Client,
  { runId, open, agents }: Pick<RunView, 'runId' | 'open' | 'agents'>,
  missing?: MissingAgents,
): Promise<readonly string[]> {
  if (!open) return [];
  const live = agents.filter(({ status }) => !ENDED.has(status));
  const known = live.length > AT_ONCE ? await openAgents(client, runId) : new Set<string>();
  const doubtful = live.filter(({ id }) => !known.has(id));
  const closed = await pMap(doubtful, (line) => isClosed(client, { runId, line, missing }), { concurrency: AT_ONCE });
  return doubtful.flatMap(({ id }, at) => (closed[at] === true ? [id] : []));
}

async function openAgents(client: Client, runId: string): Promise<ReadonlySet<string>> {
  const query = `WorkflowType = "agent" AND WorkflowId STARTS_WITH "${runId}/" AND ExecutionStatus = "Running"`;
  const open = new Set<string>();
  for await (const { workflowId } of client.workflow.list({ query })) open.add(workflowId.slice(runId.length + 1));
  return open;
}

async function isClosed(
  client: Client,
  {
    runId,
    line,
    missing,
  }: { readonly runId: string; readonly line: AgentLine; readonly missing: MissingAgents | undefined },
): Promise<boolean> {
  const workflowId = agentWorkflowId(runId, line.id);
  try {
    const { status } = await client.workflow.getHandle(workflowId).describe();
    // The run of an agent that completed knows of it, but may not have shown it yet.
    return status.name !== 'RUNNING' && status.name !== 'COMPLETED';
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    // A run lists an agent as running before it has started.
    return line.status !== 'running' || missing?.isMissingAgain(workflowId) === true;
  }
}

/** The same, after asking the run to check these agents at once. */
async function reportEnded(
  client: Client,
  view: Parameters<typeof endedOutside>[1],
  missing?: MissingAgents,
): Promise<readonly string[]> {
  const agentIds = await endedOutside(client, view, missing);
  if (agentIds.length > 0) await suspect(client, { runId: view.runId, agentIds });
  return agentIds;
}

/** The view, with agents marked lost that are closed in Temporal. The run is asked to check them at once. */
export async function viewWithoutEnded(client: Client, view: RunView): Promise<RunView> {
  const ended = await reportEnded(client, view);
  if (ended.length === 0) return view;
  const agents = view.agents.map((line) => (ended.includes(line.id) ? lostLine(line) : line));
  const isAsking = agents.some(({ ask }) => ask !== undefined);
  return { ...view, agents, status: view.status === 'asking' && !isAsking ? 'running' : view.status };
}

/** How long a run may take to notice. */
const NOTICED_MS = 10_000;

/** The run, once it has noticed which of its agents Temporal has closed; an engine is started for that if necessary. */
export async function onceNoticed(
  client: Client,
  view: RunView,
  engine: Pick<EngineAccess, 'ensure'>,
): Promise<RunView> {
  const { runId } = view;
  const agentIds = await reportEnded(client, view);
  if (agentIds.length === 0) return view;
  await engine.ensure();
  for (const until = Date.now() + NOTICED_MS; ;) {
    const now = await viewRun(client, runId);
    const alive = now.agents.filter(({ id, status }) => agentIds.includes(id) && !ENDED.has(status));
    if (!now.open || alive.length === 0 || Date.now() > until) return now;
    await delay(50);
  }
}

/** Asks a run to check agents now. */
async function suspect(
  client: Client,
  { runId, agentIds }: { readonly runId: string; readonly agentIds: readonly string[] },
): Promise<void> {
  try {
    await client.workflow.getHandle(runId).signal('suspect', { agentIds });
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // It has ended meanwhile.
  }
}

/**
 * Checks everything open on a task queue once: runs check agents that are gone, and agents whose run is gone are
 * terminated.
 */
export async function endStrays(client: Client, { taskQueue, runs, missing }: StrayOptions): Promise<void> {
  missing?.lookAgain();
  for (const view of runs) await reportEnded(client, view, missing);
  const open = new Set(runs.map(({ runId }) => runId));
  const query = `WorkflowType = "agent" AND ExecutionStatus = "Running" AND TaskQueue = "${taskQueue}"`;
  const gone = new Map<string, boolean>();
  for await (const { workflowId, runId: executionId } of client.workflow.list({ query })) {
    const runId = workflowId.slice(0, workflowId.indexOf('/'));
    if (open.has(runId)) continue;
    if (!gone.has(runId)) gone.set(runId, await isGone(client, runId));
    if (gone.get(runId) === true) await end(client, { workflowId, executionId, runId });
  }
}

/** The scope: `runs` are the open ones of the task queue. */
interface StrayOptions {
  readonly taskQueue: string;
  readonly runs: readonly Pick<RunView, 'runId' | 'open' | 'agents'>[];
  /** What the looks before have missed. */
  readonly missing?: MissingAgents;
}

/** True for a run that was terminated or deleted, or closed so long ago that no report can follow. */
async function isGone(client: Client, runId: string): Promise<boolean> {
  try {
    const { closeTime, status } = await client.workflow.getHandle(runId).describe();
    if (status.name === 'TERMINATED' || status.name === 'TIMED_OUT') return true;
    return closeTime !== undefined && closeTime.getTime() < Date.now() - LAST_WORD_MS;
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return true;
  }
}

async function end(
  client: Client,
  {
    workflowId,
    executionId,
    runId,
  }: { readonly workflowId: string; readonly executionId: string; readonly runId: string },
): Promise<void> {
  try {
    await client.workflow.getHandle(workflowId, executionId).terminate(`its run ${runId} is gone`);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error; // It has ended meanwhile.
  }
}
