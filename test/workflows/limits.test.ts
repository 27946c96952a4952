// Limits over all workers of a queue: real agents, a real limiter, scripts that count each other.
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Worker } from '@temporalio/worker';
import { viewRun } from '../../dist/client/look/runs.js';
import { guardOptions } from '../../dist/codec/worker-guard.js';
import { bundleFor } from '../../dist/worker/temporal.js';
import { Stage } from '../support/stage.js';
import { until } from '../support/until.js';

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

const runningIn = async (cwd: string): Promise<readonly string[]> =>
  await readdir(join(cwd, 'running')).catch(() => []);

test('who waits says for what; a holder that is terminated gives its place back', async () => {
  const wait = 'until [ -f "go-$RAYMOND_AGENT_ID" ]; do sleep 0.05; done';
  const states = {
    'START.sh': `echo '<fork next="WORK">WORK</fork>'\n`,
    'WORK.sh': counting('one', wait),
  };
  const { runId, cwd, ended } = await stage.start(states, { probeSeconds: 1 });
  await until(async () => (await runningIn(cwd)).length === 1, { what: 'a holder' });
  const [holder = ''] = await runningIn(cwd);
  const other = holder === 'main' ? 'main_work1' : 'main';
  const queued = async (): Promise<unknown> =>
    (await viewRun(stage.link.client, runId)).agents.find(({ id }) => id === other);
  await until(async () => ((await queued()) as { status: string }).status === 'queued', {
    what: 'an agent that waits',
  });
  expect(await queued()).toMatchObject({ waitsFor: 'a slot of one (1 in use)' });
  await stage.link.client.workflow.getHandle(`${runId}/${holder}`).terminate();
  await until(async () => (await runningIn(cwd)).includes(other), { what: 'the other agent', timeoutMs: 20_000 });
  await writeFile(join(cwd, `go-${other}`), '');
  expect((await ended).agents.find(({ id }) => id === other)).toMatchObject({ status: 'completed' });
});

test('a limit that is raised counts for those who wait, as soon as a worker with it starts', async () => {
  const states = {
    'START.sh': `echo '<fork next="WORK">WORK</fork>'\n`,
    'WORK.sh': counting('one', 'until [ -f go ]; do sleep 0.05; done'),
  };
  const { cwd, ended } = await stage.start(states);
  await until(async () => (await runningIn(cwd)).length === 1, { what: 'a holder' });
  limits['one'] = 2;
  // The turn of the holder is done again by the next worker, in the place that it has.
  await stage.worker?.drain();
  await stage.work();
  await until(async () => (await runningIn(cwd)).length === 2, { what: 'two at once' });
  await writeFile(join(cwd, 'go'), '');
  expect((await ended).status).toBe('completed');
});

test('a check that fails takes no lease away, and is made again', async () => {
  const { client, connection, namespace, dataConverter } = stage.link;
  const taskQueue = `checked-${process.pid}`;
  let checks = 0;
  const check = (): Promise<readonly unknown[]> => {
    checks += 1;
    return checks > 3 ? Promise.resolve([]) : Promise.reject(new Error('the server is busy'));
  };
  const worker = await Worker.create({
    connection: connection,
    namespace,
    dataConverter,
    taskQueue,
    workflowBundle: await bundleFor(dataConverter, process.env),
    ...guardOptions(dataConverter),
    activities: { lostHolders: check },
  });
  const lease = { holder: { workflowId: 'agent', runId: 'execution' }, requestId: 'x', keys: ['one'] };
  const held = [{ ...lease, priority: 3, since: 0 }];
  const input = { limits: { one: 1 }, checkMs: 10, messagesPerHistory: 1000, held };
  await worker.runUntil(async () => {
    const handle = await client.workflow.start('limiter', { workflowId: taskQueue, taskQueue, args: [input] });
    await until(() => checks > 3, { what: 'another check' });
    const { status } = await handle.describe();
    expect([status.name, await handle.query('holds', lease)]).toEqual(['RUNNING', true]);
    await handle.terminate();
  });
});

test('states without a limit, and with one that the config does not know, take no step for it', async () => {
  const { runId, ended } = await stage.start({ 'START.sh': '# raymond: limit=unknown\necho "<result>x</result>"\n' });
  expect((await ended).status).toBe('completed');
  const { events = [] } = await stage.link.client.workflow.getHandle(`${runId}/main`).fetchHistory();
  const scheduled = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: one }) => one?.activityType?.name === 'runScript',
  );
  expect(scheduled).toHaveLength(1);
});
