// One agent for many turns: does a late turn take longer than an early one, and does the worker grow?
// Usage: npm run build && node bench/long.mjs [--turns 20000]. Prints medians of 100 turns around each mark, memory and histories.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { median, openStage } from './stage.mjs';

const { values } = parseArgs({ options: { turns: { type: 'string', default: '20000' } } });
const turns = Number(values.turns);
const stage = await openStage();
const states = {
  'START.sh': `n=\${RAYMOND_INPUT:-0}; echo "$EPOCHREALTIME" >> times
if [ "$n" -lt ${turns - 1} ]; then echo "<goto input=\\"$((n + 1))\\">START</goto>"; else echo "<result>$n</result>"; fi\n`,
};
const memory = () => `${Math.round(process.memoryUsage().rss / 1024 ** 2)} MB`;
console.log(`worker before: ${memory()}`);
const began = performance.now();
const runId = await stage.start(states);
const summary = await stage.handle(runId).result();
console.log(`${turns} turns in ${((performance.now() - began) / 1000).toFixed(1)} s, result ${summary.result}`);
console.log(`worker after: ${memory()}`);

const times = (await readFile(join(stage.folder, 'times'), 'utf8')).trim().split('\n').map(Number);
const steps = times.slice(1).map((time, index) => (time - times[index]) * 1000);
const around = (mark) => median(steps.slice(Math.max(0, mark - 50), mark + 50));
const marks = [100, 1000, 5000, 10_000, 19_900].filter((mark) => mark + 50 < steps.length);
for (const mark of marks) {
  console.log(
    `turn ${mark}: ${around(mark).toFixed(1)} ms, ratio to turn 100: ${(around(mark) / around(100)).toFixed(2)}`,
  );
}
const histories = [];
for await (const info of stage.link.client.workflow.list({ query: `WorkflowId = "${runId}/main"` })) {
  histories.push(info.historyLength);
}
console.log(
  `${histories.length} histories of main, the longest with ${Math.max(...histories)} events; ${times.length} turns begun`,
);
await stage.close();
process.exit(0);
