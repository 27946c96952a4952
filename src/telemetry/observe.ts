// What a worker tells monitoring of itself: figures when its process serves metrics, spans when traces were asked for, else nothing.
import type { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import type { TurnWatcher } from '../activities/watch.js';
import type { Workbench } from '../activities/workbench.js';
import { LIMITER, type Limits, type LimitUse } from '../protocol/leases.js';
import { Meters, type WaitingAgents } from './meters.js';
import type { TraceOptions } from './traces.js';

/** What was asked for; absent = nothing. */
export interface TelemetryOptions {
  /** The SDK's runtime of this process serves metrics. */
  readonly metrics?: boolean;
  readonly traces?: TraceOptions;
}

/** What goes on while a worker does. */
export interface Observation {
  readonly watchers: readonly TurnWatcher[];
  launcherRestarted(): void;
  /** Shows what a worker does that is about to poll. */
  watch(worker: ObservedWorker): void;
  close(): Promise<void>;
}

type Account = ReturnType<Workbench['accounts']['states']>[number];

const ACCOUNTS_EVERY_MS = 5000;

/** Tells `take` again and again how the accounts of a worker stand, until the returned function is called. */
function watchAccounts(accounts: Workbench['accounts'], take: (account: Account) => void): () => void {
  if (accounts.all.length === 0) return () => undefined;
  const look = (): void => accounts.states().forEach(take);
  look();
  const timer = setInterval(look, ACCOUNTS_EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** How often the server is asked, in milliseconds. */
const ASKED_EVERY_MS = 5000;

/**
 * Asks the limiter, which all workers have in common, how much of each limit is in use, and tells `take`, until the returned function is
 * called. Without a limiter nothing is in use.
 */
function watchLimits(
  client: Client,
  {
    limits,
    workflowId,
    take,
  }: { readonly limits: Limits; readonly workflowId: string; readonly take: (use: LimitUse) => void },
): () => void {
  if (Object.keys(limits).length === 0) return () => undefined;
  const look = async (): Promise<void> => {
    const uses = await usesOf(client, workflowId).catch((): readonly LimitUse[] => []);
    const known = new Map(uses.map((use) => [use.key, use]));
    for (const [key, size] of Object.entries(limits)) take(known.get(key) ?? { key, size, used: 0, waiting: 0 });
  };
  void look();
  const timer = setInterval(() => void look(), ASKED_EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function usesOf(client: Client, workflowId: string): Promise<readonly LimitUse[]> {
  return await client.withDeadline(Date.now() + ASKED_EVERY_MS, () =>
    client.workflow.getHandle(workflowId).query<readonly LimitUse[]>(LIMITER.uses),
  );
}

/**
 * Counts the agents of a task queue that wait for a person or a limit, and tells `take`, until the returned function is called. The server
 * is asked for their search attributes: counters in workers would start at 0 with every worker, and gauges of several runs overwrite each
 * other. A server that does not answer, or does not know the attributes, tells nothing.
 */
function watchWaiting(
  client: Client,
  { taskQueue, take }: { readonly taskQueue: string; readonly take: (waiting: WaitingAgents) => void },
): () => void {
  const look = (): void => {
    void countWaiting(client, taskQueue).then(take, () => undefined); // asked again soon
  };
  look();
  const timer = setInterval(look, ASKED_EVERY_MS).unref();
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
  readonly workbench: Workbench;
  readonly client: Client;
}

/** Begins to observe the worker of a task queue. */
export async function observe(
  taskQueue: string,
  { metrics = false, traces }: TelemetryOptions = {},
): Promise<Observation> {
  const meters = metrics ? new Meters(Runtime.instance().metricMeter, taskQueue) : undefined;
  // The library is loaded by those who use it only.
  const spans = traces === undefined ? undefined : await (await import('./traces.js')).startTraces(traces);
  let stop = (): void => undefined;
  return {
    watchers: [meters, spans].filter((watcher) => watcher !== undefined),
    launcherRestarted: () => meters?.launcherRestarted(),
    watch: ({ workbench, client }) => {
      if (meters === undefined) return;
      meters.watchSlots(workbench);
      const { settings, limiter } = workbench;
      const stops = [
        watchWaiting(client, { taskQueue, take: (waiting) => meters.showWaiting(waiting) }),
        watchAccounts(workbench.accounts, (account) => meters.showAccount(account)),
        watchLimits(client, { ...settings, ...limiter, take: (use) => meters.showLimit(use) }),
      ];
      stop = () => stops.forEach((end) => end());
    },
    close: async () => {
      stop();
      await spans?.close();
    },
  };
}
