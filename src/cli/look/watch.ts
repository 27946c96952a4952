// `raymond watch`: shows a run as `start` does, until it ends or the user leaves. Starts nothing.
import { isExecuted } from '../../client/open.js';
import { findRun } from '../../client/operations.js';
import { turnDocument } from '../../client/documents/run-document.js';
import type { RecordedTurn } from '../../history/turns.js';
import { findProject } from '../../client/project/project.js';
import { announce, hintAtWorkers, openForQuestion } from '../context.js';
import { withConfiguredView, type ConnectionFlags, type ViewFlags } from '../flags.js';
import type { Io } from '../io.js';
import { followOn } from '../runs/follow.js';
import { printDocument } from '../view/json.js';
import { reportRun } from '../view/output.js';

/** Flags of `watch`; with `json` it prints a line for every turn that ends, and one for the run at its end. */
export interface WatchFlags extends ConnectionFlags, ViewFlags {}

/** Watches a run; returns the exit code that `start` would return. */
export async function watch(
  io: Io,
  { runId: name, flags: given }: { readonly runId: string; readonly flags: WatchFlags },
): Promise<number> {
  const flags = withConfiguredView(given, (await findProject(io.cwd)).config);
  const context = await openForQuestion(io, { flags, runId: name });
  const view = await findRun(context, { runId: name });
  const { runId } = view;
  if (!view.open) return await reportRun(context, { view, flags, asLine: true });
  const said = (): void => (flags.quiet === true ? undefined : announce(context, runId));
  if (flags.quiet !== true) await hintAtWorkers(context, view.taskQueue);
  if (!isExecuted(context))
    io.say(`the engine of this project does not run, so ${runId} waits; start it with: raymond up`);
  const onAsk = flags.onAsk === 'exit' ? 'exit' : 'wait';
  const onTurn = (turn: RecordedTurn): void =>
    void printDocument(io, 'watch', { event: 'turn', turn: turnDocument(turn) });
  return await followOn(context, {
    runId,
    flags,
    following: () => ({ onAsk }),
    // Who reads this line gets every turn that ends after it.
    onBegin: said,
    ...(flags.json === true ? { onTurn } : {}),
  });
}
