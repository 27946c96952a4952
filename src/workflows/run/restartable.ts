// Which agents can be started again, and from which records: listed ones, archived ones, and those
// whose closed workflows must be asked. What could not be read changes nothing, and is asked for
// again.
import type { AgentPage, EndedAgent } from '../../contract/records.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined, type Value } from '../../protocol/text.js';
import { activities } from '../activities.js';
import type { LedgerAgent, Revival } from '../../contract/runs.js';
import { archiveAll, keepHistory, restoreArchived, type Archived } from './archive.js';
import type { Ledger } from './ledger.js';
import type { CallResult } from './retries.js';
import { hasEnded } from './roster.js';

/** How many agents are looked up together. */
const LOOKUPS_AT_ONCE = 50;

/**
 * Takes the agents with which a closed run continues out of its archive: `ledger.resumable` then
 * names their pages.
 */
export async function openForRestart(archived: Archived): Promise<CallResult<void>> {
  const all = await archiveAll(archived);
  if (all.kind !== 'done') return all;
  const { ledger, retries } = archived;
  const { archive: known, count, failed, cancelled } = ledger.archived;
  if (known === undefined) return all;
  const awaited = ledger.roster.all().flatMap(({ id, awaited: last }) => (last === undefined ? [] : [[id, last]]));
  const what = 'read the whole archive of ended agents';
  const opened = await retries.attempt({
    what,
    call: () =>
      activities.openArchive({
        archive: known,
        ...defined({ resumable: ledger.resumable }),
        awaited: Object.fromEntries(awaited) as Record<string, number>,
        count,
        unresolved: failed + cancelled,
      }),
  });
  if (opened.kind !== 'done') return opened;
  const { missing } = opened.value;
  if (missing !== undefined) retries.note(what, `${missing.message}; ${missing.lost} agents in it cannot continue`);
  ledger.reopen(opened.value);
  return { kind: 'done', value: undefined };
}

/**
 * The next agents to start, with their records as far as they are known; the ledger lists them as
 * running.
 */
export async function nextToRestart(archived: Archived, runId: string): Promise<CallResult<readonly Restart[]>> {
  const { ledger, retries } = archived;
  const { resumable: page } = ledger;
  if (page === undefined) return { kind: 'done', value: [] };
  const what = 'read which agents to start again';
  const read = await retries.attempt({ what, call: () => activities.readRecord(page) });
  if (read.kind !== 'done') return read;
  const { agents, next } = read.value as AgentPage;
  const found = await recordsOf(archived, { runId, agents });
  if (found.kind !== 'done') return found;
  ledger.resumable = next;
  return { kind: 'done', value: list(ledger, found.value) };
}

/**
 * `main`, if it ended without a result, and the agents of a terminated run's ledger that no longer
 * exist.
 */
export async function agentsToRestart(archived: Archived, runId: string): Promise<CallResult<readonly Restart[]>> {
  const { roster } = archived.ledger;
  const live = await lookFor(archived, { runId, lines: roster.liveAgents() });
  if (live.kind !== 'done') return live;
  const main = roster.get(MAIN_AGENT);
  const ended = main !== undefined && hasEnded(main) && main.status.kind !== 'completed' ? [main] : [];
  const found = await recordsOf(archived, { runId, agents: ended });
  if (found.kind !== 'done') return found;
  return { kind: 'done', value: [...list(archived.ledger, found.value), ...startable(live.value)] };
}

