// What `raymond start` does of a script, by Temporal alone: a worker with a bundle that is built, a client, a workflow, an end.
// Usage: node bench/bare/start.mjs ADDRESS BUNDLE SCRIPT WORKFLOW_ID
import { dirname } from 'node:path';
import { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { spawnScript } from './spawn-script.js';

const [address, codePath, script, workflowId] = process.argv.slice(2);
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: 'bare',
  workflowBundle: { codePath },
  activities: { spawnScript },
  workflowThreadPoolSize: 1,
});
const client = new Client({ connection });
const args = [{ script, cwd: dirname(script) }];
process.stdout.write(await worker.runUntil(client.workflow.execute('once', { workflowId, taskQueue: 'bare', args })));
await connection.close();
