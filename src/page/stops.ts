// Stops of runs: which one a run is at, and whether it still is.
import type { ListedRun } from '../serve/types.js';

/** What a stop is known by. */
export type StopFacts = Pick<ListedRun, 'runId' | 'status' | 'open' | 'endedAt'>;

/** Identifies a stop: a run that fails again is another one. */
export function stopOf({ runId, status, endedAt = '' }: StopFacts): string {
  return `${runId} ${status} ${endedAt}`;
}

/** Whether a run is still at this stop. Its new execution begins with the status of the old one. */
export function isStillAt(stop: string, run: StopFacts): boolean {
  return stop === stopOf(run) || (run.open && stop.startsWith(`${run.runId} ${run.status} `));
}
