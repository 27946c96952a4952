// Pages of the list of runs, newest first. Temporal sorts by end, so a page is searched among the runs of the last
// hour, then of the last day, and so on, instead of reading ten thousand runs to show fifty.
import type { RunLine } from '../client/look/runs.js';
import { defined } from '../protocol/text.js';

type Listed = Pick<RunLine, 'runId' | 'startedAt'>;

/** The runs that started after a time, in any order, perhaps with older ones; without a time all of them. */
export type ListRuns<Line extends Listed> = (startedAfter: Date | undefined) => Promise<readonly Line[]>;

/** The size of the page, and the last run of the previous page. */
interface PageRequest {
  readonly limit: number;
  readonly cursor?: string;
  /** Epoch milliseconds; absent = the present. */
  readonly now?: number;
}

const HOUR_MS = 3_600_000;
const SPANS_MS = [HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS, 30 * 24 * HOUR_MS, Infinity];

/** A page, and the cursor of the next one unless it is the last. */
export async function pageOfRuns<Line extends Listed>(
  list: ListRuns<Line>,
  { limit, cursor, now = Date.now() }: PageRequest,
): Promise<{ readonly page: readonly Line[]; readonly next?: string }> {
  const last = cursor === undefined ? undefined : positionOf(cursor);
  let found: readonly Line[] = [];
  for (const span of SPANS_MS) {
    const since = span === Infinity ? -Infinity : (last?.ms ?? now) - span;
    const lines = await list(span === Infinity ? undefined : new Date(since));
    // A run that was resumed started before its latest execution.
    found = lines.filter((line) => line.startedAt.getTime() > since && (last === undefined || isAfter(line, last)));
    if (found.length > limit) break;
  }
  const page = found.toSorted(newestFirst).slice(0, limit);
  const end = page.at(-1);
  return { page, ...defined({ next: end === undefined || found.length <= limit ? undefined : cursorOf(end) }) };
}

function newestFirst(one: Listed, other: Listed): number {
  return other.startedAt.getTime() - one.startedAt.getTime() || (one.runId < other.runId ? -1 : 1);
}

/** Runs that start meanwhile do not shift the next pages. */
function cursorOf({ startedAt, runId }: Listed): string {
  return `${startedAt.getTime()}-${runId}`;
}

interface PagePosition {
  readonly ms: number;
  readonly runId: string;
}

function positionOf(cursor: string): PagePosition {
  const [, ms = '', runId = ''] = /^(\d+)-(.*)$/s.exec(cursor) ?? [];
  return { ms: Number(ms), runId };
}

function isAfter({ startedAt, runId }: Listed, last: PagePosition): boolean {
  return startedAt.getTime() < last.ms || (startedAt.getTime() === last.ms && runId > last.runId);
}
