// Starting a closed run again, under its old id, from its ledger: the run itself finds the records of the agents that did not complete.
// A run that was terminated from outside is asked for its ledger.
import type { Client } from '@temporalio/client';
import type { LedgerSnapshot, RunInput, RunSettings } from '../workflows/contract.js';
import { withBudget } from '../workflows/ledger.js';
import type { ArtifactStore } from '../store/store.js';
import { defined } from '../protocol/text.js';
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
  /** Ends a turn after so many seconds of silence, from now on; absent = as before. */
  readonly timeoutSeconds?: number;
}

/** Throws `NotResumable` for a run that completed. */
export function checkResumable({ runId, status }: RunView): void {
  if (status !== 'completed') return;
  throw new ClientError('NotResumable', `the run ${runId} has completed; there is nothing to resume`);
}

/** Starts the run again. A worker must be serving its queue. Throws `NotResumable`. */
export async function restartRun(client: Client, request: ResumeRequest): Promise<void> {
  const { view, taskQueue } = request;
  checkResumable(view);
  const { input, ledger } = await ledgerOf(client, request);
  const resumed: RunInput = { ...input, settings: settingsOf(input, request), ledger, restart: true };
  await launchRun(client, { input: resumed, ledger, taskQueue, reuse: 'ALLOW_DUPLICATE' });
}

function settingsOf({ settings }: RunInput, { budget, rejectAsks, timeoutSeconds }: ResumeRequest): RunSettings {
  const budgeted = budget === undefined ? settings : withBudget(settings, budget.usd);
  const turn = { ...budgeted.turn, ...defined({ idleSeconds: timeoutSeconds }) };
  return { ...budgeted, turn, ...defined({ rejectAsks }) };
}

interface KeptLedger {
  readonly input: RunInput;
  readonly ledger: LedgerSnapshot;
}

async function ledgerOf(client: Client, { view, artifacts }: ResumeRequest): Promise<KeptLedger> {
  if (view.record !== undefined) return JSON.parse(await artifacts.text(view.record)) as KeptLedger;
  try {
    const handle = client.workflow.getHandle(view.runId);
    return await client.withDeadline(Date.now() + ASKED_MS, () => handle.query<KeptLedger>('ledger'));
  } catch (error) {
    const message = `the run ${view.runId} was terminated from outside and Temporal cannot tell its ledger any more; start it anew`;
    throw new ClientError('NotResumable', message, { cause: error });
  }
}
