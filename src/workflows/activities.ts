// The activities as workflow code calls them: their timeouts and retries in one place.
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities, TurnReport, TurnRequest } from '../activities/types.js';
import type { AgentState } from '../protocol/agent.js';
import { executorOf } from '../protocol/resolve.js';
import { DEFAULT_PRIORITY } from '../protocol/priority.js';
import { utf8Length } from '../protocol/text.js';
import { turnSummary } from './visibility.js';

// A turn may last for days; what ends it early is silence, a cancel, or the death of its worker.
const turns = proxyActivities<Activities>({
  startToCloseTimeout: '365 days',
  heartbeatTimeout: '15 seconds',
  cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
  retry: { initialInterval: '200 ms', backoffCoefficient: 2, maximumInterval: '30 seconds' },
});

const small = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '15 seconds',
});

/** Keeps a JSON text in the artifact store; gives its reference. */
export const storeRecord = small.storeRecord;

/** What was kept; the caller knows its shape. */
export const readRecord = small.readRecord;

/** The results of forked agents as one JSON text. */
export const gatherResults = small.gatherResults;

/** What became of agents that say nothing. */
export const findAgents = small.findAgents;

/** Keeps what is recorded of a run beyond Temporal's retention. */
export const keepChapter = small.keepChapter;

/** Takes the agents out of a closed run's archive that its resumption goes on with. */
export const openArchive = small.openArchive;

/** One turn of an agent on a worker: a prompt or a script, as the state's file says. */
export async function performTurn(request: TurnRequest, agent: AgentState): Promise<TurnReport> {
  const activity = executorOf(agent.state) === 'prompt' ? turns.runPrompt : turns.runScript;
  const summary = turnSummary(agent, request.reminder);
  return await activity.executeWithOptions({ summary, priority: priorityOf(request) }, [request]);
}

/** For servers that heed it: where the queue itself has a backlog. */
function priorityOf({ settings, workflow = '' }: TurnRequest): { priorityKey: number; fairnessKey: string } {
  return { priorityKey: settings.priority ?? DEFAULT_PRIORITY, fairnessKey: fairnessKeyOf(workflow) };
}

/** Temporal takes no more than 64 bytes. */
function fairnessKeyOf(name: string): string {
  return name.slice(0, utf8Length(name) > 64 ? 16 : 64);
}
