// Milliseconds per script turn of other engines in a process: LangGraph, DBOS and Prefect, each with SQLite on disk, beside a loop that only
// spawns the script. Usage: node bench/peers.mjs [--turns 100] [--rounds 3] [--install]. With --install they are put into a folder of their own
// first (Python 3.10 or later, from PyPI); what is not installed is left out, and said.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { spawnScript } from './bare/spawn-script.js';
import { median, record, spread } from './stage.mjs';

const VERSIONS = [
  ...['dbos==3.4.0', 'langgraph==1.2.22', 'langgraph-checkpoint-sqlite==3.1.2', 'prefect==3.8.8'],
  // Prefect 3.8.8 does not load with later ones.
  'fastapi==0.139.0',
];
const PEERS = { LangGraph: 'langgraph_turns.py', DBOS: 'dbos_turns.py', Prefect: 'prefect_turns.py' };

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '3' },
    install: { type: 'boolean', default: false },
  },
});
const [turns, rounds] = [values.turns, values.rounds].map(Number);
const environment = fileURLToPath(new URL('../node_modules/.cache/raymond/peers', import.meta.url));
const python = join(environment, 'bin', 'python');
if (values.install) install();
if (!existsSync(python)) {
  console.log('the peers are not installed; install them with: node bench/peers.mjs --install');
  process.exit(0);
}

const folder = await mkdtemp(join(tmpdir(), 'raymond-peers-'));
const script = join(folder, 'turn.sh');
await writeFile(script, 'n=${RAYMOND_INPUT:-0}; echo "<goto input=\\"$((n + 1))\\">START</goto>"\n');
const measured = Object.fromEntries(['spawn', ...Object.keys(PEERS)].map((name) => [name, []]));
for (let round = 0; round < rounds; round += 1) {
  measured.spawn.push(await spawnAll());
  for (const [name, program] of Object.entries(PEERS)) measured[name].push(await peer(program));
}
const floor = measured.spawn;
for (const name of Object.keys(PEERS)) {
  const ratios = measured[name].map((ms, round) => ms / floor[round]);
  console.log(
    `${name}: ${median(measured[name]).toFixed(2)} ms a turn, the script alone ${median(floor).toFixed(2)} ms`,
  );
  record({ work: `${name}, a script turn`, ours: spread(measured[name]), floor: spread(floor), ratio: spread(ratios) });
}
await rm(folder, { recursive: true, force: true });

function install() {
  const steps = [
    ['python3', ['-m', 'venv', environment]],
    [python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...VERSIONS]],
  ];
  for (const [command, args] of steps)
    if (spawnSync(command, args, { stdio: 'inherit' }).status !== 0) throw new Error(`${command} ${args[1]} failed`);
}

async function spawnAll() {
  const began = performance.now();
  for (let turn = 0; turn < turns; turn += 1) await spawnScript({ script, cwd: folder });
  return (performance.now() - began) / turns;
}

async function peer(program) {
  const path = fileURLToPath(new URL(`peers/${program}`, import.meta.url));
  const place = await mkdtemp(join(folder, 'round-'));
  const { stdout } = await promisify(execFile)(python, [path, place, script, String(turns)]);
  return Number(stdout.trim().split('\n').at(-1));
}
