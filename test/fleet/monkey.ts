// The monkey of the fleet: takes a host its power, its network or its disk, drains and kills workers, restarts the server, slows and stops the
// bucket; one order after the other, each for a while. Must not resume anything (drive.ts).
import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '../../src/protocol/failure.js';
import type { Tried } from '../trials/orders.js';
import type { Chance } from '../trials/random.js';
import type { Machines } from './cluster.js';
import { FAULTS, MOMENTS, type Fault, type Moment, type Order } from './faults.js';
import type { Host } from './host.js';
import type { Noted } from './notes.js';
import type { Relay, Roughness } from './relay.js';

/** A fault that has come to pass; absent host = it was nobody's own. */
export interface Strike {
  readonly fault: Fault;
  readonly host?: string;
  readonly at: number;
  readonly seconds: number;
}

const SLOW = '2mbit';
/** As from another continent, over a bad line. */
const ROUGH: Roughness = { delays: [50, 250], loss: 0.08, resets: 0.004 };
const BUSY = 0.6;
const LOOK_MS = 50;

/** What the monkey works on. */
export interface Cage {
  readonly machines: Machines;
  readonly chance: Chance;
  readonly over: () => boolean;
  /** What the states have noted so far. */
  readonly notes: () => Promise<readonly Noted[]>;
  /** How long every fault lasts; absent = as its kind does. */
  readonly seconds?: number;
}

/** What the monkey did: all faults that came to pass, and what became of each order. */
export interface Played {
  readonly strikes: readonly Strike[];
  readonly tried: readonly Tried<Order>[];
}

/** Carries out one order after the other until the run is over. Everything works when it is done. */
export async function play(cage: Cage, orders: readonly Order[]): Promise<Played> {
  const strikes: Strike[] = [];
  const tried: Tried<Order>[] = [];
  for (const order of orders) {
    await delay(cage.chance.between(200, 2000));
    const host = await hostAt(cage, order.when);
    if (cage.over()) break;
    const done = host === undefined ? [] : await strikeAll(cage, order, host);
    strikes.push(...done);
    tried.push({ order, struck: done.length === (order.beside === undefined ? 1 : 2) });
  }
  return { strikes, tried };
}

/** The host to strike, as soon as the moment has come; undefined when the run is over before. */
async function hostAt({ machines: { hosts }, chance, over, notes }: Cage, when: Moment): Promise<Host | undefined> {
  const kind = MOMENTS[when];
  const since = Date.now();
  const any = chance.pick(hosts);
  const named = (note: Noted | undefined): Host | undefined => hosts.find(({ name }) => name === note?.host);
  if (kind === undefined)
    return chance.is(BUSY) ? (named((await notes()).findLast((note) => note.kind === 'B')) ?? any) : any;
  for (; !over(); await delay(LOOK_MS)) {
    const host = named((await notes()).findLast((note) => note.kind === kind && note.at >= since));
    if (host !== undefined) return host;
  }
  return undefined;
}

/** The faults of an order, the second one while the first lasts; gives those that came to pass. */
async function strikeAll(cage: Cage, { fault, beside }: Order, host: Host): Promise<readonly Strike[]> {
  const { chance, machines } = cage;
  const ms = msOf(cage, fault);
  const first = strike(cage, { fault, host, ms });
  if (beside === undefined) return (await first) ?? [];
  const other = chance.pick(machines.hosts.filter((one) => one !== host));
  const second = { fault: beside, host: other, ms: msOf(cage, beside) };
  const later = delay(chance.between(0, Math.min(ms, 1000))).then(() => strike(cage, second));
  return (await Promise.all([first, later])).flatMap((struck) => struck ?? []);
}

function msOf({ chance, seconds }: Cage, fault: Fault): number {
  const [least, most] = FAULTS[fault].lasts;
  return seconds === undefined ? chance.between(least, most) : seconds * 1000;
}

interface Blow {
  readonly fault: Fault;
  readonly host: Host;
  readonly ms: number;
}

/** Lets it happen, waits, and repairs it; undefined when it could not happen, or the run was over. */
async function strike({ machines, over }: Cage, blow: Blow): Promise<readonly Strike[] | undefined> {
  const { fault, host, ms } = blow;
  const at = Date.now();
  if (over() || !(await happens(machines, blow))) return undefined;
  return [{ fault, ...(FAULTS[fault].target === 'host' ? { host: host.name } : {}), at, seconds: ms / 1000 }];
}

async function happens({ temporal, bucket, ways }: Machines, { fault, host, ms }: Blow): Promise<boolean> {
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
      return await host.signal('TERM');
    case 'worker killed':
      return await host.signal('KILL');
    case 'server restarted':
      await temporal.kill();
      await delay(ms);
      await temporal.start();
      return true;
    case 'bucket slow':
      await bucket.link.slow(SLOW);
      await delay(ms);
      await bucket.link.hasten();
      return true;
    case 'bucket stopped':
      await bucket.kill();
      await delay(ms);
      await bucket.start();
      return true;
    case 'way to the server rough':
      return await roughen(ways.temporal, ms);
    case 'way to the bucket rough':
      return await roughen(ways.bucket, ms);
    default:
      return assertNever(fault);
  }
}

/** True when something was lost or reset meanwhile, and not only late. */
async function roughen(way: Relay, ms: number): Promise<boolean> {
  const { lost, resets } = way.counts;
  way.roughen(ROUGH);
  await delay(ms);
  way.smooth();
  return way.counts.lost + way.counts.resets > lost + resets;
}
