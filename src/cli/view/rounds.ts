// Folds the rounds of an agent that polls: turns that wait by a delay and end in the same way each time are shown once,
// then counted. A round has up to four turns.
import type { RecordedTurn } from '../../history/turns.js';

/** Something shown of an agent. Absent `key` = never folded; `waits`: its turn ends with a delay. */
export interface Step {
  readonly agentId: string;
  readonly key?: string;
  readonly waits: boolean;
}

/** What to show next: a step, or how often a round was repeated after the one that is shown. */
export type Shown<T> = T | Repeated<T>;

/** Rounds that are not shown; `turns` of each, the first of them and the last. */
export interface Repeated<T> {
  readonly repeated: number;
  readonly turns: number;
  readonly first: T;
  readonly last: T;
}

/** True for a count instead of a step. */
export function isRepeated<T extends object>(shown: Shown<T>): shown is Repeated<T> {
  return 'repeated' in shown;
}

const MAX_TURNS = 4;

/** The rounds of all agents of a run. */
export class Rounds<T extends Step> {
  private readonly agents = new Map<string, AgentRounds<T>>();

  /** The next step; returns what to show now. */
  next(step: T): readonly Shown<T>[] {
    const agent = this.agents.get(step.agentId) ?? new AgentRounds<T>();
    this.agents.set(step.agentId, agent);
    return agent.next(step);
  }

  /** The steps that are not shown yet, at the end. */
  end(): readonly Shown<T>[] {
    return [...this.agents.values()].flatMap((agent) => agent.end());
  }
}

class AgentRounds<T extends Step> {
  /** The last steps that are shown. */
  private recent: readonly T[] = [];
  private turns = 0;
  private repeated: Repeated<T> | undefined;
  /** The beginning of a round that may be a repetition. */
  private held: readonly T[] = [];

  next(step: T): readonly Shown<T>[] {
    if (step.key === undefined) {
      const before = this.end();
      this.recent = [];
      return [...before, step];
    }
    if (this.turns === 0) this.turns = this.turnsOfRound(step);
    if (this.turns === 0) return this.show([step]);
    if (this.recent.at(this.held.length - this.turns)?.key !== step.key) return [...this.end(), ...this.next(step)];
    this.held = [...this.held, step];
    if (this.held.length < this.turns) return [];
    const [first = step] = this.held;
    this.repeated = {
      repeated: (this.repeated?.repeated ?? 0) + 1,
      turns: this.turns,
      first: this.repeated?.first ?? first,
      last: step,
    };
    this.held = [];
    return [];
  }

  end(): readonly Shown<T>[] {
    const { repeated, held } = this;
    [this.turns, this.repeated, this.held] = [0, undefined, []];
    return [...(repeated === undefined ? [] : [repeated]), ...this.show(held)];
  }

  private show(steps: readonly T[]): readonly T[] {
    this.recent = [...this.recent, ...steps].slice(-MAX_TURNS);
    return steps;
  }

  /** How many turns the round has that this step repeats; 0 = it repeats none. */
  private turnsOfRound({ key }: T): number {
    for (let turns = 1; turns <= this.recent.length; turns += 1) {
      const round = this.recent.slice(-turns);
      if (round[0]?.key === key && round.some(({ waits }) => waits)) return turns;
    }
    return 0;
  }
}

/** Decides whether a turn is folded: only one that cost nothing and ended with a transition. */
export function stepOf(
  { agentId, state, end, costUsd }: Pick<RecordedTurn, 'agentId' | 'state' | 'end' | 'costUsd'>,
  shown: string,
): Step {
  if (end.kind !== 'transition' || costUsd > 0) return { agentId, waits: false };
  const waits = 'delayMs' in end.transition;
  return { agentId, key: `${state} ${shown}`, waits };
}

/** `42 more rounds of 2 turns`. */
export function repeatedText({ repeated, turns }: Pick<Repeated<unknown>, 'repeated' | 'turns'>): string {
  const rounds = repeated === 1 ? '1 more round' : `${repeated} more rounds`;
  return `… ${rounds}${turns === 1 ? '' : ` of ${turns} turns`}`;
}
