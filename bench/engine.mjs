// What a project's engine costs: `start` when neither engine nor server runs, and how an engine carries many open runs over its own death.
// Usage: npm run build && node bench/engine.mjs [--rounds 5] [--runs 50]. The floor of a cold start is `start --foreground` without a server: what
// `start` did before there was an engine.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { stopEngine } from '../dist/engine/ensure.js';
import { engineStatus } from '../dist/engine/record.js';
import { serverStatus, stopServer } from '../dist/server/index.js';
import { load, record, spread } from './stage.mjs';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, runs: { type: 'string', default: '50' } },
});
const [rounds, runs] = [Number(values.rounds), Number(values.runs)];
const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
const raymondDir = join(folder, '.raymond');
const started = join(folder, 'started');
const flows = {
  quick: 'echo "<result>done</result>"\n',
  waits: `echo "$RAYMOND_WORKFLOW_ID" >> ${started}; until [ -f ${folder}/go ]; do sleep 1; done; echo "<result>done</result>"\n`,
};
for (const [name, script] of Object.entries(flows)) {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'START.sh'), script);
}
const bin = fileURLToPath(new URL('../bin/raymond.js', import.meta.url));
const run = promisify(execFile);
const raymond = (...args) =>
  run(process.execPath, [bin, ...args], { cwd: folder, env: { ...process.env, TEMPORAL_ADDRESS: '' } });

console.log(`load before: ${load()}`);
await raymond('start', 'quick'); // the database is made once
await compareColdStarts();
await carryRuns();
await stopAll();
await rm(folder, { recursive: true });

async function stopAll() {
  await stopEngine({ raymondDir, drainSeconds: 0 });
  await stopServer({ raymondDir });
}

async function compareColdStarts() {
  const cold = async (...flags) => {
    await stopAll();
    const begin = performance.now();
    await raymond('start', 'quick', ...flags);
    return performance.now() - begin;
  };
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ floor: await cold('--foreground'), ours: await cold() });
  const [ours, floor] = ['ours', 'floor'].map((side) => spread(pairs.map((pair) => pair[side])));
  const ratio = spread(pairs.map((pair) => pair.ours / pair.floor));
  console.log(
    `cold start: ${ours.median.toFixed(0)} ms, in the foreground ${floor.median.toFixed(0)} ms, ratio ${ratio.median.toFixed(2)} (goal 1.5)`,
  );
  record({ work: '`start`, engine and server down', ours, floor, ratio, goal: 'ratio ≤ 1.5' });
}

/** Starts the runs, kills their engine in the middle of all their turns, and measures until each turn has begun again. */
async function carryRuns() {
  const ids = Array.from({ length: runs }, (_, index) => `run-${index + 1}`);
  for (const id of ids) await raymond('start', 'waits', '--id', id, '--detach');
  await begun(1);
  const { engine } = engineStatus(raymondDir);
  console.log(`${runs} open runs: ${await memory(engine.pid)}; load ${load()}`);
  process.kill(engine.pid, 'SIGKILL');
  const begin = performance.now();
  await raymond('up');
  const up = performance.now();
  await begun(2);
  const end = performance.now();
  const [startMs, allMs] = [up - begin, end - up];
  console.log(
    `after kill -9: up in ${startMs.toFixed(0)} ms; all ${runs} going on ${allMs.toFixed(0)} ms later (goal 5000); load ${load()}`,
  );
  record({ work: `${runs} open runs going on after kill -9`, ours: spread([allMs]), goal: '5 s' });
  await writeFile(join(folder, 'go'), '');
}

async function begun(times) {
  const counts = async () => {
    const lines = (await readFile(started, 'utf8').catch(() => '')).split('\n');
    return new Set(lines.filter((id) => id !== '' && lines.filter((one) => one === id).length >= times)).size;
  };
  while ((await counts()) < runs) await sleep(50);
}

/**
 * Resident memory in MB: of the engine, of the server, and what the launcher adds. Three quarters of the launcher's resident memory are pages of
 * the program `node`, which the engine shares.
 */
async function memory(pid) {
  const { server } = await serverStatus({ raymondDir });
  const launcher = await launcherOf(pid);
  const parts = [
    await megabytes(pid, 'Rss'),
    await megabytes(server.pid, 'Rss'),
    await megabytes(launcher, 'Anonymous'),
  ];
  const [whole, ...each] = [parts.reduce((sum, part) => sum + part), ...parts];
  return `${whole} MB (engine ${each[0]}, server ${each[1]}, launcher ${each[2]} of its own, ${await megabytes(launcher, 'Rss')} resident)`;
}

async function megabytes(pid, kind) {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Math.round(Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(text)?.[1]) / 1024);
}

async function launcherOf(engine) {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    if (/^Name:\s+raymond-launch/m.test(text) && text.includes(`\nPPid:\t${engine}\n`)) return pid;
  }
  throw new Error('the engine has no launcher');
}
