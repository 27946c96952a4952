// The run workflow: the ledger of a run. It starts `main`, grants allowances, keeps the ledger, and
// ends when no agent is alive. It interprets no tags; supervisor.ts and ledger.ts decide what a
// message means for agents and money.
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
import { inWorkspaceOf } from '../../protocol/machine/workspace.js';
import { clip } from '../../protocol/text.js';
import { budgetMessage } from './budget.js';
import { close, ledgerOf } from './closing.js';
import type { RunInput, RunSummary, ScheduledRun } from '../../contract/runs.js';
import * as messages from '../messages.js';
import { Supervisor } from './supervisor.js';
import { show } from '../visibility.js';

/**
 * Executes one workflow package; returns the final summary, or fails with the ledger stored for
 * `resume`.
 */
export async function run(input: RunInput | ScheduledRun): Promise<RunSummary> {
  const supervisor = new Supervisor('runId' in input ? input : scheduledInput(input));
  listen(supervisor);
  void CancellationScope.current().cancelRequested.catch(() => supervisor.stop('cancelled'));
  return await CancellationScope.nonCancellable(() => serve(supervisor));
}

/** What only Temporal knows of a run that its schedule started. */
function scheduledInput(scheduled: ScheduledRun): RunInput {
  const { workflowId: runId, startTime } = workflowInfo();
  const { settings } = scheduled;
  const debug = settings.turn.debug === undefined ? {} : { debug: { startedAt: startTime.getTime() } };
  show({ RaymondRun: runId }, settings.searchAttributes);
  const main = inWorkspaceOf(scheduled.main, runId);
  return { ...scheduled, runId, main, settings: { ...settings, turn: { ...settings.turn, ...debug } } };
}

/**
 * Works until the run has ended. Closing is one of its steps: an order that arrives in the meantime
 * is carried out instead.
 */
async function serve(supervisor: Supervisor): Promise<RunSummary> {
  await supervisor.start();
  for (;;) {
    // Handlers finish at once, so none is in progress here.
    const isReady = (): boolean => supervisor.needsNewHistory && allHandlersFinished();
    if (isReady() && (await supervisor.mainEnd.release()) && isReady()) await startNewHistory(supervisor);
    const summary = supervisor.isOver ? await close(supervisor) : undefined;
    // Nothing is awaited from here to the end: a later message makes Temporal repeat this task.
    if (summary !== undefined) return closeWorkflow(summary);
    supervisor.refresh();
    supervisor.setAlarm();
    await condition(() => supervisor.changed);
    await supervisor.act();
    await supervisor.probe();
  }
}

async function startNewHistory(supervisor: Supervisor): Promise<void> {
  const { input, ledger } = ledgerOf(supervisor);
  const { waitingAsks: asks } = supervisor;
  await continueAsNew<typeof run>({ ...input, ledger: { ...ledger, ...(asks.length === 0 ? {} : { asks }) } });
}

/** How the workflow of a run with this summary ends. */
function closeWorkflow(summary: RunSummary): RunSummary {
  const { status } = summary;
  if (status === 'completed') return summary;
  if (status === 'cancelled') throw new CancelledFailure('the run was cancelled');
  const type: FailureType = status === 'over-budget' ? 'OverBudget' : 'RunFailed';
  throw ApplicationFailure.create({ type, message: explain(summary), nonRetryable: true, details: [summary] });
}

/** The longest message of a run's failure, in characters. */
const MAX_MESSAGE = 16_000;

function explain({ status, agents, costUsd, budgetUsd, trouble }: RunSummary): string {
  if (status === 'over-budget') return budgetMessage(costUsd, budgetUsd ?? 0);
  const failed = agents.filter((line) => line.status === 'failed' || line.status === 'lost');
  const words = failed.map(({ id, error }) => `${id}: ${error ?? LOST}`);
  if (trouble !== undefined) words.push(trouble.message);
  return clip(words.join('; '), MAX_MESSAGE);
}

const LOST = 'lost: its Temporal workflow no longer exists';

function listen(supervisor: Supervisor): void {
  setHandler(messages.startingSignal, (entries) => supervisor.enter(entries));
  setHandler(messages.notStartedSignal, ({ agentId }) => supervisor.withdraw(agentId));
  setHandler(messages.reportSignal, ({ asks, ...change }) => supervisor.applyReport(change, asks));
  setHandler(messages.endedSignal, (change) => supervisor.applyReport({ ...change, costUsd: 0 }));
  setHandler(messages.allowanceSignal, (ask) => supervisor.ask(ask));
  setHandler(messages.pauseSignal, (pause) => supervisor.pause(pause));
  setHandler(messages.suspectSignal, ({ agentIds }) => supervisor.suspect(agentIds));
  setHandler(messages.refusedSignal, (order) => supervisor.refuse(order));
  setHandler(messages.reviveSignal, (revival) => supervisor.revive(revival));
  setHandler(messages.resumeSignal, (order) => supervisor.resume(order));
  setHandler(messages.placementRequestSignal, (ask) => supervisor.placements.ask(ask));
  setHandler(messages.savedSignal, (files) => supervisor.placements.onSaved(files));
  setHandler(messages.quietSignal, (files) => supervisor.placements.onQuiet(files));
  setHandler(messages.spentSignal, (spent) => supervisor.applySpending(spent));
  setHandler(messages.relocateSignal, (order) => supervisor.placements.relocate(order));
  setHandler(messages.budgetSignal, ({ usd }) => supervisor.setBudget(usd));
  setHandler(messages.summaryQuery, () => supervisor.summary());
  setHandler(messages.ledgerQuery, () => ledgerOf(supervisor));
}
