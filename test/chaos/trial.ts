// One trial: a generated workflow run twice, undisturbed and with the monkey, and the verdict on the difference.
// Must not assert; a test does.
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BACKGROUND, Place, processesWith } from '../support/cli.js';
import { fakeWith, leftovers } from '../support/fakes.js';
import { until } from '../support/until.js';
import { judge, type Ended, type Verdict } from './judge.js';
import { Driver } from './drive.js';
import { effectsIn } from '../trials/effects.js';
import type { Fault, Form } from './faults.js';
import { Fleet } from './fleet.js';
import { missedIn, play, type Cage, type Strike } from './monkey.js';
import { programOf } from './program.js';
import { chanceOf } from '../trials/random.js';

/** What came of a trial. */
export interface Trial extends Verdict {
  readonly seed: number;
  readonly form: Form;
  readonly strikes: readonly Strike[];
  readonly commands: number;
  readonly seconds: number;
}

/** How hard a trial is. */
export interface Hardness {
  readonly steps: number;
  /** The faults that are to come to pass. */
  readonly orders: readonly Fault[];
  /** What executes the disturbed run; the other one is executed by the commands that drive it. */
  readonly form: Form;
}

/** Runs the workflow of a seed twice and compares. */
export async function tryOut(seed: number, hardness: Hardness): Promise<Trial> {
  const begun = Date.now();
  const calm = await runOnce(seed, { ...hardness, orders: [], form: 'command' });
  const wild = await runOnce(seed, hardness);
  const verdict = judge(calm.ended, wild.ended);
  const trial = {
    ...verdict,
    seed,
    form: hardness.form,
    strikes: wild.strikes,
    commands: wild.driver.commands.length,
  };
  if (verdict.problems.length > 0 || process.env['CHAOS_DUMP'] !== undefined) await dump(seed, { trial, calm, wild });
  return { ...trial, seconds: Math.round((Date.now() - begun) / 1000) };
}

interface Once {
  readonly ended: Ended;
  readonly driver: Driver;
  readonly strikes: readonly Strike[];
}

async function runOnce(seed: number, { steps, orders, form }: Hardness): Promise<Once> {
  const fake = await fakeWith();
  const place = await Place.at({}, { ...fake.env, ...(form === 'engine' ? BACKGROUND : {}) });
  const [effects, wish] = ['effects', 'wish'].map((name) => join(place.cwd, name)) as [string, string];
  const { files } = programOf(seed, { steps }, effects);
  await Promise.all(Object.entries(files).map(([name, text]) => place.write(`flow/${name}`, text)));
  const env = { RAYMOND_FAULTS: wish, RAYMOND_TURNS_PER_HISTORY: '3' };
  const runId = `chaos-${seed}-${orders.length}`;
  const fleet = form === 'fleet' ? await Fleet.at(place, env) : undefined;
  const strikes: Strike[] = [];
  const done = async (): Promise<number> => (await effectsIn(effects)).length;
  const driver = new Driver({ place, runId, env, form, done, ...(fleet === undefined ? {} : { fleet }) });
  const cage: Cage = {
    place,
    runId,
    effects,
    wish,
    serving: () => driver.serving,
    follower: () => driver.command,
    over: () => driver.over,
  };
  try {
    // Both end within a time, also when one of them fails.
    const playing = play(cage, { orders, chance: chanceOf(seed + 1), strikes });
    const [driven, played] = await Promise.allSettled([driver.drive(), playing]);
    if (driven.status === 'rejected') throw new Error(`${String(driven.reason)}; ${missedIn(strikes)}`);
    if (played.status === 'rejected') throw new Error(`the monkey failed: ${String(played.reason)}`);
    const document = driven.value;
    await settle(place, fleet);
    const ended = {
      document,
      effects: await effectsIn(effects),
      scriptsFailed: await driver.scriptsFailed(),
      scriptsKilled: strikes.filter(({ order, struck }) => struck && order.name === 'script').length,
      ...(await remains(place, { runId, form })),
    };
    return { ended, driver, strikes };
  } catch (error) {
    await dump(seed, { error: String(error), commands: driver.commands, strikes, effects: await effectsIn(effects) });
    throw error;
  } finally {
    await fleet?.close();
    await place.close();
  }
}

/** What a process that was killed at its very end has left goes when a worker starts: at once in a fleet, else with the next run. */
async function settle(place: Place, fleet: Fleet | undefined): Promise<void> {
  if (fleet === undefined && (await leftovers(place.cwd)).length > 0) {
    await place.write('next/START.sh', 'echo "<result>done</result>"\n');
    await place.bin(['start', 'next']);
  }
  const clean = async (): Promise<boolean> => (await leftovers(place.cwd)).length === 0;
  await until(clean, { timeoutMs: 30_000 }).catch(() => undefined);
  await fleet?.close();
}

async function remains(
  place: Place,
  { runId, form }: { readonly runId: string; readonly form: Form },
): Promise<Pick<Ended, 'orphans' | 'leftovers'>> {
  // An engine lives longer than its runs.
  if (form === 'engine') await place.bin(['down']);
  const alive = async (): Promise<readonly number[]> =>
    (await Promise.all([`RAYMOND_WORKFLOW_ID=${runId}`, 'RAYMOND_LAUNCHER=1'].map(processesWith))).flat();
  // Sooner than by the leash of time (10 s).
  await until(async () => (await alive()).length === 0, { timeoutMs: 8000 }).catch(() => undefined);
  const kept = await readdir(join(place.cwd, '.raymond'), { recursive: true });
  const temporary = kept.filter((name) => name.endsWith('.tmp'));
  return { orphans: await alive(), leftovers: [...(await leftovers(place.cwd)), ...temporary] };
}

async function dump(seed: number, what: unknown): Promise<void> {
  await writeFile(join(tmpdir(), `raymond-chaos-${seed}.json`), JSON.stringify(what, null, 1));
}
