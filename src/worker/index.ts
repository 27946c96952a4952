// A Raymond worker: the shipped workflow bundle and the activities, polling one task queue. It does
// not depend on a single run.
import { Client } from '@temporalio/client';
import type { DataConverter } from '@temporalio/common';
import type { NativeConnection, Worker } from '@temporalio/worker';
import { reportSpending, type SpendingReportOptions } from '../activities/spending/unreported.js';
import { removeArrived } from '../activities/spending/spending.js';
import { removeChainFiles } from '../activities/turn/chain-log.js';
import { createActivities } from '../activities/index.js';
import type { ProgressSink } from '../contract/turns.js';
import { hasArrived, type Reporter } from '../activities/attempt/receipts.js';
import type { WorkerContextSettings } from '../activities/settings.js';
import type { TurnWatcher } from '../activities/watch.js';
import { createWorkerContext, type WorkerContext } from '../activities/worker-context.js';
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
  /**
   * That of the connection; absent = nothing is encrypted, and work from all clients is accepted.
   */
  readonly dataConverter?: DataConverter;
  /** The limiter's task queue; absent = the worker's own. */
  readonly limiterQueue?: string;
  readonly settings: WorkerContextSettings;
  readonly progress: ProgressSink;
  /** The backends; absent = those that runs and states name. */
  readonly backends?: Backends;
  /** Observers of turns besides metrics and traces. */
  readonly watchers?: readonly TurnWatcher[];
  readonly telemetry?: TelemetryOptions;
  /** Must be done before it polls, while it starts. */
  readonly beforePolling?: Promise<void>;
}

/** A worker that polls as long as `finished` is pending. */
export interface RaymondWorker {
  /** What it calls itself towards Temporal. */
  readonly identity: string;
  /** Resolves after a drain; rejects when the worker failed. */
  readonly finished: Promise<void>;
  readiness(): Readiness;
  /**
   * Starts no new turns; resolves with the turns that were held back when the running ones have
   * ended. Their results are processed until `drain`.
   */
  finishTurns(): Promise<HeldTurns>;
  /** Starts no new turns; resolves when the running ones have ended or their time is over. */
  drain(): Promise<void>;
  /** Ends everything now; running turns are lost and run again on another worker. */
  abandon(): Promise<void>;
}

const CONFIRM_EVERY_MS = 2000;
const BOOK_EVERY_MS = 30_000;

/** Open parts: closed in reverse order after an error. */
class Closings {
  private readonly open: (() => Promise<void>)[] = [];

  /** Adds a function that closes a part. */
  add(close: () => Promise<void>): void {
    this.open.push(close);
  }

  /**
   * Closes everything, the last part first. A part that cannot be closed does not keep the others
   * open.
   */
  async closeAll(): Promise<void> {
    for (const close of this.open.splice(0).reverse()) await close().catch(() => undefined); // the failure before it counts
  }
}

/**
 * Starts a worker; resolves when it polls. If it cannot start, the parts that were started are
 * closed.
 */
export async function startWorker(options: RaymondWorkerOptions): Promise<RaymondWorker> {
  const closings = new Closings();
  try {
    return await beginWorker(options, closings);
  } catch (error) {
    await closings.closeAll();
    throw error;
  }
}

/** Starts the parts; each is in `closings` as soon as it exists. */
async function beginWorker(options: RaymondWorkerOptions, closings: Closings): Promise<RaymondWorker> {
  const observation = await observe(options.taskQueue, options.telemetry);
  closings.add(() => observation.close());
  const launcher = Launcher.start({ onRestart: () => observation.launcherRestarted() });
  closings.add(() => launcher.close());
  // Forked now, while this process is small and waits for the worker.
  launcher.warm();
  const workerContext = workerContextOf(options, { launcher, observation });
  const gate = new TurnGate([workerContext.prompts, workerContext.scripts]);
  const dataConverter = options.dataConverter ?? converterOf({ keys: NO_KEYS, store: workerContext.artifacts });
  const activities = gate.guard(createActivities(workerContext));
  const created = (worker: Worker): void => closings.add(() => disposed(worker, gate));
  const { workers, identity } = await createWorkers(options, {
    activities,
    dataConverter,
    chains: workerContext.chains,
    created,
  });
  const client = new Client({ connection: options.connection, namespace: options.namespace, dataConverter });
  const limiting = await beginLimiting(options, { client, workerContext, dataConverter });
  if (limiting !== undefined) closings.add(() => limiting.close());
  observation.watch({ workerContext, client });
  const { host, raymondDir } = options.settings;
  const reporting =
    host === undefined
      ? undefined
      : reportSpendingRegularly({ ...workerContext, pricing: workerContext.backends, client, raymondDir });
  void tidy(raymondDir, client).catch(() => undefined); // the next start tries again
  await options.beforePolling;
  const confirming = confirmWhileConnected(options.connection, launcher);
  const finished = runAll(workers).finally(async () => {
    confirming.stop();
    clearInterval(reporting);
    await limiting?.close();
    await launcher.close();
    await workerContext.receipts.settle();
    await workerContext.debug.flush();
    await observation.close();
  });
  return {
    identity,
    finished,
    readiness: () => (workers.every((one) => one.getState() === 'RUNNING') ? confirming.readiness() : 'draining'),
    finishTurns: () => gate.close(),
    drain: () => drain(workers, { finished, gate }),
    abandon: () => abandon(launcher, { ...workerContext, observation }),
  };
}

function workerContextOf(
  options: RaymondWorkerOptions,
  { launcher, observation }: { readonly launcher: Launcher; readonly observation: Observation },
): WorkerContext {
  return createWorkerContext({
    settings: options.settings,
    launcher,
    environment: definedOnly(options.environment),
    progress: options.progress,
    watchers: [...observation.watchers, ...(options.watchers ?? [])],
    ...defined({ backends: options.backends }),
    limiterQueue: options.limiterQueue ?? options.taskQueue,
  });
}

/** Tasks that it receives in the meantime go back to the queue. */
async function disposed(worker: Worker, gate: TurnGate): Promise<void> {
  gate.giveBack();
  await dispose(worker);
}

/** Removes journals and logs of killed workers whose reports the server has. */
async function tidy(raymondDir: string, client: Client): Promise<void> {
  const arrived = (reporter: Reporter): Promise<boolean> => hasArrived(client, reporter);
  await removeArrived(raymondDir, arrived);
  await removeChainFiles(raymondDir, arrived);
}

/**
 * Reports the spending here for agents that have moved to other hosts, when their runs can be
 * reached again.
 */
function reportSpendingRegularly(options: SpendingReportOptions): NodeJS.Timeout {
  const report = (): void => void reportSpending(options).catch(() => undefined); // not now: tried again
  report();
  return setInterval(report, BOOK_EVERY_MS).unref();
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
  { debug, receipts, observation }: WorkerContext & { readonly observation: Observation },
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

/**
 * Without confirmations the launcher ends all turns, because the server has given them to other
 * workers (invariant I2).
 */
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
