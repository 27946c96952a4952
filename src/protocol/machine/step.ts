// The stack machine: one transition applied to one agent gives the next step, with the records of the agents that it
// starts. Pure; the record is never mutated. The workflow starts the agents, and picks another number for an id that is
// taken.
import type { AgentState, Frame, Pending } from './agent.js';
import { assertNever } from '../failure.js';
import { abbreviation, forkedAgentId, taskOf } from '../ids.js';
import { executorOf } from '../language/resolve.js';
import type { Attributes } from '../language/tag.js';
import type { Value } from '../text.js';
import type { Fork, MoreForks, Transition, WorkflowTransition } from './transition.js';
import { waitOf, type Wait } from './wait.js';
import { defined } from '../text.js';
import { ownWorkspace } from './workspace.js';

/** The step after a turn: continue with `agent`, start `agents` and continue, wait first, or end with `payload`. */
export type Step =
  | { readonly kind: 'continue'; readonly agent: AgentState }
  | {
      readonly kind: 'fork';
      readonly agent: AgentState;
      readonly agents: readonly ForkedAgent[];
      readonly more?: MoreForks;
      /** What the forking agent waits for before it continues. */
      readonly wait?: Wait;
    }
  | { readonly kind: 'wait'; readonly agent: AgentState; readonly wait: Wait }
  | { readonly kind: 'end'; readonly agent: EndedAgent; readonly payload: Value };

/** An agent with an empty stack. */
type EndedAgent = AgentState & { readonly stack: readonly [] };

/** The deepest nesting of workflow calls. */
export const MAX_DEPTH = 4;

/** How many callers may wait for a result at once: an endless recursion must not grow the record forever. */
export const MAX_STACK = 500;

/** Applies `transition` to `agent` as it is after the turn (with its new session). */
export function applyTransition(agent: AgentState, transition: Transition): Step {
  switch (transition.kind) {
    case 'goto':
      return delayed(proceed(agent, { state: transition.target, via: 'goto', ...given(transition) }), transition);
    case 'reset':
      return delayed(
        proceed(withoutSession(agent), {
          state: transition.target,
          via: 'reset',
          ...given(transition),
          ...directory(transition),
          ...newTask(agent, transition),
        }),
        transition,
      );
    case 'call':
    case 'function': {
      const base = transition.kind === 'call' ? agent : withoutSession(agent);
      const frame = { ...frameOf(agent, transition.return), ...defined({ judging: transition.judging }) };
      const via = transition.judging === undefined ? transition.kind : 'evaluate';
      const stack = [...agent.stack, frame];
      return going(proceed(base, { state: transition.target, via, stack, ...given(transition) }));
    }
    case 'fork':
      return fork(agent, { base: settled(agent), transition });
    case 'result':
      return giveBack(agent, transition);
    case 'ask':
    case 'await':
      return { kind: 'wait', agent: settled(agent), wait: waitOf(agent, transition) };
    default:
      return going(enterWorkflow(agent, transition));
  }
}

function going(agent: AgentState): Step {
  return { kind: 'continue', agent };
}

function delayed(agent: AgentState, { delayMs }: { readonly delayMs?: number }): Step {
  return delayMs === undefined ? going(agent) : { kind: 'wait', agent, wait: { kind: 'delay', ms: delayMs } };
}

function proceed(agent: AgentState, change: Partial<AgentState>): AgentState {
  return { ...settled(agent), ...change };
}

/** Drops what belonged only to the state that just ended. */
function settled({ pending: _pending, ...agent }: AgentState): AgentState {
  return { ...agent, attributes: {} };
}

function withoutSession({ session: _session, ...agent }: AgentState): AgentState {
  return agent;
}

function given({
  input,
  attributes,
}: {
  readonly input?: Value;
  readonly attributes?: Attributes;
}): Partial<AgentState> {
  const pending: Pending | undefined = input === undefined ? undefined : { value: input, returning: false };
  return defined({ pending, attributes });
}

function directory({ cd }: { readonly cd?: string }): Pick<AgentState, 'cwd'> | object {
  return cd === undefined ? {} : { cwd: cd };
}

function newTask({ id, tasks = 0 }: AgentState, { task }: { readonly task?: 'new' }): Partial<AgentState> {
  return task === undefined ? {} : { task: `${id}_task${tasks + 1}`, tasks: tasks + 1 };
}

function frameOf(agent: AgentState, state: string): Frame {
  const { scope, cwd, session, task, depth } = agent;
  return {
    state,
    scope,
    cwd,
    ...defined({ session, task, depth }),
  };
}

function enterWorkflow(agent: AgentState, transition: WorkflowTransition): AgentState {
  const { kind, scope, target } = transition;
  const change = { scope, state: target, via: kind, ...given(transition), ...directory(transition) };
  switch (kind) {
    case 'call-workflow':
    case 'function-workflow': {
      const base = kind === 'call-workflow' ? agent : withoutSession(agent);
      const stack = [...agent.stack, frameOf(agent, transition.return)];
      return proceed(base, { ...change, stack, depth: (agent.depth ?? 0) + 1 });
    }
    case 'reset-workflow': {
      const { depth: _depth, ...base } = withoutSession(agent);
      return proceed(base, { ...change, stack: [], ...newTask(agent, transition) });
    }
    default:
      return assertNever(transition);
  }
}

