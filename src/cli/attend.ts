// Going on with a run that exists: serving it here and following it to its end, with the output and exit codes of `start`.
// On a cluster workers serve it, and it is followed only on demand. Must not decide what makes the run move.
import { followRun, type Following } from '../client/follow.js';
import { findProject } from '../config.js';
import { claimRun } from '../local.js';
import { loudnessOf, withConfiguredView, type ConnectionFlags, type ViewFlags } from './flags.js';
import { openLiveView } from './live.js';
import { reportInterrupted, reportRun } from './report.js';
import { say } from './say.js';
import { serveToEnd } from './serve.js';
import { surroundingsOf, type Surroundings } from './surroundings.js';

/** How to go on; `before` runs with the run's lock held, `onServing` as soon as it is served. */
export interface GoingOn {
  readonly runId: string;
  readonly flags: ViewFlags;
  readonly before?: () => Promise<Omit<Following, 'signal' | 'onView'>>;
  readonly onServing?: () => Promise<void>;
}

/** Opens what a command that follows a run works in; the config says how it is shown where the flags do not. */
export async function openForView<T extends ConnectionFlags & ViewFlags>(
  given: T,
): Promise<{ readonly flags: T; readonly surroundings: Surroundings }> {
  const project = await findProject(process.cwd());
  const flags = withConfiguredView(given, project.config);
  const report = flags.quiet === true ? (): void => undefined : say;
  return { flags, surroundings: await surroundingsOf(project, { flags, report }) };
}

/** Serves a local run to its end, or until nothing in it moves; gives the exit code. */
export async function serveOn(surroundings: Surroundings, going: GoingOn): Promise<number> {
  const lock = await claimRun(surroundings.project.raymondDir, going.runId);
  try {
    return await serve(surroundings, going);
  } finally {
    await lock.release();
  }
}

/** The same for a run whose lock the caller has. */
export async function serve(surroundings: Surroundings, { runId, flags, before, onServing }: GoingOn): Promise<number> {
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
    if (ended === undefined) return reportInterrupted(runId);
    return await reportRun(ended, { artifacts: surroundings.artifacts, flags, told: view.told });
  } finally {
    view.close();
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

/** Whether a resumption lets agents ask: what its own flag says counts more than how the run was started. */
export function rejectingAsks({ onAsk }: ViewFlags): { readonly rejectAsks?: boolean } {
  return onAsk === undefined ? {} : { rejectAsks: onAsk === 'reject' };
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
