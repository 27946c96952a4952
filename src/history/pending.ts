// The activities of a workflow that have not reported, and those of them that still may.
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** An activity as its workflow's description has it. */
export type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

type Description = Pick<WorkflowExecutionDescription, 'raw' | 'status'>;

/** The activities whose reports the server does not have, and never gets when the workflow was terminated. */
export function unreportedActivities({ raw }: Pick<Description, 'raw'>): readonly PendingActivity[] {
  return raw.pendingActivities ?? [];
}

/** The activities that may still report: those of an open workflow. */
export function pendingActivities(description: Description): readonly PendingActivity[] {
  return description.status.name === 'RUNNING' ? unreportedActivities(description) : [];
}
