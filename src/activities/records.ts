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
  const found = await Promise.all(
    agentIds.map((id) => {
      const workflowId = agentWorkflowId(runId, id);
      return stillAnswered<AgentState>(client, { workflowId, query: 'record', withinMs: ANSWERED_MS });
    }),
  );
  return found.flatMap((record) => record ?? []);
}

/** What a workflow answers to a query, also a closed one; undefined when it is forgotten or nobody replays it in time. */
export async function stillAnswered<T>(
  client: Client,
  { workflowId, query, withinMs }: { readonly workflowId: string; readonly query: string; readonly withinMs: number },
): Promise<T | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    return await client.withDeadline(Date.now() + withinMs, () => handle.query<T>(query));
  } catch {
    return undefined; // whoever asked says what that means
  }
}
