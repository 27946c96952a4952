// The recorded events of a run or of one of its agents, with every payload decoded. Values that are not encrypted need
// no keys.
import type { Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { unchecked } from '../../codec/converter.js';
import { readable } from '../../codec/readable.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { executionsOf } from '../../history/events.js';
import { ClientError } from '../error.js';

const { HistoryEvent } = proto.temporal.api.history.v1;

/**
 * The events, one execution after the other, oldest first: a workflow that continues as new or is resumed has several.
 * Throws `RunNotFound`, `KeyError`.
 */
export async function* decodedHistories(
  client: Client,
  { runId, agentId }: { readonly runId: string; readonly agentId?: string },
): AsyncGenerator<readonly unknown[]> {
  const workflowId = agentId === undefined ? runId : agentWorkflowId(runId, agentId);
  const executions = await executionsOf(client, workflowId);
  if (executions.length === 0) throw noHistory(workflowId);
  for (const execution of executions) {
    const { events } = await client.workflow.getHandle(workflowId, execution).fetchHistory();
    const plain = (events ?? []).map((event) => HistoryEvent.toObject(HistoryEvent.fromObject(event), SHAPE));
    yield await Promise.all(plain.map((event) => readable(event, unchecked(client.options.loadedDataConverter))));
  }
}

function noHistory(workflowId: string): ClientError {
  const message = `Temporal has no history of ${workflowId}; to list the runs, run: raymond list; to list the agents of one: raymond status RUN`;
  return new ClientError('RunNotFound', message);
}

/** Names instead of numbers; bytes stay bytes. */
const SHAPE = { enums: String, longs: String } as const;
