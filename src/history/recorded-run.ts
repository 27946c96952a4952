// The recorded turns of a run's agents: those that Temporal still has, and those in chapters. The
// histories of many agents are read in parallel, and returned in the order in which the agents
// started.
import type { Client } from '@temporalio/client';
import { pMapIterable } from 'p-map';
import { agentWorkflowId } from '../protocol/ids.js';
import { keptExecutions, type RecordSources } from './chapters.js';
import { executionIfKnown, type AgentName, type Execution, type RecordedTurn, type TurnSource } from './turns.js';

/** How many histories are read at once. */
const AT_ONCE = 16;

/** An agent before its histories are read. Times are epoch milliseconds. */
export interface KnownAgent {
  readonly agentId: string;
  startedAt: number;
  /** Its last end; Infinity while it is alive. */
  endedAt: number;
  /** Those that Temporal's visibility lists: the latest may not be listed yet. */
  readonly executionIds: string[];
  readonly kept: Execution[];
}

/** Which agents of a run. */
interface AgentsOptions {
  readonly runId: string;
  /** Absent = all. */
  readonly agentId?: string;
  /** Skips agents that ended before this time (epoch milliseconds). */
  readonly since?: number;
}

/** Which agents of a run to read. */
interface RecordedRunOptions {
  readonly runId: string;
  readonly agents: readonly KnownAgent[];
  /** Returns a function that receives all events of an agent. */
  readonly readerFor?: (agentId: string) => TurnSource['onEvent'];
}

/** The recorded turns of one agent. */
interface RecordedAgent {
  readonly agentId: string;
  readonly turns: readonly RecordedTurn[];
  /** No turn of a later agent ended before this time (epoch milliseconds). */
  readonly nextFrom: number;
}

/** The turns of an agent over all its executions, the oldest first. Throws `KeyError`, `ArtifactMissing`, `StoreDamaged`. */
export async function recordedTurns(sources: RecordSources, agent: AgentName): Promise<readonly RecordedTurn[]> {
  const [known = newAgent(agent.agentId)] = await agentsKnown(sources, agent);
  return await turnsOf(sources, { runId: agent.runId, known });
}

/** Reads agents of a run. Throws as `recordedTurns`. */
export async function* recordedAgents(
  sources: RecordSources,
  { runId, agents, readerFor }: RecordedRunOptions,
): AsyncGenerator<RecordedAgent> {
  const work = async (known: KnownAgent): Promise<readonly RecordedTurn[]> =>
    await turnsOf(sources, { runId, known, onEvent: readerFor?.(known.agentId) });
  let number = 0;
  for await (const turns of pMapIterable(agents, work, { concurrency: AT_ONCE })) {
    const { agentId } = agents[number] as KnownAgent;
    number += 1;
    yield { agentId, turns, nextFrom: agents[number]?.startedAt ?? Infinity };
  }
}

/** The known agents of a run, in the order of their starts. Throws `StoreDamaged`. */
export async function agentsKnown(
  { client, artifacts }: RecordSources,
  { runId, agentId, since = 0 }: AgentsOptions,
): Promise<readonly KnownAgent[]> {
  const agents = await agentsListed(client, { runId, ...(agentId !== undefined && { agentId }) });
  for (const { agentId: id, ...execution } of await keptExecutions(artifacts, runId)) {
    if ((agentId ?? id) !== id) continue;
    const ended = execution.turns.at(-1)?.endedAt.getTime() ?? execution.startedAt;
    const agent = noted(agents, { id, startedAt: execution.startedAt, endedAt: ended });
    agent.kept.push(execution);
  }
  const known = [...agents.values()].filter(({ endedAt }) => endedAt >= since);
  return known.sort((one, other) => one.startedAt - other.startedAt);
}

async function agentsListed({ workflow }: Client, { runId, agentId }: AgentsOptions): Promise<Map<string, KnownAgent>> {
  const agents = new Map<string, KnownAgent>();
  const which =
    agentId === undefined
      ? `WorkflowId STARTS_WITH "${agentWorkflowId(runId, '')}"`
      : `WorkflowId = "${agentWorkflowId(runId, agentId)}"`;
  for await (const found of workflow.list({ query: `WorkflowType = "agent" AND ${which}` })) {
    const id = agentId ?? found.workflowId.slice(agentWorkflowId(runId, '').length);
    const times = { startedAt: found.startTime.getTime(), endedAt: found.closeTime?.getTime() ?? Infinity };
    noted(agents, { id, ...times }).executionIds.push(found.runId);
  }
  return agents;
}

/** The agent of that id, from its first start to its last end. */
function noted(
  agents: Map<string, KnownAgent>,
  { id, startedAt, endedAt }: { readonly id: string; readonly startedAt: number; readonly endedAt: number },
): KnownAgent {
  const agent = agents.get(id) ?? newAgent(id);
  agents.set(id, agent);
  agent.startedAt = Math.min(agent.startedAt, startedAt);
  agent.endedAt = Math.max(agent.endedAt, endedAt);
  return agent;
}

function newAgent(agentId: string): KnownAgent {
  return { agentId, startedAt: Infinity, endedAt: 0, executionIds: [], kept: [] };
}

/** The latest execution first: it reports its own id. */
async function turnsOf(
  { client, artifacts }: RecordSources,
  {
    runId,
    known,
    onEvent,
  }: { readonly runId: string; readonly known: KnownAgent; readonly onEvent?: TurnSource['onEvent'] },
): Promise<readonly RecordedTurn[]> {
  const found = new Map<string, Execution>();
  const source = { artifacts, withSaved: true, ...(onEvent !== undefined && { onEvent }) };
  for (const executionId of [undefined, ...known.executionIds]) {
    if (executionId !== undefined && found.has(executionId)) continue;
    const which = executionId === undefined ? {} : { executionId };
    const execution = await executionIfKnown(client, { runId, agentId: known.agentId }, { ...source, ...which });
    if (execution !== undefined) found.set(execution.executionId, execution);
  }
  for (const kept of known.kept) if (!found.has(kept.executionId)) found.set(kept.executionId, kept);
  // Of two that started together, the later one was created by a reset: visibility lists the latest
  // first.
  const executions = [...found.values()].toReversed().sort((one, other) => one.startedAt - other.startedAt);
  return once(executions.flatMap(({ turns }) => turns));
}

/** A reset execution starts with the turns of the original one. */
function once(turns: readonly RecordedTurn[]): readonly RecordedTurn[] {
  const known = new Set<string>();
  return turns.filter(({ number, startedAt, endedAt }) => {
    const key = [number, startedAt.getTime(), endedAt.getTime()].join(' ');
    return !known.has(key) && known.add(key);
  });
}
