// The run workflow: the ledger of a run. It starts `main`, grants allowances, keeps the ledger and ends when no agent is alive.
// It interprets no tags; what a message means for agents and money, supervisor.ts and ledger.ts say.
import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  CancelledFailure,
  condition,
  continueAsNew,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { FailureType } from '../../protocol/failure.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { inWorkspaceOf } from '../../protocol/machine/workspace.js';
import { clip } from '../../protocol/text.js';
import { keepChapter, storeRecord } from '../activities.js';
import { archiveAll } from './archive.js';
import { budgetMessage } from './budget.js';
import type { ClosedRun, LedgerSnapshot, RunInput, RunSummary, ScheduledRun } from '../contract.js';
import * as messages from '../messages.js';
import { Supervisor } from './supervisor.js';
import { publishSummary, show } from '../visibility.js';

/** Runs one workflow package to its end; gives the final summary, or fails with the ledger kept for `resume`. */
export async function run(input: RunInput | ScheduledRun): Promise<RunSummary> {
  const supervisor = new Supervisor('runId' in input ? input : begunBySchedule(input));
  listen(supervisor);
  void CancellationScope.current().cancelRequested.catch(() => supervisor.stop('cancelled'));
  return await CancellationScope.nonCancellable(() => serve(supervisor));
}

/** What only Temporal knows of a run that its schedule has started. */
function begunBySchedule(scheduled: ScheduledRun): RunInput {
  const { workflowId: runId, startTime } = workflowInfo();
  const { settings } = scheduled;
  const debug = settings.turn.debug === undefined ? {} : { debug: { startedAt: startTime.getTime() } };
  show({ RaymondRun: runId }, settings.searchAttributes);
  const main = inWorkspaceOf(scheduled.main, runId);
  return { ...scheduled, runId, main, settings: { ...settings, turn: { ...settings.turn, ...debug } } };
}

async function serve(supervisor: Supervisor): Promise<RunSummary> {
  await supervisor.start();
  if (supervisor.hasToRestart()) await goOnAsNew(supervisor);
  while (supervisor.ledger.roster.liveCount > 0) {
    supervisor.refresh();
    supervisor.setAlarm();
    await condition(() => supervisor.news);
    await supervisor.act();
    await supervisor.probe();
    if (workflowInfo().continueAsNewSuggested && !supervisor.news) await goOnAsNew(supervisor);
  }
  return await close(supervisor);
}

async function goOnAsNew({ input, ledger, stopping, placements }: Supervisor): Promise<void> {
  // A stop that was asked for would be forgotten: the agents were told, so their ends come soon.
  if (stopping !== undefined || placements.isBusy) return;
  await condition(allHandlersFinished);
  const { only: _revived, ...rest } = input;
  await continueAsNew<typeof run>({
    ...rest,
    ledger: { ...ledger.snapshot(), ...placements.book.snapshot() },
    restart: false,
  });
}

async function close(supervisor: Supervisor): Promise<RunSummary> {
  const status = supervisor.status();
  if (status === 'completed') return await completed(supervisor);
  // What is shown lists agents that the archive is about to take.
  const shown = supervisor.publish(status);
  await archiveAll(supervisor.ledger);
  const record = await storeRecord(JSON.stringify(ledgerOf(supervisor)));
  const summary = { ...shown, record };
  publishSummary(summary);
  await keep(summary, [MAIN_AGENT]);
  await condition(allHandlersFinished);
  if (status === 'cancelled') throw new CancelledFailure('the run was cancelled');
  const type: FailureType = status === 'over-budget' ? 'OverBudget' : 'RunFailed';
  throw ApplicationFailure.create({ type, message: explain(summary), nonRetryable: true, details: [summary] });
}

async function completed(supervisor: Supervisor): Promise<RunSummary> {
  const summary = supervisor.publish('completed');
  const ended = supervisor.ledger.roster.endedAgents().map(({ id }) => id);
  await keep(summary, [MAIN_AGENT, ...ended]);
  return summary;
}

/** What is recorded of the run goes on to be readable when Temporal has forgotten it. */
async function keep(summary: RunSummary, agentIds: readonly string[]): Promise<void> {
  const closed: ClosedRun = { summary, taskQueue: workflowInfo().taskQueue, endedAt: Date.now() };
  await keepChapter({ runId: summary.runId, agentIds, closed: JSON.stringify(closed) });
}

function ledgerOf({ input, ledger, placements }: Supervisor): {
  readonly input: RunInput;
  readonly ledger: LedgerSnapshot;
} {
  const { ledger: _before, only: _revived, ...rest } = input;
  return { input: rest, ledger: { ...ledger.snapshot(), ...placements.book.snapshot() } };
}

/** The longest message of a run's failure, in characters. */
const MAX_MESSAGE = 16_000;

function explain({ status, agents, costUsd, budgetUsd }: RunSummary): string {
  if (status === 'over-budget') return budgetMessage(costUsd, budgetUsd ?? 0);
  const failed = agents.filter((line) => line.status === 'failed' || line.status === 'lost');
  const words = failed.map(({ id, error }) => `${id}: ${error ?? LOST}`);
  return clip(words.join('; '), MAX_MESSAGE);
}

const LOST = 'lost: its Temporal workflow no longer exists';

function listen(supervisor: Supervisor): void {
  setHandler(messages.startingSignal, (entries) => supervisor.enter(entries));
  setHandler(messages.notStartedSignal, ({ agentId }) => supervisor.withdraw(agentId));
  setHandler(messages.reportSignal, ({ asks, ...news }) => supervisor.hear(news, asks));
  setHandler(messages.endedSignal, (news) => supervisor.hear({ ...news, costUsd: 0 }));
  setHandler(messages.allowanceSignal, (ask) => supervisor.ask(ask));
  setHandler(messages.pauseSignal, (pause) => supervisor.pause(pause));
  setHandler(messages.reviveSignal, (revival) => supervisor.revive(revival));
  setHandler(messages.resumeSignal, () => supervisor.resume());
  setHandler(messages.placeSignal, (ask) => supervisor.placements.ask(ask));
  setHandler(messages.savedSignal, (files) => supervisor.placements.book.saved(files));
  setHandler(messages.quietSignal, (files) => supervisor.placements.isQuiet(files));
  setHandler(messages.spentSignal, (spent) => supervisor.bookSpent(spent));
  setHandler(messages.relocateSignal, (wish) => supervisor.placements.relocate(wish));
  setHandler(messages.budgetSignal, ({ usd }) => supervisor.setBudget(usd));
  setHandler(messages.summaryQuery, () => supervisor.summary());
  setHandler(messages.ledgerQuery, () => ledgerOf(supervisor));
}
