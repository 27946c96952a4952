// Whatever is killed with -9, and whenever: a run comes to the same end, no recorded turn is repeated, no dollar is lost, nothing is left.
// CHAOS_SEED repeats a run; CHAOS_KILLS makes it long (npm run chaos prints the table); CHAOS_FORM chooses what executes the run.
import { afterAll, expect, test } from '@jest/globals';
import { chanceOf } from '../trials/random.js';
import { openAfter } from '../trials/orders.js';
import { canStrike, FORMS, ordersFor, type Form } from './faults.js';
import { tableOf } from './table.js';
import { tryOut, type Trial } from './trial.js';

const SEED = Number(process.env['CHAOS_SEED'] ?? Date.now() % 1_000_000);
const KILLS = Number(process.env['CHAOS_KILLS'] ?? 4);
const KILLS_PER_TRIAL = 10;
const LONG = KILLS > KILLS_PER_TRIAL;
const STEPS = LONG ? 14 : 6;
const { CHAOS_FORM } = process.env;
const NAMED = FORMS.filter((form) => form === CHAOS_FORM);
/** They take turns in the long form. */
const ALL: readonly Form[] = NAMED.length > 0 ? NAMED : LONG ? FORMS : ['command'];
/** Not every program has what every fault needs, and some are over too soon. */
const MOST_TRIALS = 10 + Math.ceil((3 * KILLS) / KILLS_PER_TRIAL);

const trials: Trial[] = [];
afterAll(() => void process.stderr.write(`${tableOf(trials, KILLS)}\n`));

test(
  `a workflow killed ${KILLS} times ends as if it was never killed (CHAOS_SEED=${SEED})`,
  async () => {
    let orders = ordersFor(chanceOf(SEED), { count: KILLS, forms: ALL });
    for (let seed = SEED; orders.length > 0 && trials.length < MOST_TRIALS; seed += 1) {
      const form = ALL[seed % ALL.length] ?? 'command';
      const wanted = orders.filter((fault) => canStrike(fault, form)).slice(0, KILLS_PER_TRIAL);
      const trial = await tryOut(seed, { steps: STEPS, orders: wanted, form });
      trials.push(trial);
      orders = openAfter(trial.strikes, orders);
      const strikes = trial.strikes.filter(({ struck }) => struck).length;
      process.stderr.write(`seed ${seed}: ${JSON.stringify({ ...trial, strikes })}\n`);
    }
    expect(orders).toEqual([]);
    expect(trials.flatMap(({ seed, problems }) => problems.map((problem) => `seed ${seed}: ${problem}`))).toEqual([]);
  },
  300_000 + KILLS * 60_000,
);