function giveBack(agent: AgentState, { payload, verdict }: Extract<Transition, { readonly kind: 'result' }>): Step {
  const frame = agent.stack.at(-1);
  if (frame === undefined) return { kind: 'end', agent: { ...settled(agent), stack: [] }, payload };
  const { task: _task, depth: _depth, ...base } = withoutSession(agent);
  const { judging, ...caller } = frame;
  const before = proceed(base, { ...caller, via: 'result', stack: agent.stack.slice(0, -1) });
  if (judging !== undefined) return applyTransition(before, verdict ?? judging.proposed);
  return going({ ...before, pending: { value: payload, returning: true } });
}

/** A transition that starts agents. */
type ForkTransition = Extract<Transition, { readonly kind: 'fork' }>;

/**
 * An agent that a fork starts, as its parent's fork of this number; `about` is the ledger's copy of its attributes, as
 * JSON.
 */
export interface ForkedAgent {
  readonly agent: AgentState;
  readonly number: number;
  readonly about?: Value;
}

function fork(
  agent: AgentState,
  { base, transition }: { readonly base: AgentState; readonly transition: ForkTransition },
): Step {
  const { forks, more, next, delayMs } = transition;
  const count = agent.forks + forks.length + (more?.count ?? 0);
  const parent = { ...base, state: next, via: 'fork', forks: count, ...given(transition) };
  const agents = forkedAgents(agent, { forks, first: agent.forks + 1 });
  const wait: Wait | undefined = delayMs === undefined ? undefined : { kind: 'delay', ms: delayMs };
  return { kind: 'fork', agent: parent, agents, ...defined({ more, wait }) };
}

/** The agents that these forks of `parent` start; the first has the number `first`. */
export function forkedAgents(
  parent: AgentState,
  { forks, first }: { readonly forks: readonly Fork[]; readonly first: number },
): readonly ForkedAgent[] {
  return forks.map((one, index) => ({
    agent: forked(parent, one, first + index),
    number: first + index,
    ...aboutOf(one),
  }));
}

/**
 * The forked agents, when those that begin with their parent's conversation start a little after the first of them: the
 * model's cache has what it sent once its answer begins. The lead is a time, so a failure of the first one blocks no other.
 */
export function staggered(agents: readonly ForkedAgent[], now: number): readonly ForkedAgent[] {
  const first = agents.find(continuesParent);
  const hold = { kind: 'delay', until: now + CACHE_LEAD_MS } as const;
  return agents.map((one) =>
    one === first || !continuesParent(one) ? one : { ...one, agent: { ...one.agent, hold } },
  );
}

/** A prompt with a long conversation begins to answer within this time. */
const CACHE_LEAD_MS = 5000;

function continuesParent({ agent }: ForkedAgent): boolean {
  return agent.session !== undefined && executorOf(agent.state) === 'prompt';
}

function aboutOf({ attributes, storedAttributes }: Fork): Pick<ForkedAgent, 'about'> {
  if (storedAttributes !== undefined) return { about: storedAttributes };
  return Object.keys(attributes).length === 0 ? {} : { about: JSON.stringify(attributes) };
}

/** The same agent under another number. */
export function renumbered({ agent, number, ...rest }: ForkedAgent, to: number): ForkedAgent {
  const id = `${agent.id.slice(0, -String(number).length)}${to}`;
  const own = agent.workspace?.owner === agent.id ? ownWorkspace(agent, { id, ...branchGiven(agent) }) : {};
  return { ...rest, agent: { ...agent, ...own, id }, number: to };
}

function branchGiven({ workspace }: AgentState): { readonly branch?: string } {
  return defined({ branch: workspace?.branch });
}

function forked(parent: AgentState, one: Fork, number: number): AgentState {
  const { workflow } = one;
  const short = workflow?.abbreviation ?? abbreviation(one.target);
  const id = forkedAgentId({ parent: parent.id, short, number });
  return {
    id,
    scope: workflow?.scope ?? parent.scope,
    state: one.target,
    via: workflow === undefined ? 'fork' : 'fork-workflow',
    ...(one.own === undefined ? sharedPlace(parent, one) : ownWorkspace(parent, { id, ...one.own })),
    stack: [],
    ...(one.input === undefined ? {} : { pending: { value: one.input, returning: false } }),
    attributes: one.attributes,
    forks: 0,
    turn: 0,
    ...(one.context === 'branch' ? defined({ session: parent.session }) : {}),
    ...(one.task === 'inherit' ? { task: taskOf(parent) } : {}),
    ...(workflow === undefined || parent.depth === undefined ? {} : { depth: parent.depth }),
  };
}

/** A forked agent starts in the run's directory; in another workflow, in its parent's directory. */
function sharedPlace(
  { cwd, home, workspace }: AgentState,
  { workflow, cd }: Fork,
): Pick<AgentState, 'cwd' | 'home' | 'workspace'> {
  return { cwd: cd ?? (workflow === undefined ? home : cwd), home, ...defined({ workspace }) };
}
