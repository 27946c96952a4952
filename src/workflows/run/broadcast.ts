// Orders to all agents of the run: stop, pause, continue. They are repeated for agents that are
// about to start; what follows is decided by the agents.
import type { Ledger } from './ledger.js';
import type { Pause } from '../messages.js';
import { cancelAgent, inGroups, pauseAgent, resumeAgent } from './to-agents.js';

/** Which agents have not received an order yet. */
export class Broadcast {
  private toResume = new Set<string>();
  private toPause = new Set<string>();
  private interrupts = false;
  private readonly toStop = new Set<string>();

  constructor(
    private readonly runId: string,
    private readonly ledger: Ledger,
  ) {
    if (ledger.pausedBy !== undefined) this.pause({ by: ledger.pausedBy });
  }

  /** True when all agents have received their orders. */
  get isOver(): boolean {
    return this.toResume.size + this.toPause.size + this.toStop.size === 0;
  }

  /** Stops all agents. */
  stop(): void {
    for (const { id } of this.ledger.roster.liveAgents()) this.toStop.add(id);
  }

  /** An agent that is about to start gets the orders that the others got. */
  enter(agentId: string, { stopping }: { readonly stopping: boolean }): void {
    if (stopping) this.toStop.add(agentId);
    if (this.ledger.pausedBy !== undefined) this.toPause.add(agentId);
  }

  /** Pauses all agents. */
  pause({ by, now = false }: Pause): void {
    this.ledger.pausedBy = by;
    this.interrupts = now;
    this.toResume = new Set();
    // A new set: an agent that receives an earlier pause at this moment must also receive this one.
    this.toPause = new Set(this.ledger.roster.liveAgents().map(({ id }) => id));
  }

  /** Agents that failures hold up retry, and a pause ends. */
  resume(): void {
    const held = this.ledger.resume();
    const isPaused = this.ledger.pausedBy !== undefined;
    const receivers = isPaused ? this.ledger.roster.liveAgents().map(({ id }) => id) : held;
    this.ledger.pausedBy = undefined;
    this.toPause = new Set();
    this.toResume = new Set([...this.toResume, ...receivers]);
  }

  /** An agent started paused, and the pause ended before the run could reach it. */
  resumeLate(agentId: string): void {
    if (this.ledger.pausedBy === undefined) this.toResume.add(agentId);
  }

  /** Sends the orders. */
  async carryOut(): Promise<void> {
    const { runId, ledger } = this;
    const isGone = (id: string): boolean => !ledger.roster.isLive(id);
    // An agent that is about to be forked cannot receive messages yet; the run tries again when its
    // parent reports.
    await sendToAll(this.toStop, async (id) => isGone(id) || (await cancelAgent(runId, id)));
    await sendToAll(this.toResume, async (id) => isGone(id) || (await resumeAgent(runId, id)));
    const pause: Pause = { by: ledger.pausedBy ?? '', ...(this.interrupts ? { now: true } : {}) };
    await sendToAll(this.toPause, async (id) => isGone(id) || (await pauseAgent(runId, id, pause)));
  }
}

/** Sends the order to each of them; one that has received it does not get it again. */
async function sendToAll(agents: Set<string>, send: (id: string) => Promise<boolean>): Promise<void> {
  await inGroups([...agents], async (id) => {
    if (await send(id)) agents.delete(id);
  });
}
