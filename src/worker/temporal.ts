// The SDK workers of a Raymond worker: their queues, identities and limits. It knows nothing of
// turns.
import { readFile } from 'node:fs/promises';
import type { DataConverter } from '@temporalio/common';
import {
  Worker,
  type InjectedSinks,
  type NativeConnection,
  type WorkerOptions,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import type { WorkerContextSettings } from '../activities/settings.js';
import { hostOf } from '../activities/worker-context.js';
import { workflowBundleFor } from '../codec/converter.js';
import { guardOptions } from '../codec/worker-guard.js';
import { identityText, type WorkerIdentity } from '../protocol/ids.js';
import { sandboxesOf } from '../sandbox/index.js';
import type { OperatorSinks } from '../workflows/agent/agent.js';
import { leavingToSdk, leftToSdk } from '../sdk-internals/switches.js';

/** Where to poll, and the time limits. Times are milliseconds. */
export interface PollingOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly settings: Pick<WorkerContextSettings, 'host' | 'heartbeatMs'>;
  /** How long running turns may continue after `drain`. */
  readonly drainMs: number;
  /** 2 s beside an embedded server, 5 s on a cluster. */
  readonly stickyMs: number;
  readonly maxCachedWorkflows: number;
  /**
   * What turns inherit, as far as the settings allow it; also configures the SDK's internals
   * (src/sdk-internals).
   */
  readonly environment: NodeJS.ProcessEnv;
  /** Its version, when several versions serve the queue; absent = there is only one. */
  readonly version?: { readonly deployment: string; readonly buildId: string };
}

/** The workflow bundle for a worker with this environment. */
export async function bundleFor(
  dataConverter: DataConverter,
  environment: NodeJS.ProcessEnv,
): Promise<WorkflowBundleOption> {
  const bundle = await workflowBundleFor(dataConverter);
  const left = leftToSdk(environment);
  if (left.length === 0) return bundle;
  return { code: leavingToSdk('code' in bundle ? bundle.code : await readFile(bundle.codePath, 'utf8'), left) };
}

/** What polling workers execute, and how their values are encoded. */
interface WorkerParts {
  readonly activities: object;
  readonly dataConverter: DataConverter;
  /** Chains of turns on this worker, by the workflow of their agent. */
  readonly chains: ReadonlyMap<string, () => void>;
  /** Called for each worker as soon as it uses the connection. */
  readonly created: (worker: Worker) => void;
}

/**
 * One worker for the shared queue, and one for the turns of agents whose files are on this host.
 */
export async function createWorkers(
  options: PollingOptions,
  { activities, dataConverter, chains, created }: WorkerParts,
): Promise<{ readonly workers: readonly Worker[]; readonly identity: string }> {
  const { host, heartbeatMs } = options.settings;
  const guard = guardOptions(dataConverter);
  // As in the SDK, with the host's name in the fleet.
  const identity = identityText({ pid: process.pid, ...hostOf(options), ...(await announced(options)) });
  const common = {
    connection: options.connection,
    identity,
    namespace: options.namespace,
    dataConverter,
    ...guard,
    sinks: { ...guard?.sinks, ...operatorSinks(chains) },
    activities,
    // Turns wait for their slots inside the activity, where they can report that they wait.
    maxConcurrentActivityTaskExecutions: 2000,
    maxHeartbeatThrottleInterval: heartbeatMs / 2,
    defaultHeartbeatThrottleInterval: heartbeatMs / 2,
    shutdownGraceTime: options.drainMs,
    shutdownForceTime: options.drainMs + 15_000,
  };
  const worker = await Worker.create({
    ...common,
    taskQueue: options.taskQueue,
    workflowBundle: await bundleFor(dataConverter, options.environment),
    maxCachedWorkflows: options.maxCachedWorkflows,
    stickyQueueScheduleToStartTimeout: options.stickyMs,
    ...versioning(options),
  });
  created(worker);
  if (host === undefined) return { workers: [worker], identity };
  const ofHost = await Worker.create({ ...common, taskQueue: host.queue });
  created(ofHost);
  return { workers: [worker, ofHost], identity };
}

/** The sandboxes of a host of a fleet; a project of one host looks when a run needs one. */
async function announced({ settings, environment }: PollingOptions): Promise<Pick<WorkerIdentity, 'sandboxes'>> {
  return settings.host === undefined ? {} : { sandboxes: await sandboxesOf(environment) };
}

/**
 * Ends a worker that never ran: the SDK releases the connection only of a worker that has polled.
 */
export async function dispose(worker: Worker): Promise<void> {
  await worker.runUntil(Promise.resolve());
}

/** An operator's order to an agent ends the chain of its turns. */
function operatorSinks(chains: WorkerParts['chains']): InjectedSinks<OperatorSinks> {
  const fn = ({ workflowId }: { readonly workflowId: string }): void => chains.get(workflowId)?.();
  return { raymondOperator: { orderArrived: { fn, callDuringReplay: false } } };
}

/**
 * Open runs move to the current version, with a replay: pinned runs would need old workers for
 * months.
 */
function versioning({ version }: Pick<PollingOptions, 'version'>): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  if (version === undefined) return {};
  const { deployment: deploymentName, buildId } = version;
  return {
    workerDeploymentOptions: {
      useWorkerVersioning: true,
      version: { deploymentName, buildId },
      defaultVersioningBehavior: 'AUTO_UPGRADE',
    },
  };
}

/** Runs the workers until all have ended; when one fails, the others end. */
export async function runAll(workers: readonly Worker[]): Promise<void> {
  const ends = workers.map((worker) =>
    worker.run().catch((error: unknown) => {
      shutDown(workers);
      throw error;
    }),
  );
  const ended = await Promise.allSettled(ends);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

/** Stops the workers that poll. */
export function shutDown(workers: readonly Worker[]): void {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
}
