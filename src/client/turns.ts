// What the live agents of a run are doing this moment, from the heartbeats that Temporal keeps: no worker is asked.
// Must not fail when an agent ends while it is looked at.
import type { Client } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { TurnHeartbeat } from '../activities/types.js';
import { fromPayload } from '../codec/converter.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { RunView } from './runs.js';

/** How many agents are looked at, at most. */
const LOOKED_AT = 50;

/** A phrase per running agent: its state, its turn, since when it is silent. */
export async function liveTurns(client: Client, { runId, agents }: RunView): Promise<ReadonlyMap<string, string>> {
  const running = agents.filter(({ status }) => status === 'running').slice(0, LOOKED_AT);
  const phrases = await Promise.all(
    running.map(async ({ id }) => [id, await phraseOf(client, agentWorkflowId(runId, id))] as const),
  );
  return new Map(phrases.flatMap(([id, phrase]) => (phrase === undefined ? [] : [[id, phrase]])));
}

async function phraseOf(client: Client, workflowId: string): Promise<string | undefined> {
  try {
    const { raw } = await client.workflow.getHandle(workflowId).describe();
    const [activity] = raw.pendingActivities ?? [];
    const payload = activity?.heartbeatDetails?.payloads?.[0];
    if (!activity || !payload) return undefined;
    const beat = (await fromPayload(client.options.loadedDataConverter, payload)) as TurnHeartbeat;
    const attempt = (activity.attempt ?? 1) > 1 ? `, attempt ${activity.attempt}` : '';
    const silent =
      beat.lastOutputAt === undefined ? '' : `, silent for ${Math.round((Date.now() - beat.lastOutputAt) / 1000)} s`;
    return `${beat.state}, turn ${beat.turn}${attempt}, ${beat.phase} on ${beat.host}${silent}`;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}
