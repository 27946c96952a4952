// Agents that await the agents they forked: which of them can go on, and with what. Pure.
// Must not tell them: books.ts does.
import type { EndedFork } from '../activities/types.js';
import type { ForkRange, Ledger, LedgerAgent } from './contract.js';
import { isLive } from './ledger.js';

/** An awaiting agent whose forked agents have all ended; `ended` are those that are still listed. */
export interface Ready {
  readonly id: string;
  readonly forks: ForkRange;
  readonly ended: readonly EndedFork[];
}

/** The agents that need not wait any longer. */
export function readyToGather(ledger: Ledger): readonly Ready[] {
  const agents = Object.values(ledger.agents);
  return agents.flatMap(({ id, status }) => {
    if (status.kind !== 'awaiting') return [];
    const { forks } = status;
    const awaited = agents.filter((agent) => agent.parent === id && isWithin(agent, forks));
    return awaited.some((agent) => isLive(agent.status)) ? [] : [{ id, forks, ended: awaited.map(endedFork) }];
  });
}

/** The books once the agent has been told. */
export function goingOn(ledger: Ledger, id: string): Ledger {
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
