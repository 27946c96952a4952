// Closes a run after storing what is kept of it. All steps use a copy of the ledger, so messages
// that arrive in the meantime change the original: the run continues, or starts to close again, and
// no order and no dollar is lost. Orders to a completed run have no effect: it has no agent that
// could continue, pause or spend.
import { workflowInfo } from '@temporalio/workflow';
import { MAIN_AGENT } from '../../protocol/ids.js';
import type { Value } from '../../protocol/text.js';
import { activities } from '../activities.js';
import type { ClosedRun, LedgerSnapshot, RunInput, RunSummary } from '../../contract/runs.js';
import { publishSummary } from '../visibility.js';
import { archiveAll, KEEP_LEDGER, keepHistory } from './archive.js';
import { Ledger } from './ledger.js';
import type { CallResult } from './retries.js';
import type { Supervisor } from './supervisor.js';

/**
 * Stores what can be read of the run later; returns its last summary, or undefined when it does not
 * close yet.
 */
export async function close(supervisor: Supervisor): Promise<RunSummary | undefined> {
  const status = supervisor.status();
  const isInterrupted = (): boolean => supervisor.changed;
  supervisor.publish(status);
  const record = status === 'completed' ? undefined : await keepLedger(supervisor);
  if (record?.kind === 'later' || isInterrupted()) return undefined;
  const summary = (): RunSummary => ({
    ...supervisor.summary(status),
    ...(record?.kind === 'done' ? { record: record.value } : {}),
  });
  const shown = summary();
  if (record !== undefined) publishSummary(shown);
  const history = await keepRunHistory(supervisor, shown);
  if (history.kind === 'later' || isInterrupted()) return undefined;
  const last = summary();
  if (last.trouble?.message !== shown.trouble?.message) publishSummary(last);
  return last;
}

/** Stores what a resumption continues from. */
async function keepLedger(supervisor: Supervisor): Promise<CallResult<Value>> {
  const { retries } = supervisor;
  const { ledger: snapshot, input } = ledgerOf(supervisor);
  // A pause ends with the run.
  const { restarting: _step, pausedBy: _over, unpaused: _too, ...kept } = snapshot;
  const ledger = new Ledger(kept);
  const archived = await archiveAll({ ledger, retries });
  if (archived.kind === 'later') return archived;
  const record = { input, ledger: { ...kept, ...ledger.snapshot() } };
  return await retries.attempt({
    what: KEEP_LEDGER,
    call: () => activities.storeRecord(JSON.stringify(record)),
  });
}

/** The recorded turns stay readable after Temporal has deleted the run. */
async function keepRunHistory({ retries, ledger }: Supervisor, summary: RunSummary): Promise<CallResult<void>> {
  const closed: ClosedRun = { summary, taskQueue: workflowInfo().taskQueue, endedAt: Date.now() };
  const ended = summary.status === 'completed' ? ledger.roster.endedAgents().map(({ id }) => id) : [];
  const agentIds = [MAIN_AGENT, ...ended];
  return await keepHistory(retries, { runId: summary.runId, agentIds, closed: JSON.stringify(closed) });
}

/** The input of the run with its ledger, for its next execution. */
export function ledgerOf(supervisor: Supervisor): { readonly input: RunInput; readonly ledger: LedgerSnapshot } {
  const { ledger: _before, only: _revived, restart: _begun, ...input } = supervisor.input;
  return { input, ledger: supervisor.snapshot() };
}
