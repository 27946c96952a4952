// Reads what the run cannot know itself: the results of forked agents, as the JSON text that
// `<await>` passes to the next state, and the state of silent agents. archive.ts reads the run's
// archive.
import { Context } from '@temporalio/activity';
import {
  isGrpcServiceError,
  WorkflowNotFoundError,
  type Client,
  type WorkflowExecutionDescription,
} from '@temporalio/client';
import { keepChapter as keepRecorded } from '../history/chapters.js';
import { describeCounting } from '../history/reset.js';
import { isRefused } from '../codec/refused.js';
import type { AgentState, StoredAgent, StoredRecord } from '../protocol/machine/agent.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { Value } from '../protocol/text.js';
import type { ArtifactStore } from '../store/store.js';
import type {
  EndedAgent,
  ArchivePiece,
  ChapterRequest,
  FoundAgent,
  Gathered,
  GatherRequest,
  SilentAgents,
} from '../contract/records.js';

/** A worker replays the agent's history to answer; this activity has 15 s between heartbeats. */
const ANSWERED_MS = 10_000;

/** gRPC's code of a server that cannot be reached. */
const UNAVAILABLE = 14;

/** Stores a JSON text; returns its reference. */
export async function storeRecord(artifacts: ArtifactStore, json: string): Promise<Value> {
  return await artifacts.put(Buffer.from(json));
}

/** Stores the recorded turns of a run. */
export async function keepChapter(artifacts: ArtifactStore, request: ChapterRequest): Promise<void> {
  const context = Context.current();
  const alive = (): void => context.heartbeat();
  await keepRecorded({ client: context.client, artifacts }, { ...request, alive });
}

/** The record that was stored under a reference. */
export async function readRecord<T>(artifacts: ArtifactStore, record: Value): Promise<T> {
  return JSON.parse(await artifacts.text(record)) as T;
}

/** The results in the order of the forks: `[{"id","state","status","attributes"?,"result"?|"error"?}, …]`. */
export async function gatherResults(artifacts: ArtifactStore, gathering: GatherRequest): Promise<Gathered> {
  const brought = new Map(gathering.ended.map((fork) => [fork.number ?? 0, fork]));
  const archived = await archivedForks(artifacts, { ...gathering, known: brought });
  const found = [...brought, ...archived].sort(([a], [b]) => a - b);
  const lines = await Promise.all(found.map(([, fork]) => lineOf(artifacts, fork)));
  const results = await artifacts.value(JSON.stringify(lines));
  return { results, archivedFailures: [...archived.values()].filter(({ status }) => hasFailed(status.kind)).length };
}

function hasFailed(kind: EndedAgent['status']['kind']): boolean {
  return kind === 'failed' || kind === 'lost';
}

async function archivedForks(
  artifacts: ArtifactStore,
  { parent, after, last, archive, known }: GatherRequest & { readonly known: ReadonlyMap<number, EndedAgent> },
): Promise<ReadonlyMap<number, EndedAgent>> {
  const found = new Map<number, EndedAgent>();
  for (let piece = archive; piece !== undefined && known.size + found.size < last - after;) {
    const { agents, previous } = await readRecord<ArchivePiece>(artifacts, piece);
    for (const fork of agents) {
      const { number = 0 } = fork;
      const wanted = fork.parent === parent && number > after && number <= last;
      // The newest line of an agent counts.
      if (wanted && !known.has(number) && !found.has(number)) found.set(number, fork);
    }
    piece = previous;
  }
  return found;
}

async function lineOf(artifacts: ArtifactStore, { id, state, status, about }: EndedAgent): Promise<object> {
  return {
    id,
    state,
    status: status.kind,
    ...(about === undefined ? {} : { attributes: await readRecord<object>(artifacts, about) }),
    ...(status.kind === 'completed' ? { result: await artifacts.text(status.result) } : {}),
    ...(status.kind === 'failed' ? { error: await failureText(artifacts, status) } : {}),
  };
}

/** The record has the full text. */
async function failureText(
  artifacts: ArtifactStore,
  { failure, record }: Extract<EndedAgent['status'], { kind: 'failed' }>,
): Promise<string> {
  if (record === undefined) return failure.message;
  const stored = await readRecord<StoredRecord>(artifacts, record);
  return stored.failure?.message ?? failure.message;
}

/** The state of silent agents: asks their workflows at once, also closed ones. */
export async function findAgents(
  artifacts: ArtifactStore,
  { runId, agentIds }: SilentAgents,
): Promise<readonly FoundAgent[]> {
  const { client } = Context.current();
  return await Promise.all(
    agentIds.map(async (id) => {
      const latest = await latestOf(client, agentWorkflowId(runId, id));
      if (latest === undefined) return { id, open: false };
      if (latest.status.name === 'RUNNING') return { id, open: true };
      const record = await recordOf(client, latest);
      if (record === undefined) return { id, open: false };
      if ('record' in record) return { id, open: false, record: record.record };
      const stored: StoredRecord = { agent: record };
      return { id, open: false, record: await storeRecord(artifacts, JSON.stringify(stored)) };
    }),
  );
}

/** The execution that counts; undefined when Temporal has deleted it. Throws when the server cannot be asked. */
async function latestOf(client: Client, workflowId: string): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return (await describeCounting(client, workflowId)).description;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/**
 * The answer of a closed workflow; undefined when it was deleted or no worker replays it in time. Throws when the
 * server is unreachable.
 */
async function recordOf(
  client: Client,
  { workflowId, runId: executionId }: WorkflowExecutionDescription,
): Promise<AgentState | StoredAgent | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId, executionId);
    const answer = await client.withDeadline(Date.now() + ANSWERED_MS, () =>
      handle.query<AgentState | StoredAgent>('record'),
    );
    return isRefused(answer) ? undefined : answer;
  } catch (error) {
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    if (code === UNAVAILABLE) throw error;
    return undefined; // there is no record of it
  }
}
