// The steps of agents from state to state, from their recorded turns: diagrams of runs and the
// coverage of tests count them.
import { assertNever } from '../protocol/failure.js';
import type { TagName } from '../protocol/language/tag.js';
import type { Scope } from '../protocol/scope.js';
import { LATE_ANSWER, LATE_FORKS } from '../protocol/machine/wait.js';
import type { Fork, ForkPage, Transition } from '../protocol/machine/transition.js';
import type { ArtifactStore } from '../store/store.js';
import type { RecordedTurn } from './recorded-turn.js';

/** The target of a step: a state of the same package, another package, or the end of the agent. */
export type Destination =
  | { readonly kind: 'state'; readonly file: string }
  | { readonly kind: 'workflow'; readonly scope: Scope }
  | { readonly kind: 'end' };

/** One step: from the tag, or from its attribute `return`, `next` or `timeout_next`. */
export interface Step {
  readonly from: string;
  readonly tag: TagName;
  readonly role: 'target' | 'return' | 'next' | 'timeout';
  readonly to: Destination;
  /** The turn with the tag. */
  readonly turn: RecordedTurn;
}

/**
 * The steps of one run, agent by agent. A step counts when it was taken: an answer when it arrived,
 * a return when the result existed.
 */
export function stepsOf(turns: readonly RecordedTurn[]): readonly Step[] {
  const agents = new Map<string, RecordedTurn[]>();
  for (const turn of turns) agents.set(turn.agentId, [...(agents.get(turn.agentId) ?? []), turn]);
  return [...agents.values()].flatMap(stepsOfAgent);
}

function stepsOfAgent(turns: readonly RecordedTurn[]): readonly Step[] {
  const callers: Caller[] = [];
  const stepsOfTurn = ({ turn, transition }: Ended, next: RecordedTurn | undefined): readonly Step[] => {
    if ('return' in transition) callers.push({ turn, transition });
    if (transition.kind === 'reset-workflow') callers.length = 0;
    if (transition.kind === 'ask' || transition.kind === 'await') return waited(turn, transition, next);
    if (transition.kind !== 'result') return stepsOfTransition(turn, transition);
    const caller = callers.pop();
    const judging = caller !== undefined && 'judging' in caller.transition ? caller.transition.judging : undefined;
    if (caller === undefined || judging === undefined)
      return [...stepsOfTransition(turn, transition), ...returned(caller)];
    // After a judge, the step is the proposed one of its caller, or its own.
    const { verdict } = transition;
    return verdict === undefined
      ? stepsOfTurn({ turn: caller.turn, transition: judging.proposed }, next)
      : stepsOfTurn({ turn, transition: verdict }, next);
  };
  return turns.flatMap((turn, index) =>
    turn.end.kind === 'transition' ? stepsOfTurn({ turn, transition: turn.end.transition }, turns[index + 1]) : [],
  );
}

/** A turn that ended with a transition, or a judge has decided that it does. */
interface Ended {
  readonly turn: RecordedTurn;
  readonly transition: Transition;
}

type Caller = Ended & { readonly transition: Extract<Transition, { readonly return: string }> };

function stepsOfTransition(turn: RecordedTurn, transition: Transition): readonly Step[] {
  const from = turn.state;
  const step = (to: Destination, part: Partial<Step> = {}): Step => ({
    ...{ from, tag: transition.kind, role: 'target', to, turn },
    ...part,
  });
  switch (transition.kind) {
    case 'fork':
      return [
        ...transition.forks.map((fork) => step(...forked(fork))),
        step(stateAt(transition.next), { role: 'next' }),
      ];
    case 'result':
      return [step({ kind: 'end' })];
    case 'call-workflow':
    case 'function-workflow':
    case 'reset-workflow':
      return [step({ kind: 'workflow', scope: transition.scope })];
    case 'goto':
    case 'reset':
    case 'call':
    case 'function':
      return [step(stateAt(transition.target))];
    case 'ask':
    case 'await':
      return [];
    default:
      return assertNever(transition);
  }
}

function forked({ target, workflow }: Fork): readonly [Destination, Partial<Step>] {
  if (workflow === undefined) return [stateAt(target), {}];
  return [{ kind: 'workflow', scope: workflow.scope }, { tag: 'fork-workflow' }];
}

function stateAt(file: string): Destination {
  return { kind: 'state', file };
}

type Waiting = Transition & { readonly kind: 'ask' | 'await' };

/**
 * Only the next turn shows where a question or a wait led; an operator may have sent the agent to
 * another state.
 */
function waited(turn: RecordedTurn, transition: Waiting, next: RecordedTurn | undefined): readonly Step[] {
  if (next === undefined) return [];
  const via = next.before?.via ?? (next.state === transition.next ? transition.kind : LATE_ANSWER);
  const isLate = via === LATE_ANSWER || via === LATE_FORKS;
  if (via !== transition.kind && !isLate) return [];
  const role = isLate ? 'timeout' : 'next';
  return [{ from: turn.state, tag: transition.kind, role, to: stateAt(next.state), turn }];
}

/** The step that the caller named for the result; none for an agent whose call is not available. */
function returned(caller: Caller | undefined): readonly Step[] {
  if (caller === undefined) return [];
  const { turn, transition } = caller;
  return [{ from: turn.state, tag: transition.kind, role: 'return', to: stateAt(transition.return), turn }];
}

/**
 * The turns with all forks in their transitions: very many forks are in the store. Throws
 * `ArtifactMissing`.
 */
export async function withAllForks(
  turns: readonly RecordedTurn[],
  artifacts: ArtifactStore,
): Promise<readonly RecordedTurn[]> {
  return await Promise.all(
    turns.map(async (turn) => {
      const { end } = turn;
      if (end.kind !== 'transition' || end.transition.kind !== 'fork' || end.transition.more === undefined) return turn;
      const forks = [...end.transition.forks];
      for (let page: ForkPage['next'] = end.transition.more.page; page !== undefined;) {
        const read = JSON.parse(await artifacts.text(page)) as ForkPage;
        forks.push(...read.forks);
        page = read.next;
      }
      return { ...turn, end: { ...end, transition: { ...end.transition, forks } } };
    }),
  );
}
