// All benchmarks that have a goal, one after the other, each side by side with its floor: a table of least, middle and greatest, and JSON.
// Usage: npm run bench [-- --rounds 5] [--forks 100,1000] [--parked 1000] [--peers] [--output results.json]. Must not measure anything itself.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { load } from './stage.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    forks: { type: 'string', default: '100,1000' },
    parked: { type: 'string', default: '1000' },
    peers: { type: 'boolean', default: false },
    output: { type: 'string' },
  },
});
const { rounds, forks, parked, peers, output } = values;
const works = [
  ['turns.mjs', '--turns', '200', '--rounds', rounds],
  ['turns.mjs', '--turns', '20', '--agents', '10', '--rounds', rounds],
  ['prompts.mjs', '--rounds', rounds],
  ['sandbox.mjs', '--rounds', rounds],
  ['startup.mjs', '--rounds', rounds],
  ['engine.mjs', '--rounds', rounds],
  ['forks.mjs', '--rounds', rounds],
  ['agents.mjs', '--forks', forks],
  ['agents.mjs', '--parked', parked],
  ...(peers ? [['peers.mjs', '--rounds', rounds]] : []),
];

const results = [];
for (const [file, ...args] of works) {
  const before = load();
  const measured = await measure(file, args);
  results.push(...measured.map((result) => ({ ...result, load: before })));
}
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
console.log(`\n${machine}\n\n${table(results)}`);
if (output !== undefined) await writeFile(output, `${JSON.stringify({ machine, results }, undefined, 2)}\n`);

/** Runs one of them, shows what it says, and gives what it has recorded. */
function measure(file, args) {
  const program = fileURLToPath(new URL(file, import.meta.url));
  console.log(`\n${file} ${args.join(' ')}`);
  return new Promise((resolve, reject) => {
    const recorded = [];
    const child = spawn(process.execPath, ['--expose-gc', program, ...args], {
      env: { ...process.env, BENCH_JSON: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('#bench ')) recorded.push(JSON.parse(line.slice('#bench '.length)));
      else console.log(line);
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve(recorded) : reject(new Error(`${file} ended with ${code}`))));
  });
}

function table(all) {
  const head = ['work', 'raymond, ms', 'floor, ms', 'ratio', 'goal', 'load before'];
  const rows = all.map(({ work, ours, floor, ratio, goal, load: before }) => [
    work,
    range(ours, 1),
    range(floor, 1),
    range(ratio, 2),
    goal,
    before,
  ]);
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function range(spread, digits) {
  if (spread === undefined) return '';
  const [min, median, max] = [spread.min, spread.median, spread.max].map((value) => value.toFixed(digits));
  return min === max ? median : `${min} / ${median} / ${max}`;
}
