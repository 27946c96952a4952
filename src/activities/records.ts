// What the run cannot know by itself: the results of forked agents as the JSON text that `<await>` gives to the next state, and the
// records of agents that went without a word, read from their histories.
import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { isRefused } from '../codec/refused.js';
import type { AgentState } from '../protocol/agent.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { Value } from '../protocol/text.js';
import type { ArtifactStore } from '../store/store.js';
import type { ArchivedAgents, EndedFork, GatherRequest, LostAgents } from './types.js';

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
    const answer = await client.withDeadline(Date.now() + withinMs, () => handle.query<T>(query));
    return isRefused(answer) ? undefined : answer;
  } catch {
    return undefined; // whoever asked says what that means
  }
}

/** The results in the order of the forks: `[{"id","state","status","result"|"error"}, …]`. */
export async function gatherResults(artifacts: ArtifactStore, gathering: GatherRequest): Promise<Value> {
  const ended = await allOf(artifacts, gathering);
  const lines = await Promise.all(ended.map((fork) => lineOf(artifacts, fork)));
  return await artifacts.value(JSON.stringify(lines));
}

async function allOf(
  artifacts: ArtifactStore,
  { parent, after, last, ended, archive }: GatherRequest,
): Promise<readonly EndedFork[]> {
  const found = new Map(ended.map((fork) => [fork.number ?? 0, fork]));
  for (let piece = archive; piece !== undefined && found.size < last - after;) {
    const { agents, previous } = JSON.parse(await artifacts.text(piece)) as ArchivedAgents;
    for (const fork of agents) {
      const number = fork.number ?? 0;
      if (fork.parent === parent && number > after && number <= last) found.set(number, fork);
    }
    piece = previous;
  }
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, fork]) => fork);
}

async function lineOf(
  artifacts: ArtifactStore,
  { id, state, status, result, error }: EndedFork,
): Promise<Readonly<Record<string, string>>> {
  return {
    id,
    state,
    status,
    ...(result === undefined ? {} : { result: await artifacts.text(result) }),
    ...(error === undefined ? {} : { error }),
  };
}
