// The run's bookkeeping: pure functions from ledger to ledger, and what it adds up to.
// Must not signal, start or wait for anything; run.ts does that.
import type { AgentState } from '../protocol/agent.js';
import { MAIN_AGENT } from '../protocol/names.js';
import { isArtifact } from '../protocol/value.js';
import type { AgentLine, AgentStatus, Ledger, LedgerAgent, RunStatus, RunSummary, RunInput } from './contract.js';

/** Completed agents that stay listed one by one; older ones become totals, so that the ledger stays small. */
export const LISTED_COMPLETED = 100;

/** The books of a run that starts now with `main`. */
export function openLedger(main: AgentState, startedAt: number): Ledger {
  const agent: LedgerAgent = { id: main.id, state: main.state, costUsd: 0, status: { kind: 'running' } };
  return { startedAt, agents: { [main.id]: agent }, completedBefore: { count: 0, costUsd: 0 }, resumptions: 0 };
}

/** Enters an agent that is about to start; a known id keeps its entry (its starter will take the claim back). */
export function enter(
  ledger: Ledger,
  { agentId, parent, state }: { readonly agentId: string; readonly parent: string; readonly state: string },
): Ledger {
  const known = ledger.agents[agentId];
  if (known !== undefined) return withAgent(ledger, { ...known, claims: (known.claims ?? 1) + 1 });
  return withAgent(ledger, { id: agentId, parent, state, costUsd: 0, status: { kind: 'running' } });
}

/** Takes back the claim of an agent that was not started after all; the last claim takes its entry with it, but no money. */
export function withdraw(ledger: Ledger, { agentId }: { readonly agentId: string }): Ledger {
  const entry = ledger.agents[agentId];
  if (entry === undefined) return ledger;
  const { claims = 1, ...rest } = entry;
  if (claims > 1) return withAgent(ledger, claims > 2 ? { ...rest, claims: claims - 1 } : rest);
  const { [agentId]: _withdrawn, ...agents } = ledger.agents;
  const { count, costUsd } = ledger.completedBefore;
  return { ...ledger, agents, completedBefore: { count, costUsd: costUsd + entry.costUsd } };
}

/** Books what an agent spent and how it fares. An agent that has ended stays ended. */
export function book(
  ledger: Ledger,
  change: { readonly agentId: string; readonly state: string; readonly costUsd: number; readonly status: AgentStatus },
): Ledger {
  const known = ledger.agents[change.agentId];
  const entry = known ?? { id: change.agentId, state: change.state, costUsd: 0, status: change.status };
  const status = isLive(entry.status) || entry.status.kind === 'lost' ? change.status : entry.status;
  const booked = withAgent(ledger, { ...entry, state: change.state, costUsd: entry.costUsd + change.costUsd, status });
  const main = change.agentId === MAIN_AGENT && status.kind === 'completed' ? { result: status.result } : {};
  return prune({ ...booked, ...main });
}

/** Marks agents that went without a word. */
export function markLost(ledger: Ledger, ids: readonly string[]): Ledger {
  return ids.reduce((books, id) => {
    const entry = books.agents[id];
    return entry && isLive(entry.status) ? withAgent(books, { ...entry, status: { kind: 'lost' } }) : books;
  }, ledger);
}

/** Counts a resumption and takes every paused or waiting agent for running again; gives those that must be told. */
export function resume(ledger: Ledger): { readonly ledger: Ledger; readonly agents: readonly string[] } {
  const held = liveAgents(ledger).filter(({ status }) => status.kind !== 'running');
  const running = held.reduce((books, agent) => withAgent(books, { ...agent, status: { kind: 'running' } }), ledger);
  return { ledger: { ...running, resumptions: ledger.resumptions + 1 }, agents: held.map(({ id }) => id) };
}

/** The agents that a resumed run starts again, and the books with them running. */
export function revive(ledger: Ledger): { readonly ledger: Ledger; readonly agents: readonly AgentState[] } {
  const agents = Object.values(ledger.agents).flatMap(({ status }) => ('record' in status ? [status.record] : []));
  const running = agents.reduce((books, { id }) => {
    const entry = books.agents[id];
    return entry ? withAgent(books, { ...entry, status: { kind: 'running' } }) : books;
  }, ledger);
  return { ledger: running, agents };
}

