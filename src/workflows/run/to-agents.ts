// How a run speaks to its agents, and how agents are started. A missing agent is an answer here, not an error.
import {
  CancellationScope,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  startChild,
  sleep,
  WorkflowIdReusePolicy,
  type ChildWorkflowHandle,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { ForksEnded } from '../../protocol/machine/inbox.js';
import type { AgentState, StoredAgent } from '../../protocol/machine/agent.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import type { AgentInput, AgentWorkflow, Move } from '../../contract/runs.js';
import {
  forksEndedSignal,
  grantSignal,
  moveSignal,
  pauseSignal,
  placementSignal,
  probeSignal,
  recallSignal,
  resumeSignal,
  sendEndSignal,
  type Granted,
  type Pause,
  type PlacementMessage,
} from '../messages.js';
import { attributePairs } from '../attributes.js';
import { workflowSummary } from '../visibility.js';

/** How many agents get a message at the same time. */
export const AT_ONCE = 50;

/** Does something for each item, `AT_ONCE` at a time. */
export async function inGroups<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE)
    await Promise.all(items.slice(from, from + AT_ONCE).map((item) => work(item)));
}

type SpawnContext = Omit<AgentInput, 'agent'>;
export type AgentHandle = ChildWorkflowHandle<AgentWorkflow>;

/** Starts an agent of the run's own ledger; one of this id that is just closing is waited for. */
export async function startAgent(spawnContext: SpawnContext, agent: AgentState | StoredAgent): Promise<AgentHandle> {
  for (;;) {
    const started = await startUnlessUsed(spawnContext, { agent, reuse: WorkflowIdReusePolicy.ALLOW_DUPLICATE });
    if (started !== undefined) return started;
    await sleep('200 ms');
  }
}

/** Starts a forked agent; false when an agent of this id has existed in the run before. */
export async function startForked(spawnContext: SpawnContext, agent: AgentState): Promise<boolean> {
  const reuse = WorkflowIdReusePolicy.REJECT_DUPLICATE;
  return (await startUnlessUsed(spawnContext, { agent, reuse })) !== undefined;
}

async function startUnlessUsed(
  spawnContext: SpawnContext,
  how: Parameters<typeof start>[1],
): Promise<AgentHandle | undefined> {
  try {
    return await start(spawnContext, how);
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

async function start(
  { runId, workflow, settings, ...orders }: SpawnContext,
  { agent, reuse }: { readonly agent: AgentState | StoredAgent; readonly reuse: WorkflowIdReusePolicy },
): Promise<AgentHandle> {
  const input: AgentInput = { runId, workflow, settings, agent, ...orders };
  const shown = {
    RaymondWorkflow: workflow,
    RaymondRun: runId,
    RaymondAgent: agent.id,
    RaymondState: agent.state,
    RaymondStatus: 'running',
  };
  return await startChild<AgentWorkflow>('agent', {
    workflowId: agentWorkflowId(runId, agent.id),
    args: [input],
    parentClosePolicy: ParentClosePolicy.ABANDON,
    workflowIdReusePolicy: reuse,
    typedSearchAttributes: attributePairs(shown, settings.searchAttributes),
    staticSummary: workflowSummary(`${workflow} · ${agent.id}`, runId),
  });
}

/** Tells an agent that its prompt turn may start. */
export async function grantTurn(
  runId: string,
  { agentId, ...grant }: Granted & { readonly agentId: string },
): Promise<void> {
  await delivered(() => handleOf(runId, agentId).signal(grantSignal, grant));
}

/** Tells an agent to ask before its next prompt turn. */
export async function recallGrant(runId: string, agentId: string): Promise<void> {
  await delivered(() => handleOf(runId, agentId).signal(recallSignal));
}

/** Tells an agent where its workspace is. False when there is none (yet). */
export async function sendPlacement(
  runId: string,
  { agentId, message }: { readonly agentId: string; readonly message: PlacementMessage },
): Promise<boolean> {
  return await delivered(() => handleOf(runId, agentId).signal(placementSignal, message));
}

/** Tells an awaiting agent that the agents it forked have ended. */
export async function sendForksEnded(
  runId: string,
  { agentId, ...message }: { readonly agentId: string } & ForksEnded,
): Promise<void> {
  await delivered(() => handleOf(runId, agentId).signal(forksEndedSignal, message));
}

/** Tells a paused or waiting agent to try again, because of an order to this agent alone when `by` is set. False when there is none (yet). */
export async function resumeAgent(runId: string, agentId: string, by?: string): Promise<boolean> {
  return await delivered(() => handleOf(runId, agentId).signal(resumeSignal, defined({ by })));
}

/** Tells an agent to pause. False when there is none (yet). */
export async function pauseAgent(runId: string, agentId: string, pause: Pause): Promise<boolean> {
  return await delivered(() => handleOf(runId, agentId).signal(pauseSignal, pause));
}

/** Tells an agent to go to another state. */
export async function moveAgent(runId: string, agentId: string, move: Move): Promise<void> {
  await delivered(() => handleOf(runId, agentId).signal(moveSignal, move));
}

/** Tells an agent to send its end as a message. False when it has ended. */
export async function askForEnd(runId: string, agentId: string): Promise<boolean> {
  return await delivered(() => handleOf(runId, agentId).signal(sendEndSignal));
}

/** Asks an agent to stop; it answers by `ended`. False when there is none (yet). */
export async function cancelAgent(runId: string, agentId: string): Promise<boolean> {
  return await delivered(() => handleOf(runId, agentId).cancel());
}

/** True while the agent's workflow is open. */
export async function probeAgent(runId: string, agentId: string): Promise<boolean> {
  return await delivered(() => handleOf(runId, agentId).signal(probeSignal));
}

function handleOf(runId: string, agentId: string): ReturnType<typeof getExternalWorkflowHandle> {
  return getExternalWorkflowHandle(agentWorkflowId(runId, agentId));
}

/** False when the other workflow is not there: a signal or cancel from workflow code fails for no other reason. */
export async function delivered(send: () => Promise<void>): Promise<boolean> {
  try {
    await CancellationScope.nonCancellable(send);
    return true;
  } catch (error) {
    if (isCancellation(error)) throw error;
    return false;
  }
}
