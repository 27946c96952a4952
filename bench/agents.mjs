// Many agents of one run: a dispatcher that forks them one by one and awaits them all, or agents parked on questions.
// Usage: npm run build && node bench/agents.mjs [--forks 2500] [--parked 1000]. Prints times, memory and CPU of the worker.
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sendAnswer } from '../dist/client/answer.js';
import { viewRun } from '../dist/client/runs.js';
import { openStage } from './stage.mjs';

const { values } = parseArgs({ options: { forks: { type: 'string' }, parked: { type: 'string' } } });
const stage = await openStage();
const megabytes = () => Math.round(process.memoryUsage().rss / 1024 ** 2);
if (values.forks !== undefined) await dispatch(Number(values.forks));
if (values.parked !== undefined) await park(Number(values.parked));
await stage.close();
process.exit(0);

async function dispatch(forks) {
  const began = performance.now();
  const runId = await stage.start({
    'START.sh': `n=\${RAYMOND_INPUT:-0}
if [ "$n" -lt ${forks} ]; then echo "<fork item=\\"$n\\">WORKER</fork><goto input=\\"$((n + 1))\\">START</goto>"; else echo '<await next="SUM">'; fi\n`,
    'WORKER.sh': 'echo "<result>done $item</result>"\n',
    'SUM.sh': 'echo "<result>$(grep -o \'"status":"completed"\' "$RAYMOND_INPUT_FILE" | wc -l)</result>"\n',
  });
  const summary = await stage.handle(runId).result();
  const seconds = (performance.now() - began) / 1000;
  console.log(
    `${forks} forks: ${summary.result} results awaited in ${seconds.toFixed(1)} s, ${((seconds / forks) * 1000).toFixed(1)} ms a fork`,
  );
  console.log(`agents listed ${summary.agents.length}, before ${summary.agentsBefore}; worker ${megabytes()} MB`);
  const histories = [];
  for await (const info of stage.link.client.workflow.list({
    query: `WorkflowId = "${runId}" OR WorkflowId = "${runId}/main"`,
  })) {
    histories.push(`${info.type} ${info.historyLength} events, ${info.historySize} bytes`);
  }
  console.log(histories.join('\n'));
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
  console.log(
    `all answered and ended ${((performance.now() - answered) / 1000).toFixed(1)} s later: ${agentsBefore + listed.length} agents`,
  );
}
