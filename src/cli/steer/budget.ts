// `raymond budget`: changes the budget of a run. A run that stopped at its budget continues.
import { checkBudget } from '../../client/steer/control.js';
import { changeBudget } from '../../client/steering.js';
import { findRun } from '../../client/look/runs.js';
import { defined, dollars } from '../../protocol/text.js';
import { openForView, order, rejectingAsks, type ContinueFlags } from '../runs/follow.js';
import { hintAtWorkers, type ClientContext } from '../context.js';
import { EXIT } from '../exit.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';

/** A new budget in USD, 0 = no limit. */
interface BudgetRequest {
  readonly runId: string;
  readonly amount: number;
  readonly flags: ContinueFlags;
}

/** Sets the budget of a run; returns the exit code. */
export async function budget(io: Io, { runId: name, amount, flags: given }: BudgetRequest): Promise<number> {
  const { flags, context } = await openForView(io, { flags: given, runId: name });
  const found = await findRun(context.link.client, name, context.artifacts);
  const { runId } = found;
  checkBudget(found, amount);
  const act = async (inner: ClientContext): Promise<void> => {
    await changeBudget(inner, { runId, budgetUsd: amount, ...rejectingAsks(flags) });
    if (flags.quiet !== true) io.say(`the budget of ${runId} is now ${amount === 0 ? 'unlimited' : dollars(amount)}`);
  };
  const done = await order(context, { runId, flags, act });
  if ('code' in done) return done.code;
  if (flags.quiet !== true) await hintAtWorkers(context, found.taskQueue);
  const budgetUsd = amount === 0 ? undefined : amount;
  if (flags.json === true) await printDocument(io, 'budget', { runId, ...defined({ budgetUsd }) });
  return EXIT.completed;
}
