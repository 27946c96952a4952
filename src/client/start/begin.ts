// Prepares a run from a workflow and options: finds every mistake before a server is needed, and takes what is not
// given from the config and the package's manifest.
import { join } from 'node:path';
import type { TurnSettings } from '../../contract/turns.js';
import type { Project } from '../project/project.js';
import { SEARCH_ATTRIBUTES, stem } from '../../protocol/ids.js';
import {
  EFFORTS,
  isEffort,
  isModelName,
  MODEL_FORM,
  nearModel,
  type BackendName,
} from '../../protocol/language/policy.js';
import { ENTRY_NAMES } from '../../protocol/language/resolve.js';
import type { Session } from '../../protocol/machine/agent.js';
import { labelsProblem, type Labels } from '../../protocol/labels.js';
import { isPriority, PRIORITY_FORM } from '../../protocol/priority.js';
import { defined } from '../../protocol/text.js';
import { ClientError } from '../error.js';
import { artifactDirOf, bucketOf, storeOf, type Caller, type Raymond } from '../open.js';
import type { Preparation, RunOptions } from './options.js';
import { openPackage, type OpenPackage } from './package.js';
import { requirePrograms } from './programs.js';
import { requireSandbox, sandboxOf } from './sandbox.js';
import { testKnob } from './test-knobs.js';
import type { OwnWork, WorkspacePlan } from './workspace.js';
import {
  checkInput,
  checkNoAsks,
  checkRunId,
  newRunId,
  runEnvironment,
  withAdded,
  startDirectory,
  startRun,
  type StartRequest,
} from './start.js';

/** The default budget in USD. */
const DEFAULT_BUDGET = 10;

/** A run that can be started. */
export interface PreparedRun {
  readonly runId: string;
  readonly workflow: OpenPackage;
  readonly input?: string;
  readonly request: Omit<StartRequest, 'taskQueue' | 'searchAttributes' | 'input' | 'workspace'>;
  readonly workspace?: WorkspacePlan;
  /** Of which program the first prompt continues a conversation; absent = it starts one. */
  readonly continues?: BackendName;
  readonly caller: Caller;
  /** Warnings for the user. */
  readonly warnings: readonly string[];
}

/**
 * The workflow, and whether to check it first (absent = yes): `pin` = a pinned copy of it, `live` = its current files
 * at each turn, even when the store is a bucket.
 */
interface WorkflowChoice {
  readonly argument: string;
  readonly caller: Caller;
  readonly pin?: boolean | undefined;
  readonly live?: boolean | undefined;
  readonly check?: boolean | undefined;
}

/**
 * Opens the workflow that an argument names. Throws `InvalidWorkflow`, and errors of the bucket that it is uploaded to.
 */
export async function openWorkflow(
  project: Project,
  { argument, caller, pin, live = pin !== true && project.config.live === true, check }: WorkflowChoice,
): Promise<OpenPackage> {
  if (pin === true && live)
    throw new ClientError(
      'InvalidUsage',
      'give --pin or --live, not both: --pin freezes a package, --live reads it at each turn',
    );
  const context = {
    cwd: caller.cwd,
    cacheDir: join(project.raymondDir, 'registry'),
    ...(check === false ? {} : { check: { ignore: project.config.lint_ignore ?? [], path: caller.env['PATH'] } }),
  };
  if (live) return await openPackage(argument, context);
  // Its workers may not see this host's folders.
  if (bucketOf(project) !== undefined)
    return await openPackage(argument, { ...context, store: storeOf(project, caller.env) });
  const isPinned = pin ?? project.config.pin ?? false;
  return await openPackage(argument, { ...context, ...(isPinned ? { pinDir: artifactDirOf(project) } : {}) });
}

