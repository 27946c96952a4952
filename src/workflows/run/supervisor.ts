// The supervisor: acts on the run's ledger. It answers agents, stops them, checks on silent ones,
// and shows the status of the run. ledger.ts and budget.ts decide what follows from a message.
import { patched, workflowInfo } from '@temporalio/workflow';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import * as archive from './archive.js';
import { Allowances } from './allowances.js';
import { Broadcast, type EntryPause } from './broadcast.js';
import type {
  AllowanceAsk,
  LedgerSnapshot,
  RefusedOrder,
  Revival,
  RunInput,
  RunStatus,
  RunSummary,
} from '../../contract/runs.js';
import { Ledger, newLedger, withBudget, type AgentChange, type AgentEntry } from './ledger.js';
import { Alarm } from './liveness.js';
import { MainEnd } from './main-end.js';
import type { Pause, Spent, Starting } from '../messages.js';
import { Retries } from './retries.js';
import { Restarts } from './restarts.js';
import { SilentAgents } from './silent-agents.js';
import { statusOf, stopAfter, summarise, type Stop } from './summary.js';
import { startAgent, sendForksEnded } from './to-agents.js';
import { RunDisplay } from '../visibility.js';
import { Placements } from './placements.js';

/** With this many agents, changes are collected before they are shown. */
const CROWD = 20;

/** The type of an operator's pause; the second one is in histories of earlier versions. */
const PAUSED: ReadonlySet<string> = new Set(['PausedByOperator', 'PausedByHand']);

/** The mutable part of the run: its ledger and its unhandled messages. */
export class Supervisor {
  readonly ledger: Ledger;
  stopping: Stop | undefined;
  /** True when a message has arrived that is not handled yet. */
  changed: boolean;
  readonly mainEnd: MainEnd;
  readonly placements: Placements;
  readonly restarts: Restarts;
  readonly retries = new Retries(() => this.isCancelled);
  private isCancelled = false;
  /** A run that starts agents again is shown as running, though none of them lives yet. */
  private showsRestarts = false;
  private readonly broadcast: Broadcast;
  private readonly silentAgents: SilentAgents;
  private readonly alarm = new Alarm(() => (this.changed = true));
  private readonly display = new RunDisplay();
  private readonly allowances: Allowances;
  /** Agents that sent messages and are not listed: the archive knows their parents. */
  private unlisted: readonly string[];

  constructor(public input: RunInput) {
    const startedAt = workflowInfo().startTime.getTime();
    const { runId, settings, ledger } = input;
    this.ledger = new Ledger(ledger ?? newLedger(input.main, startedAt));
    if (ledger === undefined) this.ledger.pausedBy = input.pausedBy;
    this.changed = ledger !== undefined;
    this.unlisted = this.ledger.roster.all().flatMap(({ id, parent }) => (id === MAIN_AGENT || parent ? [] : [id]));
    this.silentAgents = new SilentAgents({ ledger: this.ledger, retries: this.retries, input });
    this.broadcast = new Broadcast(runId, this.ledger, { ...ledger, onEnded: (revival) => this.retryEnded(revival) });
    this.allowances = new Allowances(runId, this.ledger, ledger?.asks);
    const changed = (): void => void (this.changed = true);
    const isLive = (agentId: string): boolean => this.ledger.roster.isLive(agentId);
    this.mainEnd = new MainEnd(runId, {
      onCompleted: ({ result, ...end }) =>
        this.applyReport({ ...end, agentId: MAIN_AGENT, costUsd: 0, status: { kind: 'completed', result } }),
      // One that reported its end is not looked for: that would repeat the closing of the run.
      onFailed: () => isLive(MAIN_AGENT) && this.suspect([MAIN_AGENT]),
    });
    this.placements = new Placements({ runId, settings: settings.workspace, isLive, changed }, ledger);
    const run = { ledger: this.ledger, retries: this.retries, input: () => this.input };
    this.restarts = new Restarts({ ...run, onEntered: (agentId) => this.onEntered(agentId) }, input);
  }

  /** Starts `main`. `act` starts the agents with which a closed run continues; a run that continues as new starts none. */
  async start(): Promise<void> {
    const { input, ledger } = this;
    if (this.restarts.isPending) this.showsRestarts = patched('restarting-run-is-running');
    // A pause that arrived before the run's first task applies from the first turn.
    if (input.ledger === undefined) await this.startMain(ledger.pausedBy);
    else if (workflowInfo().continuedFromExecutionRunId === undefined) await this.adoptMain();
    for (const { id } of this.ledger.roster.liveAgents()) this.silentAgents.markActive(id);
  }

  private async startMain(pausedBy: string | undefined): Promise<void> {
    const { main, runId, workflow, settings } = this.input;
    const spawnContext = { runId, workflow, settings, ...defined({ pausedBy }) };
    if (!patched('main-ends-by-result')) return void (await startAgent(spawnContext, main));
    this.mainEnd.watch(await startAgent({ ...spawnContext, endsByResult: true }, main));
  }

