// What runs that were disturbed are compared by, whatever disturbed them: agents, and whether their books hold what was charged.
// Must not run anything.
import type { RunJson } from '../support/fakes.js';
import { charged, repeated, type Effect } from './effects.js';

/** Dollars that make no difference: sums of fractions differ by their order. */
const SMALL = 1e-6;

/** An attempt that was killed before its result is booked with what its tokens are worth: so much at most here. */
const ESTIMATED = 0.001;

/** What the books of a run are short of what its turns noted (below 0: what they have too much). A result that was on its way when Claude was killed they may hold. */
export function shortOf(bookedUsd: number, effects: readonly Effect[]): number {
  const { surely, atMost } = charged(effects);
  const most = atMost + ESTIMATED * repeated(effects);
  if (bookedUsd < surely - SMALL) return surely - bookedUsd;
  return bookedUsd > most + SMALL ? most - bookedUsd : 0;
}

/** What counts of its agents, in the order of their ids. */
export function agentsOf({ agents }: RunJson): readonly unknown[] {
  const lines = agents.map((agent) => ({ ...agent, costUsd: undefined, error: undefined }));
  return lines.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Says it, when what was seen is not what was wanted. */
export function different(what: string, seen: unknown, wanted: unknown): readonly string[] {
  const [a, b] = [JSON.stringify(seen), JSON.stringify(wanted)];
  return a === b ? [] : [`${what}: ${a}, undisturbed: ${b}`];
}

/** The same for each of several. */
export function eachDifferent(
  what: string,
  seen: Readonly<Record<string, string>>,
  wanted: Readonly<Record<string, string>>,
): readonly string[] {
  const names = [...new Set([...Object.keys(seen), ...Object.keys(wanted)])];
  return names.flatMap((name) => different(`${what} of ${name}`, seen[name], wanted[name]));
}
