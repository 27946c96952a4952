// For how long each agent of a run has said nothing, and when to look whether it still exists (invariant I6). Pure; run.ts looks.
import type { LedgerAgent } from './contract.js';

/** Looking wakes an agent and lengthens its history: one that is silent for months is looked at once a day. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

interface Contact {
  readonly at: number;
  readonly patienceMs: number;
}

/** Keeps the time (epoch ms) of every agent's last word; whoever is looked at and found gets twice the patience. */
export class Liveness {
  private readonly heard = new Map<string, Contact>();

  constructor(
    private readonly patienceMs: number,
    private readonly since: number,
  ) {}

  /** An agent has spoken. */
  heardFrom(agentId: string, now: number): void {
    this.heard.set(agentId, { at: now, patienceMs: this.patienceMs });
  }

  /** An agent was looked at and is there. */
  foundAlive(agentId: string, now: number): void {
    const patienceMs = Math.min(2 * this.of(agentId).patienceMs, LONGEST_MS);
    this.heard.set(agentId, { at: now, patienceMs });
  }

  /** Those of the agents that have been silent for too long. */
  tooLong(agents: readonly LedgerAgent[], now: number): readonly LedgerAgent[] {
    return agents.filter(({ id }) => this.dueAt(id) <= now);
  }

  /** Milliseconds until the first of the agents has been silent for too long. */
  msLeft(agents: readonly LedgerAgent[], now: number): number {
    return agents.reduce((left, { id }) => Math.min(left, Math.max(1, this.dueAt(id) - now)), LONGEST_MS);
  }

  private dueAt(agentId: string): number {
    const { at, patienceMs } = this.of(agentId);
    return at + patienceMs;
  }

  private of(agentId: string): Contact {
    return this.heard.get(agentId) ?? { at: this.since, patienceMs: this.patienceMs };
  }
}
