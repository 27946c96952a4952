// Milliseconds per script turn: Raymond beside a bare Temporal activity that spawns the same script, on one embedded server on disk.
// Usage: npm run build && node bench/turns.mjs [--turns 200] [--agents 1] [--rounds 5]. Prints medians and their ratio.
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { newRunId } from '../dist/client/start/start.js';
import { spawnScript } from './bare/spawn-script.js';
import { median, openStage, record, spread } from './stage.mjs';

const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '200' },
    agents: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '5' },
  },
});
const [turns, agents, rounds] = [values.turns, values.agents, values.rounds].map(Number);
const stage = await openStage();
const { link, folder } = stage;

// One script that counts its own turns by its input, the same for both sides but for the tag that Raymond reads.
const script = `n=\${RAYMOND_INPUT:-0}; if [ "$n" -lt ${turns - 1} ]; then echo "<goto input=\\"$((n + 1))\\">START</goto>"; else echo "<result>$n</result>"; fi\n`;
await writeFile(join(folder, 'START.sh'), script);

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
// The stage's own client takes only values with the mark of its project.
const plain = new Client({ connection: link.client.connection });
async function timed(start) {
  const began = performance.now();
  await Promise.all(Array.from({ length: agents }, start));
  return (performance.now() - began) / (turns * agents);
}
const ours = () =>
  timed(async () => {
    await stage.handle(await stage.start({ 'START.sh': script })).result();
  });
const bare = () =>
  timed(() =>
    plain.workflow.execute('chain', {
      workflowId: newRunId('bare'),
      taskQueue: 'bare',
      args: [{ turns, script: join(folder, 'START.sh'), cwd: folder }],
    }),
  );

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
record({
  work: `${turns} script turns × ${agents}, a turn`,
  ours: spread(results.ours),
  floor: spread(results.bare),
  ratio: spread(results.ratio),
  goal: agents === 1 ? 'ratio ≤ 0.35' : 'ratio ≤ 0.4',
});

bareWorker.shutdown();
await barePolling;
await stage.close();
process.exit(0);
