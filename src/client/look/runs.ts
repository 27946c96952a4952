// Reads runs from what Temporal knows without a worker: describe, memo and visibility.
import { defined, exactly } from '../../protocol/text.js';
import { Client, WorkflowNotFoundError, type WorkflowExecutionInfo } from '@temporalio/client';
import { KeyError } from '../../codec/keys.js';
import { isUnreadable, lenient, whyUnreadable, type Unreadable } from '../../codec/readable.js';
import { closedRun } from '../../history/chapters.js';
import type { Labels } from '../../protocol/labels.js';
import { describeCounting, type Counting } from '../../history/reset.js';
import { RUN_ID } from '../../protocol/ids.js';
import type { ArtifactStore } from '../../store/store.js';
import { shownIn } from '../../workflows/attributes.js';
import {
  ENDED,
  RUN_STATUSES,
  GIVEN_MEMO,
  REQUEST_MEMO,
  SUMMARY_MEMO,
  type AgentLine,
  type ClosedRun,
  type Given,
  type RunStatus,
  type RunSummary,
  type ScheduledSummary,
} from '../../contract/runs.js';
import { resetMessage } from '../../contract/resets.js';
import { ClientError, noSuchRun } from '../error.js';
import { blockedBy } from './blocked.js';
import { hidden } from './deleted.js';

/** A run as people see it. */
export interface RunView extends Omit<RunSummary, 'startedAt'> {
  readonly open: boolean;
  readonly taskQueue: string;
  readonly startedAt: Date;
  readonly endedAt?: Date;
  /** The request that started it, as long as it has not been started again. */
  readonly requestHash?: string;
  /** What it was given at its start; absent for runs of a schedule. */
  readonly given?: Given;
  /** Why the run itself is blocked until a worker with a fixed version of Raymond runs. */
  readonly blocked?: string;
}

/** A run in a list. An unreadable one has what Temporal's server can read, and the reason. */
export interface RunLine extends Pick<RunView, 'runId' | 'status' | 'open' | 'startedAt' | 'endedAt'> {
  readonly workflow?: string;
  /** The path of its package. */
  readonly scope?: string;
  readonly taskQueue?: string;
  readonly agents?: RunView['agents'];
  readonly labels?: Labels;
  readonly given?: Given;
  readonly forkedFrom?: RunView['forkedFrom'];
  readonly pausedBy?: string;
  readonly budgetUsd?: number;
  readonly trouble?: RunView['trouble'];
  readonly costUsd?: number;
  readonly unreadable?: string;
  readonly because?: Unreadable['because'];
}

/** How many agents of a run failed, as far as it lists them. */
export function failedAgents({ agents = [] }: Pick<RunLine, 'agents'>): number {
  return agents.filter(({ status }) => status === 'failed' || status === 'lost').length;
}

/** One run. Throws `RunNotFound`, `KeyError`, `ResultElsewhere`. */
export async function viewRun(client: Client, runId: string): Promise<RunView> {
  const { description, wasReset } = await describeRun(client, runId);
  const view = toView(description);
  if (view === undefined) throw noSuchRun(runId);
  const isStopped = wasReset && view.status !== 'completed';
  const trouble = isStopped ? { type: 'WorkflowReset' as const, message: resetMessage(runId) } : view.trouble;
  const blocked = await blockedBy(client, description);
  // Temporal knows of a cancel before a worker has processed it.
  const isCancelled = view.open && description.raw.workflowExtendedInfo?.cancelRequested === true;
  return { ...view, ...(isCancelled ? { stopping: true } : {}), ...defined({ trouble, blocked }) };
}

/** The name for the newest run. */
const NEWEST = '@last';

/** How many runs the error names when a prefix matches several. */
const NAMED = 5;

/**
 * The run that a person names: by its id, a unique prefix, or `@last`; with the store also one that Temporal has
 * deleted. Throws `RunNotFound`, `RunAmbiguous`, and as `viewRun`.
 */
