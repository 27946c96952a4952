// Runs that a person has ordered to continue. A stopped run shows its old status until its new execution reports; until
// then every view of this browser shows the order.
import { signal } from '@preact/signals';
import { isStillAt, stopOf, type StopFacts } from './stops.js';

/** An order on its way. */
interface Pending {
  /** `Retrying 60 agents…`. */
  readonly words: string;
  /** When it was given, in epoch milliseconds. */
  readonly at: number;
  /** The stop that it ends. */
  readonly stop: string;
}

const KEY = 'raymond-pending';

/** The status of a run that has not continued by then is shown again. */
const MOST_MS = 5 * 60_000;

const pending = signal(parsed(localStorage.getItem(KEY)));

addEventListener('storage', ({ key, newValue }) => {
  if (key === KEY) pending.value = parsed(newValue);
});

function parsed(json: string | null): Readonly<Record<string, Pending>> {
  return JSON.parse(json ?? '{}') as Record<string, Pending>;
}

/** Remembers an order that the server has accepted. */
export function order(run: StopFacts, words: string): void {
  const now = Date.now();
  const recent = Object.entries(pending.value).filter(([, { at }]) => now - at < MOST_MS);
  pending.value = { ...Object.fromEntries(recent), [run.runId]: { words, at: now, stop: stopOf(run) } };
  localStorage.setItem(KEY, JSON.stringify(pending.value));
}

/** The order that a run has not followed yet, in words. */
export function orderOf(run: StopFacts): string | undefined {
  const found = pending.value[run.runId];
  if (found === undefined || Date.now() - found.at > MOST_MS) return undefined;
  return isStillAt(found.stop, run) ? found.words : undefined;
}