/** True while an agent may still do something. */
export function isLive(status: AgentStatus): boolean {
  return status.kind === 'running' || status.kind === 'waiting' || status.kind === 'paused';
}

/** The agents that may still do something, in the order in which they were entered. */
export function liveAgents(ledger: Ledger): readonly LedgerAgent[] {
  return Object.values(ledger.agents).filter(({ status }) => isLive(status));
}

/** Everything that was spent, in USD. */
export function spentUsd(ledger: Ledger): number {
  const sum = Object.values(ledger.agents).reduce((usd, { costUsd }) => usd + costUsd, ledger.completedBefore.costUsd);
  return exactly(sum);
}

/** What is left of a budget, never below 0; undefined when there is none. */
export function restUsd(ledger: Ledger, budgetUsd: number | undefined): number | undefined {
  return budgetUsd === undefined ? undefined : Math.max(0, exactly(budgetUsd - spentUsd(ledger)));
}

/** Three times 0.1 is a little more than 0.3 in binary fractions: no budget may be exceeded by that. */
function exactly(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

/** The status of a run that nobody cancelled and that is within its budget. */
export function statusOf(ledger: Ledger): RunStatus {
  const statuses = Object.values(ledger.agents).map(({ status }) => status);
  const live = statuses.filter(isLive);
  if (live.length > 0) return live.every(({ kind }) => kind === 'paused') ? 'paused' : 'running';
  if (statuses.some(({ kind }) => kind === 'failed' || kind === 'lost')) return 'failed';
  return statuses.some(({ kind }) => kind === 'cancelled') ? 'cancelled' : 'completed';
}

/** The summary that people and scripts read. Results that are large stay references. */
export function summarise(ledger: Ledger, { input, status }: { input: RunInput; status: RunStatus }): RunSummary {
  const { budgetUsd } = input.settings;
  return {
    runId: input.runId,
    workflow: input.workflow,
    scope: input.main.scope.path,
    status,
    ...(ledger.result === undefined ? {} : { result: ledger.result }),
    costUsd: spentUsd(ledger),
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    agents: Object.values(ledger.agents).map(lineOf),
    agentsBefore: ledger.completedBefore.count,
    resumptions: ledger.resumptions,
    startedAt: ledger.startedAt,
  };
}

function lineOf({ id, state, costUsd, status }: LedgerAgent): AgentLine {
  return { id, status: status.kind, state, costUsd, ...detailOf(status) };
}

function detailOf(status: AgentStatus): Partial<AgentLine> {
  if ('failure' in status) {
    const until = status.kind === 'waiting' ? { until: status.until } : {};
    return { error: status.failure.message, ...until };
  }
  if (status.kind !== 'completed') return {};
  // A memo holds a line per agent: a longer result of a forked agent is found in its own workflow.
  return isArtifact(status.result) || status.result.length <= 400 ? { result: status.result } : {};
}

function withAgent(ledger: Ledger, agent: LedgerAgent): Ledger {
  return { ...ledger, agents: { ...ledger.agents, [agent.id]: agent } };
}

function prune(ledger: Ledger): Ledger {
  const completed = Object.values(ledger.agents).filter(
    ({ id, status }) => status.kind === 'completed' && id !== MAIN_AGENT,
  );
  if (completed.length <= LISTED_COMPLETED) return ledger;
  const gone = completed.slice(0, completed.length - LISTED_COMPLETED);
  const names = new Set(gone.map(({ id }) => id));
  const before = ledger.completedBefore;
  return {
    ...ledger,
    agents: Object.fromEntries(Object.entries(ledger.agents).filter(([id]) => !names.has(id))),
    completedBefore: {
      count: before.count + gone.length,
      costUsd: before.costUsd + gone.reduce((sum, { costUsd }) => sum + costUsd, 0),
    },
  };
}
