// What a worker does for limits besides asking for places (activities/slots/leases.ts): it tells the limiter what is limited now, and serves the
// limiter of a project's local runs, whose queue nobody else polls.
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
  /** Where the limiter is served; absent = on the worker's own queue. */
  readonly limiterQueue?: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface LimitingParts {
  readonly client: Client;
  readonly workerContext: WorkerContext;
  readonly dataConverter: DataConverter;
}

/** Tells the limiter and serves it, until it is closed. Local runs without limits are served as if there were none. */
export async function beginLimiting(
  options: LimitingOptions,
  { client, workerContext, dataConverter }: LimitingParts,
): Promise<{ close(): Promise<void> } | undefined> {
  const isLocal = options.limiterQueue !== undefined;
  if (isLocal && Object.keys(workerContext.settings.limits).length === 0) return undefined;
  await sendLimits(client, workerContext);
  return isLocal ? await serveLimiter(options, { workerContext, dataConverter }) : undefined;
}

/** The worker that has started last is right. */
async function sendLimits(client: Client, { limiter, settings }: WorkerContext): Promise<void> {
  try {
    await client.workflow.getHandle(limiter.workflowId).signal<[Limits]>(LIMITER.limits, settings.limits);
  } catch (error) {
    // Nobody needs a place: the next turn that does starts a limiter.
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
  // What breaks its connection breaks the worker beside it, which says so.
  const finished = worker.run().catch(() => undefined);
  return {
    close: async () => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
      await finished;
    },
  };
}
