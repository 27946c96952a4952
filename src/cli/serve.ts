// Going on with a run from the command line: worker, live view, Ctrl-C, and the wait for its end; in the background; or following it on a
// cluster. What makes the run move is the commands'.
import { spawn } from 'node:child_process';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Link } from '../client/connect.js';
import { followRun, type FollowOptions } from '../client/follow.js';
import type { RunView } from '../client/runs.js';
import { findProject } from '../project.js';
import { claimRun, serveRun } from '../local.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { RaymondWorker } from '../worker.js';
import { settingsOf, contextOf, type CommandContext } from './context.js';
import { verbosityOf, withConfiguredView, type ConnectionFlags, type ViewFlags } from './flags.js';
import { openLiveView, type LiveView } from './live.js';
import { hearSignals, type Io } from './io.js';
import { reportInterrupted, reportRun } from './output.js';

/** What to serve and how to show it. */
interface ServeRequest {
  readonly surroundings: CommandContext;
  readonly runId: string;
  readonly view: LiveView;
  readonly following?: Omit<FollowOptions, 'signal' | 'onView'>;
  /** What to do as soon as the run is served. */
  readonly onServing?: () => Promise<void>;
}

const INTERRUPTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Serves until the run ends or is paused; undefined when the person interrupted it. */
export async function serveToEnd(request: ServeRequest): Promise<RunView | undefined> {
  const { surroundings: context, runId, view } = request;
  const { io, link, project } = context;
  const stop = new AbortController();
  const settings = settingsOf(project);
  const starting = serveRun({ link, runId, settings, environment: io.env, progress: view.take });
  io.atEnd(async () => (await starting).drain());
  const asked = (): void => {
    view.note('stopping after the current turns; press Ctrl-C again to stop now');
    stop.abort();
  };
  const interruption = hearSignals(io, { names: INTERRUPTING, asked });
  const insisted = async (): Promise<undefined> => {
    await interruption.insisted;
    io.hurry();
    await (await starting).abandon();
  };
  try {
    return await Promise.race([servedBy(await starting, { ...request, signal: stop.signal }), insisted()]);
  } finally {
    interruption.off();
    stop.abort();
  }
}

/** What the worker does until the run has ended or `signal` fires; undefined then. */
async function servedBy(
  worker: RaymondWorker,
  {
    surroundings: { link, artifacts },
    runId,
    view,
    following = {},
    onServing = () => Promise.resolve(),
    signal,
  }: ServeRequest & { readonly signal: AbortSignal },
): Promise<RunView | undefined> {
  const broken = worker.finished.then(() => undefined);
  await Promise.race([onServing(), broken]).catch(async (error: unknown) => {
    await worker.drain();
    throw error;
  });
  const ended = await Promise.race([
    followRun(link.client, runId, { ...following, signal, onView: (run) => view.look(run, artifacts) }),
    broken,
  ]);
  if (ended !== undefined && !ended.open) await agentsClosed(link, ended);
  // A run that stays open is left in order: the server then knows at once that this worker no longer holds its histories.
  if (ended === undefined || ended.open) await worker.drain();
  else await worker.abandon();
  return ended;
}

/** An agent closes just after its last word to the run: leaving earlier would keep its workflow open for ever. */
async function agentsClosed({ client }: Link, { runId, agents }: RunView): Promise<void> {
  const present = agents.filter(({ status }) => status !== 'lost');
  await Promise.all(
    present.map(({ id }) =>
      client.workflow
        .getHandle(agentWorkflowId(runId, id))
        .result()
        .then(
          () => undefined,
          () => undefined, // failed or cancelled: closed all the same
        ),
    ),
  );
}

/** How to go on; `before` runs with the run's lock held, `onServing` as soon as it is served. */
interface ServeOptions {
  readonly runId: string;
  readonly flags: ViewFlags;
  readonly before?: () => Promise<Omit<FollowOptions, 'signal' | 'onView'>>;
  readonly onServing?: () => Promise<void>;
}

/** Opens what a command that follows a run works in; the config says how it is shown where the flags do not. */
export async function openForView<T extends ConnectionFlags & ViewFlags>(
  io: Io,
  given: T,
): Promise<{ readonly flags: T; readonly surroundings: CommandContext }> {
  const project = await findProject(io.cwd);
  const flags = withConfiguredView(given, project.config);
  const report = flags.quiet === true ? (): void => undefined : io.say;
  return { flags, surroundings: await contextOf(project, { io, flags, report }) };
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
  const view = await openLiveView(io, verbosityOf(flags));
  try {
    const following = { onAsk: askMode(flags, context), ...(await before?.()) };
    const ended = await serveToEnd({
      surroundings: context,
      runId,
      view,
      following,
      ...(onServing === undefined ? {} : { onServing }),
    });
    view.close();
    if (ended === undefined) return reportInterrupted(io, runId);
    return await reportRun(context, { view: ended, flags, told: view.told });
  } finally {
    view.close();
  }
}

/** Follows a run that a fleet serves; gives the exit code. */
export async function followOn(
  context: CommandContext,
  {
    runId,
    flags,
    following,
  }: { readonly runId: string; readonly flags: ViewFlags; readonly following: Omit<FollowOptions, 'signal'> },
): Promise<number> {
  const { io, link } = context;
  const stop = new AbortController();
  const interruption = hearSignals(io, { names: ['SIGINT'], asked: () => stop.abort() });
  try {
    const ended = await followRun(link.client, runId, { ...following, signal: stop.signal });
    return ended === undefined ? reportInterrupted(io, runId) : await reportRun(context, { view: ended, flags });
  } finally {
    interruption.off();
  }
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
  { runId, raymondDir }: { readonly runId: string; readonly raymondDir: string },
): Promise<void> {
  const folder = join(raymondDir, 'runs');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const log = await open(join(folder, `${runId}.log`), 'a', 0o600);
  try {
    const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));
    const child = spawn(process.execPath, [program, 'resume', runId, '--on-ask', 'wait'], {
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
