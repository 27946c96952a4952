// The monkey: kills -9 one process after the other, at random moments or at named points, stops them for a while and takes what they
// need, while a run goes on.
// Must not resume anything (drive.ts); only a killed server is asked for again, as the next command would do.
import { rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { assertNever } from '../../src/protocol/failure.js';
import { processesWith, type Place } from '../support/cli.js';
import { EVENTS, type Fault, type Victim } from './faults.js';
import type { Tried } from '../trials/orders.js';
import type { Chance } from '../trials/random.js';
import { eventHappens, launcherOf, serverOf, turnProcess, type Watch } from './victims.js';

/** A command that was killed needs some seconds until its successor does turns again. */
const PATIENCE_MS = 8000;

/** Longer than a heartbeat may be missing (15 s). */
const SLEEP_MS = 20_000;

/** Two or three tries of what met an error of the host. */
const DESCRIPTORS_MS = 3000;

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
      return (await allOf(cage)).map(kill9)[0] === true;
    case 'sleep':
      return await sleep(cage);
    case 'descriptors':
      return await withoutDescriptors(await soon(cage, cage.serving));
    case 'server record':
      return await withoutRecord(cage);
    default:
      return assertNever(victim);
  }
}

/** All processes of the host, those of turns with them, as when it loses its power; the first one executes the run. */
async function allOf({ place, runId, serving, follower }: Cage): Promise<readonly (number | undefined)[]> {
  const worker = serving();
  if (worker === undefined) return [];
  const [server, launcher, turns] = await Promise.all([
    serverOf(place.cwd),
    launcherOf(worker),
    processesWith(`RAYMOND_WORKFLOW_ID=${runId}`),
  ]);
  return [worker, launcher, ...turns, server?.pid, follower()];
}

/** As a laptop does whose lid is closed. */
async function sleep(cage: Cage): Promise<boolean> {
  const all = await allOf(cage);
  const stopped = all.filter((pid) => signal(pid, 'SIGSTOP'));
  await delay(SLEEP_MS);
  for (const pid of stopped) signal(pid, 'SIGCONT');
  return stopped.length > 0 && stopped[0] === all[0];
}

/** Lets a process open no more files for some seconds (`prlimit` of util-linux). */
async function withoutDescriptors(pid: number | undefined): Promise<boolean> {
  if (pid === undefined) return false;
  const limit = async (soft: string): Promise<boolean> =>
    (await execa('prlimit', ['--pid', String(pid), `--nofile=${soft}:`], { reject: false })).exitCode === 0;
  const { stdout } = await execa('prlimit', ['--pid', String(pid), '--nofile', '--noheadings', '-o', 'SOFT'], {
    reject: false,
  });
  const struck = await limit('3');
  await delay(DESCRIPTORS_MS);
  await limit(stdout.trim());
  return struck;
}

async function withoutRecord({ place, runId }: Cage): Promise<boolean> {
  const record = join(place.cwd, '.raymond', 'temporal', 'server.json');
  const struck = existsSync(record);
  await rm(record, { force: true });
  await place.raymond(['status', runId]); // Finds the server by its process, and writes the record again.
  return struck;
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
  return signal(pid, 'SIGKILL');
}

function signal(pid: number | undefined, name: NodeJS.Signals): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false; // it has just ended by itself
  }
}
