// Milliseconds per fork of a script: Raymond beside a bare parent that starts as many children, each with one activity that spawns the same
// script. At once, and one by one, where a turn of the dispatcher comes before each. Usage: npm run build && node bench/forks.mjs [--forks 50]
// [--rounds 5]. Prints medians and their ratio.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startBare } from './bare/worker.mjs';
import { load, median, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({
  options: { forks: { type: 'string', default: '50' }, rounds: { type: 'string', default: '5' } },
});
const [forks, rounds] = [values.forks, values.rounds].map(Number);
const WORKER = 'echo "<result>done</result>"\n';
const END = 'echo "<result>$(grep -o \'"status":"completed"\' "$RAYMOND_INPUT_FILE" | wc -l)</result>"\n';
const AWAIT = `echo '<await next="END">'\n`;
const START = {
  'at once': `printf '<fork>WORKER</fork>%.0s' $(seq ${forks}); echo '<goto>AWAIT</goto>'\n`,
  'one by one': `n=\${RAYMOND_INPUT:-0}
if [ "$n" -lt ${forks} ]; then echo "<fork>WORKER</fork><goto input=\\"$((n + 1))\\">START</goto>"; else echo '<await next="END">'; fi\n`,
};

const stage = await openStage();
const bareWorker = await startBare(stage);
const script = join(stage.folder, 'WORKER.sh');
await writeFile(script, WORKER);

async function timed(work) {
  const began = performance.now();
  await work();
  return (performance.now() - began) / forks;
}
const ours = (way) =>
  timed(async () => {
    const states = { 'START.sh': START[way], 'WORKER.sh': WORKER, 'AWAIT.sh': AWAIT, 'END.sh': END };
    const { result } = await stage.handle(await stage.start(states)).result();
    if (result !== String(forks)) throw new Error(`${result} of ${forks} results were awaited`);
  });
const bare = (way) =>
  timed(() => bareWorker.execute('forks', { forks, oneByOne: way === 'one by one', script, cwd: stage.folder }));

for (const way of Object.keys(START)) {
  const results = { ours: [], bare: [], ratio: [] };
  const before = load();
  await ours(way);
  await bare(way);
  for (let round = 0; round < rounds; round += 1) {
    const pair = { bare: await bare(way), ours: await ours(way) };
    results.bare.push(pair.bare);
    results.ours.push(pair.ours);
    results.ratio.push(pair.ours / pair.bare);
  }
  const [raymond, floor, ratio] = [results.ours, results.bare, results.ratio].map((numbers) =>
    median(numbers).toFixed(2),
  );
  console.log(`${forks} forks ${way}: raymond ${raymond} ms, bare ${floor} ms, ratio ${ratio}; load ${before}`);
  record({
    work: `a fork, ${way}, of ${forks}`,
    ours: spread(results.ours),
    floor: spread(results.bare),
    ratio: spread(results.ratio),
    goal: 'ratio ≤ 0.9',
  });
}
await bareWorker.close();
await stage.close();
process.exit(0);
