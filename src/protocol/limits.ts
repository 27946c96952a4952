// What Temporal takes: the limits that Raymond keeps away from, in one table. They are the defaults of its server (1.29), and what was
// seen when they were passed.
const MIB = 1024 ** 2;

/** Temporal's limits. Bytes are of what is sent, after encryption. */
export const TEMPORAL_LIMITS = {
  /**
   * One payload, or the payloads of one message together. Beyond it an activity's result fails the activity, its input or a
   * continue-as-new fails the workflow, a signal is refused at the caller, and an update terminates the workflow that it is meant for.
   */
  payloadBytes: 2 * MIB,
  /** One request of a client or worker with all that is in it. Beyond it a workflow task is tried again for ever. */
  requestBytes: 4 * MIB,
  /** Children of one execution that are open; one more fails its workflow task for ever. The same for signals that are under way. */
  openChildren: 2000,
  /** Updates of one workflow that are under way; beyond it all of them stall. */
  updatesInFlight: 10,
  /** Events of one history; then the server ends the workflow. It suggests to continue as new long before. */
  historyEvents: 51_200,
} as const;

/** Children that one execution starts before it continues as new: half of what may be open, for they may all live long. */
export const CHILDREN_PER_HISTORY = TEMPORAL_LIMITS.openChildren / 2;
