// Reading runs from what Temporal knows without a worker: describe, memo and visibility.
// Must not change anything.
import type { Client, WorkflowExecutionDescription, WorkflowExecutionInfo } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { RunStatus, RunSummary } from '../workflows/contract.js';
import { SUMMARY_MEMO } from '../workflows/contract.js';
import { ClientError } from './error.js';

/** A run as people see it. */
export interface RunView extends Omit<RunSummary, 'startedAt'> {
  readonly open: boolean;
  readonly taskQueue: string;
  readonly startedAt: Date;
  readonly endedAt?: Date;
}

/** One run. Throws `RunNotFound`. */
export async function viewRun(client: Client, runId: string): Promise<RunView> {
  const description = await describeRun(client, runId);
  const view = toView(description);
  if (view === undefined) throw notFound(runId);
  return view;
}

/** The runs that Temporal still knows, newest first. */
export async function listRuns(client: Client, { openOnly = false, limit = 1000 } = {}): Promise<readonly RunView[]> {
  const query = `WorkflowType = "run"${openOnly ? ' AND ExecutionStatus = "Running"' : ''}`;
  const newest = new Map<string, RunView>();
  for await (const info of client.workflow.list({ query })) {
    const view = toView(info);
    const known = newest.get(info.workflowId);
    // A run that was resumed or continued as new stands in visibility once per execution: the latest counts.
    if (view !== undefined && (known === undefined || view.open))
      newest.set(info.workflowId, known?.open ? known : view);
    if (newest.size >= limit) break;
  }
  return [...newest.values()];
}

/** Temporal's own description of a run. Throws `RunNotFound`. */
export async function describeRun(client: Client, runId: string): Promise<WorkflowExecutionDescription> {
  try {
    const description = await client.workflow.getHandle(runId).describe();
    if (description.type !== 'run') throw notFound(runId);
    return description;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw notFound(runId);
    throw error;
  }
}

function notFound(runId: string): ClientError {
  return new ClientError('RunNotFound', `there is no run ${runId}; "raymond list" shows the runs`);
}

function toView(info: Omit<WorkflowExecutionInfo, 'raw'>): RunView | undefined {
  const summary = info.memo?.[SUMMARY_MEMO] as RunSummary | undefined;
  if (summary === undefined) return undefined;
  const open = info.status.name === 'RUNNING';
  return {
    ...summary,
    status: open ? summary.status : closedStatus(info.status.name, summary.status),
    startedAt: new Date(summary.startedAt),
    open,
    taskQueue: info.taskQueue,
    ...(info.closeTime === undefined ? {} : { endedAt: info.closeTime }),
  };
}

/** Temporal's word counts for how a run closed, unless the run said it more exactly itself. */
function closedStatus(name: string, said: RunStatus): RunStatus {
  if (name === 'COMPLETED') return 'completed';
  if (name === 'CANCELLED') return 'cancelled';
  return said === 'over-budget' ? 'over-budget' : 'failed';
}
