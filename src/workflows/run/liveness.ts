// For how long each agent of a run has said nothing, and when to look whether it still exists (invariant I6); and the alarm that wakes the
// run for that. Whom it looks at and what follows is supervisor.ts's.
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/** Looking wakes an agent and lengthens its history: one that is silent for months is looked at once a day. */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * Keeps the time (epoch ms) of every live agent's last word; whoever is looked at and found gets twice the patience. Agents of the
 * same patience stand in one line, the one that spoke last at its end: the next one to look at is the first of a line.
 */
export class Liveness {
  private readonly lines = new Map<number, Map<string, number>>();
  private readonly intervals = new Map<string, number>();

  constructor(private readonly intervalMs: number) {}

  /** An agent has spoken. */
  markActive(agentId: string, now: number): void {
    this.move(agentId, { now, intervalMs: this.intervalMs });
  }

  /** An agent was looked at and is there. */
  markAlive(agentId: string, now: number): void {
    const known = this.intervals.get(agentId) ?? this.intervalMs;
    this.move(agentId, { now, intervalMs: Math.min(2 * known, LONGEST_MS) });
  }

  /** An agent is to be looked at now. */
  suspect(agentId: string): void {
    this.move(agentId, { now: 0, intervalMs: this.intervalMs });
  }

  /** An agent has ended. */
  forget(agentId: string): void {
    const known = this.intervals.get(agentId);
    if (known !== undefined) this.lines.get(known)?.delete(agentId);
    this.intervals.delete(agentId);
  }

  /** The agents that have been silent for too long, at most `limit` of them. */
  silentAgents(now: number, limit: number): readonly string[] {
    const found: string[] = [];
    for (const [intervalMs, line] of this.lines) {
      for (const [agentId, at] of line) {
        if (at + intervalMs > now || found.length === limit) break;
        found.push(agentId);
      }
    }
    return found;
  }

  /** Milliseconds until the first agent has been silent for too long. */
  msUntilNext(now: number): number {
    let remaining = LONGEST_MS;
    for (const [intervalMs, line] of this.lines) {
      const [first] = line.values();
      if (first !== undefined) remaining = Math.min(remaining, Math.max(1, first + intervalMs - now));
    }
    return remaining;
  }

  private move(agentId: string, { now, intervalMs }: { readonly now: number; readonly intervalMs: number }): void {
    this.forget(agentId);
    this.intervals.set(agentId, intervalMs);
    const line = this.lines.get(intervalMs) ?? new Map<string, number>();
    this.lines.set(intervalMs, line.set(agentId, now));
  }
}

/** Wakes the run once. One timer serves all that it is set for. */
export class Alarm {
  private pending: { readonly at: number; readonly scope: CancellationScope } | undefined;

  constructor(private readonly onRing: () => void) {}

  /** Rings at `at` (epoch milliseconds) at the latest. */
  set(at: number): void {
    if (this.pending !== undefined && at >= this.pending.at) return;
    this.pending?.scope.cancel();
    const scope = new CancellationScope();
    this.pending = { at, scope };
    void scope.run(() => this.ring(Math.max(1, at - Date.now())));
  }

  private async ring(ms: number): Promise<void> {
    try {
      await sleep(ms, { summary: 'look after silent agents, show news' });
      this.pending = undefined;
      this.onRing();
    } catch (error) {
      // Another alarm is earlier.
      if (!isCancellation(error)) throw error;
    }
  }
}
