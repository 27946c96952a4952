// Schedules and hosts as the JSON documents of `schedule list`, `fleet hosts` and the API. Pure.
import type { HostView } from '../fleet/hosts.js';
import type { ScheduleView } from '../schedules/schedules.js';
import type { DocumentOf } from './documents.js';

/** The document of a schedule. */
export function scheduleDocument({ nextRuns, runs, ...view }: ScheduleView): DocumentOf<'schedule show'> {
  return {
    ...view,
    nextRuns: nextRuns.map((time) => time.toISOString()),
    runs: runs.map(({ runId, startedAt }) => ({ runId, startedAt: startedAt.toISOString() })),
  };
}

/** The document of a host. */
export function hostDocument({ workers, ...view }: HostView): DocumentOf<'hosts'>[number] {
  return { ...view, workers: workers.map((worker) => ({ ...worker, lastPoll: worker.lastPoll.toISOString() })) };
}
