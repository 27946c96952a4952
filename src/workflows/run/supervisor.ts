// The supervisor: acts on the run's ledger. It answers agents, stops them, looks after silent ones, and shows how the run fares.
// What follows from a piece of news is decided by ledger.ts and budget.ts.
import { workflowInfo } from '@temporalio/workflow';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { CHILDREN_PER_HISTORY } from '../../protocol/limits.js';
import { defined } from '../../protocol/text.js';
import { findAgents } from '../activities.js';
import * as archive from './archive.js';
import { Allowances } from './allowances.js';
import type { Move, Revival, RunInput, RunStatus, RunSummary } from '../contract.js';
import { Ledger, newLedger, withBudget, type AgentChange, type AgentEntry } from './ledger.js';
import { Alarm, Liveness } from './liveness.js';
import type { Pause, Spent, Starting } from '../messages.js';
import { Orders } from './orders.js';
import { statusOf, stopAfter, summarise, type Stop } from './summary.js';
import { AT_ONCE, inGroups, moveAgent, probeAgent, startAgent, tellForksEnded } from './to-agents.js';
import { RunDisplay } from '../visibility.js';
import { Placements } from './placements.js';

/** Seconds of silence after which the run looks whether an agent still exists. */
const PROBE_SECONDS = 300;

/** From so many agents on, news is gathered before it is shown. */
const CROWD = 20;

/** The run's mutable part: its ledger and what has yet to be attended to. */
export class Supervisor {
  readonly ledger: Ledger;
  stopping: Stop | undefined;
  /** True when something has come in that has yet to be answered. */
  news = false;
  readonly placements: Placements;
  private readonly orders: Orders;
  private readonly liveness: Liveness;
  private readonly alarm = new Alarm(() => (this.news = true));
  private readonly display = new RunDisplay();
  private readonly revivals: Revival[] = [];
  private readonly allowances: Allowances;

  constructor(public input: RunInput) {
    const startedAt = workflowInfo().startTime.getTime();
    this.ledger = new Ledger(input.ledger ?? newLedger(input.main, startedAt));
    if (input.ledger === undefined) this.ledger.pausedBy = input.pausedBy;
    this.liveness = new Liveness((input.settings.probeSeconds ?? PROBE_SECONDS) * 1000);
    this.orders = new Orders(input.runId, this.ledger);
    this.allowances = new Allowances(input.runId, this.ledger);
    const news = (): void => void (this.news = true);
    const { workspace: settings } = input.settings;
    this.placements = new Placements({ runId: input.runId, settings, news }, input.ledger);
  }

  /** Starts `main`, or the agents that a closed run goes on with; a run that goes on as new starts nobody. */
  async start(): Promise<void> {
    await this.startAgents();
    for (const { id } of this.ledger.roster.liveAgents()) this.liveness.heardFrom(id, Date.now());
  }

  private async startAgents(): Promise<void> {
    const { ledger, main, only } = this.input;
    if (ledger === undefined) return await startAgent(this.input, main);
    if (only !== undefined) return await this.startAgain(only);
    if (this.input.restart === true) {
      await this.restart(await archive.agentsToRestart(this.ledger, this.input.runId));
      await archive.openForRestart(this.ledger);
    }
    for (let started = 0; this.hasToRestart() && started < CHILDREN_PER_HISTORY;) {
      const agents = await archive.nextToRestart(this.ledger, this.input.runId);
      await this.restart(agents);
      started += agents.length;
    }
  }

  /** True while agents of a closed run have yet to be started. */
  hasToRestart(): boolean {
    return this.ledger.resumable !== undefined && this.stopping === undefined;
  }

  private async restart(agents: readonly archive.Restart[], move?: Move): Promise<void> {
    const { runId, workflow, settings } = this.input;
    const family = { runId, workflow, settings, ...defined({ move }) };
    await inGroups(agents, ({ line: { id, state }, record }) => startAgent(family, { id, state, record }));
  }

  /** Starts one agent that ended without a result from its record; one that lives by now is only sent where it shall go. */
  private async startAgain(revival: Revival): Promise<void> {
    const { agentId, move } = revival;
    const { runId } = this.input;
    if (this.ledger.roster.isLive(agentId))
      return move === undefined ? undefined : await moveAgent(runId, agentId, move);
    const agents = await archive.agentToRestart(this.ledger, { runId, revival });
    for (const { line } of agents) this.liveness.heardFrom(line.id, Date.now());
    await this.restart(agents, move);
  }

  /** Agents are about to be started by another one. */
  enter(entries: readonly (AgentEntry & Pick<Starting, 'shares'>)[]): void {
    for (const entry of entries) {
      this.ledger.enter(entry);
      if (entry.shares !== undefined) this.placements.book.join(entry.agentId, entry.shares);
      this.liveness.heardFrom(entry.agentId, Date.now());
      this.orders.enter(entry.agentId, { stopping: this.stopping !== undefined });
    }
    this.news = true;
  }

  /** An agent was not started after all. */
  withdraw(agentId: string): void {
    this.ledger.withdraw(agentId);
    if (this.ledger.roster.get(agentId) === undefined) this.forget(agentId);
    this.news = true;
  }