export async function findRun(client: Client, name: string, artifacts?: ArtifactStore): Promise<RunView> {
  if (name === NEWEST) {
    const [newest] = await runIds(client, { query: 'WorkflowType = "run"', limit: 1 });
    if (newest === undefined)
      throw new ClientError('RunNotFound', 'there is no run yet; start one with: raymond start WORKFLOW');
    return await viewRun(client, newest);
  }
  try {
    return await viewRun(client, name);
  } catch (error) {
    if (!(error instanceof ClientError && error.code === 'RunNotFound') || !RUN_ID.test(name)) throw error;
    const query = `WorkflowType = "run" AND WorkflowId STARTS_WITH "${name}"`;
    const [found, ...others] = await runIds(client, { query, limit: NAMED + 1 });
    if (found === undefined) {
      const closed = artifacts === undefined ? undefined : await closedRun(artifacts, name);
      if (closed === undefined) throw error;
      return viewOfClosed(closed);
    }
    if (others.length === 0) return await viewRun(client, found);
    const named = [found, ...others.slice(0, NAMED - 1)].join(', ');
    const which = `several runs begin with ${name}: ${named}${others.length === NAMED ? ', …' : ''}`;
    throw new ClientError('RunAmbiguous', `${which}; give more characters of the id`, { cause: error });
  }
}

function viewOfClosed({ summary, taskQueue, endedAt }: ClosedRun): RunView {
  const times = { startedAt: new Date(summary.startedAt), endedAt: new Date(endedAt) };
  return { ...summary, ...inDollars(summary), open: false, taskQueue, ...times };
}

async function runIds(
  client: Client,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<readonly string[]> {
  const isHidden = await hidden(client);
  const found = new Set<string>();
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    if (isHidden(runId)) continue;
    found.add(workflowId);
    if (found.size === limit) break;
  }
  return [...found];
}

/** Which runs to list, at most `limit` (1,000), found among the latest `searched`; absent = all. */
export interface RunFilter {
  readonly openOnly?: boolean;
  readonly statuses?: readonly RunStatus[];
  /** The name of the workflow package. */
  readonly workflow?: string;
  /** The path of the package. */
  readonly scope?: string;
  /** All of these labels. */
  readonly labels?: Labels;
  readonly startedAfter?: Date;
  readonly startedBefore?: Date;
  readonly limit?: number;
  readonly searched?: number;
}

/** The runs that Temporal still knows, newest first. */
export async function listRuns(client: Client, filter: RunFilter = {}): Promise<readonly RunLine[]> {
  const { openOnly = false, startedAfter, limit = 1000, searched = Infinity } = filter;
  const query = [
    'WorkflowType = "run"',
    ...(openOnly ? ['ExecutionStatus = "Running"'] : []),
    ...(startedAfter === undefined ? [] : [`StartTime > "${startedAfter.toISOString()}"`]),
  ].join(' AND ');
  const isHidden = await hidden(client);
  // Including unwanted ones: an older execution of theirs must not replace them.
  const newest = new Map<string, RunLine>();
  let wanted = 0;
  for await (const info of readingWhatItCan(client).workflow.list({ query })) {
    const view = isHidden(info.runId) ? undefined : toLine(info);
    const known = newest.get(info.workflowId);
    // Visibility has one entry per execution of a run that was resumed or continued as new: the latest counts.
    if (view !== undefined && (known === undefined || view.open))
      newest.set(info.workflowId, known?.open ? known : view);
    if (known === undefined && view !== undefined && isWanted(view, filter)) wanted += 1;
    if (wanted >= limit || newest.size >= searched) break;
  }
  return [...newest.values()].filter((view) => isWanted(view, filter));
}

function isWanted(
  { status, workflow, scope, startedAt, labels = {} }: RunLine,
  { statuses, workflow: wanted, scope: wantedScope = scope, labels: wantedLabels = {}, startedBefore }: RunFilter,
): boolean {
  if (scope !== wantedScope) return false;
  if (startedBefore !== undefined && startedAt >= startedBefore) return false;
  if (Object.entries(wantedLabels).some(([key, value]) => labels[key] !== value)) return false;
  return (statuses?.includes(status) ?? true) && (wanted === undefined || workflow === wanted);
}

/** An unreadable run must not hide the others. */
function readingWhatItCan({ connection, options }: Client): Client {
  const { namespace, loadedDataConverter } = options;
  return new Client({ connection, namespace, dataConverter: { payloadCodecs: lenient(loadedDataConverter) } });
}

