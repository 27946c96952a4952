// Milliseconds that the sandbox `process` adds to a turn: the same runs with and without it, in pairs.
// Usage: npm run build && node bench/sandbox.mjs [--rounds 5].
import { parseArgs } from 'node:util';
import { load, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '5' } } });
const rounds = Number(values.rounds);

const stage = await openStage();
const before = load();

const last = (turns) =>
  `n=\${RAYMOND_INPUT:-1}; if [ "$n" -lt ${turns} ]; then echo "<goto input=\\"$((n + 1))\\">START</goto>"; else echo "<result>$n</result>"; fi\n`;
const WORKS = [
  { work: 'a run of one script turn', turns: 1, goal: 30, states: { 'START.sh': last(1) } },
  { work: 'a chained script turn', turns: 50, goal: 12, states: { 'START.sh': last(50) } },
];

async function timed({ turns, states }, kind) {
  const turn = { permissions: 'accept-edits', ...(kind === 'none' ? {} : { sandbox: { owner: { kind } } }) };
  const began = performance.now();
  await stage.handle(await stage.start(states, { turn, budgetUsd: 10 })).result();
  return (performance.now() - began) / turns;
}

for (const work of WORKS) {
  for (const kind of ['none', 'process']) await timed(work, kind);
  const pairs = [];
  for (let round = 0; round < rounds; round += 1)
    pairs.push({ none: await timed(work, 'none'), inside: await timed(work, 'process') });
  const [ours, floor] = [spread(pairs.map(({ inside }) => inside)), spread(pairs.map(({ none }) => none))];
  const beyond = spread(pairs.map(({ none, inside }) => inside - none));
  const [inside, none, more] = [ours, floor, beyond].map((one) => one.median.toFixed(1));
  console.log(
    `${work.work}: ${none} ms, in the sandbox ${inside} ms, ${more} ms more (goal ${work.goal}; medians of ${rounds}; load ${before})`,
  );
  record({ work: `${work.work}, in a sandbox`, ours, floor, beyond, goal: `beyond ≤ ${work.goal} ms` });
}
await stage.close();
process.exit(0);
