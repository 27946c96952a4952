// Follows a run from the command line, with the live view and the last word. A command that follows a local run makes
// sure that an engine executes it: the project's, or with --foreground one in this process.
import { sendAnswer } from '../../client/steer/answer.js';
import type { FollowOptions } from '../../client/look/follow.js';
import { followRun, type FollowRunOptions } from '../../client/operations.js';
import type { RunView } from '../../client/look/runs.js';
import { findProject } from '../../client/project/project.js';
import { defined } from '../../protocol/text.js';
import { stopServer } from '../../server/index.js';
import { contextOf, refuseWithoutRuns, type ClientContext } from '../context.js';
import {
  verbosityOf,
  withConfiguredView,
  type ConnectionFlags,
  type ForegroundFlags,
  type TelemetryFlags,
  type ViewFlags,
} from '../flags.js';
import { HooksOfRuns } from '../hooks/hooks-of-runs.js';
import type { Io } from '../io.js';
import type { AnswerLineOptions } from '../view/answer-line.js';
import { openLiveView, type LiveView } from '../view/live.js';
import { EXIT } from '../exit.js';
import { reportRun } from '../view/output.js';
import { engineStatus } from '../../engine/record.js';
import { ForegroundEngine, withoutEngine } from './foreground-engine.js';
import { leavingOf } from './leaving.js';
import { LIVE_EVENTS, EngineKeeper } from './engine-keeper.js';

/** The name of a command that makes a run continue. */
export interface ContinueFlags extends ConnectionFlags, ViewFlags, TelemetryFlags, ForegroundFlags {
  readonly follow?: boolean;
}

/**
 * A variable that means --foreground for every command: 1 = nothing remains after a command in a container or a CI job;
 * `engine` = the server remains, for the next commands.
 */
const FOREGROUND = 'RAYMOND_FOREGROUND';

/** Whether this process executes local runs itself. */
export function isForeground(
  { foreground }: ForegroundFlags,
  { mode, io }: Pick<ClientContext, 'io'> & { readonly mode: Pick<ClientContext['mode'], 'kind'> },
): boolean {
  return mode.kind === 'local' && (foreground === true || ['1', 'engine'].includes(io.env[FOREGROUND] ?? ''));
}

/** Stops the embedded server with this command, when the command started it and it should not stay. */
export function stopServerAtEnd(context: ClientContext, flags: ForegroundFlags): void {
  const { io, project, startedServer } = context;
  if (startedServer !== true || !isForeground(flags, context)) return;
  if (flags.foreground === true || io.env[FOREGROUND] === '1')
    io.atEnd(async () => void (await stopServer({ raymondDir: project.raymondDir })));
}

/** The options of a command that makes a run continue. */
interface ViewRequest<T> {
  readonly flags: T;
  readonly runId: string | undefined;
}

/** Opens the context of such a command; the config sets how to show it when the flags do not. */
export async function openForView<T extends ConnectionFlags & ViewFlags>(
  io: Io,
  { flags: given, runId }: ViewRequest<T>,
): Promise<{ readonly flags: T; readonly context: ClientContext }> {
  const project = await findProject(io.cwd);
  if (runId !== undefined) await refuseWithoutRuns(project, { io, flags: given, runId });
  const flags = withConfiguredView(given, project.config);
  const report = flags.quiet === true ? (): void => undefined : io.say;
  return { flags, context: await contextOf(project, { io, flags, report }) };
}

/** An order that makes a run continue, and how to follow it. */
interface Order<T> {
  readonly runId: string;
  readonly flags: ContinueFlags;
  /** The command's output when it does not follow. */
  readonly act: (context: ClientContext) => Promise<T>;
  readonly following?: (acted: T) => Following;
  readonly from?: 'start' | 'now';
  /** An engine in this process starts only after the order, so that nothing happens before the order takes effect. */
  readonly first?: boolean;
}

type Following = Omit<FollowOptions, 'signal' | 'onView'>;

/**
 * Carries out the order. With --follow, and where this process becomes the engine, it follows the run to its end, and
 * returns the exit code as `code`. Otherwise `acted` is the order's result.
 */
export async function order<T>(
  context: ClientContext,
  { runId, flags, act, following = () => ({}), from, first = false }: Order<T>,
): Promise<{ readonly code: number } | { readonly acted: T }> {
  stopServerAtEnd(context, flags);
  const isHere = isForeground(flags, context) && engineStatus(context.project.raymondDir).kind === 'stopped';
  let done = isHere && first ? { acted: await act(withoutEngine(context)) } : undefined;
  const here = isHere ? await ForegroundEngine.open(context, flags) : undefined;
  if (here === undefined && flags.follow !== true) return done ?? { acted: await act(context) };
  return {
    code: await followOn(context, {
      runId,
      flags,
      here,
      steers: true,
      before: async (inner) => void (done ??= { acted: await act(inner) }),
      following: () => ({ onAsk: askMode(flags, context), ...(done === undefined ? {} : following(done.acted)) }),
      ...defined({ from }),
    }),
  };
}

