// Serving a local run until it ends, is held or interrupted: its worker, the signals to this process, and leaving in order.
import type { Link } from '../../client/connect.js';
import { ClientError } from '../../client/error.js';
import { followRun, untilTakenUp, type FollowOptions } from '../../client/look/follow.js';
import { RecordedNews } from '../../client/look/recorded-news.js';
import type { RunView } from '../../client/look/runs.js';
import { localQueue, serveQueue, serverLoss } from '../../local.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import type { RaymondWorker } from '../../worker/index.js';
import { settingsOf, type CommandContext } from '../context.js';
import type { Hooks } from '../hooks/hooks.js';
import { hearSignals } from '../io.js';
import { servedTelemetry } from '../telemetry.js';
import type { LiveView } from '../view/live.js';

/** What to serve and how to show it. */
interface ServeRequest {
  readonly surroundings: CommandContext;
  readonly runId: string;
  readonly view: LiveView;
  /** Whoever opened them settles them. */
  readonly hooks: Hooks;
  readonly following?: Omit<FollowOptions, 'signal' | 'onView'>;
  /** What to do as soon as the run is served. */
  readonly onServing?: () => Promise<void>;
  /** For how many seconds turns may go on after SIGTERM or SIGHUP. */
  readonly drain?: number | undefined;
}

/** The same without a terminal, when nobody says. */
const DRAIN_SECONDS = 30;

/** A person at a terminal may insist before. */
const PATIENT_SECONDS = 600;

const INTERRUPTING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Serves until the run ends or is paused; undefined when the person interrupted it. */
export async function serveToEnd(request: ServeRequest): Promise<RunView | undefined> {
  const { surroundings: context, runId, view, hooks } = request;
  const { io, link, project } = context;
  const stop = new AbortController();
  const settings = settingsOf(project);
  const telemetry = servedTelemetry(context.telemetry, view.note);
  const taskQueue = localQueue(runId);
  const news = new RecordedNews(link.client, { show: view.take, finishing: view.finishing });
  const progress = view.isQuiet ? (): void => undefined : news.take;
  const starting = serveQueue({ link, taskQueue, settings, environment: io.env, progress, telemetry });
  io.atEnd(async () => (await starting).drain());
  const asked = (signal: NodeJS.Signals): void => {
    const seconds = graceOf(signal, { given: request.drain, isTTY: io.stderr.isTTY });
    const latest = seconds === PATIENT_SECONDS ? '' : `, in ${seconds} s at the latest`;
    view.note(`stopping after the current turns${latest}; press Ctrl-C again to stop now`);
    stop.abort(seconds);
  };
  const interruption = hearSignals(io, { names: INTERRUPTING, asked });
  const insisted = async (): Promise<undefined> => {
    await interruption.insisted;
    io.hurry();
    hooks.stop();
    await (await starting).abandon();
  };
  try {
    const served = servedBy(await starting, { ...request, signal: stop.signal });
    const gone = insisted();
    const ended = await Promise.race([served, gone]);
    await Promise.race([news.settle(), gone]);
    return ended;
  } catch (error) {
    // Turns that are under way end with this call, as they do when it is killed.
    io.hurry();
    throw (await lossOf(context, runId)) ?? error;
  } finally {
    interruption.off();
    stop.abort();
    news.close();
  }
}

/** Whoever stops a process that nobody watches does not wait for long. */
function graceOf(
  signal: NodeJS.Signals,
  { given, isTTY = false }: { readonly given: number | undefined; readonly isTTY: boolean | undefined },
): number {
  if (signal === 'SIGINT') return PATIENT_SECONDS;
  return given ?? (isTTY ? PATIENT_SECONDS : DRAIN_SECONDS);
}

/** Whatever the call was that noticed it: without its server no run goes on. */
async function lossOf({ mode, project }: CommandContext, runId: string): Promise<ClientError | undefined> {
  const loss = mode.kind === 'local' ? await serverLoss(project.raymondDir) : undefined;
  return loss === undefined
    ? undefined
    : new ClientError('Unreachable', `${loss}; when that is mended, go on with: raymond resume ${runId}`);
}

/** What the worker does until the run has ended or `signal` fires; undefined then. */
async function servedBy(
  worker: RaymondWorker,
  {
    surroundings: { link, artifacts },
    runId,
    view,
    hooks,
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
  const onView = async (run: RunView): Promise<void> => {
    hooks.look(run);
    await view.look(run, artifacts);
  };
  const ended = await Promise.race([followRun(link.client, runId, { ...following, signal, onView }), broken]);
  if (ended !== undefined || !signal.aborted) return await left(worker, { link, ended });
  const last = await interrupted(worker, { link, runId, seconds: Number(signal.reason) });
  hooks.look(last);
  return last.open ? undefined : last;
}

/** Lets the turns end, and the run take up how they did; the run as it is then. */
async function interrupted(
  worker: RaymondWorker,
  { link, runId, seconds }: { readonly link: Link; readonly runId: string; readonly seconds: number },
): Promise<RunView> {
  const timer = setTimeout(() => void worker.abandon(), seconds * 1000);
  const held = await worker.finishTurns();
  clearTimeout(timer);
  const view = await untilTakenUp(link.client, runId, held);
  await left(worker, { link, ended: view });
  return view;
}

/** Ends the serving of a run that has ended or is held. */
async function left(
  worker: RaymondWorker,
  { link, ended }: { readonly link: Link; readonly ended: RunView | undefined },
): Promise<RunView | undefined> {
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
