// Whatever is killed with -9, and whenever: a run comes to the same end, no recorded turn is repeated, no dollar is lost, nothing is left.
// CHAOS_SEED repeats a run; CHAOS_KILLS makes it long (npm run chaos prints the table).
import { afterAll, expect, test } from '@jest/globals';
import { tableOf } from './table.js';
import { tryOut, type Trial } from './trial.js';

const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 4);
const KILLS_PER_TRIAL = 10;
const LONG = KILLS > KILLS_PER_TRIAL;
const STEPS = LONG ? 14 : 6;
/** Every third trial of the long form is served by a fleet. */
const FLEET = 2;

const trials: Trial[] = [];
afterAll(() => void process.stderr.write(`${tableOf(trials)}\n`));

const struck = (): number => trials.flatMap(({ strikes }) => strikes).filter((strike) => strike.struck).length;

test(
  `a workflow killed ${KILLS} times ends as if it was never killed (CHAOS_SEED=${SEED})`,
  async () => {
    for (let seed = SEED; struck() < KILLS; seed += 1) {
      const kills = Math.min(KILLS - struck(), KILLS_PER_TRIAL);
      const trial = await tryOut(seed, { steps: STEPS, kills, fleet: LONG && seed % 3 === FLEET });
      trials.push(trial);
      process.stderr.write(`seed ${seed}: ${JSON.stringify({ ...trial, strikes: trial.strikes.length })}\n`);
    }
    expect(trials.flatMap(({ seed, problems }) => problems.map((problem) => `seed ${seed}: ${problem}`))).toEqual([]);
  },
  120_000 + KILLS * 30_000,
);
