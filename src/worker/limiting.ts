// What a worker does for limits besides requesting leases (activities/slots/leases.ts): it sends
// the limiter the current limits, and serves the limiter of a project's local runs, whose queue no
// other process polls.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import { Worker, type NativeConnection } from '@temporalio/worker';
import { lostHolders } from '../activities/slots/leases.js';
import type { WorkerContext } from '../activities/worker-context.js';
import { guardOptions } from '../codec/worker-guard.js';
import { LIMITER, type Limits } from '../protocol/leases.js';
import { bundleFor } from './temporal.js';

interface LimitingOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  /** The limiter's task queue; absent = the worker's own. */
  readonly limiterQueue?: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface LimitingParts {
  readonly client: Client;
  readonly workerContext: WorkerContext;
  readonly dataConverter: DataConverter;
}

/**
 * Sends the limits and serves the limiter, until it is closed. Local runs without limits are served
 * as well.
 */
export async function beginLimiting(
  options: LimitingOptions,
  { client, workerContext, dataConverter }: LimitingParts,
): Promise<{ close(): Promise<void> } | undefined> {
  const isLocal = options.limiterQueue !== undefined;
  if (isLocal && Object.keys(workerContext.settings.limits).length === 0) return undefined;
  await sendLimits(client, workerContext);
  return isLocal ? await serveLimiter(options, { workerContext, dataConverter }) : undefined;
}

/** The limits of the worker that started last count. */
async function sendLimits(client: Client, { limiter, settings }: WorkerContext): Promise<void> {
  try {
    await client.workflow.getHandle(limiter.workflowId).signal<[Limits]>(LIMITER.limits, settings.limits);
  } catch (error) {
    // No turn needs a lease: the next one that does starts a limiter.
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

async function serveLimiter(
  { connection, namespace, environment }: LimitingOptions,
  { workerContext: { limiter }, dataConverter }: Omit<LimitingParts, 'client'>,
): Promise<{ close(): Promise<void> }> {
  const worker = await Worker.create({
    connection,
    namespace,
    dataConverter,
    ...guardOptions(dataConverter),
    workflowBundle: await bundleFor(dataConverter, environment),
    taskQueue: limiter.taskQueue,
    activities: { lostHolders },
    stickyQueueScheduleToStartTimeout: 2000,
    maxCachedWorkflows: 10,
  });
  // If its connection fails, the other worker fails as well and reports that.
  const finished = worker.run().catch(() => undefined);
  return {
    close: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}
