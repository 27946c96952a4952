// `raymond costs`: what a run has cost, by agent, state, model and account.
import { costsOf } from '../../client/look/agents.js';
import { defined } from '../../protocol/text.js';
import type { Io } from '../io.js';
import { costsText } from '../view/costs-text.js';
import { printDocument } from '../view/json.js';
import { readRun, type ResultFlags } from './status.js';

/** Prints the cost of the recorded turns of a run. */
export async function costs(
  io: Io,
  { runId: name, flags }: { readonly runId: string; readonly flags: ResultFlags },
): Promise<number> {
  const { context, view } = await readRun(io, { runId: name, flags });
  const { runId, costUsd, budgetUsd } = view;
  const spent = await costsOf(context, runId);
  if (flags.json === true) await printDocument(io, 'costs', { runId, costUsd, ...defined({ budgetUsd }), ...spent });
  else await io.show(costsText(view, spent));
  return 0;
}