/** Checks everything. Throws `InvalidUsage`, `InvalidWorkflow`, `ClaudeMissing`, `PiMissing`. */
export async function prepareRun(
  project: Project,
  { workflow, options, caller, local }: Preparation,
): Promise<PreparedRun> {
  const { config } = project;
  const { input, rejectAsks = config.on_ask === 'reject' } = options;
  const runId = options.runId === undefined ? newRunId(runName(workflow)) : checkRunId(options.runId);
  checkInput(workflow, input);
  if (rejectAsks) checkNoAsks(workflow);
  const known = knownAccounts(config, local);
  checkAccounts(workflow, known);
  const workspace = wantsWorkspace(options, config)
    ? await (await import('./workspace.js')).planFor(project, { options, caller, local })
    : undefined;
  const place = { here: caller.cwd, chosen: options.cwd, local: local && workspace === undefined };
  const cwd = await startDirectory(workflow, place);
  const { environment: own, warnings } = runEnvironment(workflow, caller.env);
  const environment = withAdded(own, options.environment);
  if (local) requirePrograms(workflow, { caller, unnamed: options.backend ?? config.backend ?? 'claude' });
  const sandbox = sandboxOf(workflow, { options, config });
  if (local) await requireSandbox(workflow, { sandbox, config, env: caller.env });
  const budgetUsd = budgetOf(workflow, { options, config });
  const request = {
    runId,
    package: workflow,
    cwd,
    turn: {
      ...turnSettings(options, config),
      ...defined({ environment, sandbox, accounts: checkedAccounts(options.accounts, known) }),
    },
    failFast: options.failFast ?? config.fail_fast ?? false,
    debug: options.debug ?? config.no_debug !== true,
    rejectAsks,
    pauseAtLimit: options.pauseAtLimit ?? config.no_wait === true,
    chain: options.chain ?? config.no_chain !== true,
    ...(budgetUsd === 0 ? {} : { budgetUsd }),
    ...defined({ requestHash: options.requestHash }),
    ...defined({ turnsPerHistory: testKnob(caller.env, 'RAYMOND_TURNS_PER_HISTORY') }),
  };
  const all = [
    ...(project.warnings ?? []),
    ...workflow.warnings,
    ...warnings,
    ...modelWarnings(options.model ?? config.model),
  ];
  const ofRun = options.backend ?? config.backend ?? 'claude';
  const continues = options.continueSession === true ? (workflow.manifest?.backend?.name ?? ofRun) : undefined;
  return { runId, workflow, request, caller, warnings: all, ...defined({ input, workspace, continues }) };
}

/** A run that starts at another state than the first one has the name of that state. */
function runName({ name, entry }: OpenPackage): string {
  const state = stem(entry);
  return ENTRY_NAMES.includes(state) ? name : state;
}

/** Starts it, and an engine that executes it. Throws `RunExists`. */
export async function beginRun(raymond: Raymond, prepared: PreparedRun): Promise<void> {
  const { engine, link } = raymond;
  const session = await continuedSession(raymond, prepared);
  const request = { ...(await requestOf(raymond, prepared)), ...defined({ session }) };
  await engine.begin(prepared.runId, () => startRun(link.client, request));
}

