// The archive of a run: lines of ended agents, in pieces; each piece names the one before it. It is
// split when a closed run is started again, and searched when an archived agent sends a message.
import { defined, type Value } from '../protocol/text.js';
import { ArtifactMissing, type ArtifactStore } from '../store/store.js';
import type {
  AgentPage,
  ArchivedAgents,
  ArchivePiece,
  ArchiveRequest,
  OpenArchive,
  EndedAgent,
} from '../contract/records.js';
import { readRecord, storeRecord } from './records.js';

/** Lines of one page, or one piece of an archive. */
const LINES = 100;

/**
 * Splits an archive: agents that ended without a result, and whose end was not handled, continue. Pages behind a
 * missing one stay in the store: the other agents continue without them.
 */
export async function openArchive(artifacts: ArtifactStore, request: ArchiveRequest): Promise<OpenArchive> {
  const { lines, missing } = await archivedLines(artifacts, request.archive);
  const archived = new Set(lines.keys());
  await addPages(artifacts, { lines, resumable: request.resumable });
  const awaited = new Map(Object.entries(request.awaited));
  for (const { id, awaited: last } of lines.values()) if (last !== undefined) awaited.set(id, last);
  const isResumable = ({ status, parent, number = 0, handled }: EndedAgent): boolean =>
    status.kind !== 'completed' && handled !== true && (awaited.get(parent ?? '') ?? 0) < number;
  // The oldest first, as they were archived.
  const all = [...lines.values()].reverse();
  const going = all.filter(isResumable);
  const resumable = await pagesOf(artifacts, going);
  const stay = all.filter((line) => !isResumable(line));
  const archive = await piecesOf(artifacts, { lines: stay, previous: missing?.piece });
  const found = going.filter(({ id }) => archived.has(id)).length;
  return {
    count: missing === undefined ? stay.length : Math.max(stay.length, request.count - found),
    ...defined({ archive, resumable }),
    ...(missing === undefined
      ? {}
      : { missing: { message: missing.message, lost: Math.max(0, request.unresolved - found) } }),
  };
}

/** The lines of agents in an archive, the newest of each. */
export async function findArchived(
  artifacts: ArtifactStore,
  { archive, agentIds }: ArchivedAgents,
): Promise<readonly EndedAgent[]> {
  const found = new Map<string, EndedAgent>();
  for (let piece: Value | undefined = archive; piece !== undefined && found.size < agentIds.length;) {
    const { agents, previous }: ArchivePiece = await readRecord(artifacts, piece);
    for (const line of agents.toReversed())
      if (agentIds.includes(line.id) && !found.has(line.id)) found.set(line.id, line);
    piece = previous;
  }
  return [...found.values()];
}

interface ArchivedLines {
  /** Every agent's newest line, the newest first. */
  readonly lines: Map<string, EndedAgent>;
  /** The page that is missing in the store; those behind it cannot be read. */
  readonly missing?: { readonly piece: Value; readonly message: string };
}

async function archivedLines(artifacts: ArtifactStore, archive: Value): Promise<ArchivedLines> {
  const lines = new Map<string, EndedAgent>();
  for (let next: Value | undefined = archive; next !== undefined;) {
    const piece: Value = next;
    try {
      const { agents, previous }: ArchivePiece = await readRecord(artifacts, piece);
      addLines(lines, agents);
      next = previous;
    } catch (error) {
      if (!(error instanceof ArtifactMissing)) throw error;
      return { lines, missing: { piece, message: error.message } };
    }
  }
  return { lines };
}

/** Adds the agents that an earlier resumption did not reach. */
async function addPages(
  artifacts: ArtifactStore,
  { lines, resumable }: { readonly lines: Map<string, EndedAgent>; readonly resumable: Value | undefined },
): Promise<void> {
  for (let page = resumable; page !== undefined;) {
    const { agents, next }: AgentPage = await readRecord(artifacts, page);
    addLines(lines, agents);
    page = next;
  }
}

function addLines(lines: Map<string, EndedAgent>, agents: readonly EndedAgent[]): void {
  for (const line of agents.toReversed()) if (!lines.has(line.id)) lines.set(line.id, line);
}

/** Stores lines as an archive page, in front of the page `last`. */
async function piecesOf(
  artifacts: ArtifactStore,
  { lines, previous: last }: { readonly lines: readonly EndedAgent[]; readonly previous: Value | undefined },
): Promise<Value | undefined> {
  let previous = last;
  for (let from = 0; from < lines.length; from += LINES) {
    const piece: ArchivePiece = { agents: lines.slice(from, from + LINES), ...defined({ previous }) };
    previous = await storeRecord(artifacts, JSON.stringify(piece));
  }
  return previous;
}

async function pagesOf(artifacts: ArtifactStore, lines: readonly EndedAgent[]): Promise<Value | undefined> {
  let next: Value | undefined;
  for (let from = lines.length - 1 - ((lines.length - 1) % LINES); from >= 0; from -= LINES) {
    const page: AgentPage = { agents: lines.slice(from, from + LINES), ...(next === undefined ? {} : { next }) };
    next = await storeRecord(artifacts, JSON.stringify(page));
  }
  return next;
}
