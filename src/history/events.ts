// The recorded events of a workflow, page by page, over all its executions, also while new ones are
// recorded. Payloads stay encoded.
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
  /** Ends the reading; the abort is thrown as an error. */
  readonly signal?: AbortSignal;
}

/** The recorded events of a workflow; continue-as-new is followed into the next execution. */
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
 * Each call has its own signal, because gRPC leaves its listener on it. The native connection
 * supports no abort: its call, which may wait forever, is abandoned.
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

/**
 * The ids of a workflow's executions, the oldest first; none when Temporal does not know the
 * workflow.
 */
export async function executionsOf({ workflow }: Client, workflowId: string): Promise<readonly string[]> {
  try {
    // Visibility may not list the latest one yet.
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

/**
 * From the first start of an agent to its last end; without an end it is alive, or visibility does
 * not list the end yet.
 */
interface AgentTimes {
  readonly startedAt: Date;
  readonly endedAt?: Date;
}

/**
 * The start and end of every agent that Temporal still knows of a run, in the order of their
 * starts.
 */
export async function agentTimes({ workflow }: Client, runId: string): Promise<ReadonlyMap<string, AgentTimes>> {
  const times = new Map<string, AgentTimes>();
  const query = `WorkflowType = "agent" AND WorkflowId STARTS_WITH "${runId}/"`;
  for await (const { workflowId, startTime, closeTime } of workflow.list({ query })) {
    const agentId = workflowId.slice(runId.length + 1);
    // An agent that continued as new, or was started again, is listed once for each execution.
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

/** A Temporal timestamp in epoch milliseconds; 0 when there is none. */
export function msOf(time: HistoryEvent['eventTime']): number {
  return Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6);
}
