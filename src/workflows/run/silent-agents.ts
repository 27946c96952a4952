// Agents that have been silent for long: whether they still exist (invariant I6), and what to do
// with those that do not.
import type { FoundAgent } from '../../contract/records.js';
import { activities } from '../activities.js';
import type { RunInput } from '../../contract/runs.js';
import type { Archived } from './archive.js';
import { Liveness } from './liveness.js';
import { AT_ONCE, probeAgent } from './to-agents.js';

/** Seconds of silence after which the run looks whether an agent still exists. */
const PROBE_SECONDS = 300;

/** The name of the call that looks for them. */
const FIND_SILENT = 'look for silent agents';

/** The silent agents of a run. */
export class SilentAgents {
  private readonly liveness: Liveness;
  private readonly runId: string;

  constructor(private readonly run: Archived & { readonly input: Pick<RunInput, 'runId' | 'settings'> }) {
    const { runId, settings } = run.input;
    this.runId = runId;
    this.liveness = new Liveness((settings.probeSeconds ?? PROBE_SECONDS) * 1000);
  }

  /** An agent has sent a message. */
  markActive(agentId: string): void {
    this.liveness.markActive(agentId, Date.now());
  }

  /** An agent may be gone. */
  suspect(agentId: string): void {
    this.liveness.suspect(agentId);
  }

  /** An agent has ended. */
  forget(agentId: string): void {
    this.liveness.forget(agentId);
  }

  /** When to check the next agent (epoch ms). */
  nextAt(now: number): number {
    return Math.max(now + this.liveness.msUntilNext(now), this.run.retries.retryAt(FIND_SILENT));
  }

  /**
   * Probes the agents that have been silent for too long; returns those that are lost according to
   * the ledger.
   */
  async findLost(): Promise<readonly FoundAgent[]> {
    const { ledger, retries } = this.run;
    if (Date.now() < retries.retryAt(FIND_SILENT) && !retries.isHurried()) return [];
    const lost = await this.unreachable();
    if (lost.length === 0) {
      retries.forget(FIND_SILENT);
      return [];
    }
    const call = (): Promise<readonly FoundAgent[]> => activities.findAgents({ runId: this.runId, agentIds: lost });
    const answer = await retries.attempt({ what: FIND_SILENT, call });
    // An agent that cannot be looked for now may still exist.
    if (answer.kind === 'later') return [];
    const known = answer.kind === 'done' ? answer.value : [];
    const found = lost.map((id) => known.find((one) => one.id === id) ?? { id, open: false });
    for (const { id, record } of found) ledger.markLost(id, record);
    return found;
  }

  private async unreachable(): Promise<readonly string[]> {
    const silent = this.liveness.silentAgents(Date.now(), AT_ONCE);
    const gone = await Promise.all(
      silent.map(async (id) => {
        if (!(await probeAgent(this.runId, id))) return [id];
        this.liveness.markAlive(id, Date.now());
        return [];
      }),
    );
    // An agent that ended in the meantime reported that before it closed: the ledger has its report
    // by now.
    return gone.flat().filter((id) => this.run.ledger.roster.isLive(id));
  }
}
