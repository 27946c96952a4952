// The supervisor: acts on the run's ledger. It answers agents, stops them, looks after silent ones, and shows how the run fares.
// Decisions about money and agents are pure functions of ledger.ts and budget.ts.
import { sleep, workflowInfo } from '@temporalio/workflow';
import { MAIN_AGENT } from '../protocol/ids.js';
import { agentRecords, gatherResults, storeRecord } from './turn.js';
import { cancelAgent, grantTurn, probeAgent, resumeAgent, startAgent, tellForksEnded } from './to-agents.js';
import { allow } from './budget.js';
import {
  endedFork,
  endAwait,
  readyToGather,
  archivable,
  archived,
  book,
  isLive,
  liveAgents,
  markLost,
  openLedger,
  resume,
  revive,
  spentUsd,
  withBudget,
} from './ledger.js';
import type { RunInput, RunStatus, RunSummary } from './contract.js';
import { Liveness } from './liveness.js';
import { statusOf, summarise } from './summary.js';
import { publishSummary, show, showRun } from './visibility.js';

/** Seconds of silence after which the run looks whether an agent still exists. */
const PROBE_SECONDS = 300;

/** So many agents are looked at together; news has its turn before the next ones. */
const PROBED_AT_ONCE = 50;

/** From so many agents on, news is gathered before it is shown. */
const CROWD = 20;
const SHOWN_EVERY_MS = 1000;

/** Why a run stops its agents before they end by themselves. */
type Stop = 'cancelled' | 'over-budget' | 'fail-fast';

/** The run's mutable part: its ledger and what has yet to be attended to. */
export class Supervisor {
  ledger;
  stopping: Stop | undefined;
  private news = false;
  private readonly resuming: string[] = [];
  private readonly liveness;
  private alarmAt = Infinity;
  private shownAt = 0;
  private shown: RunStatus | undefined;
  private hasUnshown = false;
  /** Agents that were told to stop. */
  private readonly told = new Set<string>();
  private asks: { readonly agentId: string; readonly turnId: string }[] = [];

  constructor(public input: RunInput) {
    const startedAt = workflowInfo().startTime.getTime();
    this.ledger = input.ledger ?? openLedger(input.main, startedAt);
    this.liveness = new Liveness((input.settings.probeSeconds ?? PROBE_SECONDS) * 1000, startedAt);
  }

  /** Starts `main`, or the agents of a closed run's books; a run that goes on as new starts nobody. */
  async start(): Promise<void> {
    if (this.input.ledger === undefined) return await startAgent(this.input, this.input.main);
    if (this.input.revive !== true) return;
    const { ledger, agents } = revive(this.ledger);
    this.ledger = ledger;
    for (const agent of agents) await startAgent(this.input, agent);
  }

  /** An agent has spoken: its silence is over, and the books change. */
  hear({ agentId }: { readonly agentId: string }, ledger: typeof this.ledger): void {
    this.liveness.heardFrom(agentId, Date.now());
    this.change(ledger);
  }

  change(ledger: typeof this.ledger): void {
    this.ledger = ledger;
    this.news = true;
    const { budgetUsd } = this.input.settings;
    if (budgetUsd !== undefined && spentUsd(ledger) > budgetUsd) this.stop('over-budget');
    const failures = Object.values(ledger.agents).flatMap(({ status }) =>
      status.kind === 'failed' ? [status.failure] : [],
    );
    if (failures.some(({ type }) => type === 'OverBudget')) this.stop('over-budget');
    else if (failures.length > 0 && this.input.settings.failFast) this.stop('fail-fast');
  }

  ask(ask: { readonly agentId: string; readonly turnId: string; readonly state: string }): void {
    // Asking twice is the same ask: an agent repeats itself when it hears nothing.
    if (!this.asks.some(({ turnId }) => turnId === ask.turnId)) this.asks.push(ask);
    this.hear(ask, book(this.ledger, { ...ask, costUsd: 0, status: { kind: 'running' } }));
  }

  /** Changes what the run may cost; agents that waited for the rest of the old budget are answered anew. */
  setBudget(usd: number | undefined): void {
    this.input = { ...this.input, settings: withBudget(this.input.settings, usd) };
    this.change(this.ledger);
  }

  resume(): void {
    const { ledger, agents } = resume(this.ledger);
    this.resuming.push(...agents);
    this.change(ledger);
  }

  stop(reason: Stop): void {
    this.stopping ??= reason;
    this.news = true;
  }

  hasNews(): boolean {
    return this.news;
  }

  /** Answers what has come in: stops, resumptions and allowances. */
  async act(): Promise<void> {
    this.news = false;
    if (this.stopping !== undefined) await this.stopAgents();
    for (const id of this.resuming.splice(0)) await resumeAgent(this.input.runId, id);
    await this.grant();
    await this.gather();
    await this.archive();
  }

