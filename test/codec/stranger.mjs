// Another user of the machine who reaches the embedded server: without the project's secret he starts work, and speaks to a run that is
// served. What became of each attempt goes to stdout as JSON. Argument: JSON {address, runId, taskQueue, flow, secret}.
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { openPackage } from '../../dist/client/start/package.js';
import { startRun } from '../../dist/client/start/start.js';

const { address, runId, taskQueue, flow, secret } = JSON.parse(process.argv[2] ?? '{}');
const client = new Client({ connection: await Connection.connect({ address }) });
const { workflow, workflowService } = client;
const agent = workflow.getHandle(`${runId}/main`);
const run = workflow.getHandle(runId);

const own = {
  package: await openPackage(flow, { cwd: flow, cacheDir: flow }),
  cwd: flow,
  taskQueue,
  turn: { permissions: 'accept-edits' },
  failFast: false,
  searchAttributes: [],
};
await startRun(client, { ...own, runId: 'stranger' });
await workflow.start('run', { workflowId: 'empty', taskQueue });
await copyOfRun('copy');
await run.signal('budget', { usd: 1000 });
await run.signal('resume');
await run.signal('ended', { agentId: 'main', state: 'SAY.sh', status: { kind: 'completed', result: 'owned' } });

const report = {
  uid: process.getuid?.(),
  started: await endOf('stranger'),
  empty: await endOf('empty'),
  copied: await endOf('copy'),
  answered: await failure(agent.executeUpdate('answer', { args: [{ askId: 'ask_main_1', text: 'owned' }] })),
  secret: await readFile(secret, 'utf8').then(
    () => 'read',
    ({ code }) => code,
  ),
};
process.stdout.write(JSON.stringify(report));
await client.connection.close();

/** The marked input of the run that is there, for a run of another id. */
async function copyOfRun(workflowId) {
  const [started] = (await run.fetchHistory()).events ?? [];
  const { input, workflowType } = started?.workflowExecutionStartedEventAttributes ?? {};
  const request = { namespace: 'default', workflowId, workflowType, input, requestId: workflowId };
  await workflowService.startWorkflowExecution({ ...request, taskQueue: { name: taskQueue } });
}

/** How a workflow ended: the type of its failure. */
async function endOf(workflowId) {
  for (const until = Date.now() + 30_000; Date.now() < until; await delay(50)) {
    const { status } = await workflow.getHandle(workflowId).describe();
    if (status.name !== 'RUNNING') return await failure(workflow.getHandle(workflowId).result());
  }
  return 'still open';
}

async function failure(promise) {
  return await promise.then(
    () => 'done',
    ({ cause }) => cause?.type ?? 'Unforeseen',
  );
}
