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
import { Books, budgetMessage } from './supervisor.js';
import type { RunInput, RunSummary } from './contract.js';
import { book, enter, liveAgents, withdraw } from './ledger.js';
import * as messages from './messages.js';
import { publishSummary } from './visibility.js';

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
    books.refresh();
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

/** The longest message of a run's failure, in characters. */
const MAX_MESSAGE = 16_000;

function explain({ status, agents, costUsd, budgetUsd }: RunSummary): string {
  if (status === 'over-budget') return budgetMessage(costUsd, budgetUsd ?? 0);
  const failed = agents.filter((line) => line.status === 'failed' || line.status === 'lost');
  const words = failed.map(({ id, error }) => `${id}: ${error ?? 'lost: its Temporal workflow no longer exists'}`);
  return clip(words.join('; '), MAX_MESSAGE);
}

function listen(books: Books): void {
  setHandler(messages.startingSignal, (starting) => {
    for (const news of starting) books.hear(news, enter(books.ledger, news));
  });
  setHandler(messages.notStartedSignal, (news) => books.change(withdraw(books.ledger, news)));
  setHandler(messages.reportSignal, (news) => books.hear(news, book(books.ledger, news)));
  setHandler(messages.endedSignal, (news) => books.hear(news, book(books.ledger, { ...news, costUsd: 0 })));
  setHandler(messages.allowanceSignal, (ask) => books.ask(ask));
  setHandler(messages.resumeSignal, () => books.resume());
  setHandler(messages.budgetSignal, ({ usd }) => books.setBudget(usd));
  setHandler(messages.summaryQuery, () => books.summary());
  setHandler(messages.booksQuery, () => ({ input: books.input, ledger: books.ledger }));
}
