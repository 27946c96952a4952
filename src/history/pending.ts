// The activities of a workflow that have not reported, those of them that still may, and the latest heartbeat of an agent's turn.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import type { TurnHeartbeat } from '../contract/turns.js';
import { fromPayload } from '../codec/converter.js';

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

const TURNS: ReadonlySet<string | null | undefined> = new Set(['runPrompt', 'runScript']);

/** True for an activity that executes turns; others store records or work on files. */
export function isTurn({
  activityType,
}: {
  readonly activityType?: { readonly name?: string | null } | null;
}): boolean {
  return TURNS.has(activityType?.name);
}

/** An agent's activity that executes its turn; others, such as storing its record, say nothing about it. */
export function pendingTurn(description: WorkflowExecutionDescription): PendingActivity | undefined {
  return pendingActivities(description).find(isTurn);
}

/** The latest report of the worker that executes an agent's turn; undefined when there is none. */
export async function heartbeatOf(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<TurnHeartbeat | undefined> {
  const activity = pendingTurn(description);
  const payload = activity?.heartbeatDetails?.payloads?.[0];
  if (!activity || !payload) return undefined;
  const { namespace, loadedDataConverter } = client.options;
  const beating = {
    type: 'activity',
    namespace,
    workflowId: description.workflowId,
    isLocal: false,
    ...(activity.activityId ? { activityId: activity.activityId } : {}),
  } as const;
  return (await fromPayload(loadedDataConverter, payload, beating)) as TurnHeartbeat | undefined;
}
