// A limit under a crowd of agents, and a holder whose worker is lost.
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { lostHolders } from '../../dist/activities/slots/leases.js';
import { limiterId } from '../../dist/protocol/leases.js';
import { byNode } from '../support/by-node.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

const { MockActivityEnvironment } = await byNode('@temporalio/testing');

const limits: Record<string, number> = { db: 2, one: 1 };
const stage = new Stage({ settings: { limits, leaseCheckMs: 500, leaseMessages: 30, maxScripts: 64 } });

/** A script that writes down how many of its kind run while it does. */
const counting = (key: string, during: string): string =>
  `# raymond: limit=${key}
mkdir -p running; touch "running/$RAYMOND_AGENT_ID"
ls running | wc -l >> counts
${during}
rm "running/$RAYMOND_AGENT_ID"
echo "<result>$RAYMOND_AGENT_ID</result>"
`;

async function countsIn(cwd: string): Promise<readonly number[]> {
  const text = await readFile(join(cwd, 'counts'), 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map(Number);
}

const runningIn = async (cwd: string): Promise<readonly string[]> =>
  await readdir(join(cwd, 'running')).catch(() => []);

/** The stage's limiter as it is now: its history begins where the last one ended. */
async function limiterIn({
  link,
  taskQueue,
}: Stage): Promise<{ readonly isContinued: boolean; readonly open: boolean }> {
  const handle = link.client.workflow.getHandle(limiterId(taskQueue));
  const { runId, status } = await handle.describe();
  const { events } = await link.client.workflow.getHandle(handle.workflowId, runId).fetchHistory();
  const { continuedExecutionRunId } = events?.[0]?.workflowExecutionStartedEventAttributes ?? {};
  return { isContinued: Boolean(continuedExecutionRunId), open: status.name === 'RUNNING' };
}

test('20 agents under a limit of 2 never run 3 at once, while the limiter continues as new', async () => {
  const states = {
    'START.sh': `echo '${'<fork>WORK</fork>'.repeat(20)}<goto>WAIT</goto>'\n`,
    'WAIT.sh': `echo '<await next="END" />'\n`,
    'WORK.sh': counting('db', 'sleep 0.2'),
    'END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  };
  const { cwd, ended } = await stage.start(states);
  const { status, result } = await ended;
  expect(status).toBe('completed');
  expect(JSON.parse(result as string)).toHaveLength(20);
  const counts = await countsIn(cwd);
  expect(counts).toHaveLength(20);
  expect(Math.max(...counts)).toBe(2);
  await until(async () => (await limiterIn(stage)).isContinued, { what: 'the continued limiter in the list' });
});

test('a holder whose turn no worker does is known to be lost, in patience', async () => {
  const { runId, cwd, ended } = await stage.start({
    'START.sh': counting('db', 'until [ -f go ]; do sleep 0.05; done'),
  });
  await until(async () => (await runningIn(cwd)).length === 1, { what: 'the turn' });
  const { workflowId, runId: execution } = await stage.link.client.workflow.getHandle(`${runId}/main`).describe();
  const lease = { holder: { workflowId, runId: execution }, requestId: 'x', keys: ['db'], priority: 3, since: 0 };
  const environment = new MockActivityEnvironment({}, { client: stage.link.client });
  const lostAfter = async (checks: number): Promise<number> => {
    const check = { held: [lease], now: checks * 1000, checkMs: 1000 };
    return (await environment.run<[typeof check], readonly unknown[], typeof lostHolders>(lostHolders, check)).length;
  };
  expect(await lostAfter(1000)).toBe(0);
  await stage.worker?.drain();
  expect([await lostAfter(1), await lostAfter(2)]).toEqual([0, 1]);
  await stage.work();
  await writeFile(join(cwd, 'go'), '');
  expect((await ended).status).toBe('completed');
  expect(await lostAfter(0)).toBe(1);
});
