// The embedded mode: the project's own server, and one process that serves a run, by a lock.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ProgressSink } from './activities/types.js';
import type { WorkbenchSettings } from './activities/workbench.js';
import { connect, type Link } from './client/connect.js';
import { ClientError } from './client/error.js';
import type { Keyring } from './codec/keys.js';
import { acquireLock, readLockOwner, type LockResult } from './host/lock.js';
import { ensureServer, type ServerInfo } from './server/index.js';
import { startWorker, type RaymondWorker } from './worker.js';

/** A running local server and a connection to it. */
interface LocalServer {
  readonly link: Link;
  readonly server: ServerInfo;
}

/** The task queue of a local run: its own, so that exactly one process serves it. */
export function localQueue(runId: string): string {
  return `raymond-${runId}`;
}

/** Starts or finds the project's server and connects to it. */
export async function openLocal({
  raymondDir,
  keys,
  cli,
  report,
}: {
  readonly raymondDir: string;
  readonly keys: Keyring;
  readonly cli?: string;
  readonly report: (line: string) => void;
}): Promise<LocalServer> {
  const server = await ensureServer({ raymondDir, report, ...(cli === undefined ? {} : { cli }) });
  const { address } = server;
  return { server, link: await connect({ address, namespace: 'default', options: { address } }, keys) };
}

/** The right to serve a run, until it is released. */
type RunLock = Extract<LockResult, { readonly kind: 'acquired' }>;

/** Takes the lock of a run. Throws `RunServed` naming the process that has it. */
export async function claimRun(raymondDir: string, runId: string): Promise<RunLock> {
  await mkdir(join(raymondDir, 'runs'), { recursive: true, mode: 0o700 });
  const lock = await acquireLock(lockPath(raymondDir, runId));
  if (lock.kind === 'acquired') return lock;
  throw new ClientError(
    'RunServed',
    `the run ${runId} is being served by process ${lock.owner.pid}; watch it with "raymond status ${runId}"`,
  );
}

/** True while a process serves the run. */
export function isServed(raymondDir: string, runId: string): boolean {
  return readLockOwner(lockPath(raymondDir, runId)) !== undefined;
}

/** Serves a run whose lock this process has. */
export async function serveRun({
  link,
  runId,
  settings,
  environment,
  progress,
}: {
  readonly link: Link;
  readonly runId: string;
  readonly settings: WorkbenchSettings;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: ProgressSink;
}): Promise<RaymondWorker> {
  return await startWorker({
    connection: link.connection,
    namespace: link.namespace,
    dataConverter: link.dataConverter,
    taskQueue: localQueue(runId),
    settings,
    environment,
    progress,
    drainMs: 10 * 60_000,
    stickyMs: 2000,
    maxCachedWorkflows: 150,
  });
}

function lockPath(raymondDir: string, runId: string): string {
  return join(raymondDir, 'runs', `${runId}.lock`);
}