/** What to follow, and how. */
interface FollowOnOptions extends Pick<FollowRunOptions, 'onTurn' | 'onBegin'> {
  readonly runId: string;
  readonly flags: ViewFlags & ConnectionFlags & TelemetryFlags & ForegroundFlags;
  readonly following?: () => Following;
  readonly from?: 'start' | 'now';
  /** What makes the run move, done once Ctrl-C is handled. */
  readonly before?: (context: ClientContext) => Promise<void>;
  /** The engine in this process. */
  readonly here?: ForegroundEngine | undefined;
  /** The command has made the run continue: Ctrl-C pauses it, and its engine is started again when it ends. */
  readonly steers?: boolean;
}

/** Follows a run; returns the exit code. */
export async function followOn(given: ClientContext, options: FollowOnOptions): Promise<number> {
  const { runId, flags, following = () => ({}), from = 'now', before, onTurn, onBegin, here, steers = false } = options;
  const { io, artifacts, mode } = given;
  const context = here === undefined ? given : here.inside(given);
  const view = await openLiveView(io, { loudness: verbosityOf(flags), answer: answerOf(context, runId) });
  const foreground = isForeground(flags, context);
  const engineKeeper = new EngineKeeper(context, { flags, view, runId, here, foreground });
  const leaving = leavingOf(context, { runId, view, here: () => engineKeeper.here, steers, drain: flags.drain });
  // On a cluster no engine calls them.
  const hooks = mode.kind === 'cluster' ? new HooksOfRuns(context, view.note) : undefined;
  const onView = async (run: RunView): Promise<void> => {
    hooks?.update(run);
    await view.update(run, artifacts);
  };
  const { signal, insisted } = leaving;
  const isLive = mode.kind === 'local';
  const follow = (): Promise<RunView | undefined> =>
    followRun(context, {
      ...following(),
      runId,
      from,
      onProgress: isLive ? recordedOnly(view.show) : view.show,
      onOrder: view.showOrder,
      onView,
      signal: onTurn === undefined ? signal : AbortSignal.any([signal, io.unread]),
      ...defined({ onTurn, onBegin }),
    });
  let ended: RunView | undefined;
  try {
    if (isLive) engineKeeper.begin();
    await before?.(context);
    const { answered }: Following = following();
    // Its agent may not have read the answer yet.
    if (answered !== undefined) view.shownKeys.add(answered);
    const followed = steers ? engineKeeper.followWithEngine(follow, signal) : follow();
    const gone = insisted.then(() => undefined);
    ended = await Promise.race([followed, gone]);
    if (ended === undefined && leaving.isLeaving) ended = await Promise.race([leaving.finish(), gone]);
    view.close();
    if (ended === undefined && !leaving.isLeaving && io.unread.aborted) return EXIT.completed;
    if (ended === undefined || (leaving.isLeaving && ended.open && engineKeeper.here !== undefined))
      return EXIT.interrupted;
    const code = await reportRun(context, {
      view: ended,
      flags,
      shownKeys: view.shownKeys,
      asLine: onTurn !== undefined,
    });
    return leaving.isLeaving && ended.open ? EXIT.interrupted : code;
  } finally {
    view.close();
    leaving.off();
    engineKeeper.end();
    await hooks?.settle();
    const late = insisted.then(() => undefined);
    await Promise.race([engineKeeper.here?.close(ended), late]);
  }
}

/** Ends of turns are shown as they are recorded; the engine reports the rest live. */
function recordedOnly(show: LiveView['show']): LiveView['show'] {
  return (event) => (LIVE_EVENTS.has(event.kind) ? undefined : show(event));
}

/** Answers a question of a run in its live view. */
function answerOf({ link, artifacts }: ClientContext, runId: string): AnswerLineOptions['send'] {
  return async ({ askId, agentId }, text) => {
    const answer = { askId, text: await artifacts.value(text), files: [] };
    await sendAnswer(link.client, { runId, agentId, answer });
  };
}

/** Whether a resumed run may ask: the command's own flag overrides the run's setting. */
export function rejectingAsks({ onAsk }: ViewFlags): { readonly rejectAsks?: boolean } {
  return onAsk === undefined ? {} : { rejectAsks: onAsk === 'reject' };
}

/** What to do when only a person's answer is missing: on a terminal and on a cluster, wait for it. */
export function askMode(
  { onAsk }: ViewFlags,
  { io, mode, project: { config } }: Pick<ClientContext, 'io' | 'mode' | 'project'>,
): 'wait' | 'exit' {
  const waits = mode.kind === 'cluster' || io.stderr.isTTY === true;
  const chosen = onAsk ?? config.on_ask ?? (waits ? 'wait' : 'exit');
  return chosen === 'exit' ? 'exit' : 'wait';
}
