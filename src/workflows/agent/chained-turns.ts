// The turns that an activity did beyond the one that it was asked for, until the agent has come to them: they are taken up one after
// the other as if each had an activity of its own. What an operator asks for waits until there are none.
import { ApplicationFailure } from '@temporalio/workflow';
import type { ChainedTurn, TurnReport } from '../../activities/types.js';
import type { AgentState } from '../../protocol/machine/agent.js';

/** They, of one agent. */
export class ChainedTurns {
  private turns: readonly ChainedTurn[] = [];

  /** True when the agent has taken up all of them. */
  get isEmpty(): boolean {
    return this.turns.length === 0;
  }

  /** Keeps what an activity has done more than it was asked for. */
  keep(turns: readonly ChainedTurn[] = []): void {
    this.turns = turns;
  }

  /** How the turn ended that the agent is about to do; undefined when nobody has done it. Throws what it has failed with. */
  take(agent: AgentState): TurnReport | undefined {
    const [next, ...rest] = this.turns;
    if (next === undefined) return undefined;
    this.turns = rest;
    if (next.state !== agent.state || next.turn !== agent.turn + 1) throw mismatch(agent, next);
    const { end } = next;
    if (end.kind === 'report') return end.report;
    const { message, details } = end;
    throw ApplicationFailure.create({ type: details.type, message, nonRetryable: true, details: [details] });
  }
}

/** Worker and workflow follow the same rules: whoever sees this has found a mistake of Raymond. */
function mismatch({ id, state, turn }: AgentState, done: ChainedTurn): ApplicationFailure {
  const message = `${id}, ${state}: turn ${turn + 1} is next, but the worker went on with ${done.state} as turn ${done.turn}`;
  return ApplicationFailure.create({ type: 'Unforeseen', message, nonRetryable: true });
}