/** Throws `InvalidUsage` when there is no conversation to continue. */
async function continuedSession(
  { artifacts }: Raymond,
  { continues: backend, request: { cwd }, caller }: PreparedRun,
): Promise<Session | undefined> {
  if (backend === undefined) return undefined;
  const { latestConversation } = await import('../../backends/latest.js');
  const env = Object.fromEntries(
    Object.entries(caller.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const session = await latestConversation(artifacts, { backend, cwd, env });
  if (session !== undefined) return session;
  const what = `--continue-session: ${backend} has no conversation in ${cwd}`;
  throw new ClientError('InvalidUsage', `${what}; have one there first, or start without the flag`);
}

/**
 * The prepared start with everything from this Temporal and its artifact store; runs that start later use its state
 * then.
 */
export async function requestOf(
  { link, mode, artifacts, project }: Raymond,
  { request, input, workspace: plan, caller }: PreparedRun,
  when: 'now' | 'later' = 'now',
): Promise<StartRequest> {
  // The embedded server always has them.
  const local = mode.kind === 'local';
  const searchAttributes = local
    ? Object.keys(SEARCH_ATTRIBUTES)
    : await (await import('../fleet/cluster.js')).registeredAttributes(link);
  return {
    ...request,
    taskQueue: mode.taskQueue,
    searchAttributes,
    ...(input === undefined ? {} : { input: await artifacts.value(input) }),
    ...(plan === undefined ? {} : { workspace: await workspaceOf(plan, { artifacts, caller, project, when }) }),
  };
}

/** Git is needed only then. */
function wantsWorkspace({ workspace, repo, ref, outputBranch }: RunOptions, config: Config): boolean {
  return (workspace ?? config.workspace) === 'git' || [repo, ref, outputBranch].some((value) => value !== undefined);
}

async function workspaceOf(
  plan: WorkspacePlan,
  { when, ...made }: OwnWork & { readonly when: 'now' | 'later' },
): Promise<NonNullable<StartRequest['workspace']>> {
  const { planOfEach, withOwnWork } = await import('./workspace.js');
  if (when === 'later') return planOfEach(plan);
  return { settings: await withOwnWork(plan, made), inside: plan.inside };
}

type Config = Project['config'];

/** The budget of a run whose starter names none; 0 = no limit. */
export function usualBudget(manifest: OpenPackage['manifest'], config: Config): number {
  // A manifest with 0 sets nothing: only the user may lift the limit of a run.
  const ofManifest = manifest?.defaultBudgetUsd ?? 0;
  return config.budget ?? (ofManifest > 0 ? ofManifest : DEFAULT_BUDGET);
}

function budgetOf(
  { manifest }: OpenPackage,
  { options, config }: { readonly options: RunOptions; readonly config: Config },
): number {
  const budget = options.budgetUsd ?? usualBudget(manifest, config);
  if (budget >= 0) return budget;
  throw new ClientError('InvalidUsage', `the budget ${budget} is not an amount; give one in USD, 0 for no limit`);
}

/** Throws `InvalidUsage`. */
function checkedLabels(labels: Labels = {}): Labels | undefined {
  const problem = labelsProblem(labels);
  if (problem !== undefined) throw new ClientError('InvalidUsage', problem);
  return Object.keys(labels).length === 0 ? undefined : labels;
}

/** Only the service knows all models: a name that is nearly a known one may be right. */
function modelWarnings(model: string | undefined): readonly string[] {
  const near = model === undefined ? undefined : nearModel(model);
  return near === undefined ? [] : [`the model "${model}" is not a known name; did you mean ${near}?`];
}

function turnSettings(options: RunOptions, config: Config): TurnSettings {
  const { model = config.model, effort = config.effort } = options;
  if (model !== undefined && !isModelName(model))
    throw new ClientError('InvalidUsage', `"${model}" cannot be a model: ${MODEL_FORM}`);
  if (effort !== undefined && !isEffort(effort))
    throw new ClientError('InvalidUsage', `there is no effort "${effort}"; give one of ${EFFORTS.join(', ')}`);
  const { priority = config.priority } = options;
  if (priority !== undefined && !isPriority(priority))
    throw new ClientError('InvalidUsage', `${priority} is not a priority; expected ${PRIORITY_FORM}`);
  const skip = options.skipPermissions ?? config.dangerously_skip_permissions ?? false;
  return {
    permissions: skip ? 'skip' : 'accept-edits',
    ...defined({
      model,
      effort,
      backend: options.backend ?? config.backend,
      priority,
      idleSeconds: options.timeoutSeconds ?? config.timeout,
      maxSeconds: options.maxSeconds ?? config.max_time,
      labels: checkedLabels(options.labels),
    }),
  };
}

/** The accounts that exist; undefined = the workers of a cluster know them, and report a missing one. */
function knownAccounts({ accounts }: Config, local: boolean): readonly string[] | undefined {
  return accounts?.map(({ name }) => name) ?? (local ? [] : undefined);
}

/** The accounts of Claude from a flag or a program. Throws `InvalidUsage`. */
function checkedAccounts(
  named: readonly string[] | undefined,
  known: readonly string[] | undefined,
): readonly string[] | undefined {
  const strange = named?.find((name) => known?.includes(name) === false);
  if (strange === undefined) return named;
  throw new ClientError('InvalidUsage', `there is no account "${strange}"; ${configHas(known)}`);
}

/** Checks the accounts that reachable prompts name. Throws `InvalidWorkflow`. */
function checkAccounts({ accounts }: OpenPackage, known: readonly string[] | undefined): void {
  const strange = accounts.filter(({ name }) => known?.includes(name) === false);
  if (strange.length === 0) return;
  const lines = strange.map(({ name, position }) => `${position}: there is no account "${name}"`);
  const todo = known?.length === 0 ? 'add it to accounts' : 'name one of them, or add it to accounts';
  throw new ClientError('InvalidWorkflow', [...lines, `${configHas(known)}: ${todo}`].join('\n'));
}

function configHas(known: readonly string[] = []): string {
  return known.length === 0 ? 'the config has no accounts' : `the config has ${known.join(', ')}`;
}
