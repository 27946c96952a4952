// The embedded mode: the project's own server, and the one worker that executes the project's local runs.
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../host/sha256.js';
import type { ProgressSink } from '../../contract/turns.js';
import type { WorkerContextSettings } from '../../activities/settings.js';
import type { Link } from '../connect.js';
import type { ClusterTarget } from '../target.js';
import type { Secret } from '../../codec/secret.js';
import { ensureServer, serverStatus, type EnsuredServer, type EnsureOptions } from '../../server/index.js';
import type { TelemetryOptions } from '../../telemetry/observe.js';
import type { RaymondWorker } from '../../worker/index.js';

/**
 * The task queue of all local runs of a project. Its name is different for projects that share a server, and stays when
 * a project is moved.
 */
export function localQueue({ bytes }: Secret): string {
  return `raymond-local-${sha256Of(bytes).slice(0, 16)}`;
}

/** The project's server: how to reach it, and the messages of its start. */
export interface LocalTarget extends Pick<EnsuredServer, 'uiUrl' | 'database' | 'logFile' | 'isFirst'> {
  readonly target: ClusterTarget;
  readonly startedServer: boolean;
}

/** How to reach the project's server; starts it if it does not run. */
export async function localTarget(options: EnsureOptions): Promise<LocalTarget> {
  const { address, started: startedServer, ...server } = await ensureServer(options);
  const target = { address, namespace: 'default', options: { address } };
  return { ...server, target, startedServer };
}

/** With less free space, a server can no longer write. */
const FULL_BYTES = 1 << 20;

/** Why the project's server does not work; undefined when no reason is known. */
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
  running: 'cannot continue',
  stopped: 'was stopped',
  gone: 'has ended',
  unresponsive: 'does not answer',
} as const;

/** What the worker of a project's local runs needs. */
interface LocalWorkerOptions {
  readonly link: Link;
  readonly taskQueue: string;
  readonly settings: WorkerContextSettings;
  readonly environment: NodeJS.ProcessEnv;
  readonly progress: ProgressSink;
  /** Absent = no telemetry. */
  readonly telemetry?: TelemetryOptions;
  /** Must be done before it polls, while it starts. */
  readonly beforePolling?: Promise<void>;
}

/** Starts the worker of a project's local runs. */
export async function startLocalWorker({ link, settings, ...options }: LocalWorkerOptions): Promise<RaymondWorker> {
  const { startWorker } = await import('../../worker/index.js');
  return await startWorker({
    connection: link.connection,
    namespace: link.namespace,
    dataConverter: link.dataConverter,
    settings: { ...settings, runEnvironments: true, chains: settings.chains === 'none' ? 'none' : 'file' },
    ...options,
    drainMs: 10 * 60_000,
    stickyMs: 2000,
    maxCachedWorkflows: 150,
  });
}
