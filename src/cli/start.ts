// `raymond start`: open the package, start the run, and follow it to its end; locally this process also serves it.
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import type { TurnSettings } from '../activities/types.js';
import { ClientError } from '../client/error.js';
import { openPackage, type OpenPackage } from '../client/package.js';
import { registeredAttributes } from '../client/cluster.js';
import { exists } from '../host/files.js';
import { SEARCH_ATTRIBUTES } from '../protocol/ids.js';
import {
  checkRunId,
  newRunId,
  startRun,
  checkInput,
  checkNoAsks,
  runEnvironment,
  startDirectory,
} from '../client/start.js';
import { whyUnreadable } from '../packages/error.js';
import { findProject, type Project } from '../project.js';
import { claimRun, localQueue } from '../local.js';
import { askMode, followOn, serve, detach } from './serve.js';
import { withConfiguredView, type StartFlags } from './flags.js';
import { telemetryOf } from './telemetry.js';
import type { Io } from './io.js';
import {
  artifactDirOf,
  clusterOf,
  settingsOf,
  contextOf,
  findClaude,
  announce,
  hintAtWorkers,
  uiLink,
  withheldLine,
  type CommandContext,
} from './context.js';

/** The budget of a run that is given none, in USD. */
const DEFAULT_BUDGET = 10;

/** What to start, and how; `slip` = what the name was probably meant to be when there is no such workflow. */
interface StartRequest {
  readonly workflow: string;
  readonly flags: StartFlags;
  readonly slip?: string | undefined;
}

/** Starts `argument`; gives the exit code. */
export async function start(io: Io, { workflow: argument, flags: given, slip }: StartRequest): Promise<number> {
  const { cwd: here, env, say } = io;
  const project = await findProject(here);
  const flags = withConfiguredView(given, project.config);
  const workflow = await openPackage(argument, {
    cwd: here,
    cacheDir: join(project.raymondDir, 'registry'),
    ...((flags.pin ?? project.config.pin) === true ? { pinDir: artifactDirOf(project) } : {}),
  }).catch((error: unknown) => refuseMissing(error, { path: resolve(here, argument), slip }));
  const input = await inputOf(io, flags);
  const runId = flags.id === undefined ? newRunId(workflow.name) : checkRunId(flags.id);
  const local = clusterOf(project, { flags, env }) === undefined;
  checkInput(workflow, input);
  if (rejectsAsks(flags, project)) checkNoAsks(workflow);
  const cwd = await startDirectory(workflow, { here, chosen: flags.cwd, local });
  const { environment, warnings } = runEnvironment(workflow, env);
  const turn = { ...turnSettings(flags, project), ...(environment === undefined ? {} : { environment }) };
  if (local && workflow.needsClaude) requireClaude(io);
  if (flags.quiet !== true) for (const text of [...workflow.warnings, ...warnings]) say(`warning: ${text}`);
  if (local && workflow.needsClaude && flags.verbose === true) sayWithheld(io, project);
  const report = flags.quiet === true ? (): void => undefined : say;
  const telemetry = await telemetryOf(project, { io, flags, report, metrics: true });
  // The address is left to the process that will serve the run.
  const own = flags.detach === true ? {} : { telemetry };
  const context = await contextOf(project, { io, flags, report, ...own });
  const lock = local ? await claimRun(project.raymondDir, runId) : undefined;
  const beginRun = async (): Promise<void> => {
    await begin({ surroundings: context, workflow, runId, turn, flags, cwd, input });
    if (flags.quiet !== true) announce(context, runId);
  };
  try {
    // Served first: a task that comes before anybody asks for it may wait two seconds in the server.
    if (local && flags.detach !== true) return await serve(context, { runId, flags, onServing: beginRun });
    await beginRun();
    if (flags.detach === true) {
      if (flags.quiet !== true) await hintAtWorkers(context);
      await lock?.release();
      if (local) await detach(io, { runId, raymondDir: project.raymondDir, flags });
      await io.print(flags.json === true ? JSON.stringify(detached(context, runId)) : runId);
      return 0;
    }
    return await followCluster(context, { runId, flags });
  } finally {
    await lock?.release();
  }
}

/** A name that is no path may have been meant as a command. */
async function refuseMissing(
  error: unknown,
  { path, slip }: { readonly path: string; readonly slip: string | undefined },
): Promise<never> {
  if (slip === undefined || !(error instanceof ClientError) || (await exists(path))) throw error;
  // A state whose name is near is suggested already.
  if (error.message.endsWith('?')) throw error;
  throw new ClientError(error.code, `${error.message}; ${slip}`, { cause: error });
}

