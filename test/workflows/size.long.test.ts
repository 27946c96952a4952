// Runs that are large in every direction: many agents, many failures, long texts. Nothing that Raymond sends may grow with them.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { RunView } from '../../dist/client/look/runs.js';
import { viewRun } from '../../dist/client/look/runs.js';
import { launchRun } from '../../dist/client/start/start.js';
import type { RunInput } from '../../dist/contract/runs.js';
import { newLedger } from '../../dist/workflows/run/ledger.js';
import { MAX_STACK } from '../../src/protocol/machine/step.js';
import { agentWorkflowId } from '../../src/protocol/ids.js';
import { Stage, type Staged } from '../support/stage.js';
import { until } from '../support/until.js';
import { ends, revived } from './waiting.js';

const stage = new Stage({ maxCachedWorkflows: 150 });

/** The most that one message of a run may weigh, in bytes: Temporal warns from half of its limit on. */
const LARGEST = 256 * 1024;

/** bash that prints so many bytes of text. */
const text = (bytes: number, letter: string): string => `$(head -c ${bytes} /dev/zero | tr '\\0' ${letter})`;

/** The weight of the largest event of a workflow's last execution, in bytes of JSON. */
async function largestEvent(workflowId: string): Promise<number> {
  const { events } = await stage.link.client.workflow.getHandle(workflowId).fetchHistory();
  return Math.max(...(events ?? []).map((event) => Buffer.byteLength(JSON.stringify(event))));
}

/** Many agents take their time. */
const LONG = { timeoutMs: 240_000, everyMs: 200 };

async function seen(staged: Staged, what: (view: RunView) => boolean): Promise<RunView> {
  return await until(async () => {
    const view = await viewRun(stage.link.client, staged.runId);
    return what(view) ? view : undefined;
  }, LONG);
}

test('300 agents with long inputs that all fail leave a run that a resumption fixes', async () => {
  const staged = await stage.start({
    'START.sh': `long=${text(30_000, 'i')}
for n in $(seq 300); do echo "<fork n=\\"$n\\" input=\\"$long\\">WORK</fork>"; done; echo '<goto>END</goto>'\n`,
    'WORK.sh': '[ -f mended ] || exit 1; echo "<result>${#RAYMOND_INPUT} $n</result>"\n',
    'END.sh': ends('<result>main</result>'),
  });
  const failed = await staged.ended;
  expect(failed).toMatchObject({ status: 'failed', result: 'main' });
  expect(failed.agents.length + failed.agentsBefore).toBe(301);
  expect(await largestEvent(staged.runId)).toBeLessThan(LARGEST);

  await writeFile(join(staged.cwd, 'mended'), '');
  const mended = await revived(stage, failed);
  expect(mended.status).toBe('completed');
  expect(mended.agents.length + mended.agentsBefore).toBe(301);
  const results = mended.agents.flatMap(({ id, result }) => (id === 'main' ? [] : [result as string]));
  expect(results.length).toBeGreaterThan(50);
  expect(results.every((result) => /^30000 \d+$/.test(result))).toBe(true);
  expect(await largestEvent(staged.runId)).toBeLessThan(LARGEST);
}, 300_000);

test('100 forks with 25 kB of attributes each start, and are reported whole', async () => {
  const staged = await stage.start({
    'START.sh': `long=${text(25_000, 'a')}
for n in $(seq 100); do echo "<fork n=\\"$n\\" long=\\"$long\\">WORK</fork>"; done; echo '<goto>WAIT</goto>'\n`,
    'WORK.sh': 'echo "<result>${#long} $n</result>"\n',
    'WAIT.sh': ends('<await next="TELL"/>'),
    'TELL.sh': 'cp "$RAYMOND_INPUT_FILE" told; echo "<result>told</result>"\n',
  });
  expect(await staged.ended).toMatchObject({ status: 'completed', result: 'told' });
  const told = JSON.parse(await readFile(join(staged.cwd, 'told'), 'utf8')) as readonly {
    readonly result: string;
    readonly attributes: { readonly n: string; readonly long: string };
  }[];
  expect(told.map(({ result }) => result)).toEqual(Array.from({ length: 100 }, (_, n) => `25000 ${n + 1}`));
  expect(told.every(({ attributes }) => attributes.long.length === 25_000)).toBe(true);
  for (const id of [staged.runId, agentWorkflowId(staged.runId, 'main')])
    expect(await largestEvent(id)).toBeLessThan(LARGEST);
});

// With Temporal's own limit it takes thousands of agents and minutes: bench/agents.mjs --parked 3000.
test('an output starts 250 agents that all live at once, over several histories of the agent that forks them', async () => {
  const staged = await stage.start(
    {
      'START.sh': `printf '<fork>WORK</fork>%.0s' $(seq 250); echo '<goto>END</goto>'\n`,
      'WORK.sh': ends('<ask next="END">Go on?</ask>'),
      'END.sh': ends('<result>end</result>'),
    },
    { forksPerHistory: 100 },
  );
  const view = await seen(
    staged,
    ({ status, agents, agentsHidden = 0 }) => status === 'asking' && agents.length + agentsHidden >= 251,
  );
  expect(view.agents[0]).toMatchObject({ id: 'main', status: 'completed' });
  const query = `WorkflowId = "${staged.runId}/main"`;
  let executions = 0;
  for await (const _execution of stage.link.client.workflow.list({ query })) executions += 1;
  expect(executions).toBeGreaterThanOrEqual(3);
  expect(await largestEvent(staged.runId)).toBeLessThan(LARGEST);
  await stage.link.client.workflow.getHandle(staged.runId).terminate('the test is over');
}, 300_000);

