// The recorded turns of a run: in Temporal until its retention ends, and in chapters after that. A
// chapter has the turns of some executions of agents, stored when they end; `run.json` beside them
// is the run at its last close.
import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import type { ChapterRequest } from '../contract/records.js';
import { fileNameOfRun } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { readDocument } from '../store/document.js';
import type { ArtifactStore } from '../store/store.js';
import type { ClosedRun } from '../contract/runs.js';
import { executionIfKnown, type AgentName, type Execution, type RecordedTurn } from './turns.js';

/** Where records are read from. */
export interface RecordSources {
  readonly client: Client;
  readonly artifacts: ArtifactStore;
}

/** One stored execution; the common parts of its turns are stored once. */
interface Part {
  readonly agentId: string;
  readonly executionId: string;
  readonly startedAt: number;
  readonly run?: RecordedTurn['run'];
  readonly turns: readonly Omit<RecordedTurn, 'agentId' | 'run'>[];
}

const RUN_DOCUMENT = 'run.json';

/** How many histories are read at once. */
const AT_ONCE = 10;

/**
 * Stores the recorded turns of the latest executions of agents, and how their run closed; `alive`
 * is called for each. Storing the same again changes nothing. Throws `StoreUnwritable`.
 */
export async function keepChapter(
  sources: RecordSources,
  { runId, agentIds, closed, alive }: ChapterRequest & { readonly alive: () => void },
): Promise<void> {
  const document = `${folderOf(runId)}/${RUN_DOCUMENT}`;
  // A run that closes waits for both.
  await Promise.all([
    closed === undefined ? undefined : sources.artifacts.write(document, closed),
    keepTurns(sources, { runId, agentIds, alive }),
  ]);
}

async function keepTurns(
  { client, artifacts }: RecordSources,
  { runId, agentIds, alive }: ChapterRequest & { readonly alive: () => void },
): Promise<void> {
  const kept = async (agentId: string): Promise<Part | undefined> => {
    const part = await partOf({ client, artifacts }, { runId, agentId });
    alive();
    return part;
  };
  const parts = (await pMap(agentIds, kept, { concurrency: AT_ONCE })).flatMap((part) => part ?? []);
  if (parts.length === 0) return;
  const names = createHash('sha256').update(parts.map(({ executionId }) => executionId).join(' '));
  await artifacts.write(`${folderOf(runId)}/${names.digest('hex').slice(0, 32)}.json`, JSON.stringify(parts));
}

function folderOf(runId: string): string {
  return `runs/${fileNameOfRun(runId)}`;
}

const NONE: Execution = { executionId: '', startedAt: 0, turns: [] };

/** Undefined when Temporal has deleted it, or no turn was recorded. */
async function partOf({ client, artifacts }: RecordSources, agent: AgentName): Promise<Part | undefined> {
  let found = await executionIfKnown(client, agent, { artifacts });
  // One that was made by a reset has only the first turns of the one before.
  while (found?.madeFrom !== undefined)
    found = await executionIfKnown(client, agent, { artifacts, executionId: found.madeFrom });
  const { turns, ...execution } = found ?? NONE;
  const [first] = turns;
  if (first === undefined) return undefined;
  const lean = turns.map(({ run: _same, agentId: _too, ...turn }) => turn);
  return { agentId: agent.agentId, ...execution, ...defined({ run: first.run }), turns: lean };
}

/** How a run closed last; undefined when that was not stored. Throws `StoreDamaged`. */
export async function closedRun(artifacts: ArtifactStore, runId: string): Promise<ClosedRun | undefined> {
  return await readDocument(artifacts, {
    name: `${folderOf(runId)}/${RUN_DOCUMENT}`,
    accepts: isClosedRun,
    next: 'put it back from a backup; without it only Temporal, as long as it keeps the run, can resume it',
  });
}

function isClosedRun(value: unknown): value is ClosedRun {
  return typeof value === 'object' && value !== null && 'summary' in value;
}

/** The executions in the chapters of a run. Throws `StoreDamaged`. */
export async function keptExecutions(
  artifacts: ArtifactStore,
  runId: string,
): Promise<readonly (Execution & Pick<Part, 'agentId'>)[]> {
  return (await partsOf(artifacts, runId)).map((part) => ({ agentId: part.agentId, ...revived(part) }));
}

async function partsOf(artifacts: ArtifactStore, runId: string): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const name of await artifacts.list(folderOf(runId))) {
    if (name === RUN_DOCUMENT) continue;
    // It may have been removed after it was listed.
    parts.push(...((await chapterOf(artifacts, { runId, name })) ?? []));
  }
  return parts;
}

/** A document of a run, by its name in the run's folder. */
interface KeptName {
  readonly runId: string;
  readonly name: string;
}

async function chapterOf(artifacts: ArtifactStore, { runId, name }: KeptName): Promise<readonly Part[] | undefined> {
  return await readDocument(artifacts, {
    name: `${folderOf(runId)}/${name}`,
    accepts: isChapter,
    next: `put it back from a backup, or remove it: the turns of the run ${runId} in it are lost then`,
  });
}

function isChapter(value: unknown): value is readonly Part[] {
  return Array.isArray(value) && value.every((part) => typeof part === 'object' && part !== null && 'turns' in part);
}

/** Reads a document of a run, to check the store. Throws `StoreDamaged`. */
export async function checkKept(artifacts: ArtifactStore, kept: KeptName): Promise<void> {
  if (kept.name === RUN_DOCUMENT) await closedRun(artifacts, kept.runId);
  else await chapterOf(artifacts, kept);
}

/** An execution with its dates and values restored from JSON. */
function revived({ agentId, run, turns, ...execution }: Part): Execution {
  const whole = turns.map((turn) => ({
    agentId,
    ...turn,
    startedAt: new Date(turn.startedAt),
    endedAt: new Date(turn.endedAt),
    ...defined({ run, queuedAt: dateOf(turn.queuedAt), ranAt: dateOf(turn.ranAt) }),
  }));
  return { ...execution, turns: whole };
}

function dateOf(time: Date | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
