// `raymond status` and `raymond result`: one run, as Temporal knows it, also while no worker runs.
import { whereTurnsAre } from '../../client/look/agents.js';
import type { RunView } from '../../client/look/runs.js';
import { findRun } from '../../client/operations.js';
import { asksOf, documentOf, textOf } from '../../client/documents/run-document.js';
import { factsOf, statusDocument } from '../../client/documents/status-document.js';
import { viewWithoutEnded } from '../../client/steer/ended-outside.js';
import { hintAtWorkers, openForQuestion, type ClientContext } from '../context.js';
import { EXIT, exitOf } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { statusText } from '../view/status-text.js';
import { namingProject } from './wrong-folder.js';

/** Flags of `result`. */
export interface ResultFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Flags of `status`. */
export interface StatusFlags extends ResultFlags {
  readonly costs?: boolean;
}

/** The run, and the form of the output. */
interface StatusRequest {
  readonly runId: string;
  readonly flags: StatusFlags;
}

/** Prints the status of a run. */
export async function status(io: Io, { runId, flags }: StatusRequest): Promise<number> {
  const { context, view: seen } = await readRun(io, { runId, flags });
  const known = await viewWithoutEnded(context.link.client, seen);
  const facts = await factsOf(context, { view: known, costs: flags.costs });
  const view = whereTurnsAre(known, facts.details);
  if (flags.json === true) await printDocument(io, 'status', await statusDocument(context, { view, ...facts }));
  else {
    const asks = await asksOf(view, context.artifacts);
    await io.show(statusText(view, { ...facts, asks, now: Date.now() }));
    if (view.open) await hintAtWorkers(context, view.taskQueue);
  }
  return 0;
}

/** Prints the result of a run that has ended; for another run, why there is none. */
export async function result(
  io: Io,
  { runId, flags }: { readonly runId: string; readonly flags: ResultFlags },
): Promise<number> {
  const { context, view } = await readRun(io, { runId, flags });
  const { artifacts } = context;
  if (flags.json === true) await printDocument(io, 'result', await documentOf(view, artifacts));
  else if (view.result !== undefined) await io.print(await textOf(view.result, artifacts));
  else
    io.say(`${view.runId} has no result: it is ${view.status}; for the next step, run: raymond status ${view.runId}`);
  return view.open && view.status === 'running' ? EXIT.waiting : exitOf(view.status);
}

/** Finds a run in the project of this folder. */
export async function readRun(
  io: Io,
  { runId, flags }: StatusRequest,
): Promise<{ readonly context: ClientContext; readonly view: RunView }> {
  const work = async (): Promise<{ readonly context: ClientContext; readonly view: RunView }> => {
    const context = await openForQuestion(io, { flags, runId });
    return { context, view: await findRun(context, { runId }) };
  };
  return await namingProject(io, { flags, work });
}
