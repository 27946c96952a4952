// The lines of the ledger, one per agent, with counts and indexes that answer every question fast:
// which agents are alive, which have ended, which forks of an agent are open. Deterministic:
// everything is in order of insertion.
import type { EndedAgent } from '../../contract/records.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { ENDED, type AgentStatus, type ForkRange, type LedgerAgent } from '../../contract/runs.js';

/** Ended agents that stay listed one by one; when there are twice as many, the older half goes into the archive. */
export const LISTED_ENDED = 100;

/** True while an agent may still act. */
export function isLive(status: AgentStatus): boolean {
  return !ENDED.has(status.kind);
}

/** True for the line of an agent that has ended. */
export function hasEnded(line: LedgerAgent): line is LedgerAgent & EndedAgent {
  return !isLive(line.status);
}

/** True for an end that makes the run fail. */
export function isUnhandled({ status, handled }: Pick<LedgerAgent, 'status' | 'handled'>): boolean {
  return handled !== true && (status.kind === 'failed' || status.kind === 'lost');
}

/** The agents of a run that are listed one by one. */
export class Roster {
  /** How many listed agents have a failure that no agent has handled. */
  unhandled = 0;
  private readonly lines = new Map<string, LedgerAgent>();
  private readonly live = new Set<string>();
  private readonly ended = new Set<string>();
  /** The numbers of the live forks of each agent. */
  private readonly liveForks = new Map<string, Set<number>>();
  private readonly counts = new Map<AgentStatus['kind'], number>();
  /** Awaiting agents whose forked agents may all have ended by now. */
  private awaitsToCheck = new Set<string>();

  get(id: string): LedgerAgent | undefined {
    return this.lines.get(id);
  }

  isLive(id: string): boolean {
    return this.live.has(id);
  }

  /** All agents, in the order in which they were added. */
  all(): readonly LedgerAgent[] {
    return [...this.lines.values()];
  }

  get liveCount(): number {
    return this.live.size;
  }

  /** The live agents, in the order in which they started. */
  liveAgents(): readonly LedgerAgent[] {
    return [...this.live].flatMap((id) => this.lines.get(id) ?? []);
  }

  get endedCount(): number {
    return this.ended.size;
  }

  /** The agents that ended, except `main`, in the order of their ends. */
  endedAgents(): readonly LedgerAgent[] {
    return [...this.ended].flatMap((id) => this.lines.get(id) ?? []);
  }

  /** How many agents have this status. */
  count(kind: AgentStatus['kind']): number {
    return this.counts.get(kind) ?? 0;
  }

  /** Adds a line, or replaces that of the same agent. */
  put(agent: LedgerAgent): void {
    const known = this.lines.get(agent.id);
    if (known !== undefined) this.tally(known, -1);
    this.lines.set(agent.id, agent);
    this.tally(agent, 1);
    if (isLive(agent.status)) this.list(agent);
    else this.unlist(agent);
    if (agent.status.kind === 'awaiting') this.awaitsToCheck.add(agent.id);
  }

  /** Removes a line. */
  remove(agent: LedgerAgent): void {
    this.tally(agent, -1);
    this.unlist(agent);
    this.lines.delete(agent.id);
    this.ended.delete(agent.id);
  }

  /** The awaiting agents that need not wait any longer; each is returned once. */
  takeReady(): readonly { readonly id: string; readonly forks: ForkRange }[] {
    const candidates = [...this.awaitsToCheck];
    this.awaitsToCheck = new Set();
    return candidates.flatMap((id) => {
      const status = this.lines.get(id)?.status;
      return status?.kind === 'awaiting' && !this.hasLiveFork(id, status.forks) ? [{ id, forks: status.forks }] : [];
    });
  }

  /** An awaiting agent could not be notified yet. */
  checkAgain(id: string): void {
    this.awaitsToCheck.add(id);
  }

  /** The listed ones of these forks that have ended. */
  endedForks(parent: string, range: ForkRange): readonly LedgerAgent[] {
    return this.endedAgents().filter((line) => line.parent === parent && isWithin(line.number, range));
  }

  private hasLiveFork(parent: string, range: ForkRange): boolean {
    return [...(this.liveForks.get(parent) ?? [])].some((number) => isWithin(number, range));
  }

  private tally(agent: LedgerAgent, step: 1 | -1): void {
    const { kind } = agent.status;
    this.counts.set(kind, this.count(kind) + step);
    if (isUnhandled(agent)) this.unhandled += step;
  }

  private list({ id, parent, number }: LedgerAgent): void {
    this.ended.delete(id);
    this.live.add(id);
    if (parent === undefined || number === undefined) return;
    const numbers = this.liveForks.get(parent) ?? new Set();
    this.liveForks.set(parent, numbers.add(number));
  }

  private unlist({ id, parent, number }: LedgerAgent): void {
    this.live.delete(id);
    if (id !== MAIN_AGENT) this.ended.add(id);
    if (parent === undefined) return;
    const numbers = this.liveForks.get(parent);
    if (number !== undefined) numbers?.delete(number);
    if (numbers?.size === 0) this.liveForks.delete(parent);
    this.awaitsToCheck.add(parent);
  }
}

function isWithin(number: number | undefined, { after, last }: ForkRange): boolean {
  return number !== undefined && number > after && number <= last;
}
