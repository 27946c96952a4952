// What operators ask of agents that do not go on by themselves, as it travels in messages and ledgers. Plain JSON, compatible with
// histories in test/replay; types only.
import type { Move } from '../protocol/machine/agent.js';
import type { EndedAgent } from '../activities/types.js';

/** An agent that ended without a result and shall go on. */
export interface Revival {
  readonly agentId: string;
  readonly by: string;
  readonly move?: Move;
  /** Its line, when it is in the archive. */
  readonly archived?: EndedAgent;
}

/** An order to let an agent go on that came to nothing. */
export interface RefusedOrder {
  readonly agentId: string;
  readonly by: string;
  readonly why: string;
}

/** What a resumption does next: start again whom the ledger lists, open the archive, or start the agents of its pages. */
export type RestartStep = 'listed' | 'archive' | 'pages';

export type { Move } from '../protocol/machine/agent.js';
