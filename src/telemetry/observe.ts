// What a worker tells monitoring of itself: figures when its process serves metrics, spans when traces were asked for, else nothing.
import type { Client } from '@temporalio/client';
import { Runtime } from '@temporalio/worker';
import type { TurnWatcher } from '../activities/watch.js';
import type { Workbench } from '../activities/workbench.js';
import { watchLimits } from './limits.js';
import { Meters } from './meters.js';
import type { TraceOptions } from './traces.js';
import { watchWaiting } from './waiting.js';

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
