// A Raymond worker: the shipped workflow bundle and the activities, polling one task queue. Which run it serves is not known here.
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { bookAbandoned, type BookingOptions } from '../activities/spending/abandoned.js';
import { removeArrived } from '../activities/spending/spending.js';
import { removeChainFiles } from '../activities/turn/chain-log.js';
import { createActivities } from '../activities/index.js';
import type { ProgressSink } from '../activities/types.js';
import { hasArrived, type Reporter } from '../activities/attempt/receipts.js';
import type { WorkbenchSettings } from '../activities/settings.js';
import type { TurnWatcher } from '../activities/watch.js';
import { createWorkbench, type Workbench } from '../activities/workbench.js';
import type { Backends } from '../backends/backends.js';
import { converterOf } from '../codec/converter.js';
import { NO_KEYS } from '../codec/keys.js';
import { CONFIRM_TIMEOUT_MS, Launcher } from '../launcher/client.js';
import { beginLimiting } from './limiting.js';
import type { Readiness } from '../telemetry/health.js';
import { observe, type Observation, type TelemetryOptions } from '../telemetry/observe.js';
import type { HeldTurns } from '../protocol/ids.js';
import { defined } from '../protocol/text.js';
import { createWorkers, dispose, runAll, shutDown, type PollingOptions } from './temporal.js';
import { TurnGate } from './turn-gate.js';

/** What a worker needs. Times are milliseconds. */
interface RaymondWorkerOptions extends PollingOptions {
  /** That of the link; absent = nothing is encrypted, and work from everybody is taken. */
  readonly dataConverter?: DataConverter;
  /** Where the limiter is served; absent = on the task queue. */
  readonly limiterQueue?: string;
  readonly settings: WorkbenchSettings;
  readonly progress: ProgressSink;
  /** What answers prompts; absent = what runs and states name. */
  readonly backends?: Backends;
  /** Hear of turns besides metrics and traces. */
  readonly watchers?: readonly TurnWatcher[];
  readonly telemetry?: TelemetryOptions;
}

/** A worker that polls as long as `finished` is pending. */
export interface RaymondWorker {
  /** Resolves after a drain; rejects when the worker broke. */
  readonly finished: Promise<void>;
  readiness(): Readiness;
  /** No new turns; resolves with those held back when the running ones have ended. What they have told goes on being taken up until `drain`. */
  finishTurns(): Promise<HeldTurns>;
  /** No new turns; resolves when the running ones have ended or their time is over. */
  drain(): Promise<void>;
  /** Ends everything now; running turns are lost and will be taken up elsewhere. */
  abandon(): Promise<void>;
}

const CONFIRM_EVERY_MS = 2000;
const BOOK_EVERY_MS = 30_000;

/** Parts that are open: closed in reverse order when something fails. */
class Closings {
  private readonly open: (() => Promise<void>)[] = [];

  /** Remembers how to close a part. */
  add(close: () => Promise<void>): void {
    this.open.push(close);
  }

  /** Closes everything, the last part first. One that cannot be closed does not keep the others open. */
  async closeAll(): Promise<void> {
    for (const close of this.open.splice(0).reverse()) await close().catch(() => undefined); // the failure before it counts
  }
}

/** Starts a worker; resolves when it polls. What was begun for one that cannot start is ended again. */
export async function startWorker(options: RaymondWorkerOptions): Promise<RaymondWorker> {
  const begun = new Closings();
  try {
    return await beginWorker(options, begun);
  } catch (error) {
    await begun.closeAll();
    throw error;
  }
}

