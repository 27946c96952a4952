// Ledgers for tests: agents, lines and inputs with nothing in them that a test does not ask for.
import type { AgentState } from '../../../src/protocol/machine/agent.js';
import type { Failure } from '../../../src/protocol/failure.js';
import type { AgentStatus, LedgerAgent, LedgerSnapshot, RunInput, RunSettings } from '../../../src/contract/runs.js';
import { Ledger } from '../../../src/workflows/run/ledger.js';

/** Why agents of these tests fail, wait or pause. */
export const FAILURE: Failure = { type: 'ScriptFailed', message: 'it broke' };

/** The record of an agent that has not done anything yet. */
export function agentState(id: string): AgentState {
  return {
    id,
    scope: { kind: 'directory', path: '/flows/flow' },
    state: 'START.sh',
    via: 'start',
    cwd: '/home/user',
    home: '/home/user',
    stack: [],
    attributes: {},
    forks: 0,
    turn: 0,
  };
}

/** The ways in which an agent ends without a result. */
export const WAYS_TO_END = {
  failed: { kind: 'failed', failure: FAILURE, record: 'kept' },
  cancelled: { kind: 'cancelled', record: 'kept' },
  lost: { kind: 'lost' },
} as const satisfies Record<string, AgentStatus>;

/** A line of the ledger. */
export function entry(id: string, status: AgentStatus): LedgerAgent {
  return { id, state: 'A.md', costUsd: 0, status };
}

/** A ledger with these agents. */
export function ledgerOf(agents: Readonly<Record<string, AgentStatus>>, more: Partial<LedgerSnapshot> = {}): Ledger {
  return new Ledger({
    startedAt: 1000,
    agents: Object.entries(agents).map(([id, status]) => entry(id, status)),
    archived: NO_ARCHIVE,
    resumptions: 0,
    ...more,
  });
}

/** Nothing has been archived. */
export const NO_ARCHIVE = { count: 0, costUsd: 0, failed: 0, cancelled: 0 };

/** The input of a run. */
export function runInput(settings: Partial<RunSettings>): RunInput {
  return {
    runId: 'r1',
    workflow: 'flow',
    main: agentState('main'),
    settings: {
      turn: { permissions: 'accept-edits' },
      failFast: false,
      searchAttributes: [],
      turnsPerHistory: 500,
      ...settings,
    },
  };
}

/** An agent that lives, in each way, and one that ended well. */
export const STATUSES = {
  running: { kind: 'running' },
  waiting: { kind: 'waiting', until: 5000, failure: FAILURE },
  paused: { kind: 'paused', failure: FAILURE },
  completed: { kind: 'completed', result: 'done' },
} as const satisfies Record<string, AgentStatus>;
