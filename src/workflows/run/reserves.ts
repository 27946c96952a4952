// What a run reserves of its budget: for each agent the expected cost of one turn, while a turn is
// in progress or more may start without a request. Deterministic; budget.ts decides the amounts.
import { exactly } from '../../protocol/text.js';
import type { Grant } from '../../contract/runs.js';

/** The reserved amounts, by agent. */
export class Reserves {
  /** The total, in USD. */
  usd = 0;
  /** What agents may spend in later turns that need no request, in USD. */
  laterUsd = 0;
  /** The agents that may continue without a request. */
  readonly standing = new Set<string>();
  private readonly grants = new Map<string, Grant>();

  constructor(grants: Readonly<Record<string, Grant>> = {}) {
    for (const [agentId, grant] of Object.entries(grants)) this.set(agentId, grant);
  }

  /** Reserves for an agent; this replaces its earlier amount. */
  set(agentId: string, grant: Grant): void {
    this.release(agentId);
    this.add(agentId, grant);
  }

  /** An agent has finished one of its allowed turns, and continues with the others. */
  continueTurns(agentId: string): void {
    const { turns = 1, ...grant } = this.grants.get(agentId) ?? { turnId: '', usd: 0 };
    this.set(agentId, { ...grant, turns: Math.max(1, turns - 1) });
    this.standing.add(agentId);
  }

  /** Releases the amount of an agent. */
  release(agentId: string): void {
    this.standing.delete(agentId);
    const grant = this.grants.get(agentId);
    if (grant === undefined) return;
    this.grants.delete(agentId);
    this.usd = exactly(this.usd - grant.usd);
    this.laterUsd = exactly(this.laterUsd - laterUsd(grant));
  }

  /** The amount that is reserved for one agent, in USD. */
  of(agentId: string): number {
    return this.grants.get(agentId)?.usd ?? 0;
  }

  /** All amounts for storage; undefined when there are none. */
  snapshot(): Readonly<Record<string, Grant>> | undefined {
    return this.grants.size === 0 ? undefined : Object.fromEntries(this.grants);
  }

  private add(agentId: string, grant: Grant): void {
    this.grants.set(agentId, grant);
    this.usd = exactly(this.usd + grant.usd);
    this.laterUsd = exactly(this.laterUsd + laterUsd(grant));
  }
}

function laterUsd({ usd, turns = 1 }: Grant): number {
  return usd * (turns - 1);
}
