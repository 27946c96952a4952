// What an execution that `temporal workflow reset` made says of itself: it did nothing.

/** The memo key of an execution that `temporal workflow reset` made, and that did nothing. */
export const RESET_MEMO = 'raymondReset';

/** Why that execution failed. */
export function resetMessage(workflowId: string): string {
  const [runId = workflowId, agentId] = workflowId.split('/', 2);
  const order = agentId === undefined ? `raymond resume ${runId}` : `raymond retry ${runId} ${agentId}`;
  return `${workflowId} was reset with Temporal's tools, which cannot undo its turns; continue after its last recorded turn with: ${order}, or from an earlier one with: raymond fork ${runId} --at N`;
}
