// The turn in progress of an agent, as its worker last reported it to Temporal: read without a worker.
import { WorkflowNotFoundError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import type { LinePosition, RecentOutput, TurnHeartbeat } from '../../contract/turns.js';
import { heartbeatOf, pendingTurn } from '../../history/pending.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';

/** A turn in progress. */
export interface LiveTurn {
  readonly number: number;
  readonly state: string;
  readonly attempt: number;
  readonly phase: TurnHeartbeat['phase'];
  readonly host: string;
  /** While it is queued, its position in the queue of its worker. */
  readonly queue?: LinePosition;
  readonly lastOutputAt?: Date;
  /** The last line of its output. */
  readonly line?: string;
  /** The turn lost its attempt, not its process: the present attempt continues it. */
  readonly isContinued?: true;
}

/** The last part of what a turn in progress has printed. */
export interface LiveText extends RecentOutput {
  readonly turn: number;
  readonly state: string;
}

/** What the turn in progress of an agent has printed lately; undefined without one, or when it has printed nothing. */
export async function liveText(
  client: Client,
  { runId, agentId }: { readonly runId: string; readonly agentId: string },
): Promise<LiveText | undefined> {
  try {
    const description = await client.workflow.getHandle(agentWorkflowId(runId, agentId)).describe();
    const beat = await heartbeatOf(client, description);
    return beat?.recent === undefined ? undefined : { ...beat.recent, turn: beat.turn, state: beat.state };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** The turn in progress of an agent, from its worker's latest report. */
export async function liveTurn(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<LiveTurn | undefined> {
  const beat = await heartbeatOf(client, description);
  // A heartbeat without details: an attempt that is just taking over, or another kind of activity.
  if (beat === undefined) return undefined;
  const attempt = pendingTurn(description)?.attempt;
  const { turn, state, phase, host, queue, lastOutputAt, line, continuedBy } = beat;
  const outputAt = lastOutputAt === undefined ? undefined : new Date(lastOutputAt);
  return {
    number: turn,
    state,
    attempt: attempt ?? 1,
    phase,
    host,
    ...defined({ queue, lastOutputAt: outputAt, line }),
    // A later attempt starts with the heartbeat of the one before.
    ...(continuedBy !== undefined && continuedBy === attempt ? { isContinued: true } : {}),
  };
}
