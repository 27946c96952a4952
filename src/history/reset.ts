// Which execution of a workflow counts: one that `temporal workflow reset` made did nothing (workflows/reset.ts), so the one before.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { RESET_MEMO } from '../contract/resets.js';
import { eventsOf, resetFrom } from './events.js';

/** A description of the execution that counts. */
export interface Counting {
  readonly description: WorkflowExecutionDescription;
  /** True when later executions were made by a reset. */
  readonly wasReset: boolean;
}

/** The latest execution of a workflow that was not made by a reset. Throws `WorkflowNotFoundError`. */
export async function describeCounting(client: Client, workflowId: string): Promise<Counting> {
  for (let executionId: string | undefined; ;) {
    const description = await client.workflow.getHandle(workflowId, executionId).describe();
    const wasReset = executionId !== undefined;
    if (description.memo?.[RESET_MEMO] !== true) return { description, wasReset };
    executionId = await madeFrom(client, { workflowId, executionId: description.runId });
    if (executionId === undefined) return { description, wasReset };
  }
}

/** The execution that a reset made another one from. */
async function madeFrom(
  client: Client,
  execution: { readonly workflowId: string; readonly executionId: string },
): Promise<string | undefined> {
  let from: string | undefined;
  for await (const event of eventsOf(client, execution)) from = resetFrom(event) ?? from;
  return from;
}
