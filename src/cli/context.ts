// The context of a command: an open project (client/open.ts) with the streams of its call, and the settings of a worker
// here.
import { resolve } from 'node:path';
import { promptEnvironment } from '../activities/environment/environment.js';
import { DEFAULT_SETTINGS, type WorkerContextSettings } from '../activities/settings.js';
import type { Link } from '../client/connect.js';
import { ClientError, noSuchRun } from '../client/error.js';
import {
  bucketOf,
  clusterOf,
  hasNoRuns,
  openToAsk,
  openToServe,
  openToSteer,
  uiAddress,
  type Caller,
  type OpenOptions,
  type Raymond,
} from '../client/open.js';
import { findProject, type Project } from '../client/project/project.js';
import { defined } from '../protocol/text.js';
import { metricsExporter } from '../telemetry/address.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';
import type { Telemetry } from './telemetry.js';

/** A project and a connection to Temporal, for commands that execute no runs. */
export interface ClientContext extends Raymond {
  readonly io: Io;
}

/** One in which this process executes runs. */
export interface ServingContext extends ClientContext {
  readonly link: Link;
}

interface Opening extends Pick<OpenOptions, 'artifacts'> {
  readonly io: Io;
  readonly flags: ConnectionFlags;
  /** Called about a server that is downloaded or started; absent = messages go to stderr. */
  readonly report?: (line: string) => void;
  /** Absent = this process executes no runs. */
  readonly telemetry?: Telemetry;
}

/** The project, for commands about its engine. Throws `InvalidUsage` when a cluster executes the runs. */
export async function localProject({ cwd, env }: Io): Promise<Project> {
  const project = await findProject(cwd);
  if (clusterOf(project, { choice: {}, env }) === undefined) return project;
  const message = 'on a cluster, workers execute runs; start one with: raymond fleet worker';
  throw new ClientError('InvalidUsage', message);
}

/** Opens project and connection; starts the embedded server if it does not run. */
export async function openContext(io: Io, flags: ConnectionFlags): Promise<ClientContext> {
  return await contextOf(await findProject(io.cwd), { io, flags });
}

/**
 * The same for read-only commands: faster, and starts nothing that was stopped. Throws `RunNotFound`, `Unreachable`.
 */
export async function openForQuestion(
  io: Io,
  { flags, runId, ...store }: { readonly flags: ConnectionFlags; readonly runId?: string } & Pick<Opening, 'artifacts'>,
): Promise<ClientContext> {
  const project = await findProject(io.cwd);
  if (runId !== undefined) await refuseWithoutRuns(project, { io, flags, runId });
  return closedAtEnd(io, await openToAsk(project, optionsOf({ io, flags, ...store })));
}

/** Throws `RunNotFound` for a project that never had a run. */
export async function refuseWithoutRuns(
  project: Project,
  { io: { env }, flags, runId }: { readonly io: Io; readonly flags: ConnectionFlags; readonly runId: string },
): Promise<void> {
  if (await hasNoRuns(project, { choice: flags, env })) throw noSuchRun(runId);
}

/** Like `openContext`, for an open project. */
export async function contextOf(project: Project, opening: Opening): Promise<ClientContext> {
  return closedAtEnd(opening.io, await openToSteer(project, optionsOf(opening)));
}

/** The same with a connection on which a worker can poll. */
export async function contextToServe(project: Project, opening: Opening): Promise<ServingContext> {
  return closedAtEnd(opening.io, await openToServe(project, optionsOf(opening)));
}

function optionsOf({ io, flags, report = io.say, telemetry, ...store }: Opening): OpenOptions {
  const metrics = telemetry?.metrics === undefined ? undefined : metricsExporter(telemetry.metrics);
  return { caller: callerOf(io), choice: flags, report, ...store, ...defined({ metrics }) };
}

/** The part of a call that identifies the caller. */
export function callerOf({ cwd, env, umask }: Io): Caller {
  return { cwd, env, ...defined({ umask }) };
}

