// The faults that the monkey knows: which process it kills, and at which moment. Must not kill.
import proto from '@temporalio/proto';
import type { Chance } from '../trials/random.js';

const { EventType } = proto.temporal.api.enums.v1;

/** What happens to a process at a random moment, a named point at which it kills itself, or an event of a history after which the worker is killed. */
export type Fault =
  | { readonly kind: 'process'; readonly name: Victim }
  | { readonly kind: 'point'; readonly name: string; readonly count: number }
  | { readonly kind: 'event'; readonly name: keyof typeof EVENTS };

/** Who can be killed, and what else can happen to processes. */
export type Victim = (typeof VICTIMS)[number];

const VICTIMS = [
  'serving',
  'follower',
  'launcher',
  'claude',
  'script',
  'server',
  'server and serving',
  'everything',
  // All processes are stopped for longer than a heartbeat may be missing, then continued.
  'sleep',
  // The serving process can open no file for some seconds.
  'descriptors',
  // The record of the server is removed while the server runs.
  'server record',
] as const;

/** What executes the run: the command that follows it, the engine of its project in the background, or a fleet. */
export type Form = (typeof FORMS)[number];

/** All of them. */
export const FORMS = ['command', 'engine', 'fleet'] as const;

/**
 * Of a fleet the server, and the host with it, is not ours to kill; only of an engine the follower is another process. An engine was not
 * tried with the last three.
 */
const MISSING: Readonly<Record<Form, readonly Victim[]>> = {
  command: ['follower'],
  engine: ['sleep', 'descriptors', 'server record'],
  fleet: ['follower', 'server', 'server and serving', 'everything', 'sleep', 'server record'],
};

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
  'before-delivery',
  'after-delivery',
  'before-chained',
  'after-chained',
  'after-report',
  'launcher-before-spawn',
  'launcher-after-spawn',
  'launcher-before-output',
  'launcher-after-output',
] as const;

/** Moments of a workflow, by the event of Temporal's history that shows them. */
export const EVENTS = {
  'transition taken': EventType.EVENT_TYPE_ACTIVITY_TASK_COMPLETED,
  'fork starts': EventType.EVENT_TYPE_START_CHILD_WORKFLOW_EXECUTION_INITIATED,
  'fork started': EventType.EVENT_TYPE_CHILD_WORKFLOW_EXECUTION_STARTED,
  'continued as new': EventType.EVENT_TYPE_WORKFLOW_EXECUTION_CONTINUED_AS_NEW,
  'word to the run': EventType.EVENT_TYPE_SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED,
} as const;

/** So many of them, to be struck one after the other: every kind once, shuffled, before any comes again. */
export function ordersFor(
  chance: Chance,
  { count, forms }: { readonly count: number; readonly forms: readonly Form[] },
): readonly Fault[] {
  const orders: Fault[] = [];
  const possible = (fault: Fault): boolean => forms.some((form) => canStrike(fault, form));
  while (orders.length < count) orders.push(...deckOf(chance).filter(possible));
  return orders.slice(0, count);
}

/** True where this fault can strike. */
export function canStrike(fault: Fault, form: Form): boolean {
  return fault.kind !== 'process' || !MISSING[form].includes(fault.name);
}

function deckOf(chance: Chance): readonly Fault[] {
  const names = Object.keys(EVENTS) as (keyof typeof EVENTS)[];
  const deck: Fault[] = [
    ...VICTIMS.map((name) => ({ kind: 'process' as const, name })),
    ...POINTS.map((name) => ({ kind: 'point' as const, name, count: chance.between(1, 2) })),
    ...names.map((name) => ({ kind: 'event' as const, name })),
  ];
  return chance.shuffle(deck);
}
