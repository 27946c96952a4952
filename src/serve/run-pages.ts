// Pages of the list of runs, the newest first. Temporal sorts by the end, so a page is looked for among the runs of the last hour, then of the
// last day, and so on: nobody reads ten thousand runs to show fifty.
import type { RunLine } from '../client/look/runs.js';
import { defined } from '../protocol/text.js';

type Listed = Pick<RunLine, 'runId' | 'startedAt'>;

/** The runs that began after a time, in any order, with maybe some that began before; without a time all of them. */
export type ListRuns<Line extends Listed> = (startedAfter: Date | undefined) => Promise<readonly Line[]>;

/** Which page: so many runs, after the last one of the page before. */
export interface PageRequest {
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
  const last = cursor === undefined ? undefined : placeOf(cursor);
  let found: readonly Line[] = [];
  for (const span of SPANS_MS) {
    const since = span === Infinity ? -Infinity : (last?.ms ?? now) - span;
    const lines = await list(span === Infinity ? undefined : new Date(since));
    // A run that was started again began before its latest execution.
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

/** Runs that begin while somebody turns pages do not move what comes next. */
function cursorOf({ startedAt, runId }: Listed): string {
  return `${startedAt.getTime()}-${runId}`;
}

interface Place {
  readonly ms: number;
  readonly runId: string;
}

function placeOf(cursor: string): Place {
  const [, ms = '', runId = ''] = /^(\d+)-(.*)$/s.exec(cursor) ?? [];
  return { ms: Number(ms), runId };
}

function isAfter({ startedAt, runId }: Listed, last: Place): boolean {
  return startedAt.getTime() < last.ms || (startedAt.getTime() === last.ms && runId > last.runId);
}
