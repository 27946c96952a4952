// What the run knows of its agents and their money: pure functions from ledger to ledger, and what it adds up to.
import type { EndedFork } from '../activities/types.js';
import type { AgentState } from '../protocol/agent.js';
import type { FailureType } from '../protocol/failure.js';
import { MAIN_AGENT } from '../protocol/ids.js';
import type { Value } from '../protocol/text.js';
import type { AgentStatus, ForkRange, Ledger, LedgerAgent, RunSettings } from './contract.js';

/** Completed agents that stay listed one by one; when there are twice as many, the older half goes into the archive. */
export const LISTED_COMPLETED = 100;

/** The books of a run that starts now with `main`. */
export function openLedger(main: AgentState, startedAt: number): Ledger {
  const agent: LedgerAgent = { id: main.id, state: main.state, costUsd: 0, status: { kind: 'running' } };
  return { startedAt, agents: { [main.id]: agent }, completedBefore: { count: 0, costUsd: 0 }, resumptions: 0 };
}

/** Enters an agent that is about to start; a known id keeps its entry (its starter will take the claim back). */
export function enter(
  ledger: Ledger,
  {
    agentId,
    ...news
  }: { readonly agentId: string; readonly parent: string; readonly state: string; readonly number?: number },
): Ledger {
  const known = ledger.agents[agentId];
  if (known !== undefined) return withAgent(ledger, { ...known, claims: (known.claims ?? 1) + 1 });
  return withAgent(ledger, { id: agentId, ...news, costUsd: 0, status: { kind: 'running' } });
}

/** Takes back the claim of an agent that was not started after all; the last claim takes its entry with it, but no money. */
export function withdraw(ledger: Ledger, { agentId }: { readonly agentId: string }): Ledger {
  const entry = ledger.agents[agentId];
  if (entry === undefined) return ledger;
  const { claims = 1, ...rest } = entry;
  if (claims > 1) return withAgent(ledger, claims > 2 ? { ...rest, claims: claims - 1 } : rest);
  const { [agentId]: _withdrawn, ...agents } = ledger.agents;
  const before = ledger.completedBefore;
  return { ...ledger, agents, completedBefore: { ...before, costUsd: before.costUsd + entry.costUsd } };
}

/** Books what an agent spent and how it fares; what was set aside for it is free again. An agent that has ended stays ended. */
export function book(
  ledger: Ledger,
  change: { readonly agentId: string; readonly state: string; readonly costUsd: number; readonly status: AgentStatus },
): Ledger {
  const known = ledger.agents[change.agentId];
  const entry = known ?? { id: change.agentId, state: change.state, costUsd: 0, status: change.status };
  const status = isLive(entry.status) || entry.status.kind === 'lost' ? change.status : entry.status;
  const booked = withAgent(settled(ledger, change), {
    ...entry,
    state: change.state,
    costUsd: entry.costUsd + change.costUsd,
    status,
  });
  const main = change.agentId === MAIN_AGENT && status.kind === 'completed' ? { result: status.result } : {};
  return { ...booked, ...main };
}

function settled(ledger: Ledger, { agentId, costUsd }: { readonly agentId: string; readonly costUsd: number }): Ledger {
  const { grants: { [agentId]: _settled, ...grants } = {}, dearestUsd = 0, ...rest } = ledger;
  const dearest = Math.max(dearestUsd, costUsd);
  return {
    ...rest,
    ...(Object.keys(grants).length === 0 ? {} : { grants }),
    ...(dearest === 0 ? {} : { dearestUsd: dearest }),
  };
}

/** Marks agents that went without a word; one whose record could be read can be resumed. */
export function markLost(
  ledger: Ledger,
  { ids, records = [] }: { readonly ids: readonly string[]; readonly records?: readonly AgentState[] },
): Ledger {
  return ids.reduce((books, id) => {
    const entry = books.agents[id];
    if (entry === undefined || !isLive(entry.status)) return books;
    return withAgent(settled(books, { agentId: id, costUsd: 0 }), {
      ...entry,
      status: lostWith(records.find((record) => record.id === id)),
    });
  }, ledger);
}

function lostWith(record: AgentState | undefined): AgentStatus {
  return { kind: 'lost', ...(record === undefined ? {} : { record }) };
}

/** Counts a resumption and takes every agent that failures hold up for running again; gives those that must be told. */
export function resume(ledger: Ledger): { readonly ledger: Ledger; readonly agents: readonly string[] } {
  const held = liveAgents(ledger).filter(({ status }) => 'failure' in status);
  const running = held.reduce((books, agent) => withAgent(books, { ...agent, status: { kind: 'running' } }), ledger);
  return { ledger: { ...running, resumptions: ledger.resumptions + 1 }, agents: held.map(({ id }) => id) };
}

