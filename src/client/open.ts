// Opens Raymond for a program or the command line: the project around a folder, its artifact store, its keys, and a
// connection to its Temporal, the embedded server or a cluster.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { MetricsExporterConfig } from '@temporalio/worker';
import { NO_KEYS, readKeys, type Keyring } from '../codec/keys.js';
import { projectSecret, type Secret } from '../codec/secret.js';
import type { ConverterOptions } from '../codec/converter.js';
import { exists } from '../host/files.js';
import { processContext, packageFacts } from '../host/self.js';
import {
  environmentFile,
  saveEnvironment,
  scheduleEnvironmentFile,
  withEnvironment,
  type CallerProcess,
} from '../activities/environment/run-environment.js';
import { ensureEngine } from '../engine/ensure.js';
import { enginePid } from '../engine/record.js';
import { localQueue, localTarget } from './project/local.js';
import { configVersion, findProject, makeRaymondDir, type Project } from './project/project.js';
import { serverStatus } from '../server/index.js';
import { defined } from '../protocol/text.js';
import { openStore, type BucketSettings } from '../store/open.js';
import type { ArtifactStore, ProbedStore } from '../store/store.js';
import type { ClientLink, Link } from './connect.js';
import { ClientError } from './error.js';
import { noteProject } from './look/deleted.js';
import { clusterTarget, type ClusterTarget } from './target.js';

/** The caller: paths are relative to its folder, and what is started gets its environment. */
export interface Caller extends CallerProcess {
  readonly cwd: string;
}

/**
 * Which Temporal to use: with an address (here, in the environment, a Temporal profile or the config) a cluster, else
 * the embedded server.
 */
export interface ClusterChoice {
  /** `host:port` of a cluster. */
  readonly address?: string;
  readonly namespace?: string;
  /** A profile of Temporal's own client configuration. */
  readonly profile?: string;
  readonly apiKey?: string;
  readonly tls?: boolean;
  /** The queue of the fleet that executes the runs; absent = the config's, else `raymond`. */
  readonly taskQueue?: string;
}

/** What executes runs: the engine of the project, or the workers that poll a queue of a cluster. */
export interface Mode {
  readonly kind: 'local' | 'cluster';
  /** The queue of new runs, and of runs that are started again. */
  readonly taskQueue: string;
}

/** The engine of a project. On a cluster workers do its work, and these functions do nothing. */
export interface EngineAccess {
  /**
   * Starts an engine with the installed version if necessary; resolves when it executes the project's runs.
   * With `now` it has the installed version already. Throws `EngineError`.
   */
  readonly ensure: (version?: 'now') => Promise<void>;
  /** Starts a run by `start`, in the environment of the caller, and makes sure that it is executed. */
  readonly begin: (runId: string, start: () => Promise<void>) => Promise<void>;
  /** Creates a schedule by `create`, whose runs get the environment of the caller. */
  readonly schedule: (name: string, create: () => Promise<void>) => Promise<void>;
  /** Sends an order to a run. From now on its turns get the environment of the caller, such as a renewed login. */
  readonly carryOut: <T>(runId: string, order: () => Promise<T>) => Promise<T>;
}

/** Where no engine is needed: on a cluster, and within the engine itself. */
export const NO_ENGINE: EngineAccess = {
  ensure: () => Promise.resolve(),
  begin: (_runId, start) => start(),
  schedule: (_name, create) => create(),
  carryOut: (_runId, order) => order(),
};

/** An open project, the first argument of every operation on runs. `close` ends the connection. */
export interface Raymond {
  readonly caller: Caller;
  readonly project: Project;
  readonly link: ClientLink;
  readonly artifacts: ArtifactStore;
  readonly mode: Mode;
  readonly engine: EngineAccess;
  /** Base address of the Web UI, when it is known. */
  readonly uiUrl?: string;
  /** The log of the embedded server. */
  readonly serverLog?: string;
  /** True when the embedded server did not run before. */
  readonly startedServer?: boolean;
  close(): Promise<void>;
}

/** Where to begin, and which Temporal. */
export interface ConnectOptions extends ClusterChoice {
  /** A folder of the project, which paths are relative to; absent = the working directory of this process. */
  readonly projectDir?: string;
  /** Absent = that of this process. */
  readonly env?: NodeJS.ProcessEnv;
  /** Receives the progress of a server that is downloaded or started, and warnings; absent = they are dropped. */
  readonly report?: (line: string) => void;
}

/**
 * Opens the project of a folder and connects to its Temporal; the embedded server is started if it does not run.
 * Throws `ClientError` with the code `Unreachable` or `InvalidUsage`, and `ServerError` when no embedded server can be started.
 */
export async function connect({
  projectDir,
  env = processContext().env,
  report = () => undefined,
  ...choice
}: ConnectOptions = {}): Promise<Raymond> {
  const own = processContext();
  const cwd = projectDir === undefined ? own.cwd : resolve(own.cwd, projectDir);
  const project = await findProject(cwd);
  return await openToSteer(project, { caller: { cwd, env }, choice, report });
}

