// The open questions of all runs, for all views: the title of the tab counts them.
import { computed, signal } from '@preact/signals';
import type { ApiProblem } from './api.js';
import type { Inbox } from '../serve/types.js';

/** The last data. */
export const inbox = signal<{ readonly data: Inbox | undefined; readonly problem: ApiProblem | undefined }>({
  data: undefined,
  problem: undefined,
});

/** How many questions are open. */
export const openAsks = computed(() => inbox.value.data?.asks.length ?? 0);
