// The activities as workflow code calls them: their timeouts and retries in one place.
// Imports activity types only, never code.
import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { Activities, TurnReport, TurnRequest } from '../activities/types.js';
import { executorOf } from '../protocol/resolve.js';
import type { AgentState } from '../protocol/agent.js';
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

/** The results of forked agents as one JSON text. */
export const gatherResults = small.gatherResults;

/** The records of lost agents, as far as they can still be read. */
export const agentRecords = small.agentRecords;

/** One turn of an agent on a worker: a prompt or a script, as the state's file says. */
export async function performTurn(request: TurnRequest, agent: AgentState): Promise<TurnReport> {
  const activity = executorOf(agent.state) === 'prompt' ? turns.runPrompt : turns.runScript;
  return await activity.executeWithOptions({ summary: turnSummary(agent, request.reminder) }, [request]);
}
