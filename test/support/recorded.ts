// What Temporal's server of a project has stored: every event of every workflow and what `describe` gives, as the bytes that it is.
// Must not decrypt or decode: the tests look for words in it.
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { ensureServer } from '../../dist/server/index.js';

const { HistoryEvent } = proto.temporal.api.history.v1;
const { PENDING_ACTIVITY_STATE_SCHEDULED } = proto.temporal.api.enums.v1.PendingActivityState;
const { DescribeWorkflowExecutionResponse, ListWorkflowExecutionsResponse } = proto.temporal.api.workflowservice.v1;

/** All of it in one piece, bytes as Latin-1 text. */
export async function recordedIn(cwd: string): Promise<string> {
  const { address } = await ensureServer({ raymondDir: join(cwd, '.raymond'), report: () => undefined });
  const connection = await Connection.connect({ address });
  try {
    return await everything(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

/** True when the server has given the turn of a workflow to the queue once more, and nobody has begun it. */
export async function queuedAgain(cwd: string, workflowId: string): Promise<boolean> {
  const { address } = await ensureServer({ raymondDir: join(cwd, '.raymond'), report: () => undefined });
  const connection = await Connection.connect({ address });
  try {
    const { raw } = await new Client({ connection }).workflow.getHandle(workflowId).describe();
    const [turn] = raw.pendingActivities ?? [];
    return turn?.state === PENDING_ACTIVITY_STATE_SCHEDULED && (turn.attempt ?? 0) > 1;
  } finally {
    await connection.close();
  }
}

async function everything({ workflowService, workflow }: Client): Promise<string> {
  const namespace = 'default';
  const listed = await workflowService.listWorkflowExecutions({ namespace });
  const pieces = [ListWorkflowExecutionsResponse.encode(listed).finish()];
  for (const { execution } of listed.executions) {
    const { workflowId, runId } = execution as { readonly workflowId: string; readonly runId: string };
    const described = await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId, runId } });
    pieces.push(DescribeWorkflowExecutionResponse.encode(described).finish());
    const { events } = await workflow.getHandle(workflowId, runId).fetchHistory();
    pieces.push(...(events ?? []).map((event) => HistoryEvent.encode(event).finish()));
  }
  return Buffer.concat(pieces).toString('latin1');
}
