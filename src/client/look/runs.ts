// Reading runs from what Temporal knows without a worker: describe, memo and visibility.
import { defined, exactly } from '../../protocol/text.js';
import {
  Client,
  WorkflowNotFoundError,
  type WorkflowExecutionDescription,
  type WorkflowExecutionInfo,
} from '@temporalio/client';
import { KeyError } from '../../codec/keys.js';
import { isUnreadable, lenient, whyUnreadable, type Unreadable } from '../../codec/readable.js';
import { closedRun } from '../../history/chapters.js';
import { RUN_ID } from '../../protocol/ids.js';
import type { ArtifactStore } from '../../store/store.js';
import { shownIn } from '../../workflows/attributes.js';
import {
  ENDED,
  RUN_STATUSES,
  REQUEST_MEMO,
  SUMMARY_MEMO,
  type AgentLine,
  type ClosedRun,
  type RunStatus,
  type RunSummary,
  type ScheduledSummary,
} from '../../workflows/contract.js';
import { ClientError, noSuchRun } from '../error.js';
import { blockedBy } from './blocked.js';

/** A run as people see it. */
export interface RunView extends Omit<RunSummary, 'startedAt'> {
  readonly open: boolean;
  readonly taskQueue: string;
  readonly startedAt: Date;
  readonly endedAt?: Date;
  /** Of the request that started it, as long as it was not started again since. */
  readonly requestHash?: string;
  /** Why the run itself does not continue until a worker with a fix of Raymond comes. */
  readonly blocked?: string;
}

/** A run in a list. One that cannot be read shows what Temporal's server can read, and why there is no more. */
export interface RunLine extends Pick<RunView, 'runId' | 'status' | 'open' | 'startedAt' | 'endedAt'> {
  readonly workflow?: string;
  readonly taskQueue?: string;
  readonly agents?: RunView['agents'];
  readonly costUsd?: number;
  readonly unreadable?: string;
  readonly because?: Unreadable['because'];
}

/** One run. Throws `RunNotFound`, `KeyError`, `ResultElsewhere`. */
export async function viewRun(client: Client, runId: string): Promise<RunView> {
  const description = await describeRun(client, runId);
  const view = toView(description);
  if (view === undefined) throw noSuchRun(runId);
  return { ...view, ...defined({ blocked: await blockedBy(client, description) }) };
}

/** What stands for the newest run where a run is named. */
export const NEWEST = '@last';

/** So many runs are named when a beginning fits several. */
const NAMED = 5;

/**
 * The run that a person names: by its id, a beginning that fits no other, or `@last`; with the store also one that Temporal has forgotten.
 * Throws `RunNotFound`, `RunAmbiguous`, as `viewRun`.
 */
export async function findRun(client: Client, name: string, artifacts?: ArtifactStore): Promise<RunView> {
  if (name === NEWEST) {
    const [newest] = await runIds(client, { query: 'WorkflowType = "run"', limit: 1 });
    if (newest === undefined) throw new ClientError('RunNotFound', 'there is no run yet');
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
      return forgotten(closed);
    }
    if (others.length === 0) return await viewRun(client, found);
    const named = [found, ...others.slice(0, NAMED - 1)].join(', ');
    const which = `several runs begin with ${name}: ${named}${others.length === NAMED ? ', …' : ''}`;
    throw new ClientError('RunAmbiguous', `${which}; write more of the id`, { cause: error });
  }
}

function forgotten({ summary, taskQueue, endedAt }: ClosedRun): RunView {
  const times = { startedAt: new Date(summary.startedAt), endedAt: new Date(endedAt) };
  return { ...summary, ...inDollars(summary), open: false, taskQueue, ...times };
}

async function runIds(
  { workflow }: Client,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<readonly string[]> {
  const found = new Set<string>();
  for await (const { workflowId } of workflow.list({ query })) {
    found.add(workflowId);
    if (found.size === limit) break;
  }
  return [...found];
}

/** Which runs to list, at most `limit` (1,000); absent = all. */
export interface RunFilter {
  readonly openOnly?: boolean;
  readonly statuses?: readonly RunStatus[];
  /** The name of the workflow package. */
  readonly workflow?: string;
  readonly startedAfter?: Date;
  readonly startedBefore?: Date;
  readonly limit?: number;
}

/** The runs that Temporal still knows, newest first. */
export async function listRuns(client: Client, filter: RunFilter = {}): Promise<readonly RunLine[]> {
  const { openOnly = false, startedAfter, limit = 1000 } = filter;
  const query = [
    'WorkflowType = "run"',
    ...(openOnly ? ['ExecutionStatus = "Running"'] : []),
    ...(startedAfter === undefined ? [] : [`StartTime > "${startedAfter.toISOString()}"`]),
  ].join(' AND ');
  // Also those that are not wanted: an older execution of theirs must not stand for them.
  const newest = new Map<string, RunLine>();
  let wanted = 0;
  for await (const info of readingWhatItCan(client).workflow.list({ query })) {
    const view = toLine(info);
    const known = newest.get(info.workflowId);
    // A run that was resumed or continued as new stands in visibility once per execution: the latest counts.
    if (view !== undefined && (known === undefined || view.open))
      newest.set(info.workflowId, known?.open ? known : view);
    if (known === undefined && view !== undefined && isWanted(view, filter)) wanted += 1;
    if (wanted >= limit) break;
  }
  return [...newest.values()].filter((view) => isWanted(view, filter));
}

function isWanted(
  { status, workflow, startedAt }: RunLine,
  { statuses, workflow: wanted, startedBefore }: RunFilter,
): boolean {
  if (startedBefore !== undefined && startedAt >= startedBefore) return false;
  return (statuses?.includes(status) ?? true) && (wanted === undefined || workflow === wanted);
}

/** One run that cannot be read must not hide the others. */
function readingWhatItCan({ connection, options }: Client): Client {
  const { namespace, loadedDataConverter } = options;
  return new Client({ connection, namespace, dataConverter: { payloadCodecs: lenient(loadedDataConverter) } });
}

/** Temporal's own description of a run. Throws `RunNotFound`, `KeyError`, `ResultElsewhere`. */
async function describeRun(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    const description = await client.workflow.getHandle(runId).describe();
    if (description.type !== 'run') throw noSuchRun(runId);
    return description;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw noSuchRun(runId);
    throw ofRun(runId, error);
  }
}

/** The same error, saying which run cannot be read. */
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
  };
}

/** A run that was terminated from outside could not say how its agents ended. */
function lineAtEnd(line: AgentLine): AgentLine {
  return ENDED.has(line.status) ? line : lostLine(line);
}

/** An agent of which Temporal knows that it is closed, and its run does not. Nobody can answer it. */
export function lostLine({ ask: _nobodys, until: _never, waitsFor: _nothing, ...line }: AgentLine): AgentLine {
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

/** Sums of binary fractions as people count dollars. */
export function inDollars({
  costUsd,
  agents,
}: Pick<RunSummary, 'costUsd' | 'agents'>): Pick<RunSummary, 'costUsd' | 'agents'> {
  return { costUsd: exactly(costUsd), agents: agents.map((line) => ({ ...line, costUsd: exactly(line.costUsd) })) };
}

/** Temporal's word counts for how a run closed, unless the run said it better: when its agents are cancelled one by one, it "failed". */
function closedStatus(name: string, said: RunStatus): RunStatus {
  if (name === 'COMPLETED') return 'completed';
  if (name === 'CANCELLED') return 'cancelled';
  return said === 'over-budget' || said === 'cancelled' ? said : 'failed';
}