/** The agents that a resumed run starts again, and the books with them running. */
export function revive(ledger: Ledger): { readonly ledger: Ledger; readonly agents: readonly AgentState[] } {
  const { grants: _grants, ...kept } = ledger;
  const agents = Object.values(kept.agents).flatMap(({ status }) => ('record' in status ? patient(status) : []));
  const running = agents.reduce<Ledger>((books, { id }) => {
    const entry = books.agents[id];
    return entry ? withAgent(books, { ...entry, status: { kind: 'running' } }) : books;
  }, kept);
  return { ledger: running, agents };
}

/** A question that nobody answered in time, or nobody was asked, is asked once more for as long as it takes: its time is over for good. */
function patient({ record, ...status }: Extract<AgentStatus, { record?: AgentState }>): readonly AgentState[] {
  if (record === undefined) return [];
  const { hold } = record;
  if (hold?.kind !== 'ask' || !('failure' in status) || !UNANSWERED.has(status.failure.type)) return [record];
  const { until: _over, ...open } = hold;
  return [{ ...record, hold: open }];
}

const UNANSWERED: ReadonlySet<FailureType> = new Set(['AskTimedOut', 'AskRejected']);

/** True while an agent may still do something. */
export function isLive(status: AgentStatus): boolean {
  return !['completed', 'failed', 'cancelled', 'lost'].includes(status.kind);
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

/** The settings of a run that may cost so much from now on; absent = no limit. */
export function withBudget({ budgetUsd: _old, ...settings }: RunSettings, usd: number | undefined): RunSettings {
  return { ...settings, ...(usd === undefined ? {} : { budgetUsd: usd }) };
}

/** Three times 0.1 is a little more than 0.3 in binary fractions: no budget may be exceeded by that. */
export function exactly(usd: number): number {
  return Math.round(usd * 1e9) / 1e9;
}

function withAgent(ledger: Ledger, agent: LedgerAgent): Ledger {
  return { ...ledger, agents: { ...ledger.agents, [agent.id]: agent } };
}

/** The completed agents that are to go into the archive: none until there are many. `main` always stays. */
export function archivable(ledger: Ledger): readonly LedgerAgent[] {
  const completed = Object.values(ledger.agents).filter(
    ({ id, status }) => status.kind === 'completed' && id !== MAIN_AGENT,
  );
  return completed.length < 2 * LISTED_COMPLETED ? [] : completed.slice(0, completed.length - LISTED_COMPLETED);
}

/** The books without agents that are in the archive now. */
export function archived(ledger: Ledger, { gone, archive }: { gone: readonly LedgerAgent[]; archive: Value }): Ledger {
  const names = new Set(gone.map(({ id }) => id));
  const before = ledger.completedBefore;
  return {
    ...ledger,
    agents: Object.fromEntries(Object.entries(ledger.agents).filter(([id]) => !names.has(id))),
    completedBefore: {
      count: before.count + gone.length,
      costUsd: before.costUsd + gone.reduce((sum, { costUsd }) => sum + costUsd, 0),
      archive,
    },
  };
}

/** An awaiting agent whose forked agents have all ended; `ended` are those that are still listed. */
interface ReadyAwait {
  readonly id: string;
  readonly forks: ForkRange;
  readonly ended: readonly EndedFork[];
}

/** The agents that need not wait any longer. */
export function readyToGather(ledger: Ledger): readonly ReadyAwait[] {
  const agents = Object.values(ledger.agents);
  return agents.flatMap(({ id, status }) => {
    if (status.kind !== 'awaiting') return [];
    const { forks } = status;
    const awaited = agents.filter((agent) => agent.parent === id && isWithin(agent, forks));
    return awaited.some((agent) => isLive(agent.status)) ? [] : [{ id, forks, ended: awaited.map(endedFork) }];
  });
}

/** The books once the agent has been told. */
export function endAwait(ledger: Ledger, id: string): Ledger {
  const entry = ledger.agents[id];
  if (entry?.status.kind !== 'awaiting') return ledger;
  return { ...ledger, agents: { ...ledger.agents, [id]: { ...entry, status: { kind: 'running' } } } };
}

/** How an agent ended, for whoever forked it. */
export function endedFork({ id, parent, number, state, status }: LedgerAgent): EndedFork {
  return {
    id,
    ...(parent === undefined ? {} : { parent }),
    ...(number === undefined ? {} : { number }),
    state,
    status: status.kind,
    ...(status.kind === 'completed' ? { result: status.result } : {}),
    ...('failure' in status ? { error: status.failure.message } : {}),
  };
}

function isWithin({ number = 0 }: LedgerAgent, { after, last }: ForkRange): boolean {
  return number > after && number <= last;
}
