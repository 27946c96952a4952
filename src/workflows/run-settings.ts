// What `start` fixes for a whole run: plain JSON, recorded in its histories. No logic.
import type { TurnSettings } from '../activities/types.js';
import type { WorkspaceSettings } from '../protocol/machine/workspace.js';

/** What `start` fixes for a whole run. */
export interface RunSettings {
  readonly turn: TurnSettings;
  /** USD over all agents; absent = no limit. */
  readonly budgetUsd?: number;
  readonly failFast: boolean;
  /** Questions to people fail the agent that asks. */
  readonly rejectAsks?: boolean;
  /** Every script turn has an activity of its own; absent = one may do several (protocol/machine/chain.ts). */
  readonly chain?: false;
  /** A usage limit pauses the agent, even when it is known when the limit ends. */
  readonly pauseAtLimit?: boolean;
  /** Search attributes that exist on this cluster; only those are set. */
  readonly searchAttributes: readonly string[];
  /** Turns after which an agent continues as new. */
  readonly turnsPerHistory: number;
  /** Forks after which an agent continues as new; absent = as many as Temporal allows (protocol/limits.ts). */
  readonly forksPerHistory?: number;
  /** Seconds of an agent's silence after which the run looks whether it still exists; absent = 300. */
  readonly probeSeconds?: number;
  /** Times pass at once: delays, limits and the patience between two tries. For `raymond test`. */
  readonly skipsWaits?: true;
  /** Its agents work in workspaces that git brings from host to host; absent = in folders that every host sees. */
  readonly workspace?: WorkspaceSettings;
}
