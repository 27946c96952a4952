// Read-only routes of runs: a list with filters and pages, and single runs with agents, questions and the graph of
// their workflow.
import { orders, turns } from '../client/operations.js';
import { isExecuted, type Raymond } from '../client/open.js';
import { orderDocument } from '../client/documents/run-document.js';
import { archive } from '../client/garbage/archive.js';
import { failedAgents, findRun, listRuns, type RunLine } from '../client/look/runs.js';
import { liveAgents, whereTurnsAre } from '../client/look/agents.js';
import { factsOf, statusDocument } from '../client/documents/status-document.js';
import { drawingOf, openDrawing, type RunOnPackage } from '../authoring/diagram.js';
import { withAllForks } from '../history/steps.js';
import { svgOf } from '../analysis/diagram/svg.js';
import { join } from 'node:path';
import { ENDED, RUN_STATUSES, type RunStatus } from '../contract/runs.js';
import { labelText } from '../protocol/labels.js';
import { defined, exactly } from '../protocol/text.js';
import { SANDBOXED } from './people/access.js';
import { openAsks } from './asks.js';
import type { Spending } from './types.js';
import { WITH_FAILURES } from './contract.js';
import type { Handlers } from './handlers.js';
import { pageOfRuns } from './run-pages.js';
import type { ListedRun } from './types.js';

/** The default page size. */
const PAGE = 50;

/** How many runs are searched for a page. */
const MOST_RUNS = 10_000;

/** The routes of this file. */
export const runHandlers: Handlers<'runs' | 'spending' | 'run' | 'runDiagram' | 'orders'> = {
  runs: async ({ catalogue }, { query, raymond }) => {
    const { status, workflow, since, minCostUsd = 0, q, limit = PAGE, cursor, forkOf, archived, ofWorkflow } = query;
    const earliest = new Date(since ?? 0);
    const scope = ofWorkflow === undefined ? undefined : (await catalogue.find(ofWorkflow)).path;
    const isArchived = await archive(raymond);
    const isWanted = (line: RunLine): boolean =>
      (forkOf === undefined ? isArchived(line.runId) === (archived === 'true') : line.forkedFrom?.runId === forkOf) &&
      (scope === undefined || line.scope === scope) &&
      line.startedAt >= earliest &&
      (line.costUsd ?? 0) >= minCostUsd &&
      fits(line, q) &&
      hasStatus(line, status);
    const list = async (after = earliest): Promise<readonly RunLine[]> => {
      const startedAfter = after > earliest ? after : since === undefined ? undefined : earliest;
      const statuses = status?.split(',').flatMap(statusOf);
      const filter = { limit: MOST_RUNS, ...defined({ statuses, workflow, startedAfter }) };
      return (await listRuns(raymond.link.client, filter)).filter(isWanted);
    };
    const { page, next } = await pageOfRuns(list, { limit, ...defined({ cursor }) });
    const runs = page.map((line) => ({
      ...listed(raymond, line),
      ...(isArchived(line.runId) ? { archived: true as const } : {}),
    }));
    return { runs, ...defined({ next }) };
  },

  spending: async (_serving, { query: { since }, raymond }) => {
    const from = new Date(since);
    const found = await listRuns(raymond.link.client, { limit: MOST_RUNS, startedAfter: from });
    const runs = found.filter(({ startedAt }) => startedAt >= from);
    return { since, ...sumOf(runs), byWorkflow: byWorkflow(runs) };
  },

  run: async ({ catalogue, uploads }, { params, query, raymond }) => {
    const found = await findRun(raymond.link.client, params.run, raymond.artifacts);
    const facts = await factsOf(raymond, { view: found, costs: query.costs === 'true' });
    const view = whereTurnsAre(found, facts.details);
    const { asks: _asks, agents, ...document } = await statusDocument(raymond, { view, ...facts });
    const known = new Set(agents.map(({ id }) => id));
    return {
      ...document,
      agents: agents.map((agent) => ({ ...agent, ...defined({ parent: parentOf(agent.id, known) }) })),
      asks: view.open ? await openAsks({ raymond, uploads }, view) : [],
      ...defined({ workflowId: await catalogue.idOf(view.scope) }),
    };
  },

  runDiagram: async (_serving, { params, raymond }) => {
    const view = await findRun(raymond.link.client, params.run, raymond.artifacts);
    const { agents } = whereTurnsAre(view, await liveAgents(raymond, view));
    return await svgResponse(raymond, view.scope, {
      agents,
      turns: await withAllForks(await turns(raymond, view), raymond.artifacts),
    });
  },

  orders: async (_serving, { params, raymond }) => {
    return { orders: (await orders(raymond, { runId: params.run })).map(orderDocument) };
  },
};

