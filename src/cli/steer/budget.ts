// `raymond budget`: changes what a run may cost. A run that stopped for its budget goes on from where it was.
import { queueFor } from '../../client/background.js';
import { changeBudget, checkBudget } from '../../client/steer/control.js';
import { recoverTurns } from '../../client/steer/dead-worker.js';
import { restartRun } from '../../client/steer/resume.js';
import { findRun } from '../../client/look/runs.js';
import { isServed } from '../../local.js';
import { defined, dollars } from '../../protocol/text.js';
import { followOn, openForView, rejectingAsks, serveOn } from '../runs/follow.js';
import type { ConnectionFlags, ViewFlags } from '../flags.js';
import { hintAtWorkers } from '../context.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** Flags of `budget`. */
export interface BudgetFlags extends ConnectionFlags, ViewFlags {
  readonly follow?: boolean;
}

/** A new budget in USD, 0 = no limit. */
interface BudgetRequest {
  readonly runId: string;
  readonly amount: number;
  readonly flags: BudgetFlags;
}

/** Sets the budget of a run; gives the exit code. */
export async function budget(io: Io, { runId: name, amount, flags: given }: BudgetRequest): Promise<number> {
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId: name });
  const { link, mode, project, artifacts } = context;
  const found = await findRun(link.client, name, artifacts);
  const { runId } = found;
  checkBudget(found, amount);
  const limit = amount === 0 ? {} : { usd: amount };
  const change = async (): Promise<void> => {
    if (found.open) await changeBudget(link.client, { runId, ...limit });
    else
      await restartRun(link.client, {
        view: found,
        artifacts,
        taskQueue: queueFor(context, runId, found.taskQueue),
        budget: limit,
        ...rejectingAsks(flags),
      });
    if (flags.quiet !== true) io.say(`${runId} may cost ${amount === 0 ? 'anything' : dollars(amount)} from now on`);
  };
  if (mode.kind === 'local' && !isServed(project.raymondDir, runId)) {
    const before = async (): Promise<object> => {
      if (found.open) await recoverTurns(link, found);
      return {};
    };
    return await serveOn(context, { runId, flags, before, onServing: change });
  }
  await change();
  if (flags.quiet !== true) await hintAtWorkers(context, found.taskQueue);
  if (mode.kind === 'cluster' && flags.follow === true) return await followOn(context, { runId, flags, following: {} });
  const budgetUsd = amount === 0 ? undefined : amount;
  if (flags.json === true) await printDocument(io, 'budget', { runId, ...defined({ budgetUsd }) });
  return 0;
}
