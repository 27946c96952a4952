// One trial: a program run twice by a fleet, undisturbed and with the monkey, and the verdict on the difference.
// Must not assert; a test does.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '../support/until.js';
import type { Tried } from '../trials/orders.js';
import { chanceOf } from '../trials/random.js';
import type { Cluster } from './cluster.js';
import { conversationsOf } from './conversations.js';
import { drive, type Driven } from './drive.js';
import { dump } from './dump.js';
import type { Order } from './faults.js';
import { placesOf } from './host.js';
import { judge, type Ended, type Verdict } from './judge.js';
import { play, type Cage, type Played, type Strike } from './monkey.js';
import { movesIn, type Moves } from './moved.js';
import { EFFECTS, notesOf } from './notes.js';
import { programOf } from './program.js';

/** What came of a trial. */
export interface Trial extends Verdict {
  readonly seed: number;
  readonly strikes: readonly Strike[];
  readonly tried: readonly Tried<Order>[];
  readonly moves: Moves;
  readonly resumed: number;
  readonly calmSeconds: number;
  readonly seconds: number;
}

/** How hard a trial is. */
export interface Hardness {
  readonly seed: number;
  readonly teams: number;
  readonly steps: number;
  /** The faults that are to come to pass. */
  readonly orders: readonly Order[];
  /** How long each lasts; absent = as its kind does. */
  readonly seconds?: number;
  readonly silence?: number;
}

/** Runs the program of a seed twice and compares. */
export async function tryOut(cluster: Cluster, hardness: Hardness): Promise<Trial> {
  const { seed, teams, steps } = hardness;
  const effects = join(placesOf(cluster.folder).notes, EFFECTS);
  const workflow = await cluster.install(`flow-${seed}`, programOf({ seed, teams, steps, effects }));
  const calm = await runOnce(cluster, { ...hardness, orders: [], workflow });
  const wild = await runOnce(cluster, { ...hardness, workflow });
  const trial = {
    ...judge(calm.ended, wild.ended),
    seed,
    strikes: wild.strikes,
    tried: wild.tried,
    moves: movesIn(wild.ended.notes, wild.strikes),
    resumed: wild.resumed,
    calmSeconds: calm.seconds,
    seconds: wild.seconds,
  };
  if (trial.problems.length > 0 || process.env['FLEET_DUMP'] !== undefined)
    await dump(cluster, seed, { trial, calm, wild });
  return trial;
}

interface Once extends Pick<Driven, 'resumed' | 'calls'>, Played {
  readonly ended: Ended;
  readonly seconds: number;
}

async function runOnce(cluster: Cluster, options: Hardness & { readonly workflow: string }): Promise<Once> {
  const { seed, orders, seconds: each, silence, workflow } = options;
  const runId = `fleet-${seed}-${orders.length}`;
  const begun = Date.now();
  let over = false;
  const cage: Cage = {
    machines: cluster.machines,
    chance: chanceOf(seed + 1),
    over: () => over,
    notes: () => notesOf(cluster.folder, runId),
    ...(each === undefined ? {} : { seconds: each }),
  };
  const playing = play(cage, orders);
  const branch = `out-${runId}`;
  const driving = drive(cluster, { runId, workflow, branch, ...(silence === undefined ? {} : { silence }) });
  const { document, resumed, calls } = await driving.finally(() => (over = true));
  const seconds = Math.round((Date.now() - begun) / 1000);
  const played = await playing;
  const ended = {
    document,
    notes: await notesOf(cluster.folder, runId),
    conversations: await conversationsOf(cluster, runId),
    trees: await cluster.machines.origin.trees(branch),
    orphans: await orphansOf(runId),
    powerCuts: played.strikes.flatMap(({ fault, host, at }) => (fault === 'power off' && host ? [{ host, at }] : [])),
  };
  return { ended, ...played, resumed, calls, seconds };
}

/** The processes of turns of a run, on whichever host. */
async function orphansOf(runId: string): Promise<readonly number[]> {
  const alive = async (): Promise<readonly number[]> => {
    const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const found = await Promise.all(
      pids.map(async (pid) => {
        const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
        return environment.includes(`RAYMOND_WORKFLOW_ID=${runId}`) ? [Number(pid)] : [];
      }),
    );
    return found.flat();
  };
  // A host that was cut off ends what it did for a lost turn when it hears of it.
  await until(async () => (await alive()).length === 0, { timeoutMs: 30_000, everyMs: 500 }).catch(() => undefined);
  return await alive();
}
