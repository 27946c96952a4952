// Going on with a run from the command line: here, with the live view and the last word; or following it on a cluster.
// What makes the run move is the commands'.
import { sendAnswer } from '../../client/steer/answer.js';
import { ClientError } from '../../client/error.js';
import type { FollowOptions } from '../../client/look/follow.js';
import { followRun, type FollowRunOptions } from '../../client/operations.js';
import { viewRun, type RunView } from '../../client/look/runs.js';
import { clusterOf } from '../../client/open.js';
import { findProject } from '../../project.js';
import { defined } from '../../protocol/text.js';
import { startThreadAhead } from '../../sdk-internals/thread.js';
import { claimRun, SERVE_QUEUE } from '../../local.js';
import { contextOf, refuseWithoutRuns, type ClientContext, type CommandContext } from '../context.js';
import {
  verbosityOf,
  withConfiguredView,
  type ConnectionFlags,
  type TelemetryFlags,
  type ViewFlags,
} from '../flags.js';
import type { AnswerLineOptions } from '../view/answer-line.js';
import { openLiveView } from '../view/live.js';
import { EXIT } from '../exit.js';
import { Hooks } from '../hooks/hooks.js';
import { hearSignals, type Io } from '../io.js';
import { serveToEnd } from './serve-run.js';
import { telemetryOf } from '../telemetry.js';
import { reportInterrupted, reportRun } from '../view/output.js';

/** How to go on; `before` runs with the run's lock held, `onServing` as soon as it is served. */
interface ServeOptions {
  readonly runId: string;
  readonly flags: ViewFlags;
  readonly before?: () => Promise<Omit<FollowOptions, 'signal' | 'onView'>>;
  readonly onServing?: () => Promise<void>;
}

/** What a command asks for that follows a run; `serves` = its process will serve it, if it is local, with its metrics. */
interface ViewRequest<T> {
  readonly flags: T;
  readonly runId: string | undefined;
  readonly serves?: boolean;
}

/** Opens what such a command works in; the config says how it is shown where the flags do not. */
export async function openForView<T extends ConnectionFlags & ViewFlags & TelemetryFlags>(
  io: Io,
  { flags: given, runId, serves = false }: ViewRequest<T>,
): Promise<{ readonly flags: T; readonly surroundings: CommandContext }> {
  const project = await findProject(io.cwd);
  if (runId !== undefined) await refuseWithoutRuns(project, { io, flags: given, runId });
  const flags = withConfiguredView(given, project.config);
  const report = flags.quiet === true ? (): void => undefined : io.say;
  const telemetry = await telemetryOf(project, { io, flags, report, metrics: serves });
  if (serves && clusterOf(project, { choice: flags, env: io.env }) === undefined) startThreadAhead(io.env);
  return { flags, surroundings: await contextOf(project, { io, flags, report, telemetry }) };
}

/** Serves a local run to its end, or until nothing in it moves; gives the exit code. */
export async function serveOn(context: CommandContext, going: ServeOptions): Promise<number> {
  const lock = await claimRun(context.project.raymondDir, going.runId);
  try {
    await refuseServed(context, going.runId);
    return await serve(context, going);
  } finally {
    await lock.release();
  }
}

/** An open run of `raymond serve` shares its queue with others: only that goes on with it. Throws `NotResumable`. */
async function refuseServed({ link }: CommandContext, runId: string): Promise<void> {
  const view = await viewRun(link.client, runId).catch(() => undefined); // it has yet to begin
  if (view?.open !== true || view.taskQueue !== SERVE_QUEUE) return;
  const message = `the run ${runId} was started by raymond serve, which goes on with it; start that again: raymond serve`;
  throw new ClientError('NotResumable', message);
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
    before,
    onTurn,
  }: {
    readonly runId: string;
    readonly flags: ViewFlags;
    readonly following: Omit<FollowOptions, 'signal' | 'onView'>;
    readonly from?: 'start' | 'now';
    /** What makes the run move, done once Ctrl-C is heard: from then on it ends this command with its last word. */
    readonly before?: () => Promise<void>;
  } & Pick<FollowRunOptions, 'onTurn'>,
): Promise<number> {
  const { io, artifacts, mode } = context;
  const stop = new AbortController();
  const interruption = hearSignals(io, { names: ['SIGINT'], asked: () => stop.abort() });
  const view = await openLiveView(io, { loudness: verbosityOf(flags), answer: answerOf(context, runId) });
  // A local run has a process that serves it: that one calls them.
  const hooks = mode.kind === 'cluster' ? new Hooks(context, { runId, warn: view.note }) : undefined;
  const onView = async (run: RunView): Promise<void> => {
    hooks?.look(run);
    await view.look(run, artifacts);
  };
  try {
    await before?.();
    const { signal } = stop;
    const ended = await followRun(context, {
      ...following,
      runId,
      from,
      onNews: view.take,
      onView,
      signal,
      ...defined({ onTurn }),
    });
    view.close();
    if (ended !== undefined)
      return await reportRun(context, { view: ended, flags, told: view.told, asLine: onTurn !== undefined });
    const where = mode.kind === 'cluster' ? ', on the workers of its fleet' : '';
    io.say(`the run goes on without this command${where}; look at it with: raymond status ${runId}`);
    return EXIT.interrupted;
  } finally {
    view.close();
    interruption.off();
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