/** Temporal's own description of a run. Throws `RunNotFound`, `KeyError`, `ResultElsewhere`. */
async function describeRun(client: Client, runId: string): Promise<Counting> {
  try {
    const counting = await describeCounting(client, runId);
    const { type, runId: executionId } = counting.description;
    if (type !== 'run' || (await hidden(client))(executionId)) throw noSuchRun(runId);
    return counting;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw noSuchRun(runId);
    throw ofRun(runId, error);
  }
}

/** The same error with the id of the unreadable run. */
function ofRun(runId: string, error: unknown): unknown {
  const note = whyUnreadable(error);
  if (note === undefined) return error;
  const message = `the run ${runId}: ${note.unreadable}`;
  if (note.because === 'artifact') return new ClientError('ResultElsewhere', message, { cause: error });
  return new KeyError(message, { cause: error });
}

function toView(info: Omit<WorkflowExecutionInfo, 'raw'>): RunView | undefined {
  const summary = info.memo?.[SUMMARY_MEMO] as RunSummary | ScheduledSummary | undefined;
  if (summary === undefined) return undefined;
  const requestHash = info.memo?.[REQUEST_MEMO];
  const given = info.memo?.[GIVEN_MEMO];
  const open = info.status.name === 'RUNNING';
  const { agents, costUsd } = inDollars(summary);
  return {
    ...summary,
    costUsd,
    agents: open ? agents : agents.map(lineAtEnd),
    runId: info.workflowId,
    status: open ? summary.status : closedStatus(info.status.name, summary.status),
    startedAt: 'startedAt' in summary ? new Date(summary.startedAt) : info.startTime,
    open,
    taskQueue: info.taskQueue,
    ...(info.closeTime === undefined ? {} : { endedAt: info.closeTime }),
    ...(typeof requestHash === 'string' ? { requestHash } : {}),
    ...(given === undefined || isUnreadable(given) ? {} : { given: given as Given }),
  };
}

/** A run that was terminated from outside could not record how its agents ended. */
function lineAtEnd(line: AgentLine): AgentLine {
  return ENDED.has(line.status) ? line : lostLine(line);
}

/** An agent that is closed in Temporal, but open in its run. It cannot receive answers. */
export function lostLine({ ask: _ask, until: _never, waitsFor: _nothing, ...line }: AgentLine): AgentLine {
  return { ...line, status: 'lost' };
}

function toLine(info: WorkflowExecutionInfo): RunLine | undefined {
  const summary = info.memo?.[SUMMARY_MEMO];
  return isUnreadable(summary) ? unreadableLine(info, summary) : toView(info);
}

function unreadableLine(
  { workflowId, status, startTime, closeTime, typedSearchAttributes }: WorkflowExecutionInfo,
  { unreadable, because }: Unreadable,
): RunLine {
  const { RaymondWorkflow: workflow, RaymondStatus: said, RaymondCostUsd: costUsd } = shownIn(typedSearchAttributes);
  const open = status.name === 'RUNNING';
  const known = RUN_STATUSES.find((one) => one === said) ?? 'running';
  return {
    runId: workflowId,
    status: open ? known : closedStatus(status.name, known),
    open,
    startedAt: startTime,
    unreadable,
    because,
    ...(workflow === undefined ? {} : { workflow }),
    ...(costUsd === undefined ? {} : { costUsd: exactly(costUsd) }),
    ...(closeTime === undefined ? {} : { endedAt: closeTime }),
  };
}

/** Sums of binary fractions, rounded as dollars. */
export function inDollars({
  costUsd,
  agents,
}: Pick<RunSummary, 'costUsd' | 'agents'>): Pick<RunSummary, 'costUsd' | 'agents'> {
  return { costUsd: exactly(costUsd), agents: agents.map((line) => ({ ...line, costUsd: exactly(line.costUsd) })) };
}

/**
 * Temporal decides how a run closed, unless the run knows better: when its agents are cancelled one by one, it
 * "failed".
 */
function closedStatus(name: string, said: RunStatus): RunStatus {
  if (name === 'COMPLETED') return 'completed';
  if (name === 'CANCELLED') return 'cancelled';
  return said === 'over-budget' || said === 'cancelled' ? said : 'failed';
}