  /** After a terminated run, `main` may still work for it. */
  private async adoptMain(): Promise<void> {
    if (this.ledger.roster.isLive(MAIN_AGENT) && patched('main-ends-by-result')) await this.mainEnd.request();
  }

  /** True when the run may close: no agent is alive, and no order waits. */
  get isOver(): boolean {
    return !this.changed && this.ledger.roster.liveCount === 0 && !this.restarts.isPending;
  }

  /** True when a new history must follow, and nothing would be lost by it. */
  get needsNewHistory(): boolean {
    if (this.changed || this.placements.isBusy) return false;
    // Its agents were stopped and end soon. Agents that are to continue after that do so without
    // the reason to stop.
    if (this.stopping !== undefined) return this.ledger.roster.liveCount === 0 && this.restarts.isPending;
    return this.isFull && this.broadcast.isOver && !this.isOver;
  }

  private get isFull(): boolean {
    return this.restarts.isFull || workflowInfo().continueAsNewSuggested;
  }

  /** A full history grants nothing: more messages would arrive with each grant, and the next history would never come. */
  private get savesMoney(): boolean {
    const isFree = this.stopping === undefined && this.broadcast.isOver && !this.placements.isBusy;
    return this.isFull && isFree && patched('money-waits-for-new-history');
  }

  /** The requests for money that the next history answers. */
  get waitingAsks(): readonly AllowanceAsk[] {
    return this.allowances.waiting;
  }

  /** All data that is stored with the ledger. */
  snapshot(): LedgerSnapshot {
    const { ledger, placements, restarts, broadcast } = this;
    return { ...ledger.snapshot(), ...placements.snapshot(), ...restarts.snapshot(), ...broadcast.snapshot() };
  }

  /** Another agent is about to start these agents. */
  enter(entries: readonly (AgentEntry & Pick<Starting, 'shares'>)[]): void {
    for (const entry of entries) {
      this.ledger.enter(entry);
      if (entry.shares !== undefined) this.placements.table.join(entry.agentId, entry.shares);
      this.onEntered(entry.agentId);
    }
    this.changed = true;
  }

  /** Returns the pause of the run. */
  private onEntered(agentId: string): EntryPause {
    this.silentAgents.markActive(agentId);
    this.placements.onEntered(agentId);
    for (const what of archive.CLOSING) this.retries.forget(what);
    return this.broadcast.enter(agentId, { stopping: this.stopping !== undefined });
  }

  /** An agent was not started after all. */
  withdraw(agentId: string): void {
    this.ledger.withdraw(agentId);
    if (this.ledger.roster.get(agentId) === undefined) this.forget(agentId);
    this.changed = true;
  }

  /** An agent has sent a report: it is no longer silent, and the ledger changes. `asks` = the prompt turn that it requests. */
  applyReport(change: AgentChange, asks?: string): void {
    if (this.ledger.has(change)) return;
    this.ledger.apply(change);
    const { status, agentId } = change;
    if (asks !== undefined) this.allowances.ask({ agentId, turnId: asks });
    if (this.ledger.roster.isLive(agentId)) this.silentAgents.markActive(agentId);
    else this.forget(agentId);
    if (status.kind === 'paused' && PAUSED.has(status.failure.type)) this.broadcast.resumeLate(agentId);
    const stop = stopAfter(status, this.input.settings);
    if (stop !== undefined) this.stop(stop);
    this.checkBudget();
  }

  /** A host reports what was spent for an agent that has left it. */
  applySpending(spent: Spent): void {
    if (this.placements.table.markReported(spent)) this.ledger.spend(spent.agentId, spent.costUsd);
    this.checkBudget();
  }

  private forget(agentId: string): void {
    if (agentId === MAIN_AGENT) this.mainEnd.forget();
    this.silentAgents.forget(agentId);
    this.placements.onEnded(agentId);
  }

  private checkBudget(): void {
    const { budgetUsd } = this.input.settings;
    if (budgetUsd !== undefined && this.ledger.spentUsd > budgetUsd) this.stop('over-budget');
    this.changed = true;
  }

  /**
   * An agent requests an allowance for a prompt turn. It repeats the request when no reply comes; a
   * repeated request changes nothing.
   */
  ask(ask: { readonly agentId: string; readonly turnId: string; readonly state: string }): void {
    this.allowances.ask(ask);
    this.applyReport({ ...ask, costUsd: 0, status: { kind: 'running' } });
  }

  /** Changes the run's budget; agents that waited for the rest of the old one get new replies. */
  setBudget(usd: number | undefined): void {
    this.input = { ...this.input, settings: withBudget(this.input.settings, usd) };
    this.allowances.recall();
    const isEnough = usd === undefined || usd > this.ledger.spentUsd;
    if (this.stopping === 'over-budget' && isEnough) this.restarts.reopen();
    this.checkBudget();
  }

