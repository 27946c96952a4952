// Starting a closed run again, under its old id, from its ledger: the agents that did not complete go on from their records. What the
// ledger lacks (a run or an agent that was terminated from outside) is asked of the closed workflows.
import type { Client } from '@temporalio/client';
import type { ArtifactStore } from '../store/store.js';
import { stillAnswered } from '../activities/records.js';
import type { AgentState } from '../protocol/agent.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { Ledger, LedgerAgent, RunInput, RunSettings } from '../workflows/contract.js';
import { isLive, withBudget } from '../workflows/ledger.js';
import { ClientError } from './error.js';
import type { RunView } from './runs.js';
import { launchRun } from './start.js';

/** A question to a closed workflow needs a worker that replays it. */
const ASKED_MS = 15_000;

/** What a closed run is started again with; `budget` replaces its old one, without `usd` there is none. */
interface ResumeRequest {
  readonly view: RunView;
  readonly artifacts: ArtifactStore;
  readonly taskQueue: string;
  readonly budget?: { readonly usd?: number };
  /** Whether questions to people fail the agent that asks, from now on; absent = as before. */
  readonly rejectAsks?: boolean;
}

/** Throws `NotResumable` for a run that completed. */
export function checkResumable({ runId, status }: RunView): void {
  if (status !== 'completed') return;
  throw new ClientError('NotResumable', `the run ${runId} has completed; there is nothing to resume`);
}

/** Starts the run again. A worker must be serving its queue. Throws `NotResumable`. */
export async function restartRun(client: Client, revival: ResumeRequest): Promise<void> {
  const { view, taskQueue } = revival;
  checkResumable(view);
  const { input, ledger: books } = await booksOf(client, revival);
  const ledger = await withRecords(client, { runId: view.runId, books });
  const resumed: RunInput = { ...input, settings: settingsOf(input, revival), ledger, revive: true };
  await launchRun(client, { input: resumed, ledger, taskQueue, reuse: 'ALLOW_DUPLICATE' });
}

function settingsOf({ settings }: RunInput, { budget, rejectAsks }: ResumeRequest): RunSettings {
  const budgeted = budget === undefined ? settings : withBudget(settings, budget.usd);
  return rejectAsks === undefined ? budgeted : { ...budgeted, rejectAsks };
}

interface Books {
  readonly input: RunInput;
  readonly ledger: Ledger;
}

async function booksOf(client: Client, { view, artifacts }: ResumeRequest): Promise<Books> {
  if (view.record !== undefined) return JSON.parse(await artifacts.text(view.record)) as Books;
  const books = await stillAnswered<Books>(client, { workflowId: view.runId, query: 'books', withinMs: ASKED_MS });
  if (books !== undefined) return books;
  const message = `the run ${view.runId} was terminated from outside and Temporal cannot tell its books any more; start it anew`;
  throw new ClientError('NotResumable', message);
}

/** The books with the records of the agents that could not leave theirs; one that is still open simply goes on. */
async function withRecords(
  client: Client,
  { runId, books }: { readonly runId: string; readonly books: Ledger },
): Promise<Ledger> {
  const agents: Record<string, LedgerAgent> = { ...books.agents };
  const silent = Object.values(agents).filter(({ status }) =>
    status.kind === 'lost' ? status.record === undefined : isLive(status),
  );
  for (const agent of silent) {
    const workflowId = agentWorkflowId(runId, agent.id);
    if (await isOpen(client, workflowId)) {
      if (agent.status.kind === 'lost') agents[agent.id] = { ...agent, status: { kind: 'running' } };
      continue;
    }
    const record = await stillAnswered<AgentState>(client, { workflowId, query: 'record', withinMs: ASKED_MS });
    if (record !== undefined) agents[agent.id] = { ...agent, status: { kind: 'cancelled', record } };
  }
  return { ...books, agents };
}

async function isOpen(client: Client, workflowId: string): Promise<boolean> {
  const found = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch(() => undefined); // forgotten by Temporal: surely not open
  return found?.status.name === 'RUNNING';
}
