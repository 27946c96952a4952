// Starts a run: checks the manifest's requirements (input, directory, environment) before anything is spent, and turns
// the request into the input of the `run` workflow, with a first memo so that the run is visible at once.
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { WorkflowExecutionAlreadyStartedError, type Client, type WorkflowIdReusePolicy } from '@temporalio/client';
import type { TurnSettings } from '../../contract/turns.js';
import { filledEnvironment, workingDirectoryOf } from '../../packages/manifest.js';
import { isDirectory } from '../../host/files.js';
import type { AgentState, Session } from '../../protocol/machine/agent.js';
import { MAIN_AGENT, RUN_ID } from '../../protocol/ids.js';
import { originOf } from '../../protocol/scope.js';
import { shownLabels } from '../../protocol/labels.js';
import { clip, defined, type Value } from '../../protocol/text.js';
import { firstWorkspace, type WorkspaceSettings } from '../../protocol/machine/workspace.js';
import { attributePairs } from '../../workflows/attributes.js';
import {
  GIVEN_MEMO,
  REQUEST_MEMO,
  SUMMARY_MEMO,
  type Given,
  type LedgerSnapshot,
  type RunInput,
} from '../../contract/runs.js';
import { Ledger, newLedger } from '../../workflows/run/ledger.js';
import { summarise } from '../../workflows/run/summary.js';
import { temporalError } from '../connect.js';
import { ClientError, noDirectory } from '../error.js';
import type { OpenPackage } from './package.js';
import { viewRun } from '../look/runs.js';

/** The default number of turns after which an agent continues as new. */
const TURNS_PER_HISTORY = 500;

/** What to run. The caller stores a large `input` as an artifact. */
export interface StartRequest {
  readonly runId: string;
  readonly package: OpenPackage;
  readonly cwd: string;
  readonly taskQueue: string;
  readonly input?: Value;
  readonly budgetUsd?: number;
  readonly turn: TurnSettings;
  readonly failFast: boolean;
  readonly rejectAsks?: boolean;
  readonly pauseAtLimit?: boolean;
  /** Waits end at once: for tests of workflows. */
  readonly skipsWaits?: boolean;
  /** False: every script turn has its own activity. */
  readonly chain?: boolean;
  /** Debug files are kept; absent = no. */
  readonly debug?: boolean;
  readonly searchAttributes: readonly string[];
  readonly turnsPerHistory?: number;
  readonly forksPerHistory?: number;
  readonly probeSeconds?: number;
  /** The conversation that its first prompt continues. */
  readonly session?: Session;
  /** Kept with the run, to recognize a repeated request. */
  readonly requestHash?: string;
  /** The settings of its workspaces, and the first agent's folder within its own. */
  readonly workspace?: { readonly settings: WorkspaceSettings; readonly inside: string };
}

/** Checks a run id that a person chose. Throws `InvalidUsage`. */
export function checkRunId(id: string): string {
  if (RUN_ID.test(id)) return id;
  throw new ClientError(
    'InvalidUsage',
    `"${id}" cannot be a run id; use letters, digits, ".", "_", "-" and ":", a letter or digit first`,
    { field: 'id' },
  );
}

/** A new run id: the package's name, the time, and a random part. */
export function newRunId(workflow: string, now = new Date()): string {
  const name =
    workflow
      .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^[^A-Za-z0-9]+/, '')
      .slice(0, 60) || 'run';
  const time = now.toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  return `${name}-${time}-${randomBytes(4).toString('hex')}`;
}

/** Starts the run. Throws `RunExists` when its id was ever used. */
export async function startRun(client: Client, request: StartRequest): Promise<void> {
  const input = runInputOf(request);
  const ledger = newLedger(input.main, Date.now());
  const { taskQueue, requestHash } = request;
  await launchRun(client, { input, ledger, taskQueue, reuse: 'REJECT_DUPLICATE', ...defined({ requestHash }) });
}

/** The error for an id in use: the state of that run, and what to do. */
async function inUse(client: Client, runId: string): Promise<ClientError> {
  const view = await viewRun(client, runId).catch(unlessDeleted);
  if (view === undefined) {
    const message = `the run ${runId} was deleted a moment ago, and Temporal still has it; choose another --id, or try again in a minute`;
    return new ClientError('RunExists', message, { field: 'id' });
  }
  const { open, status } = view;
  const next = status === 'completed' ? '' : `, or continue that one with: raymond resume ${runId}`;
  const what = open ? `is open (${status})` : `has ended (${status})`;
  const message = `the run id ${runId} is in use: that run ${what}; choose another --id${next}`;
  return new ClientError('RunExists', message, { field: 'id' });
}