  /** Pauses all agents, also those that are about to start. */
  pause(pause: Pause): void {
    this.broadcast.pause(pause);
    this.changed = true;
  }

  /** An agent cannot carry out an operator's order. */
  refuse(order: RefusedOrder): void {
    this.ledger.refuse(order);
    this.changed = true;
  }

  /** Continues an agent that failed, is paused or has no result; of a run that stops, one that ended after that. */
  revive({ afterCancel = false, ...revival }: Revival): void {
    const { agentId, move } = revival;
    const stops = afterCancel && !this.isCancelled;
    const isLive = this.stopping === undefined && !stops && this.ledger.roster.isLive(agentId);
    if (isLive && move === undefined) this.broadcast.retry(revival);
    else {
      if (move === undefined) this.broadcast.retryEnded(agentId);
      this.restarts.revive(revival, { stops });
    }
    this.changed = true;
  }

  private retryEnded(revival: Revival): void {
    const { agentId, by } = revival;
    if (this.ledger.roster.get(agentId)?.status.kind === 'cancelled')
      this.refuse({ agentId, by, why: 'it was being cancelled' });
    else this.revive(revival);
  }

  /** Continues the agents that failures hold up; if the run stops or has none, those that ended without a result. */
  resume({ afterCancel = false }: { readonly afterCancel?: boolean } = {}): void {
    this.broadcast.resume();
    if (afterCancel && !this.isCancelled) this.restarts.reopenAfterStop();
    if (this.stopping !== undefined || this.ledger.roster.liveCount === 0) this.restarts.reopen();
    this.changed = true;
  }

  /** Drops earlier orders; later ones are carried out when the run has stopped. */
  stop(reason: Stop): void {
    this.changed = true;
    this.isCancelled ||= reason === 'cancelled';
    if (this.stopping !== undefined && reason !== 'cancelled') return;
    this.restarts.stop(reason);
    if (this.stopping === undefined) this.broadcast.stop();
    this.stopping ??= reason;
  }

  /** Handles the messages that have arrived: stops, resumptions, requests for money, and agents that await others. */
  async act(): Promise<void> {
    this.changed = false;
    await this.restoreUnlisted();
    await this.broadcast.carryOut();
    if (this.stopping === undefined) await this.restarts.carryOut();
    await this.allowances.grant({
      budgetUsd: this.input.settings.budgetUsd,
      onExhausted: () => this.stop('over-budget'),
      isStopping: () => this.stopping !== undefined,
      isLate: this.savesMoney,
    });
    await this.placements.act();
    await this.deliverResults();
    await archive.archiveOld(this);
  }

  private async restoreUnlisted(): Promise<void> {
    const { unlisted } = this;
    this.unlisted = [];
    if (unlisted.length === 0 || (await archive.restoreArchived(this, unlisted)) === 'done') return;
    this.unlisted = [...unlisted, ...this.unlisted];
  }

  private async deliverResults(): Promise<void> {
    for (const ready of this.ledger.roster.takeReady()) {
      const { id, forks } = ready;
      const results = await archive.gatherForks(this, ready);
      if (results === undefined) this.ledger.roster.checkAgain(id);
      else await sendForksEnded(this.input.runId, { agentId: id, ...forks, results });
    }
  }

  /**
   * A client has seen that these agents are gone: the run need not wait for the end of their
   * silence.
   */
  suspect(agentIds: readonly string[]): void {
    for (const id of agentIds) if (this.ledger.roster.isLive(id)) this.silentAgents.suspect(id);
    this.changed = true;
  }

  /** Wakes the run for the next silent agent, for changes that wait to be shown, or for a retry. */
  setAlarm(): void {
    const now = Date.now();
    this.alarm.set(Math.min(this.silentAgents.nextAt(now), this.display.dueAt, this.retries.wakeAt(now)));
  }

  /** Probes silent agents. */
  async probe(): Promise<void> {
    const lost = await this.silentAgents.findLost();
    for (const { id } of lost) this.forget(id);
    if (lost.length > 0) this.changed = true;
  }

  status(): RunStatus {
    const starts = this.showsRestarts && this.stopping === undefined && this.restarts.isPending;
    return starts ? 'running' : statusOf(this.ledger, this.stopping);
  }

  summary(status: RunStatus = this.status()): RunSummary {
    const { table } = this.placements;
    const [hosts, { unreported }] = [table.hosts(), table];
    const { trouble } = this.retries;
    return summarise(this.ledger, {
      input: this.input,
      status,
      isStopping: this.stopping !== undefined && this.ledger.roster.liveCount > 0,
      unreported,
      trouble,
      hostOf: (id) => hosts.get(id),
    });
  }

  /** Shows the current state; with many agents only once in a while. */
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
