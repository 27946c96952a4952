// What can happen to a fleet: its faults, alone or two at once, and the moments at which they strike. Must not strike.
import type { Chance } from '../trials/random.js';
import type { Noted } from './notes.js';

/** What can happen, what it happens to, and how long it lasts, in milliseconds. */
export const FAULTS = {
  'power off': { target: 'host', lasts: [1000, 25_000] },
  cut: { target: 'host', lasts: [1000, 25_000] },
  'full disk': { target: 'host', lasts: [1000, 8000] },
  'worker drained': { target: 'host', lasts: [0, 0] },
  'worker killed': { target: 'host', lasts: [0, 0] },
  'server restarted': { target: 'server', lasts: [0, 3000] },
  'bucket slow': { target: 'bucket', lasts: [2000, 8000] },
  'bucket stopped': { target: 'bucket', lasts: [1000, 8000] },
  'way to the server rough': { target: 'way to the server', lasts: [3000, 15_000] },
  'way to the bucket rough': { target: 'way to the bucket', lasts: [3000, 15_000] },
} as const satisfies Record<string, { readonly target: string; readonly lasts: readonly [number, number] }>;

/** One of them. */
export type Fault = keyof typeof FAULTS;

/** When to strike: at some time, or as soon as a state notes this of itself, on its host. */
export const MOMENTS = {
  'at some time': undefined,
  'a turn has begun': 'B',
  'a turn has been charged': 'C',
  'a turn has ended': 'E',
} as const satisfies Record<string, Noted['kind'] | undefined>;

/** One of them. */
export type Moment = keyof typeof MOMENTS;

/** A fault that is to come to pass; `beside` strikes while it lasts, somewhere else. */
export interface Order {
  readonly fault: Fault;
  readonly beside?: Fault;
  readonly when: Moment;
}

/** One order in so many is for two faults at once. */
const PAIRS = 1 / 3;

/** So many of them, to be struck one after the other: every fault once, shuffled, before any comes again. */
export function ordersFor(chance: Chance, count: number): readonly Order[] {
  const orders: Order[] = [];
  while (orders.length < count) orders.push(...deckOf(chance));
  return orders.slice(0, count);
}

function deckOf(chance: Chance): readonly Order[] {
  const all = Object.keys(FAULTS) as Fault[];
  const moments = Object.keys(MOMENTS) as Moment[];
  // A host that is gone or cut off is what a fleet is for.
  return chance.shuffle<Fault>([...all, 'power off', 'cut']).map((fault) => {
    const when = chance.pick(moments);
    const others = all.filter((other) => mayOverlap(fault, other));
    return chance.is(PAIRS) && lasts(fault) ? { fault, beside: chance.pick(others), when } : { fault, when };
  });
}

/** Two of the three hosts may have a fault at once, but neither the server nor the bucket nor a way to them two. */
function mayOverlap(one: Fault, other: Fault): boolean {
  return FAULTS[one].target === 'host' || FAULTS[one].target !== FAULTS[other].target;
}

function lasts(fault: Fault): boolean {
  return FAULTS[fault].lasts[1] > 0;
}
