// Following a run from the command line, with the live view and the last word. Whoever follows a local run sees to it that an engine executes
// it: the project's, or with --foreground one in this process.
import { sendAnswer } from '../../client/steer/answer.js';
import type { FollowOptions } from '../../client/look/follow.js';
import { followRun, type FollowRunOptions } from '../../client/operations.js';
import type { RunView } from '../../client/look/runs.js';
import { findProject } from '../../project.js';
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
import { EngineHere, withoutEngine } from './engine-here.js';
import { leavingOf } from './leaving.js';
import { LIVE, Upkeep } from './upkeep.js';

/** How a command that makes a run continue is called. */
export interface GoOnFlags extends ConnectionFlags, ViewFlags, TelemetryFlags, ForegroundFlags {
  readonly follow?: boolean;
}

/**
 * A variable that means --foreground for every command: 1 = nothing stays behind in a container or a CI job; `engine` = only the server stays,
 * for the commands that come after.
 */
const FOREGROUND = 'RAYMOND_FOREGROUND';

/** Whether this process shall execute local runs itself. */
export function isForeground(
  { foreground }: ForegroundFlags,
  { mode, io }: Pick<ClientContext, 'io'> & { readonly mode: Pick<ClientContext['mode'], 'kind'> },
): boolean {
  return mode.kind === 'local' && (foreground === true || ['1', 'engine'].includes(io.env[FOREGROUND] ?? ''));
}

/** Has the embedded server stop with this command, when it was started by it and shall not stay. */
export function stopServerAtEnd(context: ClientContext, flags: ForegroundFlags): void {
  const { io, project, startedServer } = context;
  if (startedServer !== true || !isForeground(flags, context)) return;
  if (flags.foreground === true || io.env[FOREGROUND] === '1')
    io.atEnd(async () => void (await stopServer({ raymondDir: project.raymondDir })));
}

/** What a command asks for that makes a run continue. */
interface ViewRequest<T> {
  readonly flags: T;
  readonly runId: string | undefined;
}

/** Opens what such a command works in; the config says how it is shown where the flags do not. */
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

/** An order that makes a run continue, and how it is followed after it. */
interface Order<T> {
  readonly runId: string;
  readonly flags: GoOnFlags;
  /** Gives what the command has to say when it does not follow. */
  readonly act: (context: ClientContext) => Promise<T>;
  readonly following?: (acted: T) => Following;
  readonly from?: 'start' | 'now';
  /** An engine in this process begins only after the order: what is due by then must not happen before it. */
  readonly first?: boolean;
}

type Following = Omit<FollowOptions, 'signal' | 'onView'>;

/**
 * Does what was ordered. With --follow, and where this process becomes the engine, the run is followed to its end: `code` is the exit code
 * then. Else `acted` is what the order gave.
 */
export async function order<T>(
  context: ClientContext,
  { runId, flags, act, following = () => ({}), from, first = false }: Order<T>,
): Promise<{ readonly code: number } | { readonly acted: T }> {
  stopServerAtEnd(context, flags);
  const isHere = isForeground(flags, context) && engineStatus(context.project.raymondDir).kind === 'stopped';
  let done = isHere && first ? { acted: await act(withoutEngine(context)) } : undefined;
  const here = isHere ? await EngineHere.open(context, flags) : undefined;
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
export interface FollowOnOptions extends Pick<FollowRunOptions, 'onTurn'> {
  readonly runId: string;
  readonly flags: ViewFlags & ConnectionFlags & TelemetryFlags & ForegroundFlags;
  readonly following?: () => Following;
  readonly from?: 'start' | 'now';
  /** What makes the run move, done once Ctrl-C is heard. */
  readonly before?: (context: ClientContext) => Promise<void>;
  /** The engine in this process. */
  readonly here?: EngineHere | undefined;
  /** The command has made the run continue: Ctrl-C pauses it, and its engine is started again when it ends. */
  readonly steers?: boolean;
}

/** Follows a run; gives the exit code. */
export async function followOn(given: ClientContext, options: FollowOnOptions): Promise<number> {
  const { runId, flags, following = () => ({}), from = 'now', before, onTurn, here, steers = false } = options;
  const { io, artifacts, mode } = given;
  const context = here === undefined ? given : here.inside(given);
  const view = await openLiveView(io, { loudness: verbosityOf(flags), answer: answerOf(context, runId) });
  const foreground = isForeground(flags, context);
  const upkeep = new Upkeep(context, { flags, view, runId, here, foreground });
  const leaving = leavingOf(context, { runId, view, here: () => upkeep.here, steers, drain: flags.drain });
  // On a cluster nobody else calls them.
  const hooks = mode.kind === 'cluster' ? new HooksOfRuns(context, view.note) : undefined;
  const onView = async (run: RunView): Promise<void> => {
    hooks?.look(run);
    await view.look(run, artifacts);
  };
  const { signal, insisted } = leaving;
  const isLive = mode.kind === 'local';
  const follow = (): Promise<RunView | undefined> =>
    followRun(context, {
      ...following(),
      runId,
      from,
      onNews: isLive ? recordedOnly(view.take) : view.take,
      onView,
      signal: onTurn === undefined ? signal : AbortSignal.any([signal, io.unread]),
      ...defined({ onTurn }),
    });
  let ended: RunView | undefined;
  try {
    if (isLive) upkeep.begin();
    await before?.(context);
    const followed = steers ? upkeep.following(follow, signal) : follow();
    const gone = insisted.then(() => undefined);
    ended = await Promise.race([followed, gone]);
    if (ended === undefined && leaving.isAsked) ended = await Promise.race([leaving.finish(), gone]);
    view.close();
    if (ended === undefined && !leaving.isAsked && io.unread.aborted) return EXIT.completed;
    if (ended === undefined || (leaving.isAsked && ended.open && upkeep.here !== undefined)) return EXIT.interrupted;
    const code = await reportRun(context, { view: ended, flags, told: view.told, asLine: onTurn !== undefined });
    return leaving.isAsked && ended.open ? EXIT.interrupted : code;
  } finally {
    view.close();
    leaving.off();
    upkeep.end();
    await hooks?.settle();
    const late = insisted.then(() => undefined);
    await Promise.race([upkeep.here?.close(ended), late]);
  }
}

/** How turns ended is shown as it is recorded; the engine tells the rest as it happens. */
function recordedOnly(take: LiveView['take']): LiveView['take'] {
  return (news) => (LIVE.has(news.kind) ? undefined : take(news));
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

/** What to do when only a person can make the run continue: on a terminal and on a cluster it is waited for. */
export function askMode(
  { onAsk }: ViewFlags,
  { io, mode, project: { config } }: Pick<ClientContext, 'io' | 'mode' | 'project'>,
): 'wait' | 'exit' {
  const waits = mode.kind === 'cluster' || io.stderr.isTTY === true;
  const chosen = onAsk ?? config.on_ask ?? (waits ? 'wait' : 'exit');
  return chosen === 'exit' ? 'exit' : 'wait';
}
