// Orders that stop, pause or continue agents, in the order in which the run received them. They are
// repeated for agents that are about to start; what follows is decided by the agents.
import { patched } from '@temporalio/workflow';
import type { Ledger } from './ledger.js';
import type { Pause } from '../messages.js';
import type { AgentInput, LedgerSnapshot, Revival } from '../../contract/runs.js';
import { cancelAgent, inGroups, pauseAgent, resumeAgent } from './to-agents.js';

/** Who has paused an agent that is about to start, or what it forks. */
export type EntryPause = Pick<AgentInput, 'pausedBy' | 'forksPausedBy'>;

/** Which agents have not received an order yet. */
export class Broadcast {
  /** With the operator who continues only this agent. */
  private toResume = new Map<string, string | undefined>();
  private toPause = new Set<string>();
  private interrupts = false;
  private readonly toStop = new Set<string>();
  /** Agents that ended: a retry takes the pause of the run back for them when they start again. */
  private unpaused = new Set<string>();

  constructor(
    private readonly runId: string,
    private readonly ledger: Ledger,
    /** `onEnded` is called when an agent has ended before it could retry. */
    private readonly given: { readonly onEnded: (revival: Revival) => void; readonly unpaused?: readonly string[] },
  ) {
    if (ledger.pausedBy !== undefined) this.pause({ by: ledger.pausedBy });
    this.unpaused = new Set(given.unpaused);
  }

  /** The part that is stored with the ledger. */
  snapshot(): Pick<LedgerSnapshot, 'unpaused'> {
    return this.unpaused.size === 0 ? {} : { unpaused: [...this.unpaused] };
  }

  /** True when all agents have received their orders. */
  get isOver(): boolean {
    return this.toResume.size + this.toPause.size + this.toStop.size === 0;
  }

  /** Stops all agents. */
  stop(): void {
    for (const { id } of this.ledger.roster.liveAgents()) this.toStop.add(id);
  }

  /** An agent that is about to start gets the orders that the others got; returns the run's pause, as it applies to it. */
  enter(agentId: string, { stopping }: { readonly stopping: boolean }): EntryPause {
    if (stopping) this.toStop.add(agentId);
    const { pausedBy } = this.ledger;
    const isAlone = this.unpaused.delete(agentId);
    if (pausedBy === undefined) return {};
    if (isAlone) return { forksPausedBy: pausedBy };
    this.toPause.add(agentId);
    return { pausedBy };
  }

  /** Pauses all agents. */
  pause({ by, now = false }: Pause): void {
    this.ledger.pausedBy = by;
    this.interrupts = now;
    this.unpaused = new Set();
    // An agent that is retried first may only then be paused.
    this.toResume = new Map([...this.toResume].filter(([, by]) => by !== undefined));
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
    for (const id of receivers) if (!this.toResume.has(id)) this.toResume.set(id, undefined);
  }

  /** One agent retries, and a pause of the run ends for this agent alone. */
  retry({ agentId, by }: Revival): void {
    this.toPause.delete(agentId);
    this.toResume.set(agentId, by);
  }

  /** The same for an agent that has ended, and is about to start again. */
  retryEnded(agentId: string): void {
    const isPaused = this.ledger.pausedBy !== undefined;
    if (isPaused && patched('retry-of-ended-agent-ends-pause')) this.unpaused.add(agentId);
  }

  /** An agent started paused, and the pause ended before the run could reach it. */
  resumeLate(agentId: string): void {
    if (this.ledger.pausedBy === undefined) this.toResume.set(agentId, undefined);
  }

  /** Sends the orders. */
  async carryOut(): Promise<void> {
    const { runId, ledger } = this;
    const isGone = (id: string): boolean => !ledger.roster.isLive(id);
    // An agent that is about to be forked cannot receive messages yet; the run tries again when its
    // parent reports.
    await sendToAll(this.toStop, async (id) => isGone(id) || (await cancelAgent(runId, id)));
    const { toResume } = this;
    await sendToAll(toResume, async (id) => {
      const by = toResume.get(id);
      if (!isGone(id)) return await resumeAgent(runId, id, by);
      if (by !== undefined) this.given.onEnded({ agentId: id, by });
      return true;
    });
    const pause: Pause = { by: ledger.pausedBy ?? '', ...(this.interrupts ? { now: true } : {}) };
    await sendToAll(this.toPause, async (id) => isGone(id) || (await pauseAgent(runId, id, pause)));
  }
}

/** Sends the order to each of them; one that has received it does not get it again. */
async function sendToAll(
  agents: Set<string> | Map<string, unknown>,
  send: (id: string) => Promise<boolean>,
): Promise<void> {
  await inGroups([...agents.keys()], async (id) => {
    if (await send(id)) agents.delete(id);
  });
}
