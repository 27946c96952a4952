// The run's data about its agents and its money. Every change takes the same time, however many
// agents there are: sums are updated with it. Deterministic; it sends nothing, starts nothing and
// waits for nothing (supervisor.ts does).
import type { EndedAgent, OpenArchive } from '../../contract/records.js';
import type { ArchiveTotals } from '../../contract/turns.js';
import type { AgentState } from '../../protocol/machine/agent.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { clip, defined, exactly, type Value } from '../../protocol/text.js';
import type {
  AgentStatus,
  ForkRange,
  LedgerAgent,
  LedgerSnapshot,
  RefusedOrder,
  RunSettings,
} from '../../contract/runs.js';
import { Reserves } from './reserves.js';
import { isLive, isUnhandled, Roster } from './roster.js';

/** The longest failure in the ledger, in characters; the whole text is in the agent's record. */
const MAX_FAILURE = 1000;

/** Shown for an agent whose turn needs more money than is left. */
const REST_OF_BUDGET = 'the rest of the budget';

/** How many rejected orders are listed. */
const REFUSED = 5;

/** A change that an agent reports. */
export interface AgentChange {
  readonly agentId: string;
  readonly state: string;
  readonly costUsd: number;
  readonly status: AgentStatus;
  /** It continues with a prompt turn for which it needs no request. */
  readonly standing?: boolean;
  /** It may arrive more than once. */
  readonly number?: number;
  /** It has ended, and used the results of its forks up to this number. */
  readonly awaited?: number;
}

/** An agent that another one is about to start. */
export interface AgentEntry extends Pick<LedgerAgent, 'parent' | 'number' | 'about' | 'state'> {
  readonly agentId: string;
}

/** The ledger of a run that starts now with `main`. */
export function newLedger(main: AgentState, startedAt: number): LedgerSnapshot {
  return {
    startedAt,
    agents: [{ id: main.id, state: main.state, costUsd: 0, status: { kind: 'running' } }],
    archived: { count: 0, costUsd: 0, failed: 0, cancelled: 0 },
    resumptions: 0,
  };
}

/** The ledger of a run. */
export class Ledger {
  readonly startedAt: number;
  readonly roster = new Roster();
  archived: ArchiveTotals;
  /** Agents of a resumed run that are not started yet. */
  resumable: Value | undefined;
  dearestUsd: number;
  result: Value | undefined;
  resumptions: number;
  /** Who ordered a pause that has not ended. */
  pausedBy: string | undefined;
  /** The latest orders that could not be carried out. */
  refused: readonly RefusedOrder[];
  /** The run's cost so far, in USD. */
  spentUsd: number;
  /** What is reserved for turns. */
  readonly reserves: Reserves;

  constructor(snapshot: LedgerSnapshot) {
    this.startedAt = snapshot.startedAt;
    this.archived = snapshot.archived;
    this.resumable = snapshot.resumable;
    this.dearestUsd = snapshot.dearestUsd ?? 0;
    this.result = snapshot.result;
    this.resumptions = snapshot.resumptions;
    this.pausedBy = snapshot.pausedBy;
    this.refused = snapshot.refused ?? [];
    for (const agent of snapshot.agents) this.roster.put(agent);
    const listed = snapshot.agents.reduce((sum, { costUsd }) => sum + costUsd, 0);
    this.spentUsd = exactly(snapshot.archived.costUsd + listed);
    this.reserves = new Reserves(snapshot.grants);
  }

  /** The ledger as it is stored or sent. */
  snapshot(): LedgerSnapshot {
    const { startedAt, archived, resumable, dearestUsd, result, resumptions, pausedBy, refused } = this;
    return {
      startedAt,
      agents: this.roster.all(),
      archived,
      ...(resumable === undefined ? {} : { resumable }),
      ...defined({ grants: this.reserves.snapshot() }),
      ...(dearestUsd === 0 ? {} : { dearestUsd }),
      ...(result === undefined ? {} : { result }),
      resumptions,
      ...(pausedBy === undefined ? {} : { pausedBy }),
      ...(refused.length === 0 ? {} : { refused }),
    };
  }

  /**
   * Adds an agent that is about to start; a known id keeps its line, and its starter withdraws the
   * claim.
   */
  enter({ agentId, ...entry }: AgentEntry): void {
    const known = this.roster.get(agentId);
    if (known === undefined) this.roster.put({ id: agentId, ...entry, costUsd: 0, status: { kind: 'running' } });
    else this.roster.put({ ...known, claims: (known.claims ?? 1) + 1 });
  }

