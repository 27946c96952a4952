// `raymond fleet worker`: polls the task queue of a fleet until it is stopped; its log is JSON on stderr.
import { hostname } from 'node:os';
import { pino } from 'pino';
import { ClientError } from '../../client/error.js';
import { clusterOf, taskQueueOf } from '../../client/open.js';
import { announceEnd } from '../../client/fleet/pollers.js';
import { ownHost } from '../../client/fleet/host-name.js';
import { workerVersion } from '../../client/fleet/rollout.js';
import { Caretaker } from '../../client/steer/caretaker.js';
import { findProject, makeRaymondDir } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import { startWorker, type RaymondWorker } from '../../worker/index.js';
import type { ConnectionFlags, TelemetryFlags } from '../flags.js';
import { contextToServe, settingsOf } from '../context.js';
import { EXIT } from '../exit.js';
import { hearSignals, type Io } from '../io.js';
import { serveHealth } from '../../telemetry/health.js';
import { freeHostPort, servedTelemetry, workerTelemetry } from '../telemetry.js';

/** Flags of `worker`. */
export interface WorkerFlags extends ConnectionFlags, TelemetryFlags {
  readonly maxPrompts?: number;
  readonly maxScripts?: number;
  readonly drain?: number;
  readonly maxCachedWorkflows?: number;
  readonly host?: string;
  readonly health?: string;
  readonly deployment?: string;
  readonly buildId?: string;
}

const DRAIN_SECONDS = 600;
const NO_CLUSTER =
  'a worker needs a cluster: give --address, a Temporal profile, or address in the config; for local runs, start the engine: raymond up';

/** Polls until SIGTERM or SIGINT, then drains; a second signal ends it at once. Returns the exit code. */
export async function worker(io: Io, flags: WorkerFlags): Promise<number> {
  const project = await findProject(io.cwd);
  if (clusterOf(project, { choice: flags, env: io.env }) === undefined)
    throw new ClientError('InvalidUsage', NO_CLUSTER);
  const taskQueue = taskQueueOf(project, flags);
  const host = flags.host ?? hostname();
  const log = pino({ name: 'raymond', base: { host, pid: process.pid, queue: taskQueue } }, io.stderr);
  const version = workerVersion(flags);
  const report = (line: string): void => log.warn(line);
  const health = await openHealth(io, flags.health ?? project.config.health);
  const telemetry = await workerTelemetry(project, { io, flags });
  const { link } = await contextToServe(project, { io, flags, report, telemetry });
  await makeRaymondDir(project.raymondDir);
  const served = await ownHost(link, { name: host, taskQueue, raymondDir: project.raymondDir });
  const settings = settingsOf(project);
  const serving = await startWorker({
    connection: link.connection,
    namespace: link.namespace,
    dataConverter: link.dataConverter,
    taskQueue,
    settings: {
      ...settings,
      maxPrompts: flags.maxPrompts ?? settings.maxPrompts,
      maxScripts: flags.maxScripts ?? settings.maxScripts,
      host: served,
    },
    environment: io.env,
    progress: ({ kind, ...event }) => {
      if (kind !== 'said') log.info(event, kind);
    },
    drainMs: (flags.drain ?? project.config.drain ?? DRAIN_SECONDS) * 1000,
    stickyMs: 5000,
    maxCachedWorkflows: flags.maxCachedWorkflows ?? 150,
    telemetry: servedTelemetry(telemetry, report),
    ...defined({ version }),
  });
  health.worker = serving;
  const caretaker = new Caretaker({ client: link.client, taskQueue, report });
  log.info({ address: link.address, namespace: link.namespace, taskQueue, ...version }, 'polling');
  const stop = (): void => {
    log.info('draining');
    // `finished` reports errors.
    serving.drain().catch(() => undefined);
  };
  const interruption = hearSignals(io, { names: ['SIGTERM', 'SIGINT'], onSignal: stop });
  try {
    const end = await Promise.race([
      serving.finished.then(() => 'stopped' as const),
      interruption.insisted.then(() => 'insisted' as const),
    ]);
    if (end === 'insisted') return await leaveNow(io, serving);
    await announceEnd(link.client, { taskQueue, identity: serving.identity });
    log.info('stopped');
    return EXIT.completed;
  } finally {
    interruption.off();
    await caretaker.close();
  }
}

/** The worker whose health is shown; absent = there is none yet. */
interface Health {
  worker?: RaymondWorker;
}

/** Serves the worker's health from now on, if requested. Throws `InvalidUsage`, `Unreachable`. */
async function openHealth(io: Io, address: string | undefined): Promise<Health> {
  const health: Health = {};
  if (address === undefined) return health;
  const page = await serveHealth(await freeHostPort('health', address), () => health.worker?.readiness() ?? 'starting');
  io.atEnd(() => page.close());
  return health;
}

async function leaveNow(io: Io, serving: RaymondWorker): Promise<number> {
  io.hurry();
  await serving.abandon();
  return EXIT.interrupted;
}
