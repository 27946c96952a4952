// How long each agent of a run has been silent, and when to check that it still exists (invariant
// I6); and the alarm that wakes the run for the check. silent-agents.ts does the check.
import { CancellationScope, isCancellation, sleep } from '@temporalio/workflow';

/**
 * A check wakes the agent and adds to its history: an agent that is silent for months is checked
 * once a day.
 */
const LONGEST_MS = 24 * 60 * 60 * 1000;

/**
 * The time (epoch ms) of every live agent's last report. An agent that was checked and exists is
 * next checked after twice the interval. Agents with the same interval are in one queue, the latest
 * report last, so the next agent to check is the first of a queue.
 */
export class Liveness {
  private readonly lines = new Map<number, Map<string, number>>();
  private readonly intervals = new Map<string, number>();

  constructor(private readonly intervalMs: number) {}

  /** An agent has sent a message. */
  markActive(agentId: string, now: number): void {
    this.move(agentId, { now, intervalMs: this.intervalMs });
  }

  /** An agent was checked and exists. */
  markAlive(agentId: string, now: number): void {
    const known = this.intervals.get(agentId) ?? this.intervalMs;
    this.move(agentId, { now, intervalMs: Math.min(2 * known, LONGEST_MS) });
  }

  /** Checks an agent at once. */
  suspect(agentId: string): void {
    this.move(agentId, { now: 0, intervalMs: this.intervalMs });
  }

  /** An agent has ended. */
  forget(agentId: string): void {
    const known = this.intervals.get(agentId);
    if (known !== undefined) this.lines.get(known)?.delete(agentId);
    this.intervals.delete(agentId);
  }

  /** The agents that have been silent for too long, at most `limit`. */
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

  /** Milliseconds until an agent has been silent for too long. */
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

/** Wakes the run once. One timer serves all its times. */
export class Alarm {
  private pending: { readonly at: number; readonly scope: CancellationScope } | undefined;

  constructor(private readonly onRing: () => void) {}

  /** Wakes the run at `at` (epoch milliseconds) or earlier. */
  set(at: number): void {
    if (this.pending !== undefined && at >= this.pending.at) return;
    this.pending?.scope.cancel();
    const scope = new CancellationScope();
    this.pending = { at, scope };
    void scope.run(() => this.ring(Math.max(1, at - Date.now())));
  }

  private async ring(ms: number): Promise<void> {
    try {
      await sleep(ms, { summary: 'check silent agents, update the memo' });
      this.pending = undefined;
      this.onRing();
    } catch (error) {
      // Another alarm comes first.
      if (!isCancellation(error)) throw error;
    }
  }
}
