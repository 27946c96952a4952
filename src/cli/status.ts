// `raymond status` and `raymond result`: one run, as Temporal knows it even when no worker lives.
import { findRun, liveTurns, type RunView } from '../client/runs.js';
import { isServed } from '../local.js';
import { dollars } from '../protocol/text.js';
import { askTexts, asksOf, documentOf, textOf } from './view/output.js';
import { EXIT, exitOf } from './exit.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';
import { hintAtWorkers, openForQuestion, uiLink, type ClientContext } from './context.js';

/** Flags of `status` and `result`. */
export interface StatusFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Which run, and how it is shown. */
interface StatusRequest {
  readonly runId: string;
  readonly flags: StatusFlags;
}

/** Prints how a run fares. */
export async function status(io: Io, { runId, flags }: StatusRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId });
  const view = await findRun(context.link.client, runId, context.artifacts);
  if (flags.json === true) await io.print(JSON.stringify(await documentOf(view, context.artifacts)));
  else await io.show(await describe(view, context));
  if (view.open && flags.json !== true) await hintAtWorkers(context, view.taskQueue);
  return 0;
}

/** Prints the result of a run that has ended; another one's status says why there is none. */
export async function result(io: Io, { runId, flags }: StatusRequest): Promise<number> {
  const { link, artifacts } = await openForQuestion(io, { flags, runId });
  const view = await findRun(link.client, runId, artifacts);
  if (flags.json === true) await io.print(JSON.stringify(await documentOf(view, artifacts)));
  else if (view.result !== undefined) await io.print(await textOf(view.result, artifacts));
  else io.say(`${view.runId} has no result: it is ${view.status}`);
  return view.open && view.status === 'running' ? EXIT.waiting : exitOf(view.status);
}

async function describe(view: RunView, { link, mode, project, artifacts, uiUrl }: ClientContext): Promise<string> {
  const unserved = view.open && mode.kind === 'local' && !isServed(project.raymondDir, view.runId);
  const turns = view.open ? await liveTurns(link.client, view) : new Map<string, string>();
  const budget = view.budgetUsd === undefined ? 'no budget' : `of ${dollars(view.budgetUsd)}`;
  const hows = [
    view.status,
    ...(view.pausedBy === undefined ? [] : [`to be paused by ${view.pausedBy}`]),
    ...(unserved ? [`not being served; go on with: raymond resume ${view.runId}`] : []),
  ];
  const head = [
    `${view.runId}: ${hows.join(', ')}`,
    `workflow ${view.workflow} in ${view.scope}`,
    `cost ${dollars(view.costUsd)} ${budget}`,
    ...(uiUrl === undefined ? [] : [uiLink(uiUrl, { namespace: link.namespace, runId: view.runId })]),
  ];
  const agents = view.agents.map(({ id, status: how, state, costUsd, error, until }) => {
    const note = [turns.get(id), until === undefined ? undefined : `until ${new Date(until).toISOString()}`, error];
    const tail = note.filter((part) => part !== undefined).join(' · ');
    return `  ${id}  ${how}  ${state}  ${dollars(costUsd)}${tail === '' ? '' : `  ${tail}`}`;
  });
  const before = view.agentsBefore === 0 ? [] : [`  and ${view.agentsBefore} completed before`];
  const hidden = view.agentsHidden === undefined ? [] : [`  and ${view.agentsHidden} more`];
  const questions = askTexts(view.runId, await asksOf(view, artifacts));
  return [...head, ...agents, ...before, ...hidden, ...questions].join('\n');
}
