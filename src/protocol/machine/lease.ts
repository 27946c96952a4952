// Leases from the agent's side. The first turn of a state finds out that it needs one; from then on the agent requests
// it before each turn of that state, and releases it after. States without limits need nothing from this file. Pure.
import type { WantedLease } from '../leases.js';
import type { AgentState, Hold } from './agent.js';
import { holding, LEASE_ASK_AGAIN_MS, type Agent } from './inbox.js';
import { SHOWN_AFTER_MS } from './status.js';

/** The agent asks the limiter. */
export interface LeaseRequested {
  readonly kind: 'ask-lease';
  readonly request: WantedLease;
}

/** The agent, or its first action: it sends a message, or waits. */
export type NeedStep<A> = Agent | { readonly agent: Agent; readonly action: A | WaitAction };

/** The agent waits for a message, at most until a time (epoch ms). */
export interface WaitAction {
  readonly kind: 'wait';
  readonly until?: number;
}

/** The agent waits until its hold ends on its own, or is first shown. */
export function waitStep(
  agent: Agent,
  { since, until }: { readonly since: number; readonly until: number },
  now: number,
): { readonly agent: Agent; readonly action: WaitAction } {
  const shownAt = since + SHOWN_AFTER_MS;
  return { agent, action: { kind: 'wait', until: now < shownAt ? Math.min(shownAt, until) : until } };
}

/** The agent after its turn found out that it needs a lease, which its worker has requested. */
export function waitForLease(
  agent: Agent,
  { lacking, now }: { readonly lacking: WantedLease; readonly now: number },
): Agent {
  const { record, memory } = agent;
  const { granted: _without, ...leases } = memory.leases;
  const wanted = { ...leases.wanted, [leaseName(record)]: lacking };
  const held = holding(agent, { kind: 'lease', ...lacking, since: now, until: now + leases.askAgainMs });
  return { ...held, memory: { ...memory, leases: { ...leases, wanted, request: lacking } } };
}

/** The agent when it requests the lease that its state is known to need; undefined when it has it, or needs none. */
export function needsLease(agent: Agent, now: number): NeedStep<LeaseRequested> | undefined {
  const { wanted: known, granted } = agent.memory.leases;
  const wanted = known[leaseName(agent.record)];
  return wanted === undefined || granted !== undefined ? undefined : requestLease(agent, { wanted, since: now, now });
}

function requestLease(
  agent: Agent,
  { wanted, since, now }: { readonly wanted: WantedLease; readonly since: number; readonly now: number },
): NeedStep<LeaseRequested> {
  const { record, memory } = agent;
  const { limiter, keys, places } = wanted;
  const questions = memory.questions + 1;
  const request = { limiter, keys, places, requestId: `${record.id}-${record.turn + 1}-${questions}` };
  const held = holding(agent, { kind: 'lease', ...request, since, until: now + memory.leases.askAgainMs });
  const leases = { ...memory.leases, request };
  return { agent: { ...held, memory: { ...memory, questions, leases } }, action: { kind: 'ask-lease', request } };
}

/** The agent when its lease has arrived, or when its worker should ask again, because the limits may have changed. */
export function leaseStep(
  agent: Agent,
  hold: Hold & { readonly kind: 'lease' },
  now: number,
): NeedStep<LeaseRequested> {
  const { record, inbox, memory } = agent;
  if (record.pausedBy !== undefined) return dropLease(holding(agent, undefined));
  if (memory.leases.request === undefined) return requestLease(agent, { wanted: hold, since: hold.since, now });
  const { limiter, requestId, keys } = hold;
  if (inbox.leased === requestId) {
    const { leased: _used, ...rest } = inbox;
    const granted = { limiter, requestId, keys, since: now };
    const leases = { ...memory.leases, granted, askAgainMs: LEASE_ASK_AGAIN_MS.first };
    return { ...holding(agent, undefined), inbox: rest, memory: { ...memory, leases } };
  }
  return now < hold.until ? waitStep(agent, hold, now) : withoutLease(agent);
}

/** The agent as if its state needed no lease: its turn finds out again. */
export function withoutLease(agent: Agent): Agent {
  const { leases } = agent.memory;
  const { [leaseName(agent.record)]: _asksAgain, ...wanted } = leases.wanted;
  const askAgainMs = Math.min(2 * leases.askAgainMs, LEASE_ASK_AGAIN_MS.longest);
  return {
    ...holding(agent, undefined),
    memory: { ...agent.memory, leases: { ...leases, wanted, askAgainMs } },
  };
}

/** The agent without the lease that it has, or has requested. */
export function dropLease(agent: Agent): Agent {
  const { request, granted: _given, ...leases } = agent.memory.leases;
  if (request === undefined) return agent;
  return { ...agent, memory: { ...agent.memory, leases: { ...leases, toRelease: request } } };
}

function leaseName({ scope, state }: AgentState): string {
  return `${scope.path} ${state}`;
}
