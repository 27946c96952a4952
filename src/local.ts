// The embedded mode: the project's own server, and one process that serves a run, by a lock.
import { readdir, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProgressSink } from './activities/types.js';
import type { WorkbenchSettings } from './activities/settings.js';
import type { Link } from './client/connect.js';
import { ClientError } from './client/error.js';
import type { ClusterTarget } from './client/target.js';
import { makePrivateFolder } from './host/files.js';
import { acquireLock, readLockOwner, type LockResult } from './host/lock.js';
import { makeRaymondDir } from './project.js';
import { fileNameOfRun, runOfFileName } from './protocol/ids.js';
import { defined } from './protocol/text.js';
import { ensureServer, serverStatus, type EnsureOptions } from './server/index.js';
import type { TelemetryOptions } from './telemetry/observe.js';
import type { RaymondWorker } from './worker/index.js';

/** The task queue of a local run: its own, so that exactly one process serves it. */
export function localQueue(runId: string): string {
  return `raymond-${runId}`;
}

/** The task queue of all local runs that `raymond serve` starts; no run's queue is called so. */
export const SERVE_QUEUE = 'raymond_serve';

/** Where the limits of all local runs of a project are kept; no run's queue is called so. */
const LOCAL_LIMITS = 'raymond_limits';

/** How to reach the project's server, which is started if it does not run. */
export async function localTarget(
  options: EnsureOptions,
): Promise<{ readonly target: ClusterTarget; readonly uiUrl: string }> {
  const { address, uiUrl } = await ensureServer(options);
  return { target: { address, namespace: 'default', options: { address } }, uiUrl };
}

/** The right to serve a run, until it is released. */
type RunLock = Extract<LockResult, { readonly kind: 'acquired' }>;

/** Takes the lock of a run. Throws `RunServed` naming the process that has it. */
export async function claimRun(raymondDir: string, runId: string): Promise<RunLock> {
  await makeRaymondDir(raymondDir);
  const path = lockPath(raymondDir, runId);
  await makePrivateFolder(dirname(path));
  const lock = await acquireLock(path);
  if (lock.kind === 'acquired') return lock;
  throw new ClientError(
    'RunServed',
    `the run ${runId} is being served by process ${lock.owner.pid}; watch it with "raymond status ${runId}"`,
  );
}

/** True while a process serves the run. */
export function isServed(raymondDir: string, runId: string): boolean {
  return executorOf(raymondDir, runId) !== undefined;
}

/** The process that executes a run; undefined when none does. */
export function executorOf(raymondDir: string, runId: string): number | undefined {
  return readLockOwner(lockPath(raymondDir, runId))?.pid;
}

/** The runs that living processes serve. */
export async function servedRuns(
  raymondDir: string,
): Promise<readonly { readonly runId: string; readonly pid: number }[]> {
  const names = await readdir(join(raymondDir, 'runs')).catch(() => []); // no folder: nothing was ever served
  return names.flatMap((name) => {
    const [, stem] = /^(.+)\.lock$/.exec(name) ?? [];
    const runId = stem === undefined ? undefined : runOfFileName(stem);
    const owner = runId === undefined ? undefined : readLockOwner(lockPath(raymondDir, runId));
    return runId === undefined || owner === undefined ? [] : [{ runId, pid: owner.pid }];
  });
}

/** A server with less than this writes nothing more. */
const FULL_BYTES = 1 << 20;

/** What keeps the project's server from its work; undefined when nothing is known to. */
export async function serverLoss(raymondDir: string): Promise<string | undefined> {
  const status = await serverStatus({ raymondDir });
  const { bavail, bsize } = await statfs(join(raymondDir, 'temporal'));
  const full = bavail * bsize < FULL_BYTES;
  if (status.kind === 'running' && !full) return undefined;
  const why = full ? ': the disk is full' : '';
  const log = status.kind === 'stopped' ? '' : ` (its log: ${status.server.logFile})`;
  return `the Temporal server of this project ${LOSSES[status.kind]}${why}${log}`;
}

const LOSSES = {
  running: 'cannot go on',
  stopped: 'was stopped',
  gone: 'has ended',
  unresponsive: 'does not answer',
} as const;

/** Serves a task queue of local runs: that of one run whose lock this process has, or the one of `raymond serve`. */
export async function serveQueue({
  link,
  taskQueue,
  settings,
  environment,
  progress,
  telemetry,
}: {
  readonly link: Link;
  readonly taskQueue: string;
  readonly settings: WorkbenchSettings;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: ProgressSink;
  /** Absent = monitoring is told nothing. */
  readonly telemetry?: TelemetryOptions;
}): Promise<RaymondWorker> {
  const { startWorker } = await import('./worker/index.js');
  return await startWorker({
    connection: link.connection,
    namespace: link.namespace,
    dataConverter: link.dataConverter,
    taskQueue,
    limiterQueue: LOCAL_LIMITS,
    settings: { ...settings, chains: settings.chains === 'none' ? 'none' : 'file' },
    environment,
    progress,
    ...defined({ telemetry }),
    drainMs: 10 * 60_000,
    stickyMs: 2000,
    maxCachedWorkflows: 150,
  });
}

function lockPath(raymondDir: string, runId: string): string {
  return join(raymondDir, 'runs', `${fileNameOfRun(runId)}.lock`);
}
