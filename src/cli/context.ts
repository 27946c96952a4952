// What a command works in: the project, a connection to the embedded server or to a cluster, and the settings of a worker here.
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promptEnvironment } from '../activities/environment.js';
import { DEFAULT_SETTINGS, type WorkbenchSettings } from '../activities/workbench.js';
import { clusterTarget, connect, type ClusterTarget, type Link } from '../client/connect.js';
import { NO_KEYS, readKeys, type Keyring } from '../codec/keys.js';
import { findProject, type Project } from '../config.js';
import { openLocal } from '../local.js';
import { ArtifactStore } from '../store/folder.js';
import { installRuntime } from '../worker.js';
import type { ConnectionFlags } from './flags.js';

/** A project and a way to Temporal. */
export interface CommandContext {
  readonly project: Project;
  readonly link: Link;
  readonly artifacts: ArtifactStore;
  readonly mode: { readonly kind: 'local' } | { readonly kind: 'cluster'; readonly taskQueue: string };
  /** Base address of the Web UI, when it is known. */
  readonly uiUrl?: string;
}

/** The queue of a fleet that is given no other name. */
const FLEET_QUEUE = 'raymond';

/** Opens project and connection. Progress of a server that must be fetched or started goes to `report`. */
export async function openContext(flags: ConnectionFlags, report: (line: string) => void): Promise<CommandContext> {
  const project = await findProject(process.cwd());
  return await contextOf(project, { flags, report });
}

/** The same for a project that is open already. */
export async function contextOf(
  project: Project,
  { flags, report }: { readonly flags: ConnectionFlags; readonly report: (line: string) => void },
): Promise<CommandContext> {
  const { config, raymondDir } = project;
  const target = clusterOf(project, flags);
  const keys = await keysOf(project);
  const artifacts = new ArtifactStore(artifactDirOf(project));
  installRuntime(({ level, message }) => {
    if (level === 'ERROR') report(`temporal: ${message}`);
  });
  if (target === undefined) {
    const cli = config.temporal_cli;
    const { link, server } = await openLocal({ raymondDir, keys, report, ...(cli === undefined ? {} : { cli }) });
    return { project, link, artifacts, mode: { kind: 'local' }, uiUrl: server.uiUrl };
  }
  const taskQueue = flags.taskQueue ?? config.task_queue ?? FLEET_QUEUE;
  return { project, link: await connect(target, keys), artifacts, mode: { kind: 'cluster', taskQueue } };
}

/** The keys that the config names. Throws `KeyError`. */
export async function keysOf({ root, config }: Project): Promise<Keyring> {
  return config.encryption_keys === undefined ? NO_KEYS : await readKeys(resolve(root, config.encryption_keys));
}

/** The cluster that flags, environment, profile or config name; undefined = the embedded server is meant. */
export function clusterOf({ config }: Project, flags: ConnectionFlags): ClusterTarget | undefined {
  return clusterTarget({ ...flags, fallback: config });
}

/** True when this project has never had an embedded server and no cluster is named: then it has no runs. */
export async function hasNoRuns(flags: ConnectionFlags): Promise<boolean> {
  const project = await findProject(process.cwd());
  if (clusterOf(project, flags) !== undefined) return false;
  return (await stat(join(project.raymondDir, 'temporal')).catch(() => undefined)) === undefined;
}

/** Where the project keeps large values, conversations and frozen packages. */
export function artifactDirOf(project: Project): string {
  return resolve(settingsOf(project).artifactDir ?? join(project.raymondDir, 'artifacts'));
}

/** A worker's settings from the config. */
export function settingsOf({ config, raymondDir }: Project): WorkbenchSettings {
  return {
    ...DEFAULT_SETTINGS,
    raymondDir,
    ...(config.artifact_dir === undefined ? {} : { artifactDir: config.artifact_dir }),
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
