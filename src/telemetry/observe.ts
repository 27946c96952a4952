// Connects a worker to telemetry: metrics when its process serves them, spans when traces are on, else nothing.
import type { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import type { TurnWatcher } from '../activities/watch.js';
import type { WorkerContext } from '../activities/worker-context.js';
import { LIMITER, type Limits, type LimitUse } from '../protocol/leases.js';
import { Meters, type WaitingAgents } from './meters.js';
import type { TraceOptions } from './traces.js';

/** The requested telemetry; absent = none. */
export interface TelemetryOptions {
  /** Whether the SDK's runtime of this process serves metrics. */
  readonly metrics?: boolean;
  readonly traces?: TraceOptions;
}

/** Everything that runs while a worker runs. */
export interface Observation {
  readonly watchers: readonly TurnWatcher[];
  launcherRestarted(): void;
  /** Observes a worker that is about to poll. */
  watch(worker: ObservedWorker): void;
  close(): Promise<void>;
}

type Account = ReturnType<WorkerContext['accounts']['states']>[number];

const ACCOUNTS_EVERY_MS = 5000;

/** Reports the usage limits of a worker's accounts to `report`, repeatedly, until the returned function is called. */
function watchAccounts(accounts: WorkerContext['accounts'], report: (account: Account) => void): () => void {
  if (accounts.all.length === 0) return () => undefined;
  const poll = (): void => accounts.states().forEach(report);
  poll();
  const timer = setInterval(poll, ACCOUNTS_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** How often the server is queried, in milliseconds. */
const ASKED_EVERY_MS = 5000;

/**
 * Queries the limiter, which all workers share, for the usage of each limit, and reports it to `report`, until the
 * returned function is called. Without a limiter nothing is in use.
 */
function watchLimits(
  client: Client,
  {
    limits,
    workflowId,
    report,
  }: { readonly limits: Limits; readonly workflowId: string; readonly report: (use: LimitUse) => void },
): () => void {
  if (Object.keys(limits).length === 0) return () => undefined;
  const poll = async (): Promise<void> => {
    const uses = await usesOf(client, workflowId).catch((): readonly LimitUse[] => []);
    const known = new Map(uses.map((use) => [use.key, use]));
    for (const [key, size] of Object.entries(limits)) report(known.get(key) ?? { key, size, used: 0, waiting: 0 });
  };
  void poll();
  const timer = setInterval(() => void poll(), ASKED_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function usesOf(client: Client, workflowId: string): Promise<readonly LimitUse[]> {
  return await client.withDeadline(Date.now() + ASKED_EVERY_MS, () =>
    client.workflow.getHandle(workflowId).query<readonly LimitUse[]>(LIMITER.uses),
  );
}

/**
 * Counts the agents of a task queue that wait for a person or a limit, and reports to `report`, until the returned
 * function is called. The counts come from the server's search attributes: counters in workers would start at 0 with
 * every worker, and gauges of several runs would overwrite each other. A server that does not answer, or lacks the
 * attributes, gives no report.
 */
function watchWaiting(
  client: Client,
  { taskQueue, report }: { readonly taskQueue: string; readonly report: (waiting: WaitingAgents) => void },
): () => void {
  const poll = (): void => {
    void countWaiting(client, taskQueue).then(report, () => undefined); // Queried again soon.
  };
  poll();
  const timer = setInterval(poll, ASKED_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function countWaiting(client: Client, taskQueue: string): Promise<WaitingAgents> {
  const count = async (status: string): Promise<number> => {
    const among = `WorkflowType = "agent" AND ExecutionStatus = "Running" AND TaskQueue = "${taskQueue}"`;
    return (await client.workflow.count(`${among} AND RaymondStatus = "${status}"`)).count;
  };
  const [asking, waiting] = await Promise.all([count('asking'), count('waiting')]);
  return { asking, waiting };
}

interface ObservedWorker {
  readonly workerContext: WorkerContext;
  readonly client: Client;
}

/** Starts observing the worker of a task queue. */
export async function observe(
  taskQueue: string,
  { metrics = false, traces }: TelemetryOptions = {},
): Promise<Observation> {
  const meters = metrics ? new Meters(Runtime.instance().metricMeter, taskQueue) : undefined;
  // The library is loaded only when it is used.
  const spans = traces === undefined ? undefined : await (await import('./traces.js')).startTraces(traces);
  let stop = (): void => undefined;
  return {
    watchers: [meters, spans].filter((watcher) => watcher !== undefined),
    launcherRestarted: () => meters?.launcherRestarted(),
    watch: ({ workerContext, client }) => {
      if (meters === undefined) return;
      meters.watchSlots(workerContext);
      const { settings, limiter } = workerContext;
      const stops = [
        watchWaiting(client, { taskQueue, report: (waiting) => meters.showWaiting(waiting) }),
        watchAccounts(workerContext.accounts, (account) => meters.showAccount(account)),
        watchLimits(client, { ...settings, ...limiter, report: (use) => meters.showLimit(use) }),
      ];
      stop = () => stops.forEach((end) => end());
    },
    close: async () => {
      stop();
      await spans?.close();
    },
  };
}