/** An agent that ended without a result, or why it cannot continue. */
export async function agentToRestart(
  archived: Archived,
  { runId, revival: { agentId, archived: archivedLine } }: { readonly runId: string; readonly revival: Revival },
): Promise<CallResult<readonly Restart[]> | Refused> {
  const { ledger, retries } = archived;
  if (ledger.roster.get(agentId) === undefined && archivedLine === undefined) {
    if ((await restoreArchived(archived, [agentId])) === 'later') return { kind: 'later' };
  }
  const line = ledger.roster.get(agentId) ?? archivedLine;
  const why = refusalOf(line);
  if (line === undefined || !hasEnded(line) || why !== undefined)
    return { kind: 'refused', why: why ?? 'it is still open' };
  // The next execution will replace the latest one.
  const chapter = await keepHistory(retries, { runId, agentIds: [agentId] });
  if (chapter.kind === 'later') return chapter;
  const found = await recordsOf(archived, { runId, agents: [line] });
  if (found.kind !== 'done') return found;
  if (ledger.roster.get(agentId) === undefined) ledger.unarchive(line);
  const agents = list(ledger, found.value);
  if (ledger.roster.isLive(agentId)) return { kind: 'done', value: agents };
  return { kind: 'refused', why: 'its record is lost' };
}

/** The order is rejected. */
interface Refused {
  readonly kind: 'refused';
  readonly why: string;
}

function refusalOf(line: LedgerAgent | undefined): string | undefined {
  if (line === undefined) return 'the run has no such agent';
  if (line.status.kind === 'completed') return 'it has completed';
  return line.handled === true ? 'its end has been delivered to the agent that awaited it' : undefined;
}

/** An agent to start again. */
export interface Restart {
  readonly line: LedgerAgent;
  readonly record: Value;
}

/** Where the records are that agents continue from; unknown ones are looked up. */
async function recordsOf(
  archived: Archived,
  { runId, agents }: { readonly runId: string; readonly agents: readonly EndedAgent[] },
): Promise<CallResult<readonly FoundRecord[]>> {
  const known = agents.flatMap((line): readonly FoundRecord[] =>
    'record' in line.status ? [{ line, open: false, record: line.status.record }] : [],
  );
  const lines = agents.filter((line) => !('record' in line.status));
  const found = await lookFor(archived, { runId, lines });
  return found.kind === 'done' ? { kind: 'done', value: [...known, ...found.value] } : found;
}

/**
 * Lists them as running. One whose record can no longer be read stays lost; one whose workflow is
 * open just continues.
 */
function list(ledger: Ledger, found: readonly FoundRecord[]): readonly Restart[] {
  // An agent that has reported in the meantime is already alive.
  const ended = found.filter(({ line }) => !ledger.roster.isLive(line.id));
  for (const { line, open, record } of ended)
    if (open || record !== undefined) ledger.restart(line);
    else ledger.roster.put({ ...line, status: { kind: 'lost' } });
  return startable(ended);
}

function startable(found: readonly FoundRecord[]): readonly Restart[] {
  return found.flatMap(({ line, record }) => (record === undefined ? [] : [{ line, record }]));
}

interface FoundRecord {
  readonly line: LedgerAgent;
  readonly open: boolean;
  readonly record?: Value;
}

/**
 * Asks closed workflows for their records, many at a time; leaves out agents that report in the
 * meantime.
 */
async function lookFor(
  { retries, ledger: { roster } }: Archived,
  { runId, lines }: { readonly runId: string; readonly lines: readonly LedgerAgent[] },
): Promise<CallResult<readonly FoundRecord[]>> {
  const found: FoundRecord[] = [];
  for (let from = 0; from < lines.length; from += LOOKUPS_AT_ONCE) {
    const some = lines.slice(from, from + LOOKUPS_AT_ONCE);
    const agentIds = some.map(({ id }) => id);
    const what = 'find the records of agents';
    const before = some.map(({ id }) => roster.get(id)?.status);
    const answers = await retries.attempt({ what, call: () => activities.findAgents({ runId, agentIds }) });
    if (answers.kind !== 'done') return answers;
    // A report that arrived in the meantime is newer than the answer.
    for (const line of some.filter(({ id }, index) => roster.get(id)?.status === before[index])) {
      const { open = false, record } = answers.value.find(({ id }) => id === line.id) ?? {};
      found.push({ line, open, ...defined({ record }) });
    }
  }
  return { kind: 'done', value: found };
}
