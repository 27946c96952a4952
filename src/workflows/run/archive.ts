// The archive of a run: lines of ended agents in the artifact store, so that the ledger stays small
// (invariant I8). It is read again when an agent awaits its forks, and when an archived agent sends
// a message. A failed operation changes nothing.
import { workflowInfo } from '@temporalio/workflow';
import type { ArchivePiece, ChapterRequest } from '../../contract/records.js';
import { defined, utf8Length, type Value } from '../../protocol/text.js';
import { activities } from '../activities.js';
import type { ForkRange, LedgerAgent } from '../../contract/runs.js';
import type { Ledger } from './ledger.js';
import type { CallResult, Retries } from './retries.js';
import { hasEnded, LISTED_ENDED } from './roster.js';

/**
 * Lines of up to this many bytes are sent in a request; if there are more, all are archived first.
 */
const MAX_LINES_BYTES = 64 * 1024;

/** About 15 minutes; after that, the history stays only in Temporal, until its retention ends. */
const CHAPTER_TRIES = 8;

const KEEP_LINES = 'store the lines of ended agents';
const KEEP_HISTORY = 'store the history of ended agents';
const KEEP_RUN_HISTORY = 'store the history of the run';

export const KEEP_LEDGER = 'store the ledger of the run';

/** The retries of a run that is closing; a run that continues after all does not wait for them. */
export const CLOSING: readonly string[] = [KEEP_LEDGER, KEEP_LINES, KEEP_HISTORY, KEEP_RUN_HISTORY];

/** A ledger, and how its archive is reached. */
export interface Archived {
  readonly ledger: Ledger;
  readonly retries: Retries;
}

/** Archives the older half of the agents that ended, as soon as there are many. */
export async function archiveOld(archived: Archived): Promise<void> {
  const { roster } = archived.ledger;
  if (roster.endedCount < 2 * LISTED_ENDED) return;
  await archive(archived, roster.endedAgents().slice(0, roster.endedCount - LISTED_ENDED));
}

/** Archives all agents that ended, except `main`. */
export async function archiveAll(archived: Archived): Promise<CallResult<void>> {
  const ended = archived.ledger.roster.endedAgents();
  for (let from = 0; from < ended.length; from += LISTED_ENDED) {
    const some = await archive(archived, ended.slice(from, from + LISTED_ENDED));
    if (some.kind !== 'done') return some;
  }
  return { kind: 'done', value: undefined };
}

async function archive({ ledger, retries }: Archived, lines: readonly LedgerAgent[]): Promise<CallResult<void>> {
  const agents = lines.filter(hasEnded);
  const piece: ArchivePiece = { agents, ...defined({ previous: ledger.archived.archive }) };
  const [stored, chapter] = await Promise.all([
    retries.attempt({
      what: KEEP_LINES,
      call: () => activities.storeRecord(JSON.stringify(piece)),
    }),
    keepHistory(retries, { runId: workflowInfo().workflowId, agentIds: agents.map(({ id }) => id) }),
  ]);
  if (stored.kind !== 'done') return stored;
  if (chapter.kind === 'later') return chapter;
  // A line that changed in the meantime stays listed: the newer state counts.
  ledger.archive(
    agents.filter((line) => ledger.roster.get(line.id) === line),
    stored.value,
  );
  return { kind: 'done', value: undefined };
}

/** Stores the history of agents, or of the run, beyond Temporal's retention. */
export async function keepHistory(retries: Retries, request: ChapterRequest): Promise<CallResult<void>> {
  const what = request.closed === undefined ? KEEP_HISTORY : KEEP_RUN_HISTORY;
  return await retries.attempt({ what, call: () => activities.keepChapter(request), tries: CHAPTER_TRIES });
}

/** The name of the call that gathers results for an agent. */
function gatheringFor(agentId: string): string {
  return `collect the results that ${agentId} awaits`;
}

/**
 * The results of an agent's forks, which have all ended; from now on that agent handles their
 * failures. Undefined when it must be retried.
 */
export async function gatherForks(
  archived: Archived,
  { id: parent, forks }: { readonly id: string; readonly forks: ForkRange },
): Promise<Value | undefined> {
  const { ledger, retries } = archived;
  const lines = ledger.roster.endedForks(parent, forks);
  if (utf8Length(JSON.stringify(lines)) > MAX_LINES_BYTES && (await archiveAll(archived)).kind !== 'done')
    return undefined;
  const gathered = await retries.attempt({
    what: gatheringFor(parent),
    call: () => {
      const ended = ledger.roster.endedForks(parent, forks).filter(hasEnded);
      return activities.gatherResults({ parent, ...forks, ended, ...defined({ archive: ledger.archived.archive }) });
    },
  });
  // The missing file may be put back into the store: until then the agent waits, and can be
  // cancelled.
  if (gathered.kind !== 'done') return undefined;
  const { results, archivedFailures } = gathered.value;
  ledger.deliver(parent, { forks, archivedFailures });
  return results;
}

/** Lists archived agents again; returns those of which nothing can be read at present. */
export async function restoreArchived(
  { ledger, retries }: Archived,
  agentIds: readonly string[],
): Promise<'done' | 'later'> {
  const { archive: known } = ledger.archived;
  if (known === undefined) return 'done';
  const found = await retries.attempt({
    what: 'find agents in the archive',
    call: () => activities.findArchived({ archive: known, agentIds }),
  });
  if (found.kind === 'done') for (const line of found.value) ledger.restore(line);
  return found.kind === 'later' ? 'later' : 'done';
}