function unlessDeleted(error: unknown): undefined {
  if (!(error instanceof ClientError && error.code === 'RunNotFound')) throw error;
}

/**
 * Starts the `run` workflow on its ledger; `reuse` says whether its id may have been used before: never, or by a run that
 * did not complete. Throws `RunExists`, or `RunOpen` when another command continues the run at the same moment.
 */
export async function launchRun(
  client: Client,
  {
    input,
    ledger,
    taskQueue,
    reuse,
    requestHash,
    by = client.options.identity,
  }: {
    readonly input: RunInput;
    readonly ledger: LedgerSnapshot;
    readonly taskQueue: string;
    readonly reuse: Extract<WorkflowIdReusePolicy, 'REJECT_DUPLICATE' | 'ALLOW_DUPLICATE_FAILED_ONLY'>;
    readonly requestHash?: string;
    /** Who started it; absent = the caller. */
    readonly by?: string;
  },
): Promise<void> {
  const { runId, workflow, settings } = input;
  const kept = new Ledger(ledger);
  const shown = {
    RaymondWorkflow: workflow,
    RaymondRun: runId,
    RaymondStatus: 'running',
    RaymondCostUsd: kept.spentUsd,
    ...shownLabels(settings.turn.labels),
  };
  try {
    await client.workflow.start('run', {
      workflowId: runId,
      taskQueue,
      args: [input],
      workflowIdReusePolicy: reuse,
      memo: {
        [SUMMARY_MEMO]: summarise(kept, { input, status: 'running' }),
        [GIVEN_MEMO]: givenTo(input, by),
        ...defined({ [REQUEST_MEMO]: requestHash }),
      },
      typedSearchAttributes: attributePairs(shown, settings.searchAttributes),
      staticSummary: `${workflow} · run`,
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
    throw reuse === 'REJECT_DUPLICATE' ? await inUse(client, runId) : (temporalError(error) ?? error);
  }
}

/** How much of an input a list shows and searches, in characters. */
const GIVEN_CHARACTERS = 2000;

function givenTo({ main, settings }: RunInput, by: string): Given {
  const { model, effort, permissions } = settings.turn;
  const value = main.pending?.value;
  const input = typeof value === 'string' ? value.slice(0, GIVEN_CHARACTERS) : undefined;
  return {
    by,
    ...defined({ input, model, effort, cwd: main.home }),
    ...(permissions === 'skip' ? { skipsPermissions: true } : {}),
    ...(main.scope.stored === undefined ? {} : { pinned: true }),
  };
}

/** The input of the `run` workflow for a request. */
export function runInputOf({ runId, cwd: requestedCwd, ...request }: StartRequest): RunInput {
  const workspace = request.workspace && firstWorkspace(request.workspace.settings, runId);
  const cwd = workspace === undefined ? requestedCwd : join(workspace.path, request.workspace?.inside ?? '');
  const main: AgentState = {
    id: MAIN_AGENT,
    scope: request.package.scope,
    state: request.package.entry,
    via: 'start',
    cwd,
    home: cwd,
    ...defined({ workspace, session: request.session }),
    stack: [],
    ...(request.input === undefined ? {} : { pending: { value: request.input, returning: false } }),
    attributes: {},
    forks: 0,
    turn: 0,
  };
  return {
    runId,
    workflow: request.package.name,
    main,
    settings: {
      turn: { ...request.turn, ...(request.debug === true ? { debug: { startedAt: Date.now() } } : {}) },
      failFast: request.failFast,
      ...(request.rejectAsks === true ? { rejectAsks: true } : {}),
      ...(request.pauseAtLimit === true ? { pauseAtLimit: true } : {}),
      ...(request.skipsWaits === true ? { skipsWaits: true } : {}),
      ...(request.chain === false ? { chain: false } : {}),
      searchAttributes: request.searchAttributes,
      turnsPerHistory: request.turnsPerHistory ?? TURNS_PER_HISTORY,
      ...defined({
        budgetUsd: request.budgetUsd,
        probeSeconds: request.probeSeconds,
        forksPerHistory: request.forksPerHistory,
        workspace: request.workspace?.settings,
      }),
    },
  };
}

/** Temporal's history holds a package's whole environment, and has no room for more. */
const MAX_ENVIRONMENT_BYTES = 32 * 1024;

type StartPackage = Pick<OpenPackage, 'name' | 'scope' | 'manifest'>;

/** Throws `InvalidUsage` when a required input is missing, or an input is given that the package does not take. */
export function checkInput({ name, manifest }: StartPackage, input: string | undefined): void {
  const { mode = 'optional', label, description } = manifest?.input ?? {};
  const given = input !== undefined && input.trim() !== '';
  if (mode === 'required' && !given) {
    const what = [label, description].filter((text) => text !== undefined && text.trim() !== '').join(': ');
    throw new ClientError('InvalidUsage', `${name} needs an input${what && ` (${what})`}; give it with --input TEXT`);
  }
  if (mode === 'none' && given) throw new ClientError('InvalidUsage', `${name} takes no input; remove --input`);
}

/** Throws `InvalidUsage` when a run that rejects questions may ask a person. */
export function checkNoAsks(workflow: StartPackage & Pick<OpenPackage, 'asks' | 'checked'>): void {
  const { name, scope, manifest, asks, checked } = workflow;
  const { requiresHumanInput: needed = 'auto' } = manifest ?? {};
  const next = 'start it with --on-ask=wait or --on-ask=exit';
  if (needed === 'true') {
    const why = `${name} needs answers from a person (requires_human_input in the manifest of ${originOf(scope)})`;
    throw new ClientError('InvalidUsage', `${why}, and --on-ask=reject allows none; ${next}`);
  }
  if (needed === 'false' || !checked || asks.length === 0) return;
  const lines = asks.map((place) => `${place}: this state may ask a person, and --on-ask=reject allows no questions`);
  throw new ClientError(
    'InvalidUsage',
    [...lines, `${next}, remove <ask>, or start it anyway with --no-check`].join('\n'),
  );
}

/** The run's first directory: the one given, else the manifest's, else `here`. `local`: it must exist on this host. */
export async function startDirectory(
  { scope, manifest }: StartPackage,
  { here, chosen, local }: { readonly here: string; readonly chosen?: string | undefined; readonly local: boolean },
): Promise<string> {
  const manifestCwd = manifest === undefined ? undefined : workingDirectoryOf(manifest, { scope, home: here });
  const path = chosen === undefined ? (manifestCwd ?? here) : resolve(here, chosen);
  if (!local || (await isDirectory(path))) return path;
  throw chosen === undefined
    ? new ClientError(
        'InvalidWorkflow',
        `the manifest of ${originOf(scope)} names the working_directory ${path}, which does not exist here; create it, or give --cwd`,
      )
    : noDirectory(path);
}

/** The environment from the manifest for the processes of the run, with values from `variables`. */
export function runEnvironment(
  { scope, manifest }: StartPackage,
  variables: Readonly<Record<string, string | undefined>>,
): { readonly environment?: Readonly<Record<string, string>>; readonly warnings: readonly string[] } {
  if (manifest === undefined || Object.keys(manifest.environment).length === 0) return { warnings: [] };
  const { environment, warnings } = filledEnvironment(manifest, variables);
  const fault = faultOf(environment);
  if (fault !== undefined)
    throw new ClientError('InvalidWorkflow', `the manifest of ${originOf(scope)}: environment: ${fault}`);
  return { environment, warnings: warnings.map((text) => `${originOf(scope)}: ${text}`) };
}

/** The same with what the caller adds. Throws `InvalidUsage`. */
export function withAdded(
  own: Readonly<Record<string, string>> | undefined,
  added: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | undefined {
  if (added === undefined) return own;
  const all = { ...own, ...added };
  const wrong = Object.keys(added).find((name) => !/^[A-Za-z_]\w*$/.test(name) || /^RAYMOND_/i.test(name));
  const fault = wrong === undefined ? faultOf(all) : `"${clip(wrong, 60)}" cannot be set; choose another name`;
  if (fault !== undefined) throw new ClientError('InvalidUsage', `environment: ${fault}`);
  return all;
}

function faultOf(environment: Readonly<Record<string, string>>): string | undefined {
  const unusable = Object.keys(environment).find((name) => environment[name]?.includes('\0'));
  if (unusable !== undefined) return `${unusable} contains a NUL character, which a variable cannot; remove it`;
  if (Buffer.byteLength(JSON.stringify(environment)) <= MAX_ENVIRONMENT_BYTES) return undefined;
  return `more than ${MAX_ENVIRONMENT_BYTES / 1024} KiB; put large values into a file of the package`;
}
