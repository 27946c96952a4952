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
  workflowInfo,
} from '@temporalio/workflow';
import type { FailureType } from '../protocol/failure.js';
import { clip } from '../protocol/text.js';
import { storeRecord } from './turn.js';
import { Supervisor, budgetMessage } from './supervisor.js';
import type { RunInput, RunSummary } from './contract.js';
import { book, enter, liveAgents, withdraw } from './ledger.js';
import * as messages from './messages.js';
import { publishSummary } from './visibility.js';

/** Runs one workflow package to its end; gives the final summary, or fails with the books kept for `resume`. */
export async function run(input: RunInput): Promise<RunSummary> {
  const supervisor = new Supervisor(input);
  listen(supervisor);
  void CancellationScope.current().cancelRequested.catch(() => supervisor.stop('cancelled'));
  return await CancellationScope.nonCancellable(() => serve(supervisor));
}

async function serve(supervisor: Supervisor): Promise<RunSummary> {
  await supervisor.start();
  while (liveAgents(supervisor.ledger).length > 0) {
    supervisor.refresh();
    supervisor.setAlarm();
    await condition(() => supervisor.hasNews());
    await supervisor.act();
    await supervisor.probe();
    if (workflowInfo().continueAsNewSuggested && !supervisor.hasNews()) await goOnAsNew(supervisor);
  }
  return await close(supervisor);
}

async function goOnAsNew({ input, ledger, stopping }: Supervisor): Promise<void> {
  // A stop that was asked for would be forgotten: the agents were told, so their ends come soon.
  if (stopping !== undefined) return;
  await condition(allHandlersFinished);
  await continueAsNew<typeof run>({ ...input, ledger, revive: false });
}

async function close(supervisor: Supervisor): Promise<RunSummary> {
  const status = supervisor.status();
  if (status === 'completed') return supervisor.publish(status);
  const record = await storeRecord(JSON.stringify({ input: supervisor.input, ledger: supervisor.ledger }));
  const summary = { ...supervisor.publish(status), record };
  publishSummary(summary);
  await condition(allHandlersFinished);
  if (status === 'cancelled') throw new CancelledFailure('the run was cancelled');
  const type: FailureType = status === 'over-budget' ? 'OverBudget' : 'RunFailed';
  throw ApplicationFailure.create({ type, message: explain(summary), nonRetryable: true, details: [summary] });
}

/** The longest message of a run's failure, in characters. */
const MAX_MESSAGE = 16_000;

function explain({ status, agents, costUsd, budgetUsd }: RunSummary): string {
  if (status === 'over-budget') return budgetMessage(costUsd, budgetUsd ?? 0);
  const failed = agents.filter((line) => line.status === 'failed' || line.status === 'lost');
  const words = failed.map(({ id, error }) => `${id}: ${error ?? 'lost: its Temporal workflow no longer exists'}`);
  return clip(words.join('; '), MAX_MESSAGE);
}

function listen(supervisor: Supervisor): void {
  setHandler(messages.startingSignal, (starting) => {
    for (const news of starting) supervisor.hear(news, enter(supervisor.ledger, news));
  });
  setHandler(messages.notStartedSignal, (news) => supervisor.change(withdraw(supervisor.ledger, news)));
  setHandler(messages.reportSignal, (news) => supervisor.hear(news, book(supervisor.ledger, news)));
  setHandler(messages.endedSignal, (news) => supervisor.hear(news, book(supervisor.ledger, { ...news, costUsd: 0 })));
  setHandler(messages.allowanceSignal, (ask) => supervisor.ask(ask));
  setHandler(messages.resumeSignal, () => supervisor.resume());
  setHandler(messages.budgetSignal, ({ usd }) => supervisor.setBudget(usd));
  setHandler(messages.summaryQuery, () => supervisor.summary());
  setHandler(messages.booksQuery, () => ({ input: supervisor.input, ledger: supervisor.ledger }));
}