/** The same for a project that is already known. */
export async function openToSteer(project: Project, options: OpenOptions): Promise<Raymond> {
  const { caller, choice } = options;
  if (clusterOf(project, { choice, env: caller.env }) !== undefined) return await openToServe(project, options);
  await makeRaymondDir(project.raymondDir);
  return await opened(project, options, linkLightly);
}

/** How to open a project. */
export interface OpenOptions {
  readonly caller: Caller;
  readonly choice: ClusterChoice;
  readonly report: (line: string) => void;
  /** The store, when it is not the project's own. */
  readonly artifacts?: ArtifactStore;
  /** Where the SDK's metrics are served. */
  readonly metrics?: MetricsExporterConfig;
}

/** The same with a connection on which a worker can poll, too. */
export async function openToServe(project: Project, options: OpenOptions): Promise<Raymond & { readonly link: Link }> {
  const { caller, choice, report, metrics } = options;
  if (clusterOf(project, { choice, env: caller.env }) === undefined) await makeRaymondDir(project.raymondDir);
  return await opened(project, options, async (target, values) => {
    const { connect: link, installRuntime } = await import('./connect.js');
    const log = ({ level, message }: { readonly level: string; readonly message: string }): void => {
      if (level === 'ERROR') report(`temporal: ${message}`);
    };
    const restoreRuntime = await installRuntime(log, metrics);
    try {
      const made = await link(target, values);
      return { ...made, close: () => made.close().finally(restoreRuntime) };
    } catch (error) {
      restoreRuntime();
      throw error;
    }
  });
}

/** The same for read-only commands: faster, and starts nothing that was stopped. Throws `Unreachable`. */
export async function openToAsk(project: Project, options: OpenOptions): Promise<Raymond> {
  const { caller, choice } = options;
  if (clusterOf(project, { choice, env: caller.env }) !== undefined) return await openToServe(project, options);
  if ((await serverStatus(project)).kind === 'stopped') {
    const what = `the Temporal server of the project ${project.root} is stopped, and only it has the runs`;
    throw new ClientError('Unreachable', `${what}; start it with: raymond up`);
  }
  return await opened(project, options, linkLightly);
}

async function linkLightly(target: ClusterTarget, values: ConverterOptions): Promise<ClientLink> {
  const { connectClient } = await import('./connect.js');
  return await connectClient(target, values);
}

/** `connect` loads the SDK only when it is called: mistakes in the call and a missing server are reported first. */
async function opened<L extends ClientLink>(
  project: Project,
  { caller, choice, report, artifacts = storeOf(project, caller.env) }: OpenOptions,
  connectTo: (target: ClusterTarget, values: ConverterOptions) => Promise<L>,
): Promise<Raymond & { readonly link: L }> {
  const { raymondDir } = project;
  const values = { keys: await keysOf(project), store: artifacts, log: report };
  const raymondOn = (link: L, mode: Mode): Omit<Raymond, 'engine'> & { readonly link: L } => {
    noteProject(link.client, raymondDir);
    return { caller, project, link, artifacts, mode, close: () => link.close() };
  };
  const cluster = clusterOf(project, { choice, env: caller.env });
  if (cluster !== undefined) {
    const mode = { kind: 'cluster', taskQueue: taskQueueOf(project, choice) } as const;
    return { ...raymondOn(await connectTo(cluster, values), mode), engine: NO_ENGINE };
  }
  const local = await localTarget({ raymondDir, report, ...temporalCliOf(project) });
  const { target, uiUrl, startedServer } = local;
  await noteLostDatabase(local, { project, env: caller.env, artifacts, report });
  // The embedded server accepts every local client: only signed messages take effect there.
  const secret: Secret = await projectSecret(raymondDir);
  const mode = { kind: 'local', taskQueue: localQueue(secret) } as const;
  return {
    ...raymondOn(await connectTo(target, { ...values, secret }), mode),
    uiUrl,
    serverLog: local.logFile,
    startedServer,
    engine: engineOf(project, { caller, report }),
  };
}

/** The database, and who is notified when it is lost. */
interface DatabaseWatch {
  readonly project: Project;
  readonly env: NodeJS.ProcessEnv;
  readonly artifacts?: ArtifactStore;
  readonly report: (line: string) => void;
}

/** Reports when the database of the server is gone, and what that means for its runs. */
export async function noteLostDatabase(
  server: { readonly isFirst: boolean; readonly database: string },
  { project, env, report, artifacts = storeOf(project, env) }: DatabaseWatch,
): Promise<void> {
  if (!server.isFirst && (await exists(server.database))) return;
  const { lostDatabase } = await import('./look/recorded-runs.js');
  const { raymondDir } = project;
  // A store that does not answer must not stop the server.
  const line = await lostDatabase(server, { raymondDir, artifacts }).catch(() => undefined);
  if (line !== undefined) report(line);
}

