// What needs a person, for all views: open questions, and runs that stopped by a failure, over their
// budget or for some other trouble. The badge and the title of the tab count both.
import { computed, signal } from '@preact/signals';
import { orderOf } from './pending.js';
import { stopOf } from './stops.js';
import { may } from './session.js';
import type { ApiProblem } from './api.js';
import type { Inbox, ListedRun } from '../serve/types.js';

/** The last data. */
export const inbox = signal<{ readonly data: Inbox | undefined; readonly problem: ApiProblem | undefined }>({
  data: undefined,
  problem: undefined,
});

/** The newest stopped runs as they were read last; absent = not yet. */
export const stoppedRuns = signal<readonly ListedRun[] | undefined>(undefined);

/** The statuses of runs that may need a person. */
export const STOPPED = 'failed,over-budget,paused,completed-with-failures';

const KEY = 'raymond-dismissed';
const KEPT = 500;

/** The stops that a person has dismissed in this browser. */
const dismissed = signal<readonly string[]>(JSON.parse(localStorage.getItem(KEY) ?? '[]') as readonly string[]);

addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY) dismissed.value = JSON.parse(newValue ?? '[]') as readonly string[];
});

/** Removes stops from the inbox of this browser. */
export function dismiss(runs: readonly ListedRun[]): void {
  dismissed.value = [...dismissed.value, ...runs.map(stopOf)].slice(-KEPT);
  localStorage.setItem(KEY, JSON.stringify(dismissed.value));
}

/** Stopped runs that need a person. One that a person has paused does not. */
export const stopped = computed(() =>
  (stoppedRuns.value ?? []).filter((run) => run.pausedBy === undefined && !dismissed.value.includes(stopOf(run))),
);

/** Runs that a person has paused. */
export const pausedByPeople = computed(() =>
  (stoppedRuns.value ?? []).filter(({ pausedBy }) => pausedBy !== undefined),
);

/** How many questions are open. */
export const openAsks = computed(() => inbox.value.data?.asks.length ?? 0);

/** How many things need a person. */
export const needs = computed(
  () =>
    (may('answer') ? openAsks.value : 0) +
    (may('operate') ? stopped.value.filter((run) => orderOf(run) === undefined).length : 0),
);
