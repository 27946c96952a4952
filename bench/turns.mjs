// Milliseconds per script turn: Raymond beside a bare Temporal activity that spawns the same script, on one embedded server on disk, and
// beside the script alone; with --original also beside the original Raymond, a program in Go (github.com/vector76/raymond, built from its
// repository with: go build ./cmd/ray).
// Usage: npm run build && node bench/turns.mjs [--turns 200] [--agents 1] [--rounds 5] [--original FILE]. Prints medians and their ratio.
import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { join } from 'node:path';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { spawnScript } from './bare/spawn-script.js';
import { startBare } from './bare/worker.mjs';
import { median, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '200' },
    agents: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
    original: { type: 'string' },
  },
});
const [turns, agents, rounds] = [values.turns, values.agents, values.rounds].map(Number);
const stage = await openStage();
const { folder } = stage;

// One script that counts its own turns by its input, the same for both sides but for the tag that Raymond reads.
const script = `n=\${RAYMOND_INPUT:-0}; if [ "$n" -lt ${turns - 1} ]; then echo "<goto input=\\"$((n + 1))\\">START</goto>"; else echo "<result>$n</result>"; fi\n`;
await writeFile(join(folder, 'START.sh'), script);

const bareWorker = await startBare(stage);
async function timed(start) {
  const began = performance.now();
  await Promise.all(Array.from({ length: agents }, start));
  return (performance.now() - began) / (turns * agents);
}
const ours = () =>
  timed(async () => {
    await stage.handle(await stage.start({ 'START.sh': script })).result();
  });
const path = join(folder, 'START.sh');
const bare = () => timed(() => bareWorker.execute('chain', { turns, script: path, cwd: folder }));
const alone = () =>
  timed(async () => {
    for (let turn = 0; turn < turns; turn += 1) await spawnScript({ script: path, cwd: folder });
  });
const original = () =>
  timed(async () => {
    const cwd = await mkdtemp(join(folder, 'original-'));
    const args = [path, '--quiet', '--no-debug'];
    await promisify(execFile)(values.original, args, { cwd, env: { ...process.env, HOME: cwd } });
  });

const results = { ours: [], bare: [], alone: [], ratio: [], toScript: [], original: [], toOriginal: [] };
await ours();
await bare();
for (let round = 0; round < rounds; round += 1) {
  const pair = { bare: await bare(), ours: await ours(), alone: await alone() };
  results.bare.push(pair.bare);
  results.ours.push(pair.ours);
  results.alone.push(pair.alone);
  results.ratio.push(pair.ours / pair.bare);
  results.toScript.push(pair.ours / pair.alone);
  if (values.original !== undefined) {
    const ms = await original();
    results.original.push(ms);
    results.toOriginal.push(pair.ours / ms);
  }
  const [raymond, floor, single] = [pair.ours, pair.bare, pair.alone].map((ms) => ms.toFixed(2));
  console.log(`round ${round + 1}: raymond ${raymond} ms, bare ${floor} ms, the script alone ${single} ms per turn`);
}
const { ours: mine, bare: theirs, alone: scripts, ratio: toBare, toScript: toAlone } = results;
const [raymond, floor, single, ratio, toScript] = [mine, theirs, scripts, toBare, toAlone].map((numbers) =>
  median(numbers).toFixed(2),
);
console.log(
  `${turns} turns × ${agents}: raymond ${raymond} ms, bare ${floor} ms (ratio ${ratio}), the script alone ${single} ms (ratio ${toScript}); medians of ${rounds}`,
);
record({
  work: `${turns} script turns × ${agents}, a turn`,
  ours: spread(results.ours),
  floor: spread(results.bare),
  ratio: spread(results.ratio),
  goal: agents === 1 ? 'ratio ≤ 0.22' : 'ratio ≤ 0.4',
});
if (agents === 1)
  record({
    work: 'the same / the script alone',
    ours: spread(results.ours),
    floor: spread(results.alone),
    ratio: spread(results.toScript),
    goal: 'ratio ≤ 1.8',
  });
if (values.original !== undefined) {
  const [ms, times] = [results.original, results.toOriginal].map((numbers) => median(numbers).toFixed(2));
  console.log(`the original ${ms} ms per turn (ratio ${times})`);
  record({
    work: 'the same / the original',
    ours: spread(results.ours),
    floor: spread(results.original),
    ratio: spread(results.toOriginal),
    goal: 'ratio ≤ 2.5',
  });
}

await bareWorker.close();
await stage.close();
process.exit(0);