/** The engine of a project; with `starts: false` the caller itself makes sure that there is one. */
export function engineOf({ root, raymondDir }: Project, { caller, report, starts = true }: EngineCaller): EngineAccess {
  const { env } = caller;
  const ensure = async (when?: 'now'): Promise<void> => {
    const [{ version }, config] = [packageFacts(), await configVersion(root)];
    await ensureEngine({ root, raymondDir, env, report, version, config, replacesLater: when === undefined });
  };
  const ensured = starts ? ensure : NO_ENGINE.ensure;
  // First, because it may have to read its config again; and again at the end, because an idle one may just have ended.
  const within = async <T>(work: () => Promise<T>, version?: 'now'): Promise<T> => {
    await ensured(version);
    const done = await work();
    await ensured(version);
    return done;
  };
  const started = (path: string, start: () => Promise<void>): Promise<void> =>
    within(() => withEnvironment({ path, caller }, start), 'now');
  return {
    ensure: ensured,
    begin: (runId, start) => started(environmentFile(raymondDir, runId), start),
    schedule: (name, create) => started(scheduleEnvironmentFile(raymondDir, name), create),
    carryOut: (runId, order) =>
      within(async () => {
        await saveEnvironment(environmentFile(raymondDir, runId), caller);
        return await order();
      }),
  };
}

interface EngineCaller {
  readonly caller: CallerProcess;
  readonly report: (line: string) => void;
  readonly starts?: boolean;
}

/** The cluster from the arguments, environment, profile or config; undefined = the embedded server is used. */
export function clusterOf(
  { config }: Project,
  { choice, env }: { readonly choice: ClusterChoice; readonly env: NodeJS.ProcessEnv },
): ClusterTarget | undefined {
  return clusterTarget({ ...choice, fallback: config }, env);
}

/** True when this project never had an embedded server and no cluster is named: then it has no runs. */
export async function hasNoRuns(
  project: Project,
  where: { readonly choice: ClusterChoice; readonly env: NodeJS.ProcessEnv },
): Promise<boolean> {
  if (clusterOf(project, where) !== undefined) return false;
  return (await stat(join(project.raymondDir, 'temporal')).catch(() => undefined)) === undefined;
}

/** The default queue of a fleet. */
const FLEET_QUEUE = 'raymond';

/** The queue that a fleet's workers poll. */
export function taskQueueOf({ config }: Project, { taskQueue }: ClusterChoice): string {
  return taskQueue ?? config.task_queue ?? FLEET_QUEUE;
}

/** The queue of a run that is started again: on a cluster the one that was given. */
export function queueOf({ mode }: Pick<Raymond, 'mode'>, named: string): string {
  return mode.kind === 'cluster' ? named : mode.taskQueue;
}

/** True when a process executes work now: workers of the cluster, or the project's engine. */
export function isExecuted({ mode, project }: Pick<Raymond, 'mode' | 'project'>): boolean {
  return mode.kind === 'cluster' || enginePid(project.raymondDir) !== undefined;
}

/** The Temporal CLI that the config names. */
export function temporalCliOf({ root, config }: Project): { readonly cli?: string } {
  return config.temporal_cli === undefined ? {} : { cli: resolve(root, config.temporal_cli) };
}

/** The keys that the config names. Throws `KeyError`. */
export async function keysOf({ root, config }: Project): Promise<Keyring> {
  return config.encryption_keys === undefined ? NO_KEYS : await readKeys(resolve(root, config.encryption_keys));
}

/** The store of large values, conversations and pinned packages. */
export function artifactDirOf({ root, raymondDir, config }: Project): string {
  return config.artifact_dir === undefined ? join(raymondDir, 'artifacts') : resolve(root, config.artifact_dir);
}

/** The bucket that the config names. */
export function bucketOf({ root, config }: Project): BucketSettings | undefined {
  if (config.artifact_store === undefined) return undefined;
  return {
    address: config.artifact_store,
    cwd: root,
    cacheBytes: (config.artifact_cache ?? CACHE_GIB) * 1024 ** 3,
    ...defined({
      endpoint: config.s3_endpoint,
      region: config.s3_region,
      pathStyle: config.s3_path_style,
      credentials: config.s3_credentials,
    }),
  };
}

const CACHE_GIB = 5;

/** The project's artifact store; `env` has the keys of a bucket. */
export function storeOf(project: Project, env: NodeJS.ProcessEnv): ProbedStore {
  return openStore({ dir: artifactDirOf(project), ...defined({ bucket: bucketOf(project) }) }, env);
}

/** The address of a run in the Web UI; undefined when it is unknown. */
export function uiAddress(
  { uiUrl, link: { namespace } }: Pick<Raymond, 'uiUrl' | 'link'>,
  runId: string,
): string | undefined {
  if (uiUrl === undefined) return undefined;
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(runId)}`;
}
