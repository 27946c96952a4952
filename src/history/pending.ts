// The activities that Temporal still waits for.
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** An activity as its workflow's description has it. */
export type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

/** The activities of a workflow that may still report. A workflow that was terminated continues to list those it had. */
export function pendingActivities({
  raw,
  status,
}: Pick<WorkflowExecutionDescription, 'raw' | 'status'>): readonly PendingActivity[] {
  return status.name === 'RUNNING' ? (raw.pendingActivities ?? []) : [];
}