  /** Wakes the run when somebody's silence will be too long, or when news has waited to be shown. One timer serves all. */
  setAlarm(): void {
    const now = Date.now();
    const silent = now + this.liveness.msLeft(liveAgents(this.ledger), now);
    const due = this.hasUnshown ? Math.min(silent, this.shownAt + SHOWN_EVERY_MS) : silent;
    if (due >= this.alarmAt) return;
    this.alarmAt = due;
    void sleep(Math.max(1, due - now), { summary: 'look after silent agents, show news' }).then(() => {
      if (Date.now() >= this.alarmAt) this.alarmAt = Infinity;
      this.news = true;
    });
  }

  /** Asks the agents that have been silent for too long whether they still exist (invariant I6). */
  async probe(): Promise<void> {
    const silent = this.liveness.tooLong(liveAgents(this.ledger), Date.now()).slice(0, PROBED_AT_ONCE);
    const gone = await Promise.all(
      silent.map(async ({ id }) => {
        if (!(await probeAgent(this.input.runId, id))) return [id];
        this.liveness.foundAlive(id, Date.now());
        return [];
      }),
    );
    // An agent that ended meanwhile has said so before it closed: its word is in the ledger by now.
    const lost = gone.flat();
    if (lost.length === 0) return;
    const records = await agentRecords({ runId: this.input.runId, agentIds: lost });
    this.change(markLost(this.ledger, { ids: lost, records }));
  }

  status(): RunStatus {
    const status = statusOf(this.ledger);
    if (this.stopping === 'over-budget') return 'over-budget';
    return this.stopping === 'fail-fast' && status === 'cancelled' ? 'failed' : status;
  }

  summary(status: RunStatus = this.status()): RunSummary {
    const summary = summarise(this.ledger, { input: this.input, status });
    return status === 'over-budget'
      ? { ...summary, result: budgetMessage(summary.costUsd, summary.budgetUsd ?? 0) }
      : summary;
  }

  /** Shows the run as it is; of many agents' news only once a second, because what is shown stays in the history. */
  refresh(): void {
    const crowded = Object.keys(this.ledger.agents).length > CROWD;
    this.hasUnshown = crowded && this.status() === this.shown && Date.now() < this.shownAt + SHOWN_EVERY_MS;
    if (!this.hasUnshown) this.publish();
  }

  publish(status?: RunStatus): RunSummary {
    this.shownAt = Date.now();
    this.shown = status ?? this.status();
    const summary = this.summary(status);
    publishSummary(summary);
    showRun(summary);
    const main = this.ledger.agents[MAIN_AGENT];
    show(
      {
        RaymondStatus: summary.status,
        RaymondCostUsd: summary.costUsd,
        ...(main === undefined ? {} : { RaymondState: main.state }),
      },
      this.input.settings.searchAttributes,
    );
    return summary;
  }

  private async stopAgents(): Promise<void> {
    // An agent that is about to be forked cannot be told yet; its parent's end is the news after which it can.
    for (const { id } of liveAgents(this.ledger)) {
      if (!this.told.has(id) && (await cancelAgent(this.input.runId, id))) this.told.add(id);
    }
  }

  private async grant(): Promise<void> {
    for (const ask of this.asks.splice(0)) {
      const allowance = allow(this.ledger, { ...ask, budgetUsd: this.input.settings.budgetUsd });
      if (allowance.kind === 'over') this.stop('over-budget');
      // Whoever has to wait is answered with the news of the next report.
      if (allowance.kind === 'wait') this.asks.push(ask);
      const entry = this.ledger.agents[ask.agentId];
      if (this.stopping !== undefined || entry === undefined || !isLive(entry.status)) continue;
      if (allowance.kind !== 'granted') continue;
      this.ledger = allowance.ledger;
      const { usd } = allowance;
      await grantTurn(this.input.runId, { ...ask, ...(usd === undefined ? {} : { usd }) });
    }
  }

  /** Tells the agents that await their forked agents, as soon as all of those have ended. */
  private async gather(): Promise<void> {
    for (const { id, forks, ended } of readyToGather(this.ledger)) {
      const { archive } = this.ledger.completedBefore;
      const gathering = { parent: id, ...forks, ended, ...(archive === undefined ? {} : { archive }) };
      const results = await gatherResults(gathering);
      await tellForksEnded(this.input.runId, { agentId: id, last: forks.last, results });
      this.ledger = endAwait(this.ledger, id);
    }
  }

  /** Old agents that completed go into an artifact: the ledger stays small (invariant I8). */
  private async archive(): Promise<void> {
    const gone = archivable(this.ledger);
    if (gone.length === 0) return;
    const { archive: previous } = this.ledger.completedBefore;
    const agents = gone.map(endedFork);
    const archive = await storeRecord(JSON.stringify({ agents, ...(previous === undefined ? {} : { previous }) }));
    this.ledger = archived(this.ledger, { gone, archive });
  }
}

/** The result of a run that went over its budget. */
export function budgetMessage(spent: number, budget: number): string {
  return `Workflow terminated: budget exceeded ($${spent.toFixed(4)} > $${budget.toFixed(4)})`;
}
