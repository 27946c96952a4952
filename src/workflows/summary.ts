// How a run fares as a whole, and what it shows of itself: a status and a bounded list of its agents. Pure.
import { MAIN_AGENT } from '../protocol/ids.js';
import { clip, isArtifact } from '../protocol/text.js';
import type { AgentLine, AgentStatus, Ledger, LedgerAgent, RunInput, RunStatus, RunSummary } from './contract.js';
import { liveAgents, spentUsd } from './ledger.js';

/** Lines of a summary: it travels in a memo. */
const SHOWN = 150;

/** The longest failure in a line, in characters. */
const MAX_LINE = 1000;

/** The status of a run that nobody cancelled and that is within its budget. */
export function statusOf(ledger: Ledger): RunStatus {
  const live = liveAgents(ledger);
  if (live.length > 0) return live.some(moves) ? 'running' : heldStatus(live);
  const statuses = Object.values(ledger.agents).map(({ status }) => status);
  if (statuses.some(({ kind }) => kind === 'failed' || kind === 'lost')) return 'failed';
  return statuses.some(({ kind }) => kind === 'cancelled') ? 'cancelled' : 'completed';
}

/** The status of a run in which nothing moves by itself; an agent that awaits others moves with them. */
function heldStatus(live: readonly LedgerAgent[]): RunStatus {
  if (live.some(({ status }) => status.kind === 'asking')) return 'asking';
  return live.some(({ status }) => status.kind === 'paused') ? 'paused' : 'running';
}

/** The summary that people and scripts read. Results that are large stay references. */
export function summarise(ledger: Ledger, { input, status }: { input: RunInput; status: RunStatus }): RunSummary {
  const { budgetUsd } = input.settings;
  const { shown, completed, others } = selection(Object.values(ledger.agents));
  return {
    runId: input.runId,
    workflow: input.workflow,
    scope: input.main.scope.path,
    status,
    ...(ledger.result === undefined ? {} : { result: ledger.result }),
    costUsd: spentUsd(ledger),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    agents: shown.map(lineOf),
    agentsBefore: ledger.completedBefore.count + completed,
    ...(others === 0 ? {} : { agentsHidden: others }),
    resumptions: ledger.resumptions,
    startedAt: ledger.startedAt,
  };
}

/** The agents to list: `main`, then those that need somebody's attention, then the latest ones that completed. */
function selection(agents: readonly LedgerAgent[]): {
  readonly shown: readonly LedgerAgent[];
  readonly completed: number;
  readonly others: number;
} {
  if (agents.length <= SHOWN) return { shown: agents, completed: 0, others: 0 };
  const rank = (agent: LedgerAgent): number => {
    if (agent.id === MAIN_AGENT) return 0;
    return agent.status.kind === 'completed' ? 3 : moves(agent) ? 2 : 1;
  };
  const ranked = agents.map((agent, index) => ({ agent, index, rank: rank(agent) }));
  const kept = ranked.sort((a, b) => a.rank - b.rank || (a.rank === 3 ? b.index - a.index : a.index - b.index));
  const names = new Set(kept.slice(0, SHOWN).map(({ agent }) => agent.id));
  const hidden = agents.filter(({ id }) => !names.has(id));
  const completed = hidden.filter(({ status }) => status.kind === 'completed').length;
  return { shown: agents.filter(({ id }) => names.has(id)), completed, others: hidden.length - completed };
}

function lineOf({ id, state, costUsd, status }: LedgerAgent): AgentLine {
  return { id, status: status.kind, state, costUsd, ...detailOf(status) };
}

function detailOf(status: AgentStatus): Partial<AgentLine> {
  if (status.kind === 'asking') return { ask: status.ask, ...untilOf(status.ask) };
  if ('failure' in status)
    return { error: clip(status.failure.message, MAX_LINE), ...('until' in status ? untilOf(status) : {}) };
  if (status.kind === 'sleeping') return untilOf(status);
  if (status.kind !== 'completed') return {};
  // A memo holds a line per agent: a longer result of a forked agent is found in its own workflow.
  return isArtifact(status.result) || status.result.length <= 400 ? { result: status.result } : {};
}

function untilOf(held: { readonly until?: number }): { readonly until?: number } {
  return held.until === undefined ? {} : { until: held.until };
}

/** True for an agent that goes on by itself, or is about to. */
function moves({ status }: LedgerAgent): boolean {
  return status.kind === 'running' || status.kind === 'waiting' || status.kind === 'sleeping';
}
