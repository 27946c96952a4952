// What a fork makes: the records of the agents that it starts, and the forking agent as it goes on. Pure.
// Must not start them: the workflow does, and finds another number for an id that was used before.
import type { AgentState } from './agent.js';
import type { Step } from './apply.js';
import { abbreviation, forkedAgentId, taskOf } from './names.js';
import type { ForkWorker, Transition } from './transition.js';

type Forking = Extract<Transition, { readonly kind: 'fork' }>;

/** The step of a fork. `base` is the forking agent without what its last state was given. */
export function fork(
  agent: AgentState,
  { base, transition }: { readonly base: AgentState; readonly transition: Forking },
): Step {
  const { workers, next, input } = transition;
  const started = workers.map((worker, index) => forked(agent, worker, agent.forks + index + 1));
  const pending = input === undefined ? {} : { pending: { value: input, returning: false } };
  const parent = { ...base, state: next, via: 'fork', forks: agent.forks + workers.length, ...pending };
  return { kind: 'fork', agent: parent, workers: started };
}

/** The same worker under another number. */
export function renumbered(
  worker: AgentState,
  { from, to }: { readonly from: number; readonly to: number },
): AgentState {
  return { ...worker, id: `${worker.id.slice(0, -String(from).length)}${to}` };
}

function forked(parent: AgentState, worker: ForkWorker, number: number): AgentState {
  const { elsewhere } = worker;
  const short = elsewhere?.abbreviation ?? abbreviation(worker.target);
  return {
    id: forkedAgentId({ parent: parent.id, short, number }),
    scope: elsewhere?.scope ?? parent.scope,
    state: worker.target,
    via: elsewhere === undefined ? 'fork' : 'fork-workflow',
    // A forked agent starts where the run did; in another workflow it stays where its parent is (design.md §5).
    cwd: worker.cd ?? (elsewhere === undefined ? parent.home : parent.cwd),
    home: parent.home,
    stack: [],
    ...(worker.input === undefined ? {} : { pending: { value: worker.input, returning: false } }),
    attributes: worker.attributes,
    forks: 0,
    turn: 0,
    ...(worker.task === 'inherit' ? { task: taskOf(parent) } : {}),
    ...(elsewhere === undefined || parent.depth === undefined ? {} : { depth: parent.depth }),
  };
}
