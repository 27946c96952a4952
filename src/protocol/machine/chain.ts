// Chains of script turns: decides whether the activity that ran an agent's turn may run the next one itself. Worker and
// workflow call the same functions, so that both reach the same record.
import type { AgentState, Frame } from './agent.js';
import { executorOf } from '../language/resolve.js';
import { applyTransition, MAX_STACK } from './step.js';
import type { Transition } from './transition.js';

/**
 * Where a chain ends. A longer chain saves little, and Temporal's history shows its turns only when it ends. `frames`:
 * the stack is part of the activity's input. `bytes`: of the turns that it reports, as JSON.
 */
export const CHAIN_LIMITS = { ms: 250, turns: 50, frames: 20, bytes: 64 * 1024 } as const;

/**
 * The agent before the next turn of its chain; undefined when the chain ends. `done` is the agent after the previous
 * turn.
 */
export function nextInChain(done: AgentState, transition: Transition): AgentState | undefined {
  if (exceedsStack(done, transition)) return undefined;
  const step = applyTransition(done, transition);
  if (step.kind !== 'continue') return undefined;
  const { agent } = step;
  return executorOf(agent.state) !== 'prompt' && mayChain(agent) ? agent : undefined;
}

/** The part of a turn's outcome that matters to its chain. */
type Outcome =
  { readonly kind: 'transition'; readonly transition: Transition } | { readonly kind: 'problem' | 'cancelled' };

/** The agent before the turn after `before`; undefined when the chain ends. */
export function followerOf(before: AgentState, outcome: Outcome): AgentState | undefined {
  if (outcome.kind !== 'transition') return undefined;
  return nextInChain({ ...before, turn: before.turn + 1 }, outcome.transition);
}

/**
 * True for an agent whose turns may be in a chain: an agent with a workspace needs a snapshot after each turn. The
 * first turn of an agent is never in a chain: when it ends, the agent has received all orders sent before it began.
 */
export function mayChain({ turn, stack, workspace }: AgentState): boolean {
  return turn > 0 && workspace === undefined && stack.length <= CHAIN_LIMITS.frames;
}

/** A turn of a chain, reduced to its report. */
interface Done<R> {
  readonly end: { readonly kind: 'report'; readonly report: R } | { readonly kind: 'failure' };
}

/** The report of an activity that ran these turns: its own, then those of its chain. Undefined without turns. */
export function reportOf<R, T extends Done<R>>(
  done: readonly (T & Done<R>)[],
): (R & { readonly chain?: readonly T[] }) | undefined {
  const [first, ...chain] = done;
  if (first === undefined) return undefined;
  if (first.end.kind !== 'report') throw new TypeError('a chain begins with a report');
  return { ...first.end.report, ...(chain.length === 0 ? {} : { chain }) };
}

/** True for a call that does not fit on the stack. */
export function exceedsStack({ stack }: AgentState, transition: Transition): boolean {
  return 'return' in transition && stack.length >= MAX_STACK;
}

/** The part of an agent's record that a turn gets. */
interface TurnPart {
  readonly agent: Omit<AgentState, 'stack'>;
  /** The state that receives a result; absent = a result ends the agent. */
  readonly returnsTo?: string;
  /** The frame of the state whose transition this turn decides on, if it is a judge. */
  readonly judges?: Frame;
}

/** A record for a turn: only the part of its stack that the turn needs, and no hold. */
export function turnPart({
  stack,
  hold: _none,
  operatorNotes: _given,
  pausedBy: _later,
  forksPausedBy: _others,
  move: _next,
  nextTurn: _known,
  owedUsd: _reported,
  reports: _counted,
  carried: _sent,
  ...agent
}: AgentState): TurnPart {
  const caller = stack.at(-1);
  if (caller === undefined) return { agent };
  return { agent, returnsTo: caller.state, ...(caller.judging === undefined ? {} : { judges: caller }) };
}
