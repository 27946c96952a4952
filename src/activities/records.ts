// The records of agents that went without a word: what their workflows would say of themselves, read from their histories.
// Must not fail because of an agent that cannot be read: then there is no record of it.
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import type { AgentState } from '../protocol/agent.js';
import { agentWorkflowId } from '../protocol/names.js';
import type { LostAgents } from './types.js';

/** A worker replays the agent's history to answer; this activity is given 15 s without a sign of life. */
const ANSWERED_MS = 10_000;

/** The records that can still be read. */
export async function agentRecords({ runId, agentIds }: LostAgents): Promise<readonly AgentState[]> {
  const { client } = Context.current();
  const found = await Promise.all(agentIds.map((id) => recordOf(client, agentWorkflowId(runId, id))));
  return found.flatMap((record) => record ?? []);
}

async function recordOf(client: Client, workflowId: string): Promise<AgentState | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    return await client.withDeadline(Date.now() + ANSWERED_MS, () => handle.query<AgentState>('record'));
  } catch {
    return undefined; // it never existed, or its history is gone
  }
}
