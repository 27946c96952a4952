// The run workflow: the ledger of a run. It starts `main`, grants allowances, keeps the books and ends when no agent is alive.
// It interprets no tags; every decision about money and agents is a pure function of ledger.ts.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  setHandler,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { FailureType } from '../protocol/failure.js';
import { MAIN_AGENT } from '../protocol/names.js';
import { cancelAgent, grantTurn, probeAgent, resumeAgent, startAgent } from './agents.js';
import { storeRecord } from './activities.js';
import { book, enter, isLive, liveAgents, markLost, openLedger, restUsd, resume, revive } from './ledger.js';
import { spentUsd, statusOf, summarise, withdraw } from './ledger.js';
import * as messages from './messages.js';
import { Silence } from './silence.js';
import type { RunInput, RunStatus, RunSummary } from './contract.js';
import { publishSummary, show, showRun } from './visibility.js';

/** Seconds of silence after which the run looks whether an agent still exists. */
const PROBE_SECONDS = 300;

/** So many agents are looked at together; news has its turn before the next ones. */
const PROBED_AT_ONCE = 50;

/** Why a run stops its agents before they end by themselves. */
type Stop = 'cancelled' | 'over-budget' | 'fail-fast';

/** Runs one workflow package to its end; gives the final summary, or fails with the books kept for `resume`. */
export async function run(input: RunInput): Promise<RunSummary> {
  const books = new Books(input);
  listen(books);
  void CancellationScope.current().cancelRequested.catch(() => books.stop('cancelled'));
  return await CancellationScope.nonCancellable(() => serve(books));
}

async function serve(books: Books): Promise<RunSummary> {
  await books.begin();
  while (liveAgents(books.ledger).length > 0) {
    books.publish();
    books.setAlarm();
    await condition(() => books.hasNews());
    await books.attend();
    await books.probe();
    if (workflowInfo().continueAsNewSuggested && !books.hasNews()) await goOnAsNew(books);
  }
  return await close(books);
}

async function goOnAsNew({ input, ledger, stopping }: Books): Promise<void> {
  // A stop that was asked for would be forgotten: the agents were told, so their ends come soon.
  if (stopping !== undefined) return;
  await condition(allHandlersFinished);
  await continueAsNew<typeof run>({ ...input, ledger, revive: false });
}

async function close(books: Books): Promise<RunSummary> {
  const status = books.status();
  if (status === 'completed') return books.publish(status);
  const record = await storeRecord(JSON.stringify({ input: books.input, ledger: books.ledger }));
  const summary = { ...books.publish(status), record };
  publishSummary(summary);
  await condition(allHandlersFinished);
  if (status === 'cancelled') throw new CancelledFailure('the run was cancelled');
  const type: FailureType = status === 'over-budget' ? 'OverBudget' : 'RunFailed';
  throw ApplicationFailure.create({ type, message: explain(summary), nonRetryable: true, details: [summary] });
}

function explain({ status, agents, costUsd, budgetUsd }: RunSummary): string {
  if (status === 'over-budget') return budgetMessage(costUsd, budgetUsd ?? 0);
  const failed = agents.filter((line) => line.status === 'failed' || line.status === 'lost');
  return failed.map(({ id, error }) => `${id}: ${error ?? 'lost: its Temporal workflow no longer exists'}`).join('; ');
}

function budgetMessage(spent: number, budget: number): string {
  return `Workflow terminated: budget exceeded ($${spent.toFixed(4)} > $${budget.toFixed(4)})`;
}

function listen(books: Books): void {
  setHandler(messages.startingSignal, (news) => books.hear(news, enter(books.ledger, news)));
  setHandler(messages.notStartedSignal, (news) => books.change(withdraw(books.ledger, news)));
  setHandler(messages.reportSignal, (news) => books.hear(news, book(books.ledger, news)));
  setHandler(messages.endedSignal, (news) => books.hear(news, book(books.ledger, { ...news, costUsd: 0 })));
  setHandler(messages.allowanceSignal, (ask) => books.ask(ask));
  setHandler(messages.resumeSignal, () => books.resume());
  setHandler(messages.summaryQuery, () => books.summary());
}

/** The run's mutable part: its ledger and what has yet to be attended to. */
class Books {
  ledger;
  stopping: Stop | undefined;
  private news = false;
  private readonly resuming: string[] = [];
  private readonly silence;
  private alarmAt = Infinity;
  /** Agents that were told to stop. */
  private readonly told = new Set<string>();
  private asks: { readonly agentId: string; readonly turnId: string }[] = [];

  constructor(readonly input: RunInput) {
    const startedAt = workflowInfo().startTime.getTime();
    this.ledger = input.ledger ?? openLedger(input.main, startedAt);
    this.silence = new Silence((input.settings.probeSeconds ?? PROBE_SECONDS) * 1000, startedAt);
  }

  /** Starts `main`, or the agents of a closed run's books; a run that goes on as new starts nobody. */
  async begin(): Promise<void> {
    if (this.input.ledger === undefined) return await startAgent(this.input, this.input.main);
    if (this.input.revive !== true) return;
    const { ledger, agents } = revive(this.ledger);
    this.ledger = ledger;
    for (const agent of agents) await startAgent(this.input, agent);
  }

  /** An agent has spoken: its silence is over, and the books change. */
  hear({ agentId }: { readonly agentId: string }, ledger: typeof this.ledger): void {
    this.silence.broken(agentId, Date.now());
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
  async attend(): Promise<void> {
    this.news = false;
    if (this.stopping !== undefined) await this.stopAgents();
    for (const id of this.resuming.splice(0)) await resumeAgent(this.input.runId, id);
    await this.grant();
  }

  /** Wakes the run when somebody's silence will be too long. One timer serves all news: one each would fill the history. */
  setAlarm(): void {
    const left = this.silence.msLeft(liveAgents(this.ledger), Date.now());
    const due = Date.now() + left;
    if (due >= this.alarmAt) return;
    this.alarmAt = due;
    void sleep(left, { summary: 'look whether silent agents still exist' }).then(() => {
      if (Date.now() >= this.alarmAt) this.alarmAt = Infinity;
      this.news = true;
    });
  }

  /** Asks the agents that have been silent for too long whether they still exist (invariant I6). */
  async probe(): Promise<void> {
    const silent = this.silence.tooLong(liveAgents(this.ledger), Date.now()).slice(0, PROBED_AT_ONCE);
    const gone = await Promise.all(
      silent.map(async ({ id }) => {
        if (!(await probeAgent(this.input.runId, id))) return [id];
        this.silence.confirmed(id, Date.now());
        return [];
      }),
    );
    // An agent that ended meanwhile has said so before it closed: its word is in the ledger by now.
    const lost = gone.flat();
    if (lost.length > 0) this.change(markLost(this.ledger, lost));
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

  publish(status?: RunStatus): RunSummary {
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
    const { budgetUsd } = this.input.settings;
    const asks = this.asks.splice(0);
    for (const { agentId, turnId } of asks) {
      const usd = restUsd(this.ledger, budgetUsd);
      if (usd === 0) this.stop('over-budget');
      const entry = this.ledger.agents[agentId];
      if (this.stopping !== undefined || entry === undefined || !isLive(entry.status)) continue;
      await grantTurn(this.input.runId, { agentId, turnId, ...(usd === undefined ? {} : { usd }) });
    }
  }
}
