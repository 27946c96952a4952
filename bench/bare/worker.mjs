// The worker of the bare programs, on the server of a stage: Temporal without Raymond.
import { fileURLToPath } from 'node:url';
import { Client } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger, Worker } from '@temporalio/worker';
import { newRunId } from '../../dist/client/start/start.js';
import { spawnScript } from './spawn-script.js';

/** Starts it; `execute` gives the result of a workflow of workflow.js. */
export async function startBare({ link }) {
  const workflowBundle = await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('workflow.js', import.meta.url)),
    logger: new DefaultLogger('WARN'),
  });
  const { connection } = link;
  const options = { taskQueue: 'bare', workflowBundle, activities: { spawnScript }, workflowThreadPoolSize: 1 };
  const worker = await Worker.create({ connection, ...options });
  const polling = worker.run();
  // The stage's own client takes only values with the mark of its project.
  const client = new Client({ connection: link.client.connection });
  return {
    execute: (type, arg) =>
      client.workflow.execute(type, { workflowId: newRunId('bare'), taskQueue: 'bare', args: [arg] }),
    close: async () => {
      worker.shutdown();
      await polling;
    },
  };
}
