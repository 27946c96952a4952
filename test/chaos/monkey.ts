// The monkey: kills -9 one process after the other, at random moments or at named points, while a run goes on.
// Must not resume anything (drive.ts); only a killed server is asked for again, as the next command would do.
import { rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Place } from '../support/cli.js';
import type { Fault, Victim } from './faults.js';
import { deckOf, EVENTS } from './faults.js';
import type { Chance } from './random.js';
import type { Watch } from './victims.js';
import { eventHappens, launcherOf, serverOf, turnProcess } from './victims.js';

/** A command that was killed needs some seconds until its successor does turns again. */
const PATIENCE_MS = 8000;

/** What the monkey works on. */
export interface Cage {
  readonly place: Place;
  readonly runId: string;
  readonly effects: string;
  /** The file that RAYMOND_FAULTS names for every process of the run. */
  readonly wish: string;
  /** The process that serves the run at the moment. */
  readonly serving: () => number | undefined;
  readonly over: () => boolean;
}

/** A fault, and whether it came to pass. */
export interface Strike {
  readonly fault: Fault;
  readonly struck: boolean;
  readonly at: number;
}

/** Strikes until so many faults came to pass or the run is over; gives all of them. */
export async function play(
  cage: Cage,
  { kills, chance }: { readonly kills: number; readonly chance: Chance },
): Promise<readonly Strike[]> {
  const strikes: Strike[] = [];
  const deck = deckOf(chance);
  while (!cage.over() && strikes.filter(({ struck }) => struck).length < kills) {
    await delay(chance.between(50, 600));
    const fault = deck.shift()!;
    deck.push(fault);
    strikes.push({ fault, struck: await strike(cage, fault), at: Date.now() });
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
    default: {
      const done = kill9((await serverOf(cage.place.cwd))?.pid);
      return kill9(cage.serving()) && done;
    }
  }
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
