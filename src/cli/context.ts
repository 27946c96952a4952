// What a command works in: the project, a connection to the embedded server or to a cluster, and the settings of a worker here.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { LogEntry } from '@temporalio/worker';
import { promptEnvironment } from '../activities/environment.js';
import { DEFAULT_SETTINGS, type WorkbenchSettings } from '../activities/settings.js';
import type { ClientLink, Link } from '../client/connect.js';
import { clusterTarget, type ClusterTarget } from '../client/target.js';
import type { ConverterOptions } from '../codec/converter.js';
import { NO_KEYS, readKeys, type Keyring } from '../codec/keys.js';
import { ClientError, noSuchRun } from '../client/error.js';
import { projectSecret, type Secret } from '../codec/secret.js';
import { findOnPath } from '../host/files.js';
import { localTarget } from '../local.js';
import { findProject, makeRaymondDir, type Project } from '../project.js';
import { serverStatus } from '../server/index.js';
import { FolderStore } from '../store/folder.js';
import { metricsExporter } from '../telemetry/address.js';
import type { ArtifactStore } from '../store/store.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';
import type { Telemetry } from './telemetry.js';

/** A project and a way to Temporal, for commands that serve nothing. */
export interface ClientContext {
  readonly io: Io;
  readonly project: Project;
  readonly link: ClientLink;
  readonly artifacts: ArtifactStore;
  readonly mode: { readonly kind: 'local' } | { readonly kind: 'cluster'; readonly taskQueue: string };
  /** Base address of the Web UI, when it is known. */
  readonly uiUrl?: string;
}

/** One in which a run can be served. */
export interface CommandContext extends ClientContext {
  readonly link: Link;
  /** What the worker in it tells monitoring. */
  readonly telemetry: Telemetry;
}

/** The queue of a fleet that is given no other name. */
const FLEET_QUEUE = 'raymond';

/** The queue that a fleet's workers poll. */
export function taskQueueOf({ config }: Project, { taskQueue }: ConnectionFlags): string {
  return taskQueue ?? config.task_queue ?? FLEET_QUEUE;
}

interface Opening {
  readonly io: Io;
  readonly flags: ConnectionFlags;
  /** Hears of the progress of a server that must be fetched or started. */
  readonly report: (line: string) => void;
  /** The store, when it is not the project's as it is. */
  readonly artifacts?: ArtifactStore;
  /** Absent = this process serves nothing. */
  readonly telemetry?: Telemetry;
}

/** Opens project and connection. */
export async function openContext(
  io: Io,
  flags: ConnectionFlags,
  report: (line: string) => void = io.say,
): Promise<CommandContext> {
  return await contextOf(await findProject(io.cwd), { io, flags, report });
}

/** The same for a question about runs, which is open sooner and brings nothing up that was stopped. Throws `RunNotFound`, `Unreachable`. */
export async function openForQuestion(
  io: Io,
  { flags, runId, ...store }: { readonly flags: ConnectionFlags; readonly runId?: string } & Pick<Opening, 'artifacts'>,
): Promise<ClientContext> {
  const project = await findProject(io.cwd);
  const opening = { io, flags, report: io.say, ...store };
  if (clusterOf(project, { flags, env: io.env }) !== undefined) return await contextOf(project, opening);
  if (runId !== undefined) await refuseWithoutRuns(project, { ...opening, runId });
  if ((await serverStatus(project)).kind === 'stopped') {
    const what = 'the Temporal server of this project is stopped, and only it knows the runs';
    throw new ClientError('Unreachable', `${what}; start it with: raymond server start`);
  }
  return await opened(project, opening, async (target, values) => {
    const { connectClient } = await import('../client/connect.js');
    return await connectClient(target, values);
  });
}

/** Throws `RunNotFound` where there has never been a run. */
export async function refuseWithoutRuns(
  project: Project,
  { io: { env }, flags, runId }: { readonly io: Io; readonly flags: ConnectionFlags; readonly runId: string },
): Promise<void> {
  if (await hasNoRuns(project, { flags, env })) throw noSuchRun(runId);
}

/** What `openContext` gives, for a project that is open already. */
export async function contextOf(project: Project, opening: Opening): Promise<CommandContext> {
  const { io, flags, report, telemetry = {} } = opening;
  if (clusterOf(project, { flags, env: io.env }) === undefined) await makeRaymondDir(project.raymondDir);
  const context = await opened(project, opening, async (target, values) => {
    const { connect, installRuntime } = await import('../client/connect.js');
    const log = ({ level, message }: LogEntry): void => {
      if (level === 'ERROR') report(`temporal: ${message}`);
    };
    const { metrics } = telemetry;
    const silence = await installRuntime(log, metrics === undefined ? undefined : metricsExporter(metrics));
    io.atEnd(() => Promise.resolve(silence()));
    return await connect(target, values);
  });
  return { ...context, telemetry };
}

/** `connect` loads the SDK only when it is called: what is wrong with the command or the server is said before. */
async function opened<L extends ClientLink>(
  project: Project,
  { io, flags, report, artifacts = storeOf(project) }: Opening,
  connect: (target: ClusterTarget, values: ConverterOptions) => Promise<L>,
): Promise<ClientContext & { readonly link: L }> {
  const { raymondDir } = project;
  const values = { keys: await keysOf(project), store: artifacts, log: report };
  const linkTo = async (target: ClusterTarget, secret: { readonly secret?: Secret }): Promise<L> => {
    const link = await connect(target, { ...values, ...secret });
    io.atEnd(() => link.close());
    return link;
  };
  const cluster = clusterOf(project, { flags, env: io.env });
  if (cluster === undefined) {
    const { target, uiUrl } = await localTarget({ raymondDir, report, ...temporalCliOf(project) });
    // The embedded server lets everybody in who reaches it: what counts there is marked.
    const link = await linkTo(target, { secret: await projectSecret(raymondDir) });
    return { io, project, link, artifacts, mode: { kind: 'local' }, uiUrl };
  }
  const mode = { kind: 'cluster', taskQueue: taskQueueOf(project, flags) } as const;
  return { io, project, link: await linkTo(cluster, {}), artifacts, mode };
}

