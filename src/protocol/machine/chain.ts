// Chains of script turns: whether the activity that has done an agent's turn may go on with the next one by itself. Worker and workflow
// ask the same functions, so that they come to the same record.
import type { AgentState } from './agent.js';
import { executorOf } from '../language/resolve.js';
import { applyTransition, MAX_STACK } from './step.js';
import type { Transition } from './transition.js';

/**
 * Where a chain ends. What a longer one saves is little, and people see a turn in Temporal's history only with the end of its chain.
 * `frames`: the stack goes along with the activity's input. `bytes`: of the turns that it reports, as JSON.
 */
export const CHAIN_LIMITS = { ms: 250, turns: 50, frames: 20, bytes: 64 * 1024 } as const;

/** The agent about to do the next turn of its chain; undefined where the chain ends. `done` is the agent after the turn before. */
export function nextInChain(done: AgentState, transition: Transition): AgentState | undefined {
  if (exceedsStack(done, transition)) return undefined;
  const step = applyTransition(done, transition);
  if (step.kind !== 'continue') return undefined;
  const { agent } = step;
  return executorOf(agent.state) !== 'prompt' && mayChain(agent) ? agent : undefined;
}

/** How a turn came out, as far as its chain is concerned. */
type Outcome =
  { readonly kind: 'transition'; readonly transition: Transition } | { readonly kind: 'problem' | 'cancelled' };

/** The agent about to do the turn after the one that it did as `before`; undefined where the chain ends. */
export function followerOf(before: AgentState, outcome: Outcome): AgentState | undefined {
  if (outcome.kind !== 'transition') return undefined;
  return nextInChain({ ...before, turn: before.turn + 1 }, outcome.transition);
}

/**
 * True for an agent whose turns may be in a chain: with files of its own each turn leaves a snapshot. The first turn of an agent is no
 * part of one: when it is over, the agent has heard what was asked for before it began.
 */
export function mayChain({ turn, stack, workspace }: AgentState): boolean {
  return turn > 0 && workspace === undefined && stack.length <= CHAIN_LIMITS.frames;
}

/** A turn of a chain, as far as it is to be reported. */
interface Done<R> {
  readonly end: { readonly kind: 'report'; readonly report: R } | { readonly kind: 'failure' };
}

/** The report of an activity that has done these turns: its own, then those of its chain. Undefined when there are none. */
export function reportOf<R, T extends Done<R>>(
  done: readonly (T & Done<R>)[],
): (R & { readonly chain?: readonly T[] }) | undefined {
  const [first, ...chain] = done;
  if (first === undefined) return undefined;
  if (first.end.kind !== 'report') throw new TypeError('a chain begins with a report');
  return { ...first.end.report, ...(chain.length === 0 ? {} : { chain }) };
}

/** True for a call that the stack has no room for. */
export function exceedsStack({ stack }: AgentState, transition: Transition): boolean {
  return 'return' in transition && stack.length >= MAX_STACK;
}

/** The part of an agent's record that a turn is given. */
export interface TurnPart {
  readonly agent: Omit<AgentState, 'stack'>;
  /** The state that a result goes back to; absent = a result ends the agent. */
  readonly returnsTo?: string;
}

/** A record as a turn is given it: of its stack only what the turn needs, and nothing of what held the agent. */
export function turnPart({
  stack,
  hold: _none,
  operatorNotes: _given,
  pausedBy: _later,
  move: _next,
  nextTurn: _known,
  owedUsd: _reported,
  ...agent
}: AgentState): TurnPart {
  const caller = stack.at(-1);
  return { agent, ...(caller === undefined ? {} : { returnsTo: caller.state }) };
}
