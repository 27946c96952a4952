// The monkey: kills -9 one process after the other, at random moments or at named points, stops them for a while and takes what they
// need, while a run continues.
// Must not resume anything (drive.ts); only a killed server is asked for again, as the next command would do.
import { rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { execa } from 'execa';
import { assertNever } from '../../src/protocol/failure.js';
import { processesWith, type Place } from '../support/cli.js';
import { EVENTS, type Fault, type Victim } from './faults.js';
import { openAfter, type Tried } from '../trials/orders.js';
import type { Chance } from '../trials/random.js';
import { eventHappens, launcherOf, serverOf, turnProcess, type Watch } from './victims.js';

/** A command that was killed needs some seconds until its successor does turns again. */
const PATIENCE_MS = 8000;

/** A moment that does not come in one trial may come in the next one. */
const MOST_TRIES = 4;

/** A command that starts a server again. */
const COMMAND_MS = 60_000;

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

/** Tries each fault until it came to pass, it was tried often enough, or the run is over; adds each try to `strikes`. */
export async function play(
  cage: Cage,
  {
    orders,
    chance,
    strikes,
  }: { readonly orders: readonly Fault[]; readonly chance: Chance; readonly strikes: Strike[] },
): Promise<void> {
  const open = [...orders];
  for (let fault = open.shift(); fault !== undefined && !cage.over(); fault = open.shift()) {
    await delay(chance.between(50, 600));
    const struck = await strike(cage, fault);
    strikes.push({ order: fault, struck, at: Date.now() });
    if (!struck && strikes.filter(({ order }) => order === fault).length < MOST_TRIES) open.push(fault);
  }
}

/** The faults that did not come to pass, for people. */
export function missedIn(strikes: readonly Strike[]): string {
  const missed = openAfter(
    strikes,
    strikes.map(({ order }) => order),
  );
  return missed.length === 0 ? 'no fault missed its moment' : `missed: ${[...new Set(missed)].map(nameOf).join(', ')}`;
}

function nameOf({ kind, name }: Fault): string {
  return `${kind} "${name}"`;
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
      const done = kill9(await soon(cage, () => livingServer(cage)));
      // The engine continues; a user has to start the server again.
      await cage.place.bin(['status', cage.runId], { timeout: COMMAND_MS });
      return done;
    }
    case 'server and serving': {
      // Only while both live: killing one of them at each try, the next command would never get the other one up again.
      const both = await soon(cage, () => serverAndServing(cage));
      return both?.map(kill9).every(Boolean) === true;
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

async function livingServer({ place }: Cage): Promise<number | undefined> {
  const pid = (await serverOf(place.cwd))?.pid;
  return signal(pid, 0) ? pid : undefined;
}

async function serverAndServing(cage: Cage): Promise<readonly number[] | undefined> {
  const pids = [await livingServer(cage), cage.serving()].filter((pid) => pid !== undefined);
  return pids.length === 2 ? pids : undefined;
}

/** All processes of the host, those of turns with them, as when it loses its power; the first one executes the run. */
async function allOf(cage: Cage): Promise<readonly (number | undefined)[]> {
  const { place, runId, serving, follower } = cage;
  const worker = await soon(cage, serving);
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

async function withoutRecord(cage: Cage): Promise<boolean> {
  const { place, runId } = cage;
  const record = join(place.cwd, '.raymond', 'temporal', 'server.json');
  const struck = (await soon(cage, () => existsSync(record) || undefined)) === true;
  await rm(record, { force: true });
  await place.bin(['status', runId], { timeout: COMMAND_MS }); // Finds the server by its process, and writes the record again.
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
  const watch = { workflowId: `${cage.runId}/main`, type, timeoutMs: PATIENCE_MS, over: cage.over };
  const happened = async (): Promise<true | undefined> => {
    const server = await serverOf(cage.place.cwd);
    return (server !== undefined && (await eventHappens(server, watch))) || undefined;
  };
  return (await soon(cage, happened)) === true && kill9(cage.serving());
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

function signal(pid: number | undefined, name: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false; // it has just ended by itself
  }
}
