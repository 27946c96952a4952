// The recorded events of a workflow, page by page, over all its executions, and as they come in. Their payloads are as Temporal has them.
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { defined } from '../protocol/text.js';

const { WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW } = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

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
    const page = await unlessAborted(signal, (own) =>
      connection.withAbortSignal(own, () => connection.workflowService.getWorkflowExecutionHistory(request)),
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

/**
 * Each call has a signal of its own, because gRPC leaves its listener on it. The native connection knows no abort: its call, which may wait
 * for ever, is left to itself.
 */
async function unlessAborted<T>(signal: AbortSignal, call: (own: AbortSignal) => Promise<T>): Promise<T> {
  const [own, finished] = [new AbortController(), new AbortController()];
  const aborted = new Promise<never>((_resolve, reject) => {
    const leave = (): void => {
      own.abort(signal.reason);
      reject(signal.reason as Error);
    };
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true, signal: finished.signal });
  });
  return await Promise.race([call(own.signal), aborted]).finally(() => finished.abort());
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

/** From the first start of an agent to its last end; without an end it lives, or visibility has not heard of it. */
export interface AgentTimes {
  readonly startedAt: Date;
  readonly endedAt?: Date;
}

/** When the agents started and ended that Temporal still knows of a run, the first to start first. */
export async function agentTimes({ workflow }: Client, runId: string): Promise<ReadonlyMap<string, AgentTimes>> {
  const times = new Map<string, AgentTimes>();
  const query = `WorkflowType = "agent" AND WorkflowId STARTS_WITH "${runId}/"`;
  for await (const { workflowId, startTime, closeTime } of workflow.list({ query })) {
    const agentId = workflowId.slice(runId.length + 1);
    // An agent that goes on as new, or is started again, stands there once for each execution.
    const { startedAt, endedAt } = times.get(agentId) ?? { startedAt: startTime, endedAt: closeTime };
    const isOver = endedAt !== undefined && closeTime !== undefined;
    times.set(agentId, {
      startedAt: startTime < startedAt ? startTime : startedAt,
      ...(isOver ? { endedAt: closeTime > endedAt ? closeTime : endedAt } : {}),
    });
  }
  return new Map([...times].sort(([, one], [, other]) => one.startedAt.getTime() - other.startedAt.getTime()));
}

/** The execution that a reset made this one from, when this is the event of a reset. */
export function resetFrom({ workflowTaskFailedEventAttributes: failed }: HistoryEvent): string | undefined {
  return failed?.cause === WORKFLOW_TASK_FAILED_CAUSE_RESET_WORKFLOW ? (failed.baseRunId ?? undefined) : undefined;
}

/** A time of Temporal's own in epoch milliseconds; 0 when there is none. */
export function msOf(time: HistoryEvent['eventTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
