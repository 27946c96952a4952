// What the run tells all of its agents: to stop, to pause, to go on. Telling is repeated for agents that are only about to be started;
// what follows from it the agents say themselves.
import type { Ledger } from './ledger.js';
import type { Pause } from '../messages.js';
import { cancelAgent, inGroups, pauseAgent, resumeAgent } from './to-agents.js';

/** Who has yet to be told what. */
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

  /** True when everybody has been told. */
  get isOver(): boolean {
    return this.toResume.size + this.toPause.size + this.toStop.size === 0;
  }

  /** All agents shall stop. */
  stop(): void {
    for (const { id } of this.ledger.roster.liveAgents()) this.toStop.add(id);
  }

  /** An agent that is about to be started is told what the others were told. */
  enter(agentId: string, { stopping }: { readonly stopping: boolean }): void {
    if (stopping) this.toStop.add(agentId);
    if (this.ledger.pausedBy !== undefined) this.toPause.add(agentId);
  }

  /** All agents shall pause. */
  pause({ by, now = false }: Pause): void {
    this.ledger.pausedBy = by;
    this.interrupts = now;
    this.toResume = new Set();
    // A new set: whoever hears of the pause before this one at this moment must hear of this one, too.
    this.toPause = new Set(this.ledger.roster.liveAgents().map(({ id }) => id));
  }

  /** Agents that failures hold up try again, and a pause is over. */
  resume(): void {
    const held = this.ledger.resume();
    const isPaused = this.ledger.pausedBy !== undefined;
    const receivers = isPaused ? this.ledger.roster.liveAgents().map(({ id }) => id) : held;
    this.ledger.pausedBy = undefined;
    this.toPause = new Set();
    this.toResume = new Set([...this.toResume, ...receivers]);
  }

  /** An agent has paused that was started with a pause which has been over before it could be told so. */
  resumeLate(agentId: string): void {
    if (this.ledger.pausedBy === undefined) this.toResume.add(agentId);
  }

  /** Tells the agents. */
  async carryOut(): Promise<void> {
    const { runId, ledger } = this;
    const isGone = (id: string): boolean => !ledger.roster.isLive(id);
    // An agent that is about to be forked cannot be told yet; its parent's end is the news after which it can.
    await sendToAll(this.toStop, async (id) => isGone(id) || (await cancelAgent(runId, id)));
    await sendToAll(this.toResume, async (id) => isGone(id) || (await resumeAgent(runId, id)));
    const pause: Pause = { by: ledger.pausedBy ?? '', ...(this.interrupts ? { now: true } : {}) };
    await sendToAll(this.toPause, async (id) => isGone(id) || (await pauseAgent(runId, id, pause)));
  }
}

/** Tells each of them; who has heard it is not told again. */
async function sendToAll(agents: Set<string>, send: (id: string) => Promise<boolean>): Promise<void> {
  await inGroups([...agents], async (id) => {
    if (await send(id)) agents.delete(id);
  });
}
