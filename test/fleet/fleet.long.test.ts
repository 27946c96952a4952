// A fleet whose hosts share no disk, and whatever befalls them: a run comes to the same end, with the same conversations and files.
// FLEET_SEED repeats a run; FLEET_FAULTS and FLEET_SEEDS make it long (npm run fleet prints the table).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Cluster, noFleet } from './cluster.js';
import { chanceOf } from '../trials/random.js';
import { openAfter } from '../trials/orders.js';
import { FAULTS as KINDS, ordersFor, type Fault, type Order } from './faults.js';
import { agentsIn } from './program.js';
import { tableOf } from './table.js';
import { tryOut, type Trial } from './trial.js';
import { describeUnless } from '../support/unless.js';

const SEED = Number(process.env['FLEET_SEED'] ?? 1);
const SEEDS = Number(process.env['FLEET_SEEDS'] ?? 1);
const FAULTS = Number(process.env['FLEET_FAULTS'] ?? 4);
/** Of an agent, so many that the run lasts as long as its faults. */
const STEPS = Number(process.env['FLEET_STEPS'] ?? Math.ceil(FAULTS * (FAULTS < 20 ? 0.2 : 0.6)));
/** Of agents; each has a workspace or shares one. The short form of the suite has fewer. */
const TEAMS = Number(process.env['FLEET_TEAMS'] ?? (FAULTS < 20 ? 3 : 7));
/** Seconds; 0 = as for users. */
const SILENCE = Number(process.env['FLEET_SILENCE'] ?? 5);
/** One kind of fault instead of all, and the seconds that each lasts: FLEET_ONLY='power off' FLEET_LASTS=150. */
const ONLY = process.env['FLEET_ONLY'] as Fault | undefined;
const LASTS = Number(process.env['FLEET_LASTS'] ?? 10);
if (ONLY !== undefined && !(ONLY in KINDS)) throw new Error(`FLEET_ONLY is one of: ${Object.keys(KINDS).join(', ')}`);
/** Some runs are over before all their faults have struck. */
const MOST_TRIALS = SEEDS + 2;

/** The faults of a seed. */
const ordersOf = (seed: number): readonly Order[] =>
  ONLY === undefined
    ? ordersFor(chanceOf(seed), FAULTS)
    : Array.from({ length: FAULTS }, () => ({ fault: ONLY, when: 'at some time' }) as const);

/** What is told of a problem; the whole of it is in the file of its trial, in the folder for temporary files. */
const LONGEST = 300;

describeUnless(noFleet())('three hosts that share no disk', () => {
  let cluster: Cluster | undefined;
  const trials: Trial[] = [];
  const endings: (() => Promise<void>)[] = [];
  beforeAll(async () => (cluster = await Cluster.open(endings)), 120_000);
  afterAll(async () => {
    process.stderr.write(`${tableOf(trials, SEEDS * FAULTS)}\n`);
    for (const end of endings.reverse()) await end();
  }, 120_000);

  test(
    `${agentsIn(TEAMS)} agents come to the same end after ${FAULTS} faults (FLEET_SEED=${SEED})`,
    async () => {
      const silence = SILENCE === 0 ? {} : { silence: SILENCE };
      const seconds = ONLY === undefined ? {} : { seconds: LASTS };
      let open: readonly Order[] = [];
      for (let seed = SEED; seed < SEED + SEEDS || (open.length > 0 && trials.length < MOST_TRIALS); seed += 1) {
        const orders = [...open, ...(seed < SEED + SEEDS ? ordersOf(seed) : [])];
        const trial = await tryOut(cluster!, { seed, teams: TEAMS, steps: STEPS, orders, ...silence, ...seconds });
        trials.push(trial);
        open = openAfter(trial.tried, orders);
      }
      expect(open).toEqual([]);
      const problems = trials.flatMap((trial) => trial.problems.map((problem) => `seed ${trial.seed}: ${problem}`));
      expect(problems.map((problem) => problem.slice(0, LONGEST))).toEqual([]);
    },
    MOST_TRIALS * (600_000 + FAULTS * (60_000 + LASTS * 1000)),
  );
});
