// The monkey: kills -9 one process after the other, at random moments or at named points, while a run goes on.
// Must not resume anything (drive.ts); only a killed server is asked for again, as the next command would do.
import { rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '../../src/protocol/failure.js';
import { processesWith, type Place } from '../support/cli.js';
import { EVENTS, type Fault, type Victim } from './faults.js';
import type { Tried } from '../trials/orders.js';
import type { Chance } from '../trials/random.js';
import { eventHappens, launcherOf, serverOf, turnProcess, type Watch } from './victims.js';

/** A command that was killed needs some seconds until its successor does turns again. */
const PATIENCE_MS = 8000;

/** What the monkey works on. */
export interface Cage {
  readonly place: Place;
  readonly runId: string;
  readonly effects: string;
  /** The file that RAYMOND_FAULTS names for every process of the run. */
  readonly wish: string;
  /** A process that executes the run at the moment, and the command that follows it. */
  readonly serving: () => number | undefined;
  readonly follower: () => number | undefined;
  readonly over: () => boolean;
}

/** A fault, and whether it came to pass. */
export interface Strike extends Tried<Fault> {
  readonly at: number;
}

/** Orders each fault until it came to pass, or the run is over; gives all that it tried. */
export async function play(
  cage: Cage,
  { orders, chance }: { readonly orders: readonly Fault[]; readonly chance: Chance },
): Promise<readonly Strike[]> {
  const strikes: Strike[] = [];
  const open = [...orders];
  for (let fault = open.shift(); fault !== undefined && !cage.over(); fault = open.shift()) {
    await delay(chance.between(50, 600));
    const struck = await strike(cage, fault);
    strikes.push({ order: fault, struck, at: Date.now() });
    if (!struck) open.push(fault);
  }
  return strikes;
}

async function strike(cage: Cage, fault: Fault): Promise<boolean> {
  switch (fault.kind) {
    case 'process':
      return await kill(cage, fault.name);
    case 'point':
      return await reached(cage, fault);
    default:
      return await afterEvent(cage, EVENTS[fault.name]);
  }
}

async function kill(cage: Cage, victim: Victim): Promise<boolean> {
  switch (victim) {
    case 'serving':
      return kill9(await soon(cage, cage.serving));
    case 'follower':
      return kill9(await soon(cage, cage.follower));
    case 'launcher':
      return kill9(await soon(cage, async () => await launcherOf(cage.serving() ?? -1)));
    case 'claude':
    case 'script':
      return kill9(await soon(cage, () => turnProcess(cage.effects, victim)));
    case 'server': {
      const done = kill9((await serverOf(cage.place.cwd))?.pid);
      // Whoever serves goes on; somebody has to start the server again.
      await cage.place.raymond(['status', cage.runId]);
      return done;
    }
    case 'server and serving': {
      const done = kill9((await serverOf(cage.place.cwd))?.pid);
      return kill9(cage.serving()) && done;
    }
    case 'everything':
      return await killHost(cage);
    default:
      return assertNever(victim);
  }
}

/** As a host does that loses its power, or a container that is killed: the processes of turns go with all others, at once. */
async function killHost({ place, runId, serving, follower }: Cage): Promise<boolean> {
  const worker = serving();
  if (worker === undefined) return false;
  const [server, launcher, turns] = await Promise.all([
    serverOf(place.cwd),
    launcherOf(worker),
    processesWith(`RAYMOND_WORKFLOW_ID=${runId}`),
  ]);
  const dead = [worker, launcher, ...turns, server?.pid, follower()].map(kill9);
  return dead[0] === true;
}

async function reached(cage: Cage, { name, count }: Extract<Fault, { kind: 'point' }>): Promise<boolean> {
  const { wish } = cage;
  await writeFile(wish, `${name} ${count} ${Date.now()}`);
  const done = await soon(cage, () => (existsSync(`${wish}.done`) ? true : undefined));
  await rm(wish, { force: true });
  const struck = done === true || existsSync(`${wish}.done`);
  await rm(`${wish}.done`, { force: true });
  return struck;
}

async function afterEvent(cage: Cage, type: Watch['type']): Promise<boolean> {
  const server = await serverOf(cage.place.cwd);
  if (server === undefined) return false;
  const workflowId = `${cage.runId}/main`;
  const seen = await eventHappens(server, { workflowId, type, timeoutMs: PATIENCE_MS, over: cage.over });
  return seen && kill9(cage.serving());
}

/** What is found within a few seconds, while the run goes on. */
async function soon<T>(cage: Cage, find: () => T | undefined | Promise<T | undefined>): Promise<T | undefined> {
  for (const until = Date.now() + PATIENCE_MS; Date.now() < until && !cage.over(); await delay(15)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  return undefined;
}

function kill9(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false; // it has just ended by itself
  }
}