  /** An agent has spoken: its silence is over, and the ledger changes. `asks` is the prompt turn that it wants to do next. */
  hear(change: AgentChange, asks?: string): void {
    this.ledger.book(change);
    const { status, agentId } = change;
    if (asks !== undefined) this.allowances.ask({ agentId, turnId: asks });
    if (this.ledger.roster.isLive(agentId)) this.liveness.heardFrom(agentId, Date.now());
    else this.forget(agentId);
    const stop = stopAfter(status, this.input.settings);
    if (stop !== undefined) this.stop(stop);
    this.checkBudget();
  }

  /** A host tells what was spent for an agent that has left it. */
  bookSpent(spent: Spent): void {
    if (this.placements.book.isNew(spent)) this.ledger.spend(spent.agentId, spent.costUsd);
    this.checkBudget();
  }

  private forget(agentId: string): void {
    this.liveness.forget(agentId);
    this.placements.ended(agentId);
  }

  private checkBudget(): void {
    const { budgetUsd } = this.input.settings;
    if (budgetUsd !== undefined && this.ledger.spentUsd > budgetUsd) this.stop('over-budget');
    this.news = true;
  }

  /** An agent asks whether its prompt turn may start. Asking twice is the same ask: it repeats itself when it hears nothing. */
  ask(ask: { readonly agentId: string; readonly turnId: string; readonly state: string }): void {
    this.allowances.ask(ask);
    this.hear({ ...ask, costUsd: 0, status: { kind: 'running' } });
  }

  /** Changes what the run may cost; agents that waited for the rest of the old budget are answered anew. */
  setBudget(usd: number | undefined): void {
    this.input = { ...this.input, settings: withBudget(this.input.settings, usd) };
    this.allowances.recall();
    this.checkBudget();
  }

  /** Lets all agents pause, also those that are about to be started. */
  pause(pause: Pause): void {
    this.orders.pause(pause);
    this.news = true;
  }

  /** Lets an agent go on that ended without a result; nobody is revived while the run stops. */
  revive(revival: Revival): void {
    if (this.stopping === undefined) this.revivals.push(revival);
    this.news = true;
  }

  resume(): void {
    this.orders.resume();
    this.news = true;
  }

  stop(reason: Stop): void {
    this.news = true;
    if (this.stopping !== undefined) return;
    this.stopping = reason;
    this.orders.stop();
  }

  /** Answers what has come in: stops, resumptions, allowances, and agents that await others. */
  async act(): Promise<void> {
    this.news = false;
    const { runId } = this.input;
    await this.orders.carryOut();
    for (const revival of this.revivals.splice(0)) await this.startAgain(revival);
    await this.allowances.grant({
      budgetUsd: this.input.settings.budgetUsd,
      over: () => this.stop('over-budget'),
      stopping: () => this.stopping !== undefined,
    });
    await this.placements.act();
    for (const { id, forks } of this.ledger.roster.takeReady()) {
      const results = await archive.gatherForks(this.ledger, id, forks);
      await tellForksEnded(runId, { agentId: id, last: forks.last, results });
    }
    await archive.archiveOld(this.ledger);
  }

  /** Wakes the run when somebody's silence will be too long, or when news has waited to be shown. */
  setAlarm(): void {
    const now = Date.now();
    this.alarm.set(Math.min(now + this.liveness.msLeft(now), this.display.dueAt));
  }

  /** Asks silent agents whether they still exist (invariant I6). */
  async probe(): Promise<void> {
    const { runId } = this.input;
    const silent = this.liveness.tooLong(Date.now(), AT_ONCE);
    const gone = await Promise.all(
      silent.map(async (id) => {
        if (!(await probeAgent(runId, id))) return [id];
        this.liveness.foundAlive(id, Date.now());
        return [];
      }),
    );
    // An agent that ended meanwhile has said so before it closed: its word is in the ledger by now.
    const lost = gone.flat().filter((id) => this.ledger.roster.isLive(id));
    if (lost.length === 0) return;
    const found = await findAgents({ runId, agentIds: lost });
    for (const id of lost) {
      this.ledger.markLost(id, found.find((one) => one.id === id)?.record);
      this.forget(id);
    }
    this.news = true;
  }

  status(): RunStatus {
    return statusOf(this.ledger, this.stopping);
  }

  summary(status: RunStatus = this.status()): RunSummary {
    const { book } = this.placements;
    const [hosts, { unbooked }] = [book.hosts(), book];
    return summarise(this.ledger, { input: this.input, status, unbooked, hostOf: (id) => hosts.get(id) });
  }

  /** Shows the run as it is; of many agents' news only once in a while. */
  refresh(): void {
    const { roster } = this.ledger;
    const crowded = roster.liveCount + roster.endedCount > CROWD;
    if (!this.display.holdsBack({ status: this.status(), crowded })) this.publish();
  }

  publish(status?: RunStatus): RunSummary {
    const summary = this.summary(status);
    const state = this.ledger.roster.get(MAIN_AGENT)?.state;
    this.display.show(summary, { state, registered: this.input.settings.searchAttributes });
    return summary;
  }
}
