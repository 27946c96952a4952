// Milliseconds per script turn: Raymond beside a bare Temporal activity that spawns the same script, on one embedded server on disk.
// Usage: npm run build && node bench/turns.mjs [--turns 200] [--agents 1] [--rounds 5]. Prints medians and their ratio.
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { DEFAULT_SETTINGS } from '../dist/activities/workbench.js';
import { connect } from '../dist/client/connect.js';
import { openPackage } from '../dist/client/package.js';
import { newRunId, startRun } from '../dist/client/start.js';
import { SEARCH_ATTRIBUTES } from '../dist/client/searchAttributes.js';
import { ensureServer, stopServer } from '../dist/server/index.js';
import { installRuntime, startWorker } from '../dist/worker.js';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '200' },
    agents: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
  },
});
const [turns, agents, rounds] = [values.turns, values.agents, values.rounds].map(Number);
installRuntime(() => undefined);
const folder = await mkdtemp(join(tmpdir(), 'raymond-bench-'));
const raymondDir = join(folder, '.raymond');
const { address } = await ensureServer({ raymondDir, report: () => undefined });
const link = await connect({ address, namespace: 'default', options: { address } });

// One script that counts its own turns by its input, the same for both sides but for the tag that Raymond reads.
await writeFile(
  join(folder, 'START.sh'),
  `n=\${RAYMOND_INPUT:-0}; if [ "$n" -lt ${turns - 1} ]; then echo "<goto input=\\"$((n + 1))\\">START</goto>"; else echo "<result>$n</result>"; fi\n`,
);

function spawnScript({ script, cwd }) {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', [script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.on('error', reject).on('close', () => resolve(output));
  });
}

const bundle = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('bare/workflow.js', import.meta.url)),
  logger: new DefaultLogger('WARN'),
});
const bareWorker = await Worker.create({
  connection: link.connection,
  taskQueue: 'bare',
  workflowBundle: bundle,
  activities: { spawnScript },
  workflowThreadPoolSize: 1,
});
const barePolling = bareWorker.run();
const raymond = await startWorker({
  connection: link.connection,
  namespace: 'default',
  taskQueue: 'raymond-bench',
  settings: { ...DEFAULT_SETTINGS, raymondDir },
  progress: () => undefined,
  drainMs: 1000,
  stickyMs: 2000,
  maxCachedWorkflows: 150,
});
const workflow = await openPackage(folder, folder);

async function timed(start) {
  const began = performance.now();
  await Promise.all(Array.from({ length: agents }, start));
  return (performance.now() - began) / (turns * agents);
}
const ours = () =>
  timed(async () => {
    const runId = newRunId('bench');
    await startRun(link.client, {
      runId,
      package: workflow,
      cwd: folder,
      taskQueue: 'raymond-bench',
      turn: { permissions: 'accept-edits' },
      failFast: false,
      searchAttributes: Object.keys(SEARCH_ATTRIBUTES),
    });
    await link.client.workflow.getHandle(runId).result();
  });
const bare = () =>
  timed(() =>
    link.client.workflow.execute('chain', {
      workflowId: newRunId('bare'),
      taskQueue: 'bare',
      args: [{ turns, script: join(folder, 'START.sh'), cwd: folder }],
    }),
  );

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
const results = { ours: [], bare: [], ratio: [] };
await ours();
await bare();
for (let round = 0; round < rounds; round += 1) {
  const pair = { bare: await bare(), ours: await ours() };
  results.bare.push(pair.bare);
  results.ours.push(pair.ours);
  results.ratio.push(pair.ours / pair.bare);
  console.log(`round ${round + 1}: raymond ${pair.ours.toFixed(2)} ms, bare ${pair.bare.toFixed(2)} ms per turn`);
}
console.log(
  `${turns} turns × ${agents}: raymond ${median(results.ours).toFixed(2)} ms, bare ${median(results.bare).toFixed(2)} ms, ratio ${median(results.ratio).toFixed(2)} (medians of ${rounds} pairs)`,
);

await raymond.drain();
bareWorker.shutdown();
await barePolling;
await link.connection.close();
await stopServer({ raymondDir });
await rm(folder, { recursive: true, force: true });
process.exit(0);
