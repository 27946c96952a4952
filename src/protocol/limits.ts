// Temporal's limits that Raymond must stay below, in one table. They are the defaults of its server (1.29), and what
// happened when they were exceeded.
const MIB = 1024 ** 2;

/** Temporal's limits. Bytes are of what is sent, after encryption. */
export const TEMPORAL_LIMITS = {
  /**
   * One payload, or the payloads of one message together. Above it, an activity's result fails the activity, its input
   * or a continue-as-new fails the workflow, a signal fails at its sender, and an update terminates its workflow.
   */
  payloadBytes: 2 * MIB,
  /** One request of a client or worker with all its content. Above it, a workflow task is retried forever. */
  requestBytes: 4 * MIB,
  /** Open children of one execution; one more fails its workflow task forever. The same for signals in flight. */
  openChildren: 2000,
  /** Updates of one workflow in flight; above it all of them stall. */
  updatesInFlight: 10,
  /** Events of one history; then the server ends the workflow. It suggests to continue as new long before. */
  historyEvents: 51_200,
} as const;

/** Children that one execution starts before it continues as new: half of the limit, because they may all live long. */
export const CHILDREN_PER_HISTORY = TEMPORAL_LIMITS.openChildren / 2;
