// What is done on the queue of one host, and nothing is heard of: whether that is so, and what may be left there.
import { ActivityFailure, ApplicationFailure, TimeoutFailure, workflowInfo } from '@temporalio/workflow';
import type { AgentState } from '../../protocol/machine/agent.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { SilentActivity } from '../../protocol/machine/workspace.js';
import type { Lost } from '../messages.js';

/** Why a turn on the queue of a host came to nothing without a word of its own; undefined when it has one. */
export function silenceOf(error: unknown, { workspace, state, turn: before }: AgentState): Lost | undefined {
  const { place } = workspace ?? {};
  if (place === undefined || place.queue === workflowInfo().taskQueue || !(error instanceof ActivityFailure))
    return undefined;
  const { generation } = place;
  const turn = executorOf(state) === 'prompt' ? { turn: before + 1 } : {};
  if (error.cause instanceof TimeoutFailure)
    return { generation, why: 'silent', ...(error.cause.timeoutType === 'HEARTBEAT' ? turn : {}) };
  if (!(error.cause instanceof ApplicationFailure)) return undefined;
  if (error.cause.type === 'WorkspaceMoved') return { generation, why: 'moved' };
  return error.cause.type === 'WorkerLost' ? { generation, why: 'silent', ...turn } : undefined;
}

/** The activity of such a turn, which may have left something on its host. */
export function silentActivity(error: unknown): readonly SilentActivity[] {
  // One that has told how it ended has left nothing, and its cost is booked.
  if (!(error instanceof ActivityFailure && error.cause instanceof TimeoutFailure)) return [];
  if (error.activityId === undefined) return [];
  return [{ workflowRunId: workflowInfo().runId, activityId: error.activityId }];
}
