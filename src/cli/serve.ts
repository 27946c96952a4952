// Going on with a run from the command line: here, with the live view and the last word; in the background; or following it on a cluster.
// What makes the run move is the commands'.
import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sendAnswer } from '../client/answer.js';
import { followRun, type FollowOptions } from '../client/follow.js';
import { viewRun, type RunView } from '../client/runs.js';
import { RunWatch } from '../client/watch.js';
import { findProject } from '../project.js';
import { claimRun } from '../local.js';
import { contextOf, refuseWithoutRuns, type ClientContext, type CommandContext } from './context.js';
import { verbosityOf, withConfiguredView, type ConnectionFlags, type TelemetryFlags, type ViewFlags } from './flags.js';
import type { AnswerLineOptions } from './view/answer-line.js';
import { openLiveView } from './view/live.js';
import { EXIT } from './exit.js';
import { Hooks } from './hooks/hooks.js';
import { hearSignals, type Io } from './io.js';
import { serveToEnd } from './serving.js';
import { telemetryOf, telemetryWords } from './telemetry.js';
import { reportInterrupted, reportRun } from './view/output.js';

/** How to go on; `before` runs with the run's lock held, `onServing` as soon as it is served. */
interface ServeOptions {
  readonly runId: string;
  readonly flags: ViewFlags;
  readonly before?: () => Promise<Omit<FollowOptions, 'signal' | 'onView'>>;
  readonly onServing?: () => Promise<void>;
}

/** What a command asks for that follows a run; `metrics` = its process may serve them. */
interface ViewRequest<T> {
  readonly flags: T;
  readonly runId: string | undefined;
  readonly metrics?: boolean;
}

/** Opens what such a command works in; the config says how it is shown where the flags do not. */
export async function openForView<T extends ConnectionFlags & ViewFlags & TelemetryFlags>(
  io: Io,
  { flags: given, runId, metrics = false }: ViewRequest<T>,
): Promise<{ readonly flags: T; readonly surroundings: CommandContext }> {
  const project = await findProject(io.cwd);
  if (runId !== undefined) await refuseWithoutRuns(project, { io, flags: given, runId });
  const flags = withConfiguredView(given, project.config);
  const report = flags.quiet === true ? (): void => undefined : io.say;
  const telemetry = await telemetryOf(project, { io, flags, report, metrics });
  return { flags, surroundings: await contextOf(project, { io, flags, report, telemetry }) };
}

/** Serves a local run to its end, or until nothing in it moves; gives the exit code. */
export async function serveOn(context: CommandContext, going: ServeOptions): Promise<number> {
  const lock = await claimRun(context.project.raymondDir, going.runId);
  try {
    return await serve(context, going);
  } finally {
    await lock.release();
  }
}

/** The same for a run whose lock the caller has. */
export async function serve(
  context: CommandContext,
  { runId, flags, before, onServing }: ServeOptions,
): Promise<number> {
  const { io } = context;
  const view = await openLiveView(io, { loudness: verbosityOf(flags), answer: answerOf(context, runId) });
  const hooks = new Hooks(context, { runId, warn: view.note });
  try {
    const following = { onAsk: askMode(flags, context), ...(await before?.()) };
    const ended = await serveToEnd({
      surroundings: context,
      runId,
      view,
      hooks,
      following,
      drain: flags.drain ?? context.project.config.drain,
      ...(onServing === undefined ? {} : { onServing }),
    });
    view.close();
    if (ended === undefined) return reportInterrupted(io, runId);
    return await reportRun(context, { view: ended, flags, told: view.told });
  } finally {
    view.close();
    await hooks.settle();
  }
}

/** Follows a run that a fleet serves; gives the exit code. */
export async function followOn(
  context: ClientContext,
  {
    runId,
    flags,
    following,
    from = 'now',
  }: {
    readonly runId: string;
    readonly flags: ViewFlags;
    readonly following: Omit<FollowOptions, 'signal' | 'onView'>;
    readonly from?: 'start' | 'now';
  },
): Promise<number> {
  const { io, link, artifacts, mode } = context;
  const stop = new AbortController();
  const interruption = hearSignals(io, { names: ['SIGINT'], asked: () => stop.abort() });
  const view = await openLiveView(io, { loudness: verbosityOf(flags), answer: answerOf(context, runId) });
  const watch = new RunWatch(link.client, { runId, from, take: view.take });
  // A local run has a process that serves it: that one calls them.
  const hooks = mode.kind === 'cluster' ? new Hooks(context, { runId, warn: view.note }) : undefined;
  const onView = async (run: RunView): Promise<void> => {
    watch.look(run);
    hooks?.look(run);
    await view.look(run, artifacts);
  };
  try {
    await onView(await viewRun(link.client, runId));
    const ended = await followRun(link.client, runId, { ...following, onView, signal: stop.signal });
    if (ended !== undefined) await watch.settle();
    view.close();
    if (ended !== undefined) return await reportRun(context, { view: ended, flags, told: view.told });
    const where = mode.kind === 'cluster' ? ', on the workers of its fleet' : '';
    io.say(`the run goes on without this command${where}; look at it with: raymond status ${runId}`);
    return EXIT.interrupted;
  } finally {
    view.close();
    interruption.off();
    await watch.close();
    await hooks?.settle();
  }
}

/** Answers a question of a run from where it is shown. */
function answerOf({ link, artifacts }: ClientContext, runId: string): AnswerLineOptions['send'] {
  return async ({ askId, agentId }, text) => {
    const answer = { askId, text: await artifacts.value(text), files: [] };
    await sendAnswer(link.client, { runId, agentId, answer });
  };
}

/** Whether a resumption lets agents ask: what its own flag says counts more than how the run was started. */
export function rejectingAsks({ onAsk }: ViewFlags): { readonly rejectAsks?: boolean } {
  return onAsk === undefined ? {} : { rejectAsks: onAsk === 'reject' };
}

/** What to do when only a person can make the run go on: on a terminal and on a cluster it is waited for. */
export function askMode(
  { onAsk }: ViewFlags,
  { io, mode, project: { config } }: Pick<CommandContext, 'io' | 'mode' | 'project'>,
): 'wait' | 'exit' {
  const waits = mode.kind === 'cluster' || io.stderr.isTTY === true;
  const chosen = onAsk ?? config.on_ask ?? (waits ? 'wait' : 'exit');
  return chosen === 'exit' ? 'exit' : 'wait';
}

/** Starts the background process; resolves when it has been started. */
export async function detach(
  { cwd, env }: Io,
  { runId, raymondDir, flags }: { readonly runId: string; readonly raymondDir: string; readonly flags: TelemetryFlags },
): Promise<void> {
  const folder = join(raymondDir, 'runs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = await open(join(folder, `${runId}.log`), 'a', 0o600);
  try {
    const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
    const child = spawn(process.execPath, [program, 'resume', runId, '--on-ask', 'wait', ...telemetryWords(flags)], {
      cwd,
      env,
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    await new Promise<void>((started, failed) => child.once('spawn', started).once('error', failed));
    child.unref();
  } finally {
    await log.close();
  }
}
