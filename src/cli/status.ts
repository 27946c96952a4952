// `raymond status` and `raymond result`: one run, as Temporal knows it even when no worker lives.
import { costsOf, liveAgents, type AgentDetail } from '../client/agents.js';
import { isServedHere } from '../client/background.js';
import type { DocumentOf } from '../client/documents.js';
import { uiAddress } from '../client/open.js';
import { findRun } from '../client/operations.js';
import { asksOf, documentOf, textOf } from '../client/run-document.js';
import type { RunView } from '../client/runs.js';
import { defined } from '../protocol/text.js';
import { hintAtWorkers, openForQuestion, type ClientContext } from './context.js';
import { EXIT, exitOf } from './exit.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';
import { printDocument } from './view/json.js';
import { nextStep, statusText } from './view/status-text.js';

/** Flags of `result`. */
export interface ResultFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Flags of `status`. */
export interface StatusFlags extends ResultFlags {
  readonly costs?: boolean;
}

/** Which run, and how it is shown. */
interface StatusRequest {
  readonly runId: string;
  readonly flags: StatusFlags;
}

/** Prints how a run fares. */
export async function status(io: Io, { runId, flags }: StatusRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId });
  const view = await findRun(context, { runId });
  const details = await liveAgents(context, view);
  const costs = flags.costs === true ? await costsOf(context, view.runId) : undefined;
  const served = view.open && context.mode.kind === 'local' ? isServedHere(context, view.runId) : undefined;
  const facts = defined({ uiUrl: uiAddress(context, view.runId), served, costs });
  if (flags.json === true)
    await printDocument(io, 'status', { ...(await statusOf(context, { view, details })), ...facts });
  else {
    const asks = await asksOf(view, context.artifacts);
    await io.show(statusText(view, { details, asks, now: Date.now(), ...facts }));
    if (view.open) await hintAtWorkers(context, view.taskQueue);
  }
  return 0;
}

async function statusOf(
  context: ClientContext,
  { view, details }: { readonly view: RunView; readonly details: ReadonlyMap<string, AgentDetail> },
): Promise<DocumentOf<'status'>> {
  const { workflow, scope, open, pausedBy, agentsBefore, agentsHidden, unbooked } = view;
  const document = await documentOf(view, context.artifacts);
  const untils = new Map(view.agents.map(({ id, until }) => [id, isoTime(until)]));
  const agents = document.agents.map((line) => {
    return { ...line, ...defined({ until: untils.get(line.id) }), ...detailDocument(details.get(line.id)) };
  });
  const next = nextStep(view, isServedHere(context, view.runId));
  return {
    ...document,
    agents,
    workflow,
    scope,
    open,
    agentsBefore,
    next,
    ...defined({ pausedBy, agentsHidden, unbooked }),
  };
}

function detailDocument({ callers, since, turn }: AgentDetail = {}): Partial<DocumentOf<'status'>['agents'][number]> {
  const times = { since: since?.toISOString(), lastOutputAt: turn?.lastOutputAt?.toISOString() };
  const { number, attempt, phase, host, queue, line } = turn ?? {};
  return defined({ callers, ...times, turn: number, attempt, phase, host, queue, line });
}

function isoTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString();
}

/** Prints the result of a run that has ended; another one's status says why there is none. */
export async function result(
  io: Io,
  { runId, flags }: { readonly runId: string; readonly flags: ResultFlags },
): Promise<number> {
  const context = await openForQuestion(io, { flags, runId });
  const { artifacts } = context;
  const view = await findRun(context, { runId });
  if (flags.json === true) await printDocument(io, 'result', await documentOf(view, artifacts));
  else if (view.result !== undefined) await io.print(await textOf(view.result, artifacts));
  else io.say(`${view.runId} has no result: it is ${view.status}; what to do next says: raymond status ${view.runId}`);
  return view.open && view.status === 'running' ? EXIT.waiting : exitOf(view.status);
}