/** What there is to say of a run that goes on in the background. */
function detached({ uiUrl, link: { namespace } }: CommandContext, runId: string): object {
  return { runId, ...(uiUrl === undefined ? {} : { uiUrl: uiLink(uiUrl, { namespace, runId }) }) };
}

interface BeginOptions {
  readonly surroundings: CommandContext;
  readonly workflow: OpenPackage;
  readonly runId: string;
  readonly turn: TurnSettings;
  readonly flags: StartFlags;
  readonly cwd: string;
  readonly input: string | undefined;
}

async function begin({ surroundings: context, workflow, runId, turn, flags, cwd, input }: BeginOptions): Promise<void> {
  const { io, link, mode, artifacts, project } = context;
  // A manifest that says 0 asks for nothing: only whoever starts the run may lift its limit.
  const wished = workflow.manifest?.defaultBudgetUsd ?? 0;
  const budget = flags.budget ?? project.config.budget ?? (wished > 0 ? wished : DEFAULT_BUDGET);
  await startRun(link.client, {
    runId,
    package: workflow,
    cwd,
    taskQueue: mode.kind === 'local' ? localQueue(runId) : mode.taskQueue,
    turn,
    failFast: flags.failFast ?? project.config.fail_fast ?? false,
    debug: flags.debug ?? project.config.no_debug !== true,
    // The embedded server has them from birth.
    searchAttributes: mode.kind === 'local' ? Object.keys(SEARCH_ATTRIBUTES) : await registeredAttributes(link),
    rejectAsks: rejectsAsks(flags, project),
    pauseAtLimit: flags.wait === false || project.config.no_wait === true,
    ...(input === undefined ? {} : { input: await artifacts.value(input) }),
    ...(budget === 0 ? {} : { budgetUsd: budget }),
    ...historyLength(io.env['RAYMOND_TURNS_PER_HISTORY']),
  });
}

/** The input as a text, from where the flags say. Throws `InvalidUsage`. */
async function inputOf(
  { cwd, stdin }: Io,
  { input, inputFile }: Pick<StartFlags, 'input' | 'inputFile'>,
): Promise<string | undefined> {
  if (inputFile === undefined) return input === '-' ? await readAll(stdin) : input;
  if (input !== undefined) throw new ClientError('InvalidUsage', 'give --input or --input-file, not both');
  return await readFile(resolve(cwd, inputFile), 'utf8').catch((error: unknown) => {
    throw new ClientError('InvalidUsage', `--input-file: cannot read ${inputFile}: ${whyUnreadable(error)}`);
  });
}

function rejectsAsks({ onAsk }: StartFlags, { config }: Project): boolean {
  return (onAsk ?? config.on_ask) === 'reject';
}

/** Tests let agents continue as new after a few turns; nobody else needs to. */
function historyLength(turns: string | undefined): { readonly turnsPerHistory?: number } {
  return turns === undefined ? {} : { turnsPerHistory: Number(turns) };
}

async function followCluster(
  context: CommandContext,
  { runId, flags }: { readonly runId: string; readonly flags: StartFlags },
): Promise<number> {
  await hintAtWorkers(context);
  return await followOn(context, { runId, flags, following: { onAsk: askMode(flags, context) }, from: 'start' });
}

function turnSettings(flags: StartFlags, { config }: Project): TurnSettings {
  const model = flags.model ?? config.model;
  const effort = flags.effort ?? config.effort;
  const idleSeconds = flags.timeout ?? config.timeout;
  const maxSeconds = flags.maxTime ?? config.max_time;
  const skip = flags.dangerouslySkipPermissions ?? config.dangerously_skip_permissions ?? false;
  return {
    permissions: skip ? 'skip' : 'accept-edits',
    ...(model === undefined ? {} : { model }),
    ...(effort === undefined ? {} : { effort }),
    ...(idleSeconds === undefined ? {} : { idleSeconds }),
    ...(maxSeconds === undefined ? {} : { maxSeconds }),
  };
}

function sayWithheld({ env, say }: Io, project: Project): void {
  const line = withheldLine(env, settingsOf(project));
  if (line !== undefined) say(line);
}

function requireClaude(io: Io): void {
  if (findClaude(io) !== undefined) return;
  throw new ClientError(
    'ClaudeMissing',
    'this workflow has prompts, but Claude Code is not installed: there is no "claude" on PATH; install it with "npm install -g @anthropic-ai/claude-code" and log in by running "claude" once',
  );
}
