// The monkey of the fleet: takes a host its power, its network or its disk, drains and kills workers, restarts the server, slows and stops the
// bucket; one after the other, each for a while. Must not resume anything (drive.ts).
import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '../../src/protocol/failure.js';
import type { Chance } from '../trials/random.js';
import type { Machines } from './cluster.js';
import type { Host } from './host.js';

/** What can happen. */
export const FAULTS = [
  'power off',
  'cut',
  'full disk',
  'worker drained',
  'worker killed',
  'server restarted',
  'bucket slow',
  'bucket stopped',
] as const;

/** One of them. */
export type Fault = (typeof FAULTS)[number];

/** A fault that has come to pass; absent host = it was nobody's own. */
export interface Strike {
  readonly fault: Fault;
  readonly host?: string;
  readonly at: number;
  readonly seconds: number;
}

/** How long a fault lasts, in milliseconds. */
const LASTS: Readonly<Record<Fault, readonly [number, number]>> = {
  'power off': [1000, 25_000],
  cut: [1000, 25_000],
  'full disk': [1000, 8000],
  'worker drained': [0, 0],
  'worker killed': [0, 0],
  'server restarted': [0, 3000],
  'bucket slow': [2000, 8000],
  'bucket stopped': [1000, 8000],
};

const SLOW = '2mbit';
const BUSY = 0.6;

/** One kind of fault, and how long it lasts each time, instead of all. */
export interface OnlyFault {
  readonly fault: Fault;
  readonly seconds: number;
}

/** How hard it plays. */
interface Play {
  readonly faults: number;
  readonly only?: OnlyFault;
  readonly chance: Chance;
  readonly over: () => boolean;
  /** The host that has begun the latest turn. */
  readonly busy: () => Promise<string | undefined>;
}

/** Strikes until so many faults came to pass or the run is over; gives them. Everything works when it is done. */
export async function play(machines: Machines, hardness: Play): Promise<readonly Strike[]> {
  const { faults, only, chance, over, busy } = hardness;
  const strikes: Strike[] = [];
  // A host that is gone or cut off is what a fleet is for.
  const deck = only === undefined ? chance.shuffle<Fault>([...FAULTS, 'power off', 'cut']) : [only.fault];
  while (!over() && strikes.length < faults) {
    await delay(chance.between(200, 2000));
    if (over()) break;
    const fault = deck.shift()!;
    deck.push(fault);
    const [least, most] = LASTS[fault];
    const ms = only === undefined ? chance.between(least, most) : only.seconds * 1000;
    const host = await victimOf(machines, { chance, busy });
    const at = Date.now();
    const own = await strike(machines, { fault, host, ms });
    strikes.push({ fault, ...(own ? { host: host.name } : {}), at, seconds: ms / 1000 });
  }
  return strikes;
}

/** A host, more often than not one that does something. */
async function victimOf({ hosts }: Machines, { chance, busy }: Pick<Play, 'chance' | 'busy'>): Promise<Host> {
  const name = chance.is(BUSY) ? await busy() : undefined;
  const any = chance.pick(hosts);
  return hosts.find((host) => host.name === name) ?? any;
}

/** Lets it happen, waits, and mends it. True when it was the host's own. */
async function strike(
  { temporal, bucket }: Machines,
  { fault, host, ms }: { readonly fault: Fault; readonly host: Host; readonly ms: number },
): Promise<boolean> {
  switch (fault) {
    case 'power off':
      await host.powerOff();
      await delay(ms);
      await host.powerOn();
      return true;
    case 'cut':
      await host.cut();
      await delay(ms);
      await host.heal();
      return true;
    case 'full disk':
      await host.fill();
      await delay(ms);
      await host.empty();
      return true;
    case 'worker drained':
      await host.signal('TERM');
      return true;
    case 'worker killed':
      await host.signal('KILL');
      return true;
    case 'server restarted':
      await temporal.kill();
      await delay(ms);
      await temporal.start();
      return false;
    case 'bucket slow':
      await bucket.link.slow(SLOW);
      await delay(ms);
      await bucket.link.hasten();
      return false;
    case 'bucket stopped':
      await bucket.kill();
      await delay(ms);
      await bucket.start();
      return false;
    default:
      return assertNever(fault);
  }
}
