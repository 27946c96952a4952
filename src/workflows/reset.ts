// A run or an agent that was reset with Temporal's own tools fails at once: its files and its spending cannot be reset
// with it, and its recorded turns must not run again (invariant I1). The execution before the reset counts.
import { ApplicationFailure, upsertMemo, workflowInfo } from '@temporalio/workflow';
import type { FailureType } from '../protocol/failure.js';
import { SUMMARY_MEMO } from '../contract/runs.js';
import { RESET_MEMO, resetMessage } from '../contract/resets.js';

/** The failure of an execution that a reset created. A limiter continues: its messages are applied again. */
export function resetFailure(): ApplicationFailure | undefined {
  const { workflowType, workflowId } = workflowInfo();
  if (workflowType === 'limiter') return undefined;
  // A summary of that time would replace the newer one.
  upsertMemo({ [RESET_MEMO]: true, [SUMMARY_MEMO]: null });
  const type: FailureType = 'WorkflowReset';
  return ApplicationFailure.create({ type, message: resetMessage(workflowId), nonRetryable: true });
}
