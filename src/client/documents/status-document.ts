// A run as `status --json` prints it, with the current work of its agents and the command to use next.
import { assertNever } from '../../protocol/failure.js';
import { defined } from '../../protocol/text.js';
import { costsOf, liveAgents, type AgentDetail, type Costs } from '../look/agents.js';
import type { DocumentOf } from './documents.js';
import { isExecuted, uiAddress, type Raymond } from '../open.js';
import { documentOf, isoTime } from './run-document.js';
import type { RunView } from '../look/runs.js';
import { hasExpired } from '../steer/expired.js';

/**
 * What is known of a run beyond its summary; `served` = a process executes its turns; absent = it has ended, or workers
 * of a cluster execute it.
 */
export interface RunFacts {
  readonly details: ReadonlyMap<string, AgentDetail>;
  readonly served?: boolean;
  readonly uiUrl?: string;
  readonly costs?: Costs;
}

/** Reads it; `costs` needs all recorded turns. */
export async function factsOf(
  raymond: Raymond,
  { view, costs = false }: { readonly view: RunView; readonly costs?: boolean | undefined },
): Promise<RunFacts> {
  const details = await liveAgents(raymond, view);
  const served = view.open && raymond.mode.kind === 'local' ? isExecuted(raymond) : undefined;
  const spent = costs ? await costsOf(raymond, view.runId) : undefined;
  return { details, ...defined({ uiUrl: uiAddress(raymond, view.runId), served, costs: spent }) };
}

/** The document. */
export async function statusDocument(
  raymond: Raymond,
  { view, details, ...facts }: RunFacts & { readonly view: RunView },
): Promise<DocumentOf<'status'>> {
  const {
    workflow,
    scope,
    open,
    blocked,
    pausedBy,
    agentsBefore,
    agentsHidden,
    unreported,
    trouble,
    stopping,
    refused,
    given,
  } = view;
  const document = await documentOf(view, raymond.artifacts);
  const untils = new Map(view.agents.map(({ id, until }) => [id, isoTime(until)]));
  const agents = document.agents.map((line) => {
    return { ...line, ...defined({ until: untils.get(line.id) }), ...detailDocument(details.get(line.id)) };
  });
  const next = nextStep(view, { served: isExecuted(raymond), now: Date.now() });
  return {
    ...document,
    agents,
    workflow,
    scope,
    open,
    agentsBefore,
    next,
    ...defined({ blocked, pausedBy, agentsHidden, unreported, trouble, stopping, refused, given }),
    ...facts,
  };
}

function detailDocument({ callers, since, turn, beginsAgain, blocked, notes }: AgentDetail = {}): Partial<
  DocumentOf<'status'>['agents'][number]
> {
  const times = { since: since?.toISOString(), lastOutputAt: turn?.lastOutputAt?.toISOString() };
  const { number, attempt = beginsAgain?.attempt, phase, host, queue, line } = turn ?? {};
  return defined({ callers, ...times, turn: number, attempt, phase, host, queue, line, blocked, notes });
}

/** The next command for the run; `served` = a process executes its turns, `now` in epoch milliseconds. */
export function nextStep(
  { runId, status, open, agents }: RunView,
  { served, now }: { readonly served: boolean; readonly now: number },
): string {
  const moving = served || !open ? `raymond watch ${runId}` : 'raymond up';
  switch (status) {
    case 'asking': {
      const asks = agents.flatMap(({ ask }) => ask ?? []);
      const answerable = asks.find((ask) => !hasExpired(ask, now));
      // An expired question takes effect as soon as the run is executed.
      if (answerable === undefined && asks.length > 0) return moving;
      return `raymond answer ${runId} ${answerable?.id ?? 'ASK'} "…"`;
    }
    case 'running':
      return moving;
    case 'paused':
    case 'failed':
    case 'cancelled':
      return `raymond resume ${runId}`;
    case 'over-budget':
      return `raymond budget ${runId} AMOUNT`;
    case 'completed':
      return `raymond result ${runId}`;
    default:
      return assertNever(status);
  }
}
