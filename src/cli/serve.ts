// Serving a local run from the command line: worker, live view, Ctrl-C, and the wait for its end.
// Must not start or resume runs; it serves what is there.
import type { Link } from '../client/connect.js';
import { followRun, type Following } from '../client/follow.js';
import type { RunView } from '../client/runs.js';
import { agentWorkflowId } from '../protocol/ids.js';
import { serveRun } from '../local.js';
import type { RaymondWorker } from '../worker.js';
import type { LiveView } from './live.js';
import { settingsOf, type Surroundings } from './surroundings.js';

/** What to serve and how to show it. */
export interface ServeRequest {
  readonly surroundings: Surroundings;
  readonly runId: string;
  readonly view: LiveView;
  readonly following?: Omit<Following, 'signal' | 'onView'>;
  /** What to do as soon as the run is served. */
  readonly onServing?: () => Promise<void>;
}

/** Serves until the run ends or is paused; undefined when the person interrupted it. */
export async function serveToEnd({
  surroundings,
  runId,
  view,
  following = {},
  onServing = () => Promise.resolve(),
}: ServeRequest): Promise<RunView | undefined> {
  const { link, project, artifacts } = surroundings;
  const settings = settingsOf(project);
  const stop = new AbortController();
  const starting = serveRun({ link, runId, settings, progress: view.take });
  const onSignal = interruptible({ starting, stop, view });
  try {
    const worker = await starting;
    const broken = worker.finished.then(() => undefined);
    await Promise.race([onServing(), broken]).catch(async (error: unknown) => {
      await worker.drain();
      throw error;
    });
    const ended = await Promise.race([
      followRun(link.client, runId, { ...following, signal: stop.signal, onView: (run) => view.look(run, artifacts) }),
      broken,
    ]);
    if (ended !== undefined && !ended.open) await agentsClosed(link, ended);
    // A run that stays open is left in order: the server then knows at once that this worker no longer holds its histories.
    if (ended === undefined || ended.open) await worker.drain();
    else await worker.abandon();
    return ended;
  } finally {
    onSignal.off();
  }
}

/** First Ctrl-C: let the turns end. Second: end now. */
function interruptible({
  starting,
  stop,
  view,
}: {
  readonly starting: Promise<RaymondWorker>;
  readonly stop: AbortController;
  readonly view: LiveView;
}): { readonly off: () => void } {
  let count = 0;
  const onSignal = (): void => {
    count += 1;
    if (count === 1) {
      view.note('stopping after the current turns; press Ctrl-C again to stop now');
      stop.abort();
      return;
    }
    void starting.then((worker) => worker.abandon()).finally(() => process.exit(130));
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, onSignal);
  return { off: () => signals.forEach((signal) => process.off(signal, onSignal)) };
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
