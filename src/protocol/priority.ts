// How urgent a run is among others, in the words of Temporal: 1 is served first.
/** What a run may be given. */
export const PRIORITIES = [1, 2, 3, 4, 5] as const;

/** The priority of a run that is given none. */
export const DEFAULT_PRIORITY = 3;

/** What a priority looks like, for messages. */
export const PRIORITY_FORM = 'a priority from 1 (first) to 5';

/** True for a priority. */
export function isPriority(value: number): boolean {
  return PRIORITIES.some((known) => known === value);
}
