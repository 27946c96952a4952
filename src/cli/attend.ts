// Going on with a run that exists: serving it here and following it to its end, with the output and exit codes of `start`.
// On a cluster workers serve it, and it is followed only on demand. Must not decide what makes the run move.
import { followRun, type Following } from '../client/follow.js';
import { claimRun } from '../local.js';
import { loudnessOf, type ViewFlags } from './flags.js';
import { openLiveView } from './live.js';
import { reportInterrupted, reportRun } from './report.js';
import { serveToEnd } from './serve.js';
import type { Surroundings } from './surroundings.js';

/** How to go on; `before` runs with the run's lock held, `onServing` as soon as it is served. */
export interface GoingOn {
  readonly runId: string;
  readonly flags: ViewFlags;
  readonly before?: () => Promise<Omit<Following, 'signal' | 'onView'>>;
  readonly onServing?: () => Promise<void>;
}

/** Serves a local run to its end, or until nothing in it moves; gives the exit code. */
export async function serveOn(
  surroundings: Surroundings,
  { runId, flags, before, onServing }: GoingOn,
): Promise<number> {
  const { project, artifacts } = surroundings;
  const lock = await claimRun(project.raymondDir, runId);
  const view = openLiveView(loudnessOf(flags));
  try {
    const following = { onAsk: askMode(flags, surroundings), ...(await before?.()) };
    const ended = await serveToEnd({
      surroundings,
      runId,
      view,
      following,
      ...(onServing === undefined ? {} : { onServing }),
    });
    view.close();
    return ended === undefined
      ? reportInterrupted(runId)
      : await reportRun(ended, { artifacts, flags, told: view.told });
  } finally {
    view.close();
    await lock.release();
  }
}

/** Follows a run that a fleet serves; gives the exit code. */
export async function followOn(
  { link, artifacts }: Surroundings,
  { runId, flags, following }: { readonly runId: string; readonly flags: ViewFlags; readonly following: Following },
): Promise<number> {
  const ended = await followRun(link.client, runId, following);
  return ended === undefined ? reportInterrupted(runId) : await reportRun(ended, { artifacts, flags });
}

/** What to do when only a person can make the run go on: on a terminal and on a cluster it is waited for. */
export function askMode(
  { onAsk }: ViewFlags,
  { mode, project: { config } }: Pick<Surroundings, 'mode' | 'project'>,
): 'wait' | 'exit' {
  const waits = mode.kind === 'cluster' || process.stderr.isTTY;
  const chosen = onAsk ?? config.on_ask ?? (waits ? 'wait' : 'exit');
  return chosen === 'exit' ? 'exit' : 'wait';
}