/** The Temporal CLI that the config names. */
export function temporalCliOf({ root, config }: Project): { readonly cli?: string } {
  return config.temporal_cli === undefined ? {} : { cli: resolve(root, config.temporal_cli) };
}

/** The keys that the config names. Throws `KeyError`. */
export async function keysOf({ root, config }: Project): Promise<Keyring> {
  return config.encryption_keys === undefined ? NO_KEYS : await readKeys(resolve(root, config.encryption_keys));
}

/** The cluster that flags, environment, profile or config name; undefined = the embedded server is meant. */
export function clusterOf(
  { config }: Project,
  { flags, env }: { readonly flags: ConnectionFlags; readonly env: NodeJS.ProcessEnv },
): ClusterTarget | undefined {
  return clusterTarget({ ...flags, fallback: config }, env);
}

/** True when this project has never had an embedded server and no cluster is named: then it has no runs. */
export async function hasNoRuns(
  project: Project,
  { flags, env }: { readonly flags: ConnectionFlags; readonly env: NodeJS.ProcessEnv },
): Promise<boolean> {
  if (clusterOf(project, { flags, env }) !== undefined) return false;
  return (await stat(join(project.raymondDir, 'temporal')).catch(() => undefined)) === undefined;
}

/** The project's artifact store. */
export function storeOf(project: Project): ArtifactStore {
  return new FolderStore(artifactDirOf(project));
}

/** Where the project keeps large values, conversations and frozen packages. */
export function artifactDirOf(project: Project): string {
  return settingsOf(project).artifactDir ?? join(project.raymondDir, 'artifacts');
}

/** A worker's settings from the config. */
export function settingsOf({ root, config, raymondDir }: Project): WorkbenchSettings {
  return {
    ...DEFAULT_SETTINGS,
    raymondDir,
    ...(config.artifact_dir === undefined ? {} : { artifactDir: resolve(root, config.artifact_dir) }),
    ...(config.task_folder === undefined ? {} : { taskFolder: config.task_folder }),
    maxPrompts: config.max_prompts ?? DEFAULT_SETTINGS.maxPrompts,
    maxScripts: config.max_scripts ?? DEFAULT_SETTINGS.maxScripts,
    scriptOutputBytes:
      config.script_output === undefined ? DEFAULT_SETTINGS.scriptOutputBytes : config.script_output * 1024 ** 2,
    envPass: config.env_pass ?? DEFAULT_SETTINGS.envPass,
    scriptEnv: config.script_env ?? DEFAULT_SETTINGS.scriptEnv,
    claudeProfile: config.claude_profile ?? DEFAULT_SETTINGS.claudeProfile,
    claudeArgs: config.claude_args ?? DEFAULT_SETTINGS.claudeArgs,
    allowedTools: config.allowed_tools ?? DEFAULT_SETTINGS.allowedTools,
  };
}

/** On a cluster: says so when nobody polls the queue of a run, or the one that runs are started on. */
export async function hintAtWorkers({ io, link, mode }: ClientContext, ofRun?: string): Promise<void> {
  if (mode.kind === 'local') return;
  const taskQueue = ofRun ?? mode.taskQueue;
  const { hasWorkers } = await import('../client/cluster.js');
  if (await hasWorkers(link, taskQueue)) return;
  io.say(
    `no worker polls the task queue "${taskQueue}" yet; runs wait until one does. Start one with: ` +
      `raymond worker --address ${link.address} --namespace ${link.namespace} --task-queue ${taskQueue}`,
  );
}

/** Claude Code on the caller's PATH. */
export function findClaude({ cwd, env }: Pick<Io, 'cwd' | 'env'>): string | undefined {
  const names = process.platform === 'win32' ? ['claude.exe', 'claude.cmd'] : ['claude'];
  return names.map((name) => findOnPath(name, { path: env['PATH'] ?? '', cwd })).find((path) => path !== undefined);
}

/** Says which run it is about, and where the Web UI shows it. */
export function announce({ io, uiUrl, link: { namespace } }: ClientContext, runId: string): void {
  io.say(uiUrl === undefined ? `run ${runId}` : `run ${runId} · ${uiLink(uiUrl, { namespace, runId })}`);
}

/** Where a run is seen in the Web UI. */
export function uiLink(
  uiUrl: string,
  { namespace, runId }: { readonly namespace: string; readonly runId: string },
): string {
  return `${uiUrl}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(runId)}`;
}

/** The line for people, or undefined when nothing is withheld. */
export function withheldLine(
  environment: NodeJS.ProcessEnv,
  { envPass, claudeProfile }: Pick<WorkbenchSettings, 'envPass' | 'claudeProfile'>,
): string | undefined {
  const inherited = Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value]));
  const isolated = claudeProfile === 'isolated' ? { isolatedIn: '' } : {};
  const { withheld } = promptEnvironment({ inherited, raymond: {}, envPass, ...isolated });
  if (withheld.length === 0) return undefined;
  const line = `env_pass = ${JSON.stringify([...envPass, ...withheld])}`;
  return `withheld from prompts: ${withheld.join(', ')}; what they need name in the config: ${line}`;
}
