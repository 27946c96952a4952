// What a run sets aside of its budget: for each agent as much as one of its turns is expected to cost, as long as it has one under way or
// may begin others without asking. Deterministic; how much that is, budget.ts decides.
import { exactly } from '../../protocol/text.js';
import type { Grant } from '../contract.js';

/** What is set aside, by agent. */
export class Reserves {
  /** For all agents together, in USD. */
  usd = 0;
  /** What agents may spend in turns that they have yet to begin without asking, in USD. */
  laterUsd = 0;
  /** The agents that go on without asking. */
  readonly standing = new Set<string>();
  private readonly grants = new Map<string, Grant>();

  constructor(grants: Readonly<Record<string, Grant>> = {}) {
    for (const [agentId, grant] of Object.entries(grants)) this.set(agentId, grant);
  }

  /** Sets aside for an agent; what was set aside for it before is free. */
  set(agentId: string, grant: Grant): void {
    this.release(agentId);
    this.add(agentId, grant);
  }

  /** An agent has done one of the turns that it was granted, and goes on with the others. */
  continueTurns(agentId: string): void {
    const { turns = 1, ...grant } = this.grants.get(agentId) ?? { turnId: '', usd: 0 };
    this.set(agentId, { ...grant, turns: Math.max(1, turns - 1) });
    this.standing.add(agentId);
  }

  /** What was set aside for an agent is free. */
  release(agentId: string): void {
    this.standing.delete(agentId);
    const grant = this.grants.get(agentId);
    if (grant === undefined) return;
    this.grants.delete(agentId);
    this.usd = exactly(this.usd - grant.usd);
    this.laterUsd = exactly(this.laterUsd - laterUsd(grant));
  }

  /** What is set aside for one agent, in USD. */
  of(agentId: string): number {
    return this.grants.get(agentId)?.usd ?? 0;
  }

  /** All of it as it travels; undefined when there is none. */
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