function closedAtEnd<R extends Raymond>(io: Io, raymond: R): R & { readonly io: Io } {
  io.atEnd(() => raymond.close());
  Object.assign(io.embedded, defined({ log: raymond.serverLog }));
  return { ...raymond, io };
}

/** A worker's settings from the config. */
export function settingsOf(project: Project): WorkerContextSettings {
  const { root, config, raymondDir } = project;
  return {
    ...DEFAULT_SETTINGS,
    raymondDir,
    ...(config.artifact_dir === undefined ? {} : { artifactDir: resolve(root, config.artifact_dir) }),
    ...defined({ bucket: bucketOf(project) }),
    ...(config.task_folder === undefined ? {} : { taskFolder: config.task_folder }),
    workspaceBytes:
      config.workspace_limit === undefined ? DEFAULT_SETTINGS.workspaceBytes : config.workspace_limit * 2 ** 20,
    maxPrompts: config.max_prompts ?? DEFAULT_SETTINGS.maxPrompts,
    chains: config.no_chain === true ? 'none' : DEFAULT_SETTINGS.chains,
    maxScripts: config.max_scripts ?? DEFAULT_SETTINGS.maxScripts,
    accounts: config.accounts ?? DEFAULT_SETTINGS.accounts,
    limits: config.limits ?? DEFAULT_SETTINGS.limits,
    scriptOutputBytes:
      config.script_output === undefined ? DEFAULT_SETTINGS.scriptOutputBytes : config.script_output * 1024 ** 2,
    envPass: config.env_pass ?? DEFAULT_SETTINGS.envPass,
    scriptEnv: config.script_env ?? DEFAULT_SETTINGS.scriptEnv,
    claudeProfile: config.claude_profile ?? DEFAULT_SETTINGS.claudeProfile,
    claudeArgs: config.claude_args ?? DEFAULT_SETTINGS.claudeArgs,
    piArgs: config.pi_args ?? DEFAULT_SETTINGS.piArgs,
    allowedTools: config.allowed_tools ?? DEFAULT_SETTINGS.allowedTools,
    ...defined({ sandbox: config.sandbox, sandboxProfiles: config.sandbox_profiles }),
  };
}

/** On a cluster: reports when no worker polls the queue of a run, or the queue for new runs. */
export async function hintAtWorkers({ io, link, mode }: ClientContext, ofRun?: string): Promise<void> {
  if (mode.kind === 'local') return;
  const taskQueue = ofRun ?? mode.taskQueue;
  const { hasWorkers } = await import('../client/fleet/cluster.js');
  if (await hasWorkers(link, taskQueue)) return;
  io.say(
    `no worker polls the task queue "${taskQueue}" yet; runs wait until one does. Start one with: ` +
      `raymond fleet worker --address ${link.address} --namespace ${link.namespace} --task-queue ${taskQueue}`,
  );
}

/** Prints which run it is about, and its address in the Web UI. */
export function announce(context: ClientContext, runId: string): void {
  const address = uiAddress(context, runId);
  context.io.say(address === undefined ? `run ${runId}` : `run ${runId} · ${address}`);
}

/** The names of the variables that prompts do not get. */
export function withheldNames(
  environment: NodeJS.ProcessEnv,
  { envPass, claudeProfile }: Pick<WorkerContextSettings, 'envPass' | 'claudeProfile'>,
): readonly string[] {
  const inherited = Object.fromEntries(Object.entries(environment).map(([name, value = '']) => [name, value]));
  const isolated = claudeProfile === 'isolated' ? { isolatedIn: '' } : {};
  return promptEnvironment({ inherited, raymond: {}, envPass, ...isolated }).withheld;
}

/** A line that names them, or undefined when nothing is withheld. */
export function withheldLine(
  environment: NodeJS.ProcessEnv,
  settings: Pick<WorkerContextSettings, 'envPass' | 'claudeProfile'>,
): string | undefined {
  const withheld = withheldNames(environment, settings);
  if (withheld.length === 0) return undefined;
  const line = `env_pass = ${JSON.stringify([...settings.envPass, ...withheld])}`;
  return `withheld from prompts: ${withheld.join(', ')}; to pass some through, set ${line}`;
}