  /**
   * Withdraws the claim of an agent that was not started; the last claim removes its line, but no
   * money.
   */
  withdraw(agentId: string): void {
    const line = this.roster.get(agentId);
    if (line === undefined) return;
    const { claims = 1, ...rest } = line;
    if (claims > 1) return this.roster.put(claims > 2 ? { ...rest, claims: claims - 1 } : rest);
    this.roster.remove(line);
    this.archived = { ...this.archived, costUsd: exactly(this.archived.costUsd + line.costUsd) };
  }

  /**
   * Records the spending and status of an agent; the amount reserved for its turn is released,
   * unless it continues with the next one. An agent that has ended stays ended.
   */
  apply(change: AgentChange): void {
    const { agentId, state, costUsd, status, number, standing = false } = change;
    this.settle(agentId, { costUsd, standing });
    const known = this.withoutUnread(this.roster.get(agentId), change);
    const ended = known !== undefined && !isLive(known.status) && known.status.kind !== 'lost';
    // Its last report again, with a newer record.
    const next = ended && known.status.kind !== status.kind ? known.status : shortened(status);
    const sum = exactly((known?.costUsd ?? 0) + costUsd);
    const line = { ...(known ?? { id: agentId }), state, costUsd: sum, status: next };
    this.roster.put({ ...line, ...defined({ reports: number }) });
    this.spentUsd = exactly(this.spentUsd + costUsd);
    if (agentId === MAIN_AGENT && next.kind === 'completed') this.result = next.result;
  }

  /** True for a report that is in the ledger. */
  has({ agentId, number = Infinity }: AgentChange): boolean {
    return number <= (this.roster.get(agentId)?.reports ?? 0);
  }

  /** Records what an agent spent on a host that it has left; its status does not change. */
  spend(agentId: string, costUsd: number): void {
    const line = this.roster.get(agentId);
    if (line === undefined) this.archived = { ...this.archived, costUsd: exactly(this.archived.costUsd + costUsd) };
    else this.roster.put({ ...line, costUsd: exactly(line.costUsd + costUsd) });
    this.spentUsd = exactly(this.spentUsd + costUsd);
  }

  /** Records whether an agent waits until budget is left for it. */
  waitForBudget(agentId: string, waits: boolean): void {
    const line = this.roster.get(agentId);
    if (line === undefined) return;
    const { status } = line;
    const isWaiting = status.kind === 'queued' && status.waitsFor === REST_OF_BUDGET;
    if (waits && status.kind === 'running')
      this.roster.put({ ...line, status: { kind: 'queued', waitsFor: REST_OF_BUDGET } });
    if (!waits && isWaiting) this.roster.put({ ...line, status: { kind: 'running' } });
  }

  /** Records an order that cannot be carried out. */
  refuse(order: RefusedOrder): void {
    this.refused = [...this.refused, order].slice(-REFUSED);
  }

  /**
   * Marks an agent that disappeared without a report; one whose record could be stored can be
   * resumed.
   */
  markLost(agentId: string, record?: Value): void {
    const line = this.roster.get(agentId);
    if (line === undefined || !isLive(line.status)) return;
    this.settle(agentId, { costUsd: 0, standing: false });
    this.roster.put({ ...line, status: { kind: 'lost', ...(record === undefined ? {} : { record }) } });
  }

  /**
   * Counts a resumption and marks every agent that failures hold up as running; returns those that
   * must receive the order.
   */
  resume(): readonly string[] {
    this.resumptions += 1;
    const held = this.roster.liveAgents().filter(({ status }) => 'failure' in status);
    for (const agent of held) this.roster.put({ ...agent, status: { kind: 'running' } });
    return held.map(({ id }) => id);
  }

  /** Lists an agent that ended as running again; the cost of an archived agent moves with it. */
  restart({ handled: _handled, ...agent }: LedgerAgent): void {
    const { archived, roster } = this;
    if (roster.get(agent.id) === undefined)
      this.archived = { ...archived, costUsd: exactly(archived.costUsd - agent.costUsd) };
    roster.put({ ...agent, status: { kind: 'running' } });
  }

  /**
   * Continues with the rest of an archive; the cost of agents that were taken out counts for them
   * when they are listed again.
   */
  reopen({ archive, count, resumable, missing }: OpenArchive): void {
    const { costUsd } = this.archived;
    const failed = missing?.lost ?? 0;
    this.archived = { count, costUsd, failed, cancelled: 0, ...(archive === undefined ? {} : { archive }) };
    this.resumable = resumable;
  }

  /** Moves lines into the archive. */
  archive(lines: readonly EndedAgent[], archive: Value): void {
    for (const line of lines) this.roster.remove(line);
    this.archived = withLines(this.archived, { lines, archive });
  }

  /** Lists an agent of the archive again; its line there no longer counts. */
  unarchive(line: EndedAgent): void {
    this.archived = withoutLine(this.archived, line);
    this.roster.put(line);
  }