/** The diagram of a package, with a run laid over it. */
export async function svgResponse({ project }: Raymond, path: string, run?: RunOnPackage): Promise<Response> {
  const location = { cwd: project.root, cacheDir: join(project.raymondDir, 'registry') };
  const svg = svgOf(drawingOf(await openDrawing(path, location), run), { boxes: true });
  return new Response(svg, { headers: { ...SANDBOXED, 'content-type': 'image/svg+xml' } });
}

function sumOf(runs: readonly RunLine[]): { readonly runs: number; readonly costUsd: number } {
  return { runs: runs.length, costUsd: exactly(runs.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0)) };
}

function byWorkflow(runs: readonly RunLine[]): Spending['byWorkflow'] {
  const names = [...new Set(runs.flatMap(({ workflow }) => workflow ?? []))];
  return names
    .map((name) => ({ workflow: name, ...sumOf(runs.filter(({ workflow }) => workflow === name)) }))
    .sort((one, other) => other.costUsd - one.costUsd);
}

/** The status with which a run is stored. */
function statusOf(name: string): readonly RunStatus[] {
  return RUN_STATUSES.filter((known) => known === (name === WITH_FAILURES ? 'completed' : name));
}

/** Whether a run has one of these statuses; without any each does. */
function hasStatus(line: RunLine, statuses: string | undefined): boolean {
  if (statuses === undefined) return true;
  const wanted = statuses.split(',');
  const isMixed = line.status === 'completed' && failedAgents(line) > 0;
  return wanted.includes(line.status) || (isMixed && wanted.includes(WITH_FAILURES));
}

function fits({ runId, workflow = '', labels = {}, given }: RunLine, q: string | undefined): boolean {
  const wanted = q?.trim().toLowerCase() ?? '';
  return [runId, workflow, labelText(labels), given?.input ?? '', given?.by ?? ''].some((text) =>
    text.toLowerCase().includes(wanted),
  );
}

function listed(raymond: Raymond, line: RunLine): ListedRun {
  const {
    runId,
    workflow,
    status,
    costUsd,
    startedAt,
    endedAt,
    open,
    unreadable,
    agents = [],
    labels,
    given,
    pausedBy,
    budgetUsd,
    forkedFrom,
  } = line;
  const served = open && raymond.mode.kind === 'local' ? isExecuted(raymond) : undefined;
  const asks = agents.filter(({ ask }) => ask !== undefined).length;
  const failed = failedAgents(line);
  const times = { startedAt: startedAt.toISOString(), ...defined({ endedAt: endedAt?.toISOString() }) };
  return {
    runId,
    status,
    open,
    ...times,
    ...defined({
      workflow,
      labels,
      given,
      served,
      costUsd,
      unreadable,
      forkedFrom,
      pausedBy,
      budgetUsd,
      cause: causeOf(line),
      doing: doingOf(line),
    }),
    ...(line.agents === undefined ? {} : { agents: agents.length, asks, failed }),
  };
}

/** The first two lines of why a run stopped, as the second one has the error of a script: the failure of an agent that is not done, else of any. */
function causeOf({ agents = [], trouble }: RunLine): string | undefined {
  const failed = agents.filter(({ error, status }) => error !== undefined && status !== 'cancelled');
  const text = trouble?.message ?? (failed.find(({ status }) => status === 'paused') ?? failed[0])?.error;
  return text?.split('\n').slice(0, 2).join(': ');
}

/** How many states of a run the list names. */
const NAMED = 3;

/** `REVIEW.md, READ.md (2 agents)`: the states of an open run's agents. */
function doingOf({ open, agents = [] }: RunLine): string | undefined {
  if (!open) return undefined;
  const states = new Map<string, number>();
  for (const { state, status } of agents) if (!ENDED.has(status)) states.set(state, (states.get(state) ?? 0) + 1);
  const named = [...states]
    .slice(0, NAMED)
    .map(([state, count]) => (count === 1 ? state : `${state} (${count} agents)`));
  return named.length === 0 ? undefined : [...named, ...(states.size > NAMED ? ['…'] : [])].join(', ');
}

/** The parent of an agent: the longest id that its own begins with. */
function parentOf(id: string, known: ReadonlySet<string>): string | undefined {
  for (let at = id.lastIndexOf('_'); at > 0; at = id.lastIndexOf('_', at - 1))
    if (known.has(id.slice(0, at))) return id.slice(0, at);
  return undefined;
}
