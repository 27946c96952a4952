// The archive of a run: lines of ended agents in the artifact store, so that the ledger stays small (invariant I8), read again when an
// agent awaits its forks and when a closed run is started again.
import { workflowInfo } from '@temporalio/workflow';
import type { EndedAgent } from '../../activities/types.js';
import type { AgentPage, ArchivePiece } from '../../activities/record-types.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { utf8Length, type Value } from '../../protocol/text.js';
import { findAgents, gatherResults, keepChapter, openArchive, readRecord, storeRecord } from '../activities.js';
import type { ForkRange, LedgerAgent, Revival } from '../contract.js';
import type { Ledger } from './ledger.js';
import { hasEnded, LISTED_ENDED } from './roster.js';

/** Lines of so many bytes travel with a request; if there are more, all are archived first. */
const MAX_LINES_BYTES = 64 * 1024;

/** So many agents are looked for together. */
const FOUND_AT_ONCE = 50;

/** Archives the older half of the agents that ended, as soon as there are many. */
export async function archiveOld(ledger: Ledger): Promise<void> {
  const { roster } = ledger;
  if (roster.endedCount < 2 * LISTED_ENDED) return;
  await archive(ledger, roster.endedAgents().slice(0, roster.endedCount - LISTED_ENDED));
}

/** Archives all that ended, but for `main`. */
export async function archiveAll(ledger: Ledger): Promise<void> {
  const ended = ledger.roster.endedAgents();
  for (let from = 0; from < ended.length; from += LISTED_ENDED)
    await archive(ledger, ended.slice(from, from + LISTED_ENDED));
}

async function archive(ledger: Ledger, lines: readonly LedgerAgent[]): Promise<void> {
  const agents = lines.filter(hasEnded);
  const { archive: previous } = ledger.archived;
  const piece: ArchivePiece = { agents, ...(previous === undefined ? {} : { previous }) };
  const [stored] = await Promise.all([
    storeRecord(JSON.stringify(piece)),
    keepChapter({ runId: workflowInfo().workflowId, agentIds: agents.map(({ id }) => id) }),
  ]);
  // A line that changed meanwhile stays listed: what is newer counts.
  ledger.archive(
    agents.filter((line) => ledger.roster.get(line.id) === line),
    stored,
  );
}

/** The results of an agent's forks, which have all ended, and notes that their failures are that agent's business now. */
export async function gatherForks(ledger: Ledger, parent: string, forks: ForkRange): Promise<Value> {
  if (utf8Length(JSON.stringify(ledger.roster.endedForks(parent, forks))) > MAX_LINES_BYTES) await archiveAll(ledger);
  const ended = ledger.roster.endedForks(parent, forks).filter(hasEnded);
  const { archive: known } = ledger.archived;
  const { results, archivedFailures } = await gatherResults({
    parent,
    ...forks,
    ended,
    ...(known === undefined ? {} : { archive: known }),
  });
  ledger.deliver(parent, { forks, archivedFailures });
  return results;
}

/** Takes the agents that a closed run goes on with out of its archive: `ledger.resumable` then names their pages. */
export async function openForRestart(ledger: Ledger): Promise<void> {
  await archiveAll(ledger);
  const { archived, resumable } = ledger;
  if (archived.archive === undefined) return;
  const awaited = ledger.roster.all().flatMap(({ id, awaited: last }) => (last === undefined ? [] : [[id, last]]));
  const opened = await openArchive({
    archive: archived.archive,
    ...(resumable === undefined ? {} : { resumable }),
    awaited: Object.fromEntries(awaited) as Record<string, number>,
  });
  ledger.reopen(opened);
}

/** The next agents to start again, with what is known of their records; the ledger lists them as running. */
export async function nextToRestart(ledger: Ledger, runId: string): Promise<readonly Restart[]> {
  if (ledger.resumable === undefined) return [];
  const { agents, next } = (await readRecord(ledger.resumable)) as AgentPage;
  ledger.resumable = next;
  return await withRecords(ledger, { runId, agents });
}

/** `main`, if it has ended without a result, and the agents of a terminated run's ledger that live no longer. */
export async function agentsToRestart(ledger: Ledger, runId: string): Promise<readonly Restart[]> {
  const live = await lookFor(runId, ledger.roster.liveAgents());
  const main = ledger.roster.get(MAIN_AGENT);
  const ended = main !== undefined && hasEnded(main) && main.status.kind !== 'completed' ? [main] : [];
  return [
    ...(await withRecords(ledger, { runId, agents: ended })),
    ...live.flatMap(({ line, record }) => (record === undefined ? [] : [{ line, record }])),
  ];
}

/** One agent that ended without a result, if nobody has taken care of its end. */
export async function agentToRestart(
  ledger: Ledger,
  { runId, revival: { agentId, archived } }: { readonly runId: string; readonly revival: Revival },
): Promise<readonly Restart[]> {
  if (archived !== undefined) ledger.unarchive(archived);
  const line = ledger.roster.get(agentId);
  if (line === undefined || !hasEnded(line) || line.status.kind === 'completed' || line.handled === true) return [];
  // Its next execution will be its latest one.
  await keepChapter({ runId, agentIds: [agentId] });
  return await withRecords(ledger, { runId, agents: [line] });
}

/** An agent to start again. */
export interface Restart {
  readonly line: LedgerAgent;
  readonly record: Value;
}

/** Lists them as running; one without a record that nobody can tell any more stays lost, one whose workflow is open simply goes on. */
async function withRecords(
  ledger: Ledger,
  { runId, agents }: { readonly runId: string; readonly agents: readonly EndedAgent[] },
): Promise<readonly Restart[]> {
  const known = agents.flatMap((line) => ('record' in line.status ? [{ line, record: line.status.record }] : []));
  const unknown = agents.filter((line) => !('record' in line.status));
  const found = await lookFor(runId, unknown);
  for (const { line, open, record } of found)
    if (open || record !== undefined) ledger.restart(line);
    else ledger.roster.put({ ...line, status: { kind: 'lost' } });
  for (const { line } of known) ledger.restart(line);
  const all = [...known, ...found];
  return all.flatMap(({ line, record }) => (record === undefined ? [] : [{ line, record }]));
}

interface Found {
  readonly line: LedgerAgent;
  readonly open: boolean;
  readonly record?: Value;
}

/** Asks closed workflows for their records, many at a time. */
async function lookFor(runId: string, lines: readonly LedgerAgent[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (let from = 0; from < lines.length; from += FOUND_AT_ONCE) {
    const some = lines.slice(from, from + FOUND_AT_ONCE);
    const answers = await findAgents({ runId, agentIds: some.map(({ id }) => id) });
    for (const line of some) {
      const { open = false, record } = answers.find(({ id }) => id === line.id) ?? {};
      found.push({ line, open, ...(record === undefined ? {} : { record }) });
    }
  }
  return found;
}
