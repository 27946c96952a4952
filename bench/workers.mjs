// Turns a second of a fleet: 1, 2 and 3 workers, each a process of its own, on one server; first scripts, then prompts by the fake Claude of the
// tests (a Node process each, without a model's time). Usage: npm run build && node bench/workers.mjs [--agents 24] [--turns 10] [--workers 1,2,3]
// Prints turns a second and what another worker gives. All of it shares the processors of one machine.
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '24' },
    turns: { type: 'string', default: '10' },
    workers: { type: 'string', default: '1,2,3' },
  },
});
const [agents, turns] = [values.agents, values.turns].map(Number);
const program = fileURLToPath(new URL('../bin/raymond.js', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
const artifacts = join(folder, 'artifacts');
const fake = join(folder, 'bin');
const env = {
  ...process.env,
  NO_COLOR: '1',
  PATH: `${fake}:${process.env.PATH}`,
  CLAUDE_CONFIG_DIR: join(folder, 'claude'),
};
const load = () =>
  loadavg()
    .map((one) => one.toFixed(2))
    .join(' ');

const counting = (next) =>
  `n=\${RAYMOND_INPUT:-0}; if [ "$n" -lt ${turns - 1} ]; then echo "<goto input=\\"$((n + 1))\\">${next}</goto>"; else echo "<result>$n</result>"; fi\n`;
const forks = `for n in $(seq ${agents}); do echo '<fork next="WAIT" input="0">TURN</fork>'; done\n`;
const waits = {
  'WAIT.sh': `echo '<await next="END">'\n`,
  'END.sh': 'echo "<result>done</result>"\n',
  'START.sh': forks,
};
const FLOWS = {
  scripts: { ...waits, 'TURN.sh': counting('TURN') },
  // Every prompt is followed by a script that counts.
  prompts: { ...waits, 'TURN.md': 'Count {{input}}.\n', 'COUNT.sh': 'echo "<result>counted</result>"\n' },
};

await prepare();
const server = raymond('server', 'start', '--json');
const { address } = JSON.parse(server.stdout);
console.log('load before:', load());
try {
  for (const kind of Object.keys(FLOWS)) {
    const rates = [];
    for (const count of values.workers.split(',').map(Number)) rates.push([count, await rate(kind, count)]);
    const [[, one]] = rates;
    const line = rates.map(
      ([count, perSecond]) => `${count}: ${perSecond.toFixed(1)}/s (${(perSecond / one).toFixed(2)} ×)`,
    );
    console.log(`${kind}, ${agents} agents: ${line.join('   ')}`);
  }
} finally {
  console.log('load after:', load());
  raymond('server', 'stop', '--force');
  await rm(folder, { recursive: true, force: true });
}

async function prepare() {
  for (const [flow, states] of Object.entries(FLOWS)) {
    await mkdir(join(folder, flow), { recursive: true });
    for (const [name, text] of Object.entries(states)) await writeFile(join(folder, flow, name), text);
  }
  await mkdir(fake);
  await mkdir(join(folder, 'claude'));
  const main = new URL('../test/support/fakeClaude/main.mjs', import.meta.url).href;
  const rules = join(folder, 'rules.json');
  await writeFile(rules, JSON.stringify([{ text: '<goto>COUNT</goto>' }]));
  const head = `process.env.FAKE_CLAUDE_LOG ??= ${JSON.stringify(join(folder, 'log'))};\nprocess.env.FAKE_CLAUDE_RULES ??= ${JSON.stringify(rules)};`;
  await writeFile(join(fake, 'claude'), `#!${process.execPath}\n${head}\nimport(${JSON.stringify(main)});\n`, {
    mode: 0o755,
  });
  const config = `[raymond]\nartifact_dir = ${JSON.stringify(artifacts)}\nbudget = 0\nno_debug = true\n`;
  for (const place of ['.', 'w1', 'w2', 'w3']) {
    await mkdir(join(folder, place, '.raymond'), { recursive: true });
    await writeFile(join(folder, place, '.raymond', 'config.toml'), config);
  }
}

/** Turns a second of one run of `kind` on so many workers; a short run before it lets them begin. */
async function rate(kind, count) {
  const queue = `${kind}-${count}`;
  const workers = await Promise.all(Array.from({ length: count }, (_, index) => work(`w${index + 1}`, queue)));
  raymond('start', 'scripts', '--address', address, '--task-queue', queue, '--quiet');
  const begin = performance.now();
  const { status, stderr } = raymond('start', kind, '--address', address, '--task-queue', queue, '--quiet');
  const seconds = (performance.now() - begin) / 1000;
  if (status !== 0) throw new Error(stderr);
  for (const worker of workers) {
    worker.kill('SIGTERM');
    await new Promise((resolve) => worker.once('exit', resolve));
  }
  const done = kind === 'scripts' ? agents * turns : agents;
  return done / seconds;
}

async function work(place, queue) {
  const words = [program, 'worker', '--address', address, '--task-queue', queue, '--host', place, '--drain', '5'];
  const worker = spawn(process.execPath, words, { cwd: join(folder, place), env, stdio: ['ignore', 'ignore', 'pipe'] });
  await new Promise((resolve) => worker.stderr.on('data', (chunk) => String(chunk).includes('"polling"') && resolve()));
  return worker;
}

function raymond(...words) {
  return spawnSync(process.execPath, [program, ...words], { cwd: folder, env, encoding: 'utf8' });
}
