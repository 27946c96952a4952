// How long commands take from the call to the end of their process: Raymond beside the least that Temporal, or Node, needs for the same.
// Usage: npm run build && node bench/startup.mjs [--rounds 15] [--only start,list]. Prints medians and their ratios; engine and server are up.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { stopEngine } from '../dist/engine/ensure.js';
import { ensureServer, stopServer } from '../dist/server/index.js';
import { load, median, record, spread } from './stage.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '15' }, only: { type: 'string' } } });
const rounds = Number(values.rounds);
const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
const raymondDir = join(folder, '.raymond');
const script = join(folder, 'flow/START.sh');
const bundle = join(folder, 'bundle.js');
await mkdir(join(folder, 'flow'));
await writeFile(script, 'echo "<result>done</result>"\n');
await mkdir(join(folder, 'asks'));
await writeFile(join(folder, 'asks/START.sh'), `echo '<ask next="START">Which?</ask>'\n`);
const { code } = await bundleWorkflowCode({
  workflowsPath: here('bare/workflow.js'),
  logger: new DefaultLogger('WARN'),
});
await writeFile(bundle, code);
const { address } = await ensureServer({ raymondDir, report: () => undefined });

// What is called, how it must end, and what it must print.
const raymond = (...args) => [here('../bin/raymond.js'), ...args];
const done = { exitCode: 0, prints: /done/ };
const usage = { exitCode: 64, prints: /raymond: / };
const listed = { exitCode: 0, prints: /flow-/ };
let calls = 0;
const cases = {
  start: {
    goal: 0.6,
    ours: () => [raymond('start', 'flow'), done],
    bare: () => [[here('bare/start.mjs'), address, bundle, script, `bare-${(calls += 1)}`], done],
  },
  // An order to a run, beside a question.
  tell: {
    goal: 1.2,
    prepare: () => timed([raymond('start', 'asks', '--id', 'asks', '--detach'), { exitCode: 0, prints: /asks/ }]),
    ours: () => [raymond('tell', 'asks', 'main', 'hello'), { exitCode: 0, prints: /the next prompt of main/ }],
    bare: () => [raymond('list'), listed],
  },
  'start --foreground': {
    goal: 1.5,
    prepare: () => stopEngine({ raymondDir, drainSeconds: 0 }),
    ours: () => [raymond('start', 'flow', '--foreground'), done],
    bare: () => [[here('bare/start.mjs'), address, bundle, script, `bare-${(calls += 1)}`], done],
  },
  list: { goal: 2, ours: () => [raymond('list'), listed], bare: () => [[here('bare/list.mjs'), address], listed] },
  'unknown flag': { goal: 1.5, ours: () => [raymond('--nope'), usage], bare: nothing },
  'missing argument': { goal: 1.5, ours: () => [raymond('start'), usage], bare: nothing },
};
function nothing() {
  return [['-e', '0'], { exitCode: 0, prints: /^$/ }];
}

const chosen = values.only?.split(',') ?? Object.keys(cases);
console.log(`load before: ${load()}`);
for (const name of chosen) await compare(name, cases[name]);
console.log(`load after: ${load()}`);
await stopEngine({ raymondDir, drainSeconds: 0 });
await stopServer({ raymondDir });
await rm(folder, { recursive: true });

async function compare(name, { goal, ours, bare, prepare }) {
  await prepare?.();
  await timed(ours());
  await timed(bare());
  const pairs = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ bare: await timed(bare()), ours: await timed(ours()) });
  console.log(`${name}: ${compared(pairs, 'wall')} (goal ${goal}; medians of ${rounds} pairs)`);
  console.log(`  of processor time: ${compared(pairs, 'cpu')}`);
  const side = (name) => spread(pairs.map((pair) => pair[name].wall));
  const ratio = spread(pairs.map(({ ours, bare }) => ours.wall / bare.wall));
  record({ work: name, ours: side('ours'), floor: side('bare'), ratio, goal: `ratio ≤ ${goal}` });
}

function compared(pairs, measure) {
  const middle = (side) => median(pairs.map((pair) => pair[side][measure])).toFixed(0);
  const ratio = median(pairs.map(({ ours, bare }) => ours[measure] / bare[measure])).toFixed(2);
  return `raymond ${middle('ours')} ms, bare ${middle('bare')} ms, ratio ${ratio}`;
}

/**
 * Milliseconds from the call of Node to the end of its process, and those that it and its children had a processor, which hardly depend on what
 * else the machine does. Another end than the expected one is an error.
 */
function timed([args, { exitCode, prints }]) {
  const env = { ...process.env, TEMPORAL_ADDRESS: '', NO_COLOR: '1', TIMEFORMAT: '%3R %3U %3S' };
  const shell = ['-c', 'time "$@" 2>&1', 'bash', process.execPath, ...args];
  return new Promise((resolve, reject) => {
    const child = execFile('bash', shell, { cwd: folder, env }, (_error, said, times) => {
      const [wall, user, system] = times
        .trim()
        .split(' ')
        .map((seconds) => Number(seconds) * 1000);
      if (child.exitCode === exitCode && prints.test(said)) resolve({ wall, cpu: user + system });
      else reject(new Error(`${args.join(' ')} ended with ${child.exitCode}: ${said}`));
    });
  });
}
