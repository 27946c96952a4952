// Starts a closed run again, under its id, from its ledger: the run itself finds the records of the agents that did not
// complete. A run that was terminated from outside is queried for its ledger.
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { EndedAgent, ArchivePiece } from '../../contract/records.js';
import { describeCounting } from '../../history/reset.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import type { LedgerSnapshot, Revival, RunInput, RunSettings } from '../../contract/runs.js';
import { withBudget } from '../../workflows/run/ledger.js';
import type { ArtifactStore } from '../../store/store.js';
import { ClientError } from '../error.js';
import type { RunView } from '../look/runs.js';
import { launchRun } from '../start/start.js';

/** A query to a closed workflow needs a worker that replays it. */
const ASKED_MS = 15_000;

/** The arguments of a restart; `budget` replaces the old one, without `usd` there is no limit. */
interface ResumeRequest {
  readonly view: RunView;
  readonly artifacts: ArtifactStore;
  readonly taskQueue: string;
  readonly budget?: { readonly usd?: number };
  /** Continues only this agent; absent = all that did not complete. */
  readonly only?: Revival;
  /** Whether questions to people fail their agent from now on; absent = as before. */
  readonly rejectAsks?: boolean;
  /** Ends a turn after this many seconds without output from now on; absent = as before. */
  readonly timeoutSeconds?: number;
}

/** Throws `NotResumable` for a run that completed. */
export function checkResumable({ runId, status }: RunView): void {
  if (status !== 'completed') return;
  const next = `start a new run from one of its turns with: raymond fork ${runId} --at N`;
  throw new ClientError('NotResumable', `the run ${runId} has completed; there is nothing to resume; ${next}`);
}

/**
 * Starts the run again; returns the agents that continue, as far as its ledger lists them. A worker must poll its
 * queue. Throws `NotResumable`, or `RunOpen` when another command continues the run at the same moment.
 */
export async function restartRun(client: Client, request: ResumeRequest): Promise<readonly string[]> {
  const { view, taskQueue } = request;
  checkResumable(view);
  const { input, ledger } = await ledgerOf(client, request);
  const only = request.only === undefined ? {} : { only: await revivable(request.only, { ...request, ledger }) };
  const resumed: RunInput = { ...input, settings: settingsOf(input, request), ledger, restart: true, ...only };
  await launchRun(client, {
    input: resumed,
    ledger,
    taskQueue,
    // The ledger was read before: a run that has completed since must not continue from it.
    reuse: 'ALLOW_DUPLICATE_FAILED_ONLY',
    ...defined({ by: view.given?.by }),
  });
  return request.only === undefined ? unfinished(ledger) : [request.only.agentId];
}

/**
 * Repeats an operation that found the run in a state which it left at the same moment: another command has started it,
 * or it has ended.
 */
export async function againIfChanged<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    const hasOpened = error instanceof ClientError && error.code === 'RunOpen';
    if (!hasOpened && !(error instanceof WorkflowNotFoundError)) throw error;
    return await operation();
  }
}

/** An end that `<await>` has delivered belongs to its parent; `main` continues in any case. */
function unfinished({ agents }: LedgerSnapshot): readonly string[] {
  const open = agents.filter(({ id, status, handled }) => {
    return status.kind !== 'completed' && (handled !== true || id === MAIN_AGENT);
  });
  return open.map(({ id }) => id);
}

/** The agent with its line, if it can continue without the others. Throws `NotResumable`. */
async function revivable(
  revival: Revival,
  { view: { runId, record }, artifacts, ledger }: ResumeRequest & { readonly ledger: LedgerSnapshot },
): Promise<Revival> {
  const { agentId } = revival;
  if (record === undefined) throw notAlone(runId, 'it was terminated from outside');
  const listed = ledger.agents.find(({ id }) => id === agentId);
  const archived = listed === undefined ? await archivedLine(artifacts, ledger, agentId) : undefined;
  const line = listed ?? archived;
  if (line === undefined) throw notAlone(runId, `it lists no agent ${agentId} that has ended`);
  if (line.status.kind === 'completed')
    throw new ClientError('NotResumable', `${agentId} has completed; there is nothing to retry`);
  if (line.handled === true) throw notAlone(runId, `the agent that awaited ${agentId} already has its result`);
  return { ...revival, ...defined({ archived }) };
}

/** The newest line of an agent in the archive of a run. */
async function archivedLine(
  artifacts: ArtifactStore,
  { archived }: LedgerSnapshot,
  agentId: string,
): Promise<EndedAgent | undefined> {
  for (let piece = archived.archive; piece !== undefined;) {
    const { agents, previous } = JSON.parse(await artifacts.text(piece)) as ArchivePiece;
    const line = agents.find(({ id }) => id === agentId);
    if (line !== undefined) return line;
    piece = previous;
  }
  return undefined;
}

function notAlone(runId: string, why: string): ClientError {
  return new ClientError('NotResumable', `${why}; continue the whole run with: raymond resume ${runId}`);
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

async function ledgerOf(
  client: Client,
  { view, artifacts }: Pick<ResumeRequest, 'view' | 'artifacts'>,
): Promise<KeptLedger> {
  if (view.record !== undefined) return JSON.parse(await artifacts.text(view.record)) as KeptLedger;
  try {
    const { description } = await describeCounting(client, view.runId);
    const handle = client.workflow.getHandle(view.runId, description.runId);
    return await client.withDeadline(Date.now() + ASKED_MS, () => handle.query<KeptLedger>('ledger'));
  } catch (error) {
    const message = `the run ${view.runId} was terminated from outside and Temporal no longer has its ledger; start a new run`;
    throw new ClientError('NotResumable', message, { cause: error });
  }
}
