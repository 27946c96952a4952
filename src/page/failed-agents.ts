// Which agents of a run count as failed.
import type { Run } from '../serve/types.js';

/** Agents that failed, are lost, or were paused by a failure; not those that a person has paused. */
export function failedAgents({ agents }: Pick<Run, 'agents'>): Run['agents'] {
  return agents.filter(({ status, error, errorType }) => {
    if (error === undefined) return false;
    return status === 'failed' || status === 'lost' || (status === 'paused' && errorType !== 'PausedByOperator');
  });
}
