// Whether a workflow is blocked: its workflow task fails again and again, because of a bug in Raymond, or a version
// that cannot replay the history. Nothing is lost, but nothing continues until a worker with the fix runs. Temporal
// knows this without a worker.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import proto from '@temporalio/proto';
import { fromPayload, unchecked } from '../../codec/converter.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { clip, messageOf } from '../../protocol/text.js';
import { ENDED, type RunSummary } from '../../contract/runs.js';
import { isNotFound } from '../connect.js';

type TaskFailure = proto.temporal.api.history.v1.IWorkflowTaskFailedEventAttributes;

const { WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND } = proto.temporal.api.enums.v1.WorkflowTaskFailedCause;

/** The failure is among the latest events: the server records the first failed attempt, and none after it. */
const EVENTS = 100;

const MAX_REASON = 300;

/** Why a workflow is blocked; undefined = it is not. */
export async function blockedBy(
  client: Client,
  { workflowId, runId, raw }: Pick<WorkflowExecutionDescription, 'workflowId' | 'runId' | 'raw'>,
): Promise<string | undefined> {
  if ((raw.pendingWorkflowTask?.attempt ?? 1) <= 1) return undefined;
  const failed = await lastFailure(client, { workflowId, runId });
  return failed === undefined ? undefined : await reasonOf(client, failed);
}

async function lastFailure(
  { connection, options: { namespace } }: Client,
  execution: { readonly workflowId: string; readonly runId: string },
): Promise<TaskFailure | undefined> {
  const request = { namespace, execution, maximumPageSize: EVENTS };
  const { history } = await connection.workflowService.getWorkflowExecutionHistoryReverse(request);
  for (const event of history?.events ?? []) {
    // A worker that died during a task is not at fault.
    if (event.workflowTaskCompletedEventAttributes || event.workflowTaskTimedOutEventAttributes) return undefined;
    const failed = event.workflowTaskFailedEventAttributes;
    if (failed) return failed.cause === WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND ? undefined : failed;
  }
  return undefined;
}

async function reasonOf({ options: { loadedDataConverter } }: Client, { failure }: TaskFailure): Promise<string> {
  const hidden = failure?.encodedAttributes;
  const known = hidden ? await fromPayload(unchecked(loadedDataConverter), hidden).catch(messageless) : undefined;
  const { message = failure?.message ?? '' } = (known ?? {}) as { readonly message?: string };
  return clip(message.replaceAll(/\s+/g, ' ').trim(), MAX_REASON) || 'its workflow task fails without a message';
}

/** A failure that is encrypted with a key that this host does not have. */
function messageless(error: unknown): { readonly message: string } {
  return { message: messageOf(error) };
}

/** How many workflows are checked for a list. */
const LOOKED_AT = 100;

interface Listed extends Pick<RunSummary, 'runId'>, Partial<Pick<RunSummary, 'agents'>> {
  readonly open: boolean;
}

/** Why runs of a list are blocked, by id: each run itself, then its agents, as far as time allows. */
export async function blockedRuns(client: Client, lines: readonly Listed[]): Promise<ReadonlyMap<string, string>> {
  const open = lines.filter((line) => line.open);
  const runs = open.map(({ runId }) => ({ runId, workflowId: runId, who: '' }));
  const agents = open.flatMap(({ runId, agents: listed = [] }) =>
    listed
      .filter(({ status }) => !ENDED.has(status))
      .map(({ id }) => ({ runId, workflowId: agentWorkflowId(runId, id), who: `${id}: ` })),
  );
  const found = await Promise.all(
    [...runs, ...agents].slice(0, LOOKED_AT).map(async ({ runId, workflowId, who }) => {
      const why = await blockage(client, workflowId);
      return why === undefined ? [] : [[runId, `${who}${why}`] as const];
    }),
  );
  return new Map(found.flat().toReversed());
}

async function blockage(client: Client, workflowId: string): Promise<string | undefined> {
  const { connection, options } = client;
  try {
    // Undecoded: a run whose key is missing here must not keep the others from being listed.
    const request = { namespace: options.namespace, execution: { workflowId } };
    const raw = await connection.workflowService.describeWorkflowExecution(request);
    return await blockedBy(client, { workflowId, runId: raw.workflowExecutionInfo?.execution?.runId ?? '', raw });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}
