// Recorded turns of a run, made up: what a diagram of a run and the coverage of tests are made of.
import type { RecordedTurn } from '../../src/history/turns.js';
import type { Scope } from '../../src/protocol/scope.js';
import type { AgentState } from '../../src/protocol/machine/agent.js';
import type { Transition } from '../../src/protocol/machine/transition.js';

/** Makes the turns of agents in the order in which they are asked for. */
export class Turns {
  private readonly counts = new Map<string, number>();

  constructor(private readonly scope: Scope) {}

  /** A turn of `state` that ended with `transition`; `before` is what else is known of its agent. */
  of(
    state: string,
    transition: Transition,
    { agentId = 'main', ...before }: Partial<AgentState> & { readonly agentId?: string } = {},
  ): RecordedTurn {
    const number = (this.counts.get(agentId) ?? 0) + 1;
    this.counts.set(agentId, number);
    const time = new Date(number * 1000);
    return {
      ...{
        agentId,
        number,
        state,
        attempts: 1,
        costUsd: 0,
        durationMs: 0,
        warnings: [],
        startedAt: time,
        endedAt: time,
      },
      end: { kind: 'transition', transition },
      before: {
        ...{ id: agentId, scope: this.scope, state, via: 'goto', cwd: '/', home: '/', stack: [] },
        ...{ attributes: {}, forks: 0, turn: number - 1 },
        ...before,
      },
    };
  }
}

/** A fork of these states that goes on at `next`. */
export function forkOf(next: string, ...targets: readonly string[]): Transition {
  return { kind: 'fork', forks: targets.map((target) => ({ target, attributes: {} })), next };
}

/** The result of an agent. */
export const RESULT: Transition = { kind: 'result', payload: 'x' };