  /**
   * Lists an archived agent again that has sent a message: its later reports count, unless it had
   * reported its end.
   */
  restore(line: EndedAgent): void {
    const said = this.roster.get(line.id);
    if (said?.parent !== undefined) return;
    this.unarchive(line);
    if (said === undefined) return;
    const { state, status } = line.status.kind === 'lost' ? said : line;
    const { reports } = said;
    this.roster.put({ ...line, state, status, costUsd: exactly(line.costUsd + said.costUsd), ...defined({ reports }) });
  }

  /**
   * Records that an agent is sent the results of its forks: it handles their failures, also
   * `archivedFailures`, unless it shows later that it has not used them.
   */
  deliver(
    parent: string,
    { forks, archivedFailures }: { readonly forks: ForkRange; readonly archivedFailures: number },
  ): void {
    const line = this.roster.get(parent);
    if (line?.status.kind !== 'awaiting') return;
    const before = this.roster.unhandled;
    for (const fork of this.roster.endedForks(parent, forks)) this.roster.put({ ...fork, handled: true });
    const failures = before - this.roster.unhandled + archivedFailures;
    const delivered = { after: forks.after, failures };
    this.roster.put({ ...line, awaited: forks.last, delivered, status: { kind: 'running' } });
    this.archived = { ...this.archived, failed: this.archived.failed - archivedFailures };
  }

  /**
   * Results can arrive when their `<await>` has just timed out: an agent that ends without them, or
   * awaits the same forks again, has not handled their failures.
   */
  private withoutUnread(
    line: LedgerAgent | undefined,
    { status, awaited = Infinity }: AgentChange,
  ): LedgerAgent | undefined {
    if (line?.delivered === undefined) return line;
    const { delivered, awaited: last = 0, ...rest } = line;
    const awaitsAgain = status.kind === 'awaiting' && status.forks.after === delivered.after;
    if (!awaitsAgain && awaited >= last) return line;
    const before = this.roster.unhandled;
    for (const { handled: _not, ...fork } of this.roster.endedForks(line.id, { after: delivered.after, last }))
      this.roster.put(fork);
    // Some of them may have gone into the archive meanwhile.
    const archivedFailures = delivered.failures - (this.roster.unhandled - before);
    this.archived = { ...this.archived, failed: this.archived.failed + archivedFailures };
    return { ...rest, awaited: delivered.after };
  }

  /** True when an agent failed or was lost and no agent has handled that. */
  get hasFailed(): boolean {
    return this.roster.unhandled + this.archived.failed > 0;
  }

  /** What is left of a budget, never below 0; undefined when there is none. */
  restUsd(budgetUsd: number | undefined): number | undefined {
    return budgetUsd === undefined ? undefined : Math.max(0, exactly(budgetUsd - this.spentUsd));
  }

  private settle(
    agentId: string,
    { costUsd, standing }: { readonly costUsd: number; readonly standing: boolean },
  ): void {
    if (standing) this.reserves.continueTurns(agentId);
    else this.reserves.release(agentId);
    this.dearestUsd = Math.max(this.dearestUsd, costUsd);
  }
}

/** A line is short: the full text of a failure is in the agent's record. */
function shortened(status: AgentStatus): AgentStatus {
  if (!('failure' in status)) return status;
  return { ...status, failure: { ...status.failure, message: clip(status.failure.message, MAX_FAILURE) } };
}

/** The settings of a run with a new budget; absent = no limit. */
export function withBudget({ budgetUsd: _old, ...settings }: RunSettings, usd: number | undefined): RunSettings {
  return { ...settings, ...(usd === undefined ? {} : { budgetUsd: usd }) };
}

/** The sums with these lines, which are in `archive` now. */
function withLines(
  { count, costUsd, failed, cancelled }: ArchiveTotals,
  { lines, archive }: { readonly lines: readonly EndedAgent[]; readonly archive: Value },
): ArchiveTotals {
  return {
    count: count + lines.length,
    costUsd: exactly(lines.reduce((sum, line) => sum + line.costUsd, costUsd)),
    failed: failed + lines.filter(isUnhandled).length,
    cancelled: cancelled + lines.filter(isCancelled).length,
    archive,
  };
}

/** The sums without an agent that is listed again; its line in the archive no longer counts. */
function withoutLine(totals: ArchiveTotals, line: EndedAgent): ArchiveTotals {
  return {
    ...totals,
    count: totals.count - 1,
    costUsd: exactly(totals.costUsd - line.costUsd),
    failed: totals.failed - (isUnhandled(line) ? 1 : 0),
    cancelled: totals.cancelled - (isCancelled(line) ? 1 : 0),
  };
}

function isCancelled({ status }: EndedAgent): boolean {
  return status.kind === 'cancelled';
}
