// The stack machine: one transition applied to one agent gives the step that follows. Pure; the record is never mutated.
// Must not resolve names, touch files or start anything.
import type { AgentState, Frame, Pending } from './agent.js';
import { assertNever } from './assert.js';
import { forkedAgentId } from './names.js';
import type { ForkWorker, Transition } from './transition.js';
import type { Value } from './value.js';

/** What follows a turn: go on with `agent`, start `workers` and go on, or end with `payload`. */
export type Step =
  | { readonly kind: 'continue'; readonly agent: AgentState }
  | { readonly kind: 'fork'; readonly agent: AgentState; readonly workers: readonly AgentState[] }
  | { readonly kind: 'end'; readonly agent: AgentState; readonly payload: Value };

/** Applies `transition` to `agent` as it stands after the turn (its session already moved on). */
export function applyTransition(agent: AgentState, transition: Transition): Step {
  switch (transition.kind) {
    case 'goto':
      return proceed(agent, { state: transition.target, via: 'goto', ...given(transition.input) });
    case 'reset':
      return proceed(withoutSession(agent), {
        state: transition.target,
        via: 'reset',
        ...given(transition.input),
        ...(transition.cd === undefined ? {} : { cwd: transition.cd }),
      });
    case 'call':
    case 'function': {
      const base = transition.kind === 'call' ? agent : withoutSession(agent);
      const stack = [...agent.stack, frameOf(agent, transition.return)];
      return proceed(base, { state: transition.target, via: transition.kind, stack, ...given(transition.input) });
    }
    case 'fork':
      return fork(agent, transition);
    case 'result':
      return giveBack(agent, transition.payload);
    default:
      return assertNever(transition);
  }
}

function proceed(agent: AgentState, change: Partial<AgentState>): Step {
  return { kind: 'continue', agent: { ...settled(agent), ...change } };
}

/** Drops what only the state that just ended was given. */
function settled({ pending: _pending, ...agent }: AgentState): AgentState {
  return { ...agent, attributes: {} };
}

function withoutSession({ session: _session, ...agent }: AgentState): AgentState {
  return agent;
}

function given(input: Value | undefined): { pending?: Pending } {
  return input === undefined ? {} : { pending: { value: input, returning: false } };
}

function frameOf(agent: AgentState, state: string): Frame {
  const { scope, cwd, session } = agent;
  return { state, scope, cwd, ...(session === undefined ? {} : { session }) };
}

function fork(agent: AgentState, { workers, next, input }: Transition & { kind: 'fork' }): Step {
  const started = workers.map((worker, index) => forked(agent, worker, agent.forks + index + 1));
  const parent = { ...settled(agent), state: next, via: 'fork', forks: agent.forks + workers.length, ...given(input) };
  return { kind: 'fork', agent: parent, workers: started };
}

function forked(parent: AgentState, worker: ForkWorker, number: number): AgentState {
  return {
    id: forkedAgentId({ parent: parent.id, target: worker.target, number }),
    scope: parent.scope,
    state: worker.target,
    via: 'fork',
    cwd: worker.cd ?? parent.home,
    home: parent.home,
    stack: [],
    ...given(worker.input),
    attributes: worker.attributes,
    forks: 0,
    turn: 0,
  };
}

function giveBack(agent: AgentState, payload: Value): Step {
  const frame = agent.stack.at(-1);
  if (frame === undefined) return { kind: 'end', agent: settled(agent), payload };
  const { state, scope, cwd, session } = frame;
  return proceed(withoutSession(agent), {
    state,
    scope,
    cwd,
    via: 'result',
    stack: agent.stack.slice(0, -1),
    pending: { value: payload, returning: true },
    ...(session === undefined ? {} : { session }),
  });
}
