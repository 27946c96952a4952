// Many agents of one run: a dispatcher that forks them one by one and awaits them all, or agents parked on questions.
// Usage: npm run build && node bench/agents.mjs [--forks 100,1000,3000] [--at-once] [--parked 1000]. Prints the cost of a fork at each
// number and the ratio of the last to the first, and the memory and CPU of the worker. With --at-once one output forks them all.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sendAnswer } from '../dist/client/steer/answer.js';
import { viewRun } from '../dist/client/look/runs.js';
import { load, openStage, record } from './stage.mjs';

const WORKER_AND_SUM = {
  'WORKER.sh': 'echo "<result>done $item</result>"\n',
  'SUM.sh': 'echo "<result>$(grep -o \'"status":"completed"\' "$RAYMOND_INPUT_FILE" | wc -l)</result>"\n',
};
const oneByOne = (forks) => ({
  'START.sh': `n=\${RAYMOND_INPUT:-0}
if [ "$n" -lt ${forks} ]; then echo "<fork item=\\"$n\\">WORKER</fork><goto input=\\"$((n + 1))\\">START</goto>"; else echo '<await next="SUM">'; fi\n`,
});
const inOneOutput = (forks) => ({
  'START.sh': `printf '<fork item="%s">WORKER</fork>' $(seq ${forks}); echo '<goto>WAIT</goto>'\n`,
  'WAIT.sh': `echo '<await next="SUM">'\n`,
});

const { values } = parseArgs({
  options: { forks: { type: 'string' }, 'at-once': { type: 'boolean', default: false }, parked: { type: 'string' } },
});
const forks = values.forks ?? (values.parked === undefined ? '100,1000,3000' : undefined);
const stage = await openStage();
const megabytes = () => Math.round(process.memoryUsage().rss / 1024 ** 2);
console.log(`load before: ${load()}`);
if (forks !== undefined) await compareForks(forks.split(',').map(Number));
if (values.parked !== undefined) await park(Number(values.parked));
console.log(`load after: ${load()}`);
await stage.close();
process.exit(0);

async function compareForks(numbers) {
  await dispatch(10); // what is loaded and compiled once is no cost of a fork
  const costs = [];
  for (const number of numbers) costs.push(await dispatch(number));
  const one = (ms) => ({ min: ms, median: ms, max: ms });
  for (const [index, number] of numbers.entries()) {
    const ratio = one(costs[index].wall / costs[0].wall);
    record({
      work: `a fork, of ${number}`,
      ours: one(costs[index].wall),
      ratio,
      goal: '≤ 25 ms, ratio to the first ≤ 1.3',
    });
  }
  const ratio = (measure) => (costs.at(-1)[measure] / costs[0][measure]).toFixed(2);
  console.log(
    `a fork at ${numbers.at(-1)} costs ${ratio('wall')} × one at ${numbers[0]} (goal 1.3), of the worker's processor time ${ratio('cpu')} ×`,
  );
}

/**
 * Milliseconds per forked agent: its start, its turn, its end and its part in the await; one by one also a turn of the dispatcher. Those of
 * the worker's processor hardly depend on what else the machine does.
 */
async function dispatch(forks) {
  const [began, cpuBefore] = [performance.now(), process.cpuUsage()];
  const runId = await stage.start({ ...(values['at-once'] ? inOneOutput(forks) : oneByOne(forks)), ...WORKER_AND_SUM });
  const summary = await stage.handle(runId).result();
  const seconds = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (summary.result !== String(forks)) throw new Error(`${forks} forks: ${summary.result} results were awaited`);
  const cost = { wall: (seconds / forks) * 1000, cpu: (user + system) / 1000 / forks };
  const each = `${cost.wall.toFixed(1)} ms a fork, ${cost.cpu.toFixed(1)} of the worker's processor`;
  const listed = `${summary.agents.length} agents listed, ${summary.agentsBefore} before`;
  console.log(`${forks} forks: ${seconds.toFixed(1)} s, ${each}; ${listed}; worker ${megabytes()} MB`);
  for (const id of [runId, `${runId}/main`]) {
    const { type, historyLength, historySize } = await stage.handle(id).describe();
    console.log(`  last history of ${type}: ${historyLength} events, ${historySize} bytes`);
  }
  return cost;
}

async function park(agents) {
  const before = megabytes();
  const runId = await stage.start({
    'START.sh': `printf '<fork>WORKER</fork>%.0s' $(seq ${agents}); echo '<goto>END</goto>'\n`,
    'WORKER.sh': 'echo "<ask next=\\"END\\">Go on?</ask>"\n',
    'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  const began = performance.now();
  for (let asking = false; !asking; await delay(500)) {
    asking = (await viewRun(stage.link.client, runId)).status === 'asking';
  }
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  console.log(`${agents} agents asked after ${seconds} s; worker ${before} → ${megabytes()} MB`);
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  await delay(30_000);
  const { user, system } = process.cpuUsage(cpu);
  console.log(`30 s later: ${megabytes()} MB, CPU ${((user + system) / 300_000).toFixed(2)} %`);
  const answered = performance.now();
  for (let number = 1; number <= agents; number += 50) {
    const together = Array.from({ length: Math.min(50, agents - number + 1) }, (_, n) => `main_worker${number + n}`);
    await Promise.all(
      together.map((agentId) =>
        sendAnswer(stage.link.client, {
          runId,
          agentId,
          answer: { askId: `ask_${agentId}_1`, text: 'yes', files: [] },
        }),
      ),
    );
  }
  const { agentsBefore, agents: listed } = await stage.handle(runId).result();
  const took = performance.now() - answered;
  record({ work: `${agents} parked agents answered`, ours: { min: took, median: took, max: took }, goal: '≤ 30 s' });
  console.log(`all answered and ended ${(took / 1000).toFixed(1)} s later: ${agentsBefore + listed.length} agents`);
}
