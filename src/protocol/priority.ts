// The priority of a run among others, in Temporal's terms: 1 is served first.
/** The possible priorities. */
export const PRIORITIES = [1, 2, 3, 4, 5] as const;

/** The default priority. */
export const DEFAULT_PRIORITY = 3;

/** The form of a priority, for messages. */
export const PRIORITY_FORM = 'a priority from 1 (first) to 5';

/** True for a priority. */
export function isPriority(value: number): boolean {
  return PRIORITIES.some((known) => known === value);
}
