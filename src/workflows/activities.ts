// The activities as workflow code calls them: their timeouts and retries in one place.
import { ActivityCancellationType, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { Activities, TurnReport, TurnRequest } from '../contract/turns.js';
import type { AgentState, Snapshot } from '../protocol/machine/agent.js';
import { executorOf } from '../protocol/language/resolve.js';
import { DEFAULT_PRIORITY } from '../protocol/priority.js';
import { utf8Length } from '../protocol/text.js';
import {
  hostQueue,
  type OutputRequest,
  type MadeWorkspace,
  type MakeWorkspaceRequest,
  type SaveRequest,
} from '../protocol/machine/workspace.js';
import { turnSummary } from './visibility.js';

// A turn may last for days. It ends early when it is silent or cancelled, or when its worker dies.
const turnOptions = {
  startToCloseTimeout: '365 days',
  heartbeatTimeout: '15 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
} as const;

const retry = { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' } as const;

const turns = proxyActivities<Activities>({ ...turnOptions, retry });

/**
 * Offered to all hosts. Dispatched eagerly, an activity is on the host that has its workflow in memory: every workspace
 * of a run would be there, and so would every retry of a turn that finds no room on that host.
 */
const offered = proxyActivities<Activities>({ ...turnOptions, retry, allowEagerDispatch: false });

/** On the queue of one host, the caller decides what follows from silence: the host may be gone. */
function onHost(taskQueue: string): typeof turns {
  return proxyActivities<Activities>({
    ...turnOptions,
    taskQueue,
    scheduleToStartTimeout: '10 seconds',
    retry: { maximumAttempts: 1 },
  });
}

/** The activities where an agent's files are; the shared queue when no single host has them. */
function activitiesFor({ workspace, nextTurn }: Pick<AgentState, 'workspace' | 'nextTurn'>): typeof turns {
  const queue = workspace?.place?.queue;
  if (queue !== undefined && queue !== workflowInfo().taskQueue) return onHost(queue);
  return nextTurn?.tries === undefined ? turns : offered;
}

/**
 * These depend on their caller's host, or take long: each has its own function
 * below.
 */
type LongActivity = 'runPrompt' | 'runScript' | 'place' | 'saveWorkspace' | 'pushOutput';

/** Short activities. They are tried three times: the caller shows why it waits before it asks again. */
export const activities = proxyActivities<Omit<Activities, LongActivity>>({
  startToCloseTimeout: '1 hour',
  heartbeatTimeout: '15 seconds',
  retry: { ...retry, maximumAttempts: 3 },
});

/** Makes a workspace on the named host, or on any host that accepts it. */
export async function makeWorkspace(request: MakeWorkspaceRequest, host: string | undefined): Promise<MadeWorkspace> {
  if (host === undefined) return await offered.place(request);
  return await onHost(hostQueue(workflowInfo().taskQueue, host)).place(request);
}

/** Saves the files of an agent's workspace. */
export async function saveFiles(agent: AgentState, request: Omit<SaveRequest, 'agent'>): Promise<Snapshot> {
  return await activitiesFor(agent).saveWorkspace({ ...request, agent: named(agent) });
}

/** Pushes the files of an agent's workspace to a branch. */
export async function pushFiles(agent: AgentState, request: Omit<OutputRequest, 'agent'>): Promise<void> {
  await activitiesFor(agent).pushOutput({ ...request, agent: named(agent) });
}

function named({ id, state }: AgentState): SaveRequest['agent'] {
  return { id, state };
}

/** One turn of an agent on a worker: a prompt or a script, as the state's file says. */
export async function performTurn(request: TurnRequest, agent: AgentState): Promise<TurnReport> {
  const there = activitiesFor(agent);
  const activity = executorOf(agent.state) === 'prompt' ? there.runPrompt : there.runScript;
  const summary = turnSummary(agent, { reminder: request.reminder, sandbox: request.settings.sandbox });
  return await activity.executeWithOptions({ summary, priority: priorityOf(request) }, [request]);
}

/** For servers that support priorities: used where the queue itself has a backlog. */
function priorityOf({ agent, settings, workflow = '' }: TurnRequest): { priorityKey: number; fairnessKey: string } {
  return { priorityKey: settings.priority ?? DEFAULT_PRIORITY, fairnessKey: fairnessKeyOf(agent.account ?? workflow) };
}

/** Temporal takes no more than 64 bytes. */
function fairnessKeyOf(name: string): string {
  return name.slice(0, utf8Length(name) > 64 ? 16 : 64);
}