/** Begins one; every part is in `begun` as soon as it is there. */
async function beginWorker(options: RaymondWorkerOptions, begun: Closings): Promise<RaymondWorker> {
  const observation = await observe(options.taskQueue, options.telemetry);
  begun.add(() => observation.close());
  const launcher = Launcher.start({ onRestart: () => observation.launcherRestarted() });
  begun.add(() => launcher.close());
  // Forked now, while this process is small and waits for the worker.
  launcher.warm();
  const workbench = workbenchOf(options, { launcher, observation });
  const gate = new TurnGate([workbench.prompts, workbench.scripts]);
  const dataConverter = options.dataConverter ?? converterOf({ keys: NO_KEYS, store: workbench.artifacts });
  const activities = gate.guard(createActivities(workbench));
  const created = (worker: Worker): void => begun.add(() => disposed(worker, gate));
  const workers = await createWorkers(options, { activities, dataConverter, chains: workbench.chains, created });
  const client = new Client({ connection: options.connection, namespace: options.namespace, dataConverter });
  const limiting = await beginLimiting(options, { client, workbench, dataConverter });
  if (limiting !== undefined) begun.add(() => limiting.close());
  observation.watch({ workbench, client });
  const { host, raymondDir } = options.settings;
  const booking =
    host === undefined ? undefined : bookNowAndThen({ ...workbench, pricing: workbench.backends, client, raymondDir });
  void tidy(raymondDir, client).catch(() => undefined); // the next start tries again
  const confirming = confirmWhileConnected(options.connection, launcher);
  const finished = runAll(workers).finally(async () => {
    confirming.stop();
    clearInterval(booking);
    await limiting?.close();
    await launcher.close();
    await workbench.receipts.settle();
    await workbench.debug.flush();
    await observation.close();
  });
  return {
    finished,
    readiness: () => (workers.every((one) => one.getState() === 'RUNNING') ? confirming.readiness() : 'draining'),
    finishTurns: () => gate.close(),
    drain: () => drain(workers, { finished, gate }),
    abandon: () => abandon(launcher, { ...workbench, observation }),
  };
}

function workbenchOf(
  options: RaymondWorkerOptions,
  { launcher, observation }: { readonly launcher: Launcher; readonly observation: Observation },
): Workbench {
  return createWorkbench({
    settings: options.settings,
    launcher,
    environment: definedOnly(options.environment),
    progress: options.progress,
    watchers: [...observation.watchers, ...(options.watchers ?? [])],
    ...defined({ backends: options.backends }),
    limiterQueue: options.limiterQueue ?? options.taskQueue,
  });
}

/** Whatever it is given meanwhile goes back to the queue. */
async function disposed(worker: Worker, gate: TurnGate): Promise<void> {
  gate.giveBack();
  await dispose(worker);
}

/** Removes what killed workers have kept for reports that the server has by now. */
async function tidy(raymondDir: string, client: Client): Promise<void> {
  const arrived = (reporter: Reporter): Promise<boolean> => hasArrived(client, reporter);
  await removeArrived(raymondDir, arrived);
  await removeChainFiles(raymondDir, arrived);
}

/** What was spent here for agents that are elsewhere by now is told when their runs can be reached again. */
function bookNowAndThen(options: BookingOptions): NodeJS.Timeout {
  const book = (): void => void bookAbandoned(options).catch(() => undefined); // not now: tried again
  book();
  return setInterval(book, BOOK_EVERY_MS).unref();
}

async function drain(
  workers: readonly Worker[],
  { finished, gate }: { readonly finished: Promise<void>; readonly gate: TurnGate },
): Promise<void> {
  shutDown(workers);
  gate.giveBack();
  await finished;
}

async function abandon(
  launcher: Launcher,
  { debug, receipts, observation }: Workbench & { readonly observation: Observation },
): Promise<void> {
  await launcher.close();
  await receipts.settle();
  await debug.flush();
  await observation.close();
}

interface Confirming {
  readonly readiness: () => 'ready' | 'disconnected';
  readonly stop: () => void;
}

/** The launcher ends all turns when this stops: then the server has given them to somebody else (invariant I2). */
function confirmWhileConnected(connection: NativeConnection, launcher: Launcher): Confirming {
  let confirmedAt = performance.now();
  const timer = setInterval(() => {
    connection.workflowService.getSystemInfo({}).then(
      () => {
        confirmedAt = performance.now();
        launcher.confirm();
      },
      () => undefined, // not confirmed: the launcher draws the consequence
    );
  }, CONFIRM_EVERY_MS).unref();
  return {
    readiness: () => (performance.now() - confirmedAt < CONFIRM_TIMEOUT_MS ? 'ready' : 'disconnected'),
    stop: () => clearInterval(timer),
  };
}

function definedOnly(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
