// The faults that the monkey knows: which process it kills, and at which moment. Must not kill.
import type { Chance } from './random.js';

/** A process that is killed at a random moment, a named point at which it kills itself, or an event of a history after which the worker is killed. */
export type Fault =
  | { readonly kind: 'process'; readonly name: Victim }
  | { readonly kind: 'point'; readonly name: string; readonly count: number }
  | { readonly kind: 'event'; readonly name: keyof typeof EVENTS };

/** Who can be killed. */
export type Victim = (typeof VICTIMS)[number];

const VICTIMS = ['serving', 'launcher', 'claude', 'script', 'server', 'server and serving'] as const;

/** The named points in src (src/host/faults.ts). */
export const POINTS = [
  'turn-begins',
  'before-spawn',
  'after-spawn',
  'result-heard',
  'after-process',
  'before-artifact',
  'artifact-written',
  'after-artifact',
  'before-report',
  'after-report',
  'launcher-before-spawn',
  'launcher-after-spawn',
  'launcher-before-journal',
  'launcher-after-journal',
] as const;

/** Moments of a workflow, by the event of Temporal's history that shows them (temporal.api.enums.v1.EventType). */
export const EVENTS = {
  'transition taken': 12, // ACTIVITY_TASK_COMPLETED
  'fork starts': 30, // START_CHILD_WORKFLOW_EXECUTION_INITIATED
  'fork started': 32, // CHILD_WORKFLOW_EXECUTION_STARTED
  'continued as new': 28, // WORKFLOW_EXECUTION_CONTINUED_AS_NEW
  'word to the run': 35, // SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED
} as const;

/** The next fault. */
export function faultOf(chance: Chance): Fault {
  const kind = chance.pick(['process', 'process', 'point', 'point', 'event'] as const);
  switch (kind) {
    case 'process':
      return { kind, name: chance.pick(VICTIMS) };
    case 'point':
      return { kind, name: chance.pick(POINTS), count: chance.between(1, 3) };
    default:
      return { kind, name: chance.pick(Object.keys(EVENTS) as (keyof typeof EVENTS)[]) };
  }
}