test('a call without an end is stopped by a limit that says so, and continues when it is fixed', async () => {
  const { client } = stage.link;
  const staged = await stage.start({
    'START.sh': `[ -f mended ] && { touch went; sleep 600; }
[ -f deep ] && echo "<call return=\\"BACK\\">START</call>" || exit 1\n`,
    'BACK.sh': 'echo "<result>$RAYMOND_RESULT</result>"\n',
  });
  expect(await staged.ended).toMatchObject({ status: 'failed' });
  await writeFile(join(staged.cwd, 'deep'), '');
  // The same run once more, which has called itself many times already.
  const { input } = await client.workflow.getHandle(staged.runId).query<{ readonly input: RunInput }>('ledger');
  const frame = { state: 'BACK.sh', scope: input.main.scope, cwd: staged.cwd };
  const main = { ...input.main, stack: Array.from({ length: MAX_STACK - 2 }, () => frame) };
  const { taskQueue } = await viewRun(client, staged.runId);
  const ledger = newLedger(main, Date.now());
  await launchRun(client, { input: { ...input, main }, ledger, taskQueue, reuse: 'ALLOW_DUPLICATE_FAILED_ONLY' });
  const failed = await stage.end(staged.runId);
  expect(failed.status).toBe('failed');
  expect(failed.agents[0]?.error).toContain(`main, START.sh: <call>: ${MAX_STACK} callers wait for a result already`);
  await writeFile(join(staged.cwd, 'mended'), '');
  const again = revived(stage, failed);
  await until(() => readdir(staged.cwd).then((names) => names.includes('went')), { what: 'the mended turn' });
  await client.workflow.getHandle(staged.runId).cancel();
  expect((await again).status).toBe('cancelled');
});

test('a run whose every text is as long as can be is cancelled, resumed and continues as new', async () => {
  const long = text(32_000, 'v');
  const staged = await stage.start(
    {
      'START.sh': `long=${long}
for n in $(seq 40); do echo "<fork n=\\"$n\\" input=\\"$long\\" long=\\"${text(30_000, 'a')}\\">WORK</fork>"; done
echo "<goto input=\\"$long\\">CALL</goto>"\n`,
      'WORK.sh': `[ -f go ] || { echo "<ask next=\\"ANSWERED\\" upload_slots=\\"$(seq -s, -f 'file%04g.txt' 900)\\">${text(30_000, 'q')}</ask>"; exit; }
echo "<goto input=\\"$RAYMOND_INPUT\\">FAIL</goto>"\n`,
      'ANSWERED.sh': ends('<result>nobody answers</result>'),
      'FAIL.sh': `echo "${text(30_000, 'e')}" >&2; exit 1\n`,
      'CALL.sh': 'echo "<call return=\\"LOOP\\" input=\\"$RAYMOND_INPUT\\">SUB</call>"\n',
      'SUB.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'LOOP.sh': `echo x >> turns; [ "$(wc -l < turns)" -gt 9 ] && [ -f go ] && { echo "<result>${long}</result>"; exit; }
echo "<goto delay=\\"0.2s\\" input=\\"$RAYMOND_INPUT\\">LOOP</goto>"\n`,
    },
    { turnsPerHistory: 4 },
  );
  await seen(staged, ({ agents }) => agents.filter(({ status }) => status === 'asking').length === 40);
  await stage.link.client.workflow.getHandle(staged.runId).cancel();
  const cancelled = await staged.ended;
  expect(cancelled.status).toBe('cancelled');
  expect(await largestEvent(staged.runId)).toBeLessThan(LARGEST);
  await writeFile(join(staged.cwd, 'go'), '');
  const again = revived(stage, cancelled);
  const asking = await seen(staged, ({ agents }) => agents.filter(({ status }) => status === 'asking').length === 40);
  expect(asking.agents.find(({ ask }) => ask !== undefined)?.ask).toMatchObject({ prompt: { bytes: 30_000 } });
  await stage.link.client.workflow.getHandle(staged.runId).cancel();
  expect((await again).status).toBe('cancelled');
  for (const id of [staged.runId, ...['main', 'main_work1'].map((agent) => agentWorkflowId(staged.runId, agent))])
    expect(await largestEvent(id)).toBeLessThan(LARGEST);
});

test('an agent that awaits more agents than are listed gets the results of all, in their order', async () => {
  const numbers = Array.from({ length: 210 }, (_, index) => index + 1);
  const forks = numbers.map((n) => `<fork n="${n}">GOOD</fork>`).join('');
  const ended = await stage.run({
    'START.sh': ends(`${forks}<goto>WAIT</goto>`),
    'GOOD.sh': 'echo "<result>good $n</result>"\n',
    'WAIT.sh': ends('<await next="TELL"/>'),
    'TELL.sh': 'echo "<result>$(cat "$RAYMOND_INPUT_FILE")</result>"\n',
  });
  expect(ended.agentsBefore).toBeGreaterThanOrEqual(100);
  const told = JSON.parse(ended.result as string) as readonly Readonly<Record<string, string>>[];
  expect(told.map(({ id, result }) => [id, result])).toEqual(numbers.map((n) => [`main_good${n}`, `good ${n}`]));
}, 240_000);
