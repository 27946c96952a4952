// The recorded events of a workflow, page by page, over all its executions, and as they come in. Their payloads are as Temporal has them.
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type proto from '@temporalio/proto';
import { defined } from '../protocol/text.js';

/** One recorded event. */
export type HistoryEvent = proto.temporal.api.history.v1.IHistoryEvent;

/** Which events to read: of an execution (the current one when none is named); `follow` waits for more until the workflow has closed. */
export interface EventSource {
  readonly workflowId: string;
  readonly executionId?: string;
  readonly follow?: boolean;
  /** Ends the following, with the abort as an error. */
  readonly signal?: AbortSignal;
}

/** The events of a workflow, as they are recorded; one that goes on as new is followed into its next execution. */
export async function* eventsOf(
  { connection, options: { namespace } }: Client,
  { workflowId, executionId, follow = false, signal = new AbortController().signal }: EventSource,
): AsyncGenerator<HistoryEvent> {
  let execution = { workflowId, ...defined({ runId: executionId }) };
  let nextPageToken: Uint8Array = new Uint8Array();
  for (;;) {
    const request = { namespace, execution, nextPageToken, waitNewEvent: follow };
    const page = await connection.withAbortSignal(signal, () =>
      connection.workflowService.getWorkflowExecutionHistory(request),
    );
    const events = page.history?.events ?? [];
    yield* events;
    nextPageToken = page.nextPageToken;
    const next = events.at(-1)?.workflowExecutionContinuedAsNewEventAttributes?.newExecutionRunId;
    if (follow && next) {
      execution = { workflowId, runId: next };
      nextPageToken = new Uint8Array();
    } else if (nextPageToken.length === 0) return;
  }
}

/** The ids of a workflow's executions, the oldest first; none when Temporal knows nothing of it. */
export async function executionsOf({ workflow }: Client, workflowId: string): Promise<readonly string[]> {
  try {
    // Visibility may not know the latest one yet.
    const { runId: latest, startTime } = await workflow.getHandle(workflowId).describe();
    const found = new Map([[latest, startTime.getTime()]]);
    for await (const { runId, startTime: time } of workflow.list({ query: `WorkflowId = "${workflowId}"` }))
      found.set(runId, time.getTime());
    return [...found].sort(([, one], [, other]) => one - other).map(([runId]) => runId);
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return [];
    throw error;
  }
}

/** A time of Temporal's own in epoch milliseconds; 0 when there is none. */
export function msOf(time: HistoryEvent['eventTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
