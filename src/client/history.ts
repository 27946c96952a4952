// The recorded events of a run or of one of its agents, with every payload in them as the value that it holds.
// Must not print, and must not need keys for what is not encrypted.
import type { Client } from '@temporalio/client';
import { isGrpcServiceError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { readable } from '../codec/readable.js';
import { agentWorkflowId } from '../protocol/names.js';
import { ClientError } from './error.js';

const { HistoryEvent } = proto.temporal.api.history.v1;

/** gRPC's status for it, a number of every version of that protocol. */
const NOT_FOUND = 5;

/** The events of the latest execution, oldest first. Throws `RunNotFound`, `KeyError`. */
export async function decodedEvents(
  client: Client,
  { runId, agentId }: { readonly runId: string; readonly agentId?: string },
): Promise<readonly unknown[]> {
  const workflowId = agentId === undefined ? runId : agentWorkflowId(runId, agentId);
  const { events } = await client.workflow
    .getHandle(workflowId)
    .fetchHistory()
    .catch((error: unknown) => {
      const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
      if (code !== NOT_FOUND) throw error;
      const message = `Temporal has no history of ${workflowId}; "raymond list" shows the runs, "raymond status RUN" their agents`;
      throw new ClientError('RunNotFound', message, { cause: error });
    });
  const plain = (events ?? []).map((event) => HistoryEvent.toObject(HistoryEvent.fromObject(event), SHAPE));
  return await Promise.all(plain.map((event) => readable(event, client.options.loadedDataConverter)));
}

/** Names instead of numbers; bytes stay bytes. */
const SHAPE = { enums: String, longs: String } as const;
