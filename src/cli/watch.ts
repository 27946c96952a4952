// `raymond watch`: shows a run as `start` does, wherever it is served, until it ends or the watcher has seen enough. Serves nothing.
import { findRun } from '../client/runs.js';
import { isServed } from '../local.js';
import { findProject } from '../project.js';
import { announce, hintAtWorkers, openForQuestion } from './context.js';
import { withConfiguredView, type ConnectionFlags, type ViewFlags } from './flags.js';
import type { Io } from './io.js';
import { reportRun } from './view/output.js';
import { followOn } from './serve.js';

/** Flags of `watch`. */
export interface WatchFlags extends ConnectionFlags, ViewFlags {}

/** Watches a run; gives the exit code that `start` would. */
export async function watch(
  io: Io,
  { runId: name, flags: given }: { readonly runId: string; readonly flags: WatchFlags },
): Promise<number> {
  const flags = withConfiguredView(given, (await findProject(io.cwd)).config);
  const context = await openForQuestion(io, { flags, runId: name });
  const { link, mode, project } = context;
  const view = await findRun(link.client, name);
  const { runId } = view;
  if (!view.open) return await reportRun(context, { view, flags });
  if (flags.quiet !== true) {
    announce(context, runId);
    await hintAtWorkers(context, view.taskQueue);
  }
  if (mode.kind === 'local' && !isServed(project.raymondDir, runId))
    io.say(`nobody serves ${runId}: nothing moves until somebody does, with: raymond resume ${runId}`);
  return await followOn(context, { runId, flags, following: { onAsk: flags.onAsk === 'exit' ? 'exit' : 'wait' } });
}
