// Starts the agents of a fork, a page at a time. The progress is in the forking agent's record, so
// that the agent continues after continue-as-new and restarts, and receives orders between two
// pages. An agent whose name was already used in the run gets the next free number.
import type { AgentState, PendingTransition } from '../../protocol/machine/agent.js';
import { forkedAgents, renumbered, staggered, type ForkedAgent, type Step } from '../../protocol/machine/step.js';
import { defined, type Value } from '../../protocol/text.js';
import type { ForkPage } from '../../protocol/machine/transition.js';
import { beginWait } from '../../protocol/machine/wait.js';
import { sharedBy, withoutPlacement } from '../../protocol/machine/workspace.js';
import { activities } from '../activities.js';
import type { AgentInput } from '../../contract/runs.js';
import * as messages from '../messages.js';
import { startForked } from '../run/to-agents.js';
import type { RunChannel } from './to-run.js';

/** Temporal allows 2,000 signals and children in progress. */
const FORKS_AT_ONCE = 100;

/** A fork as the workflow carries it out. */
export interface ForkOptions {
  readonly input: AgentInput;
  readonly run: RunChannel;
  /** The forking agent as it was before, whose `forks` count from. */
  readonly before: AgentState;
  readonly step: Extract<Step, { readonly kind: 'fork' }>;
  readonly pending: PendingTransition;
  /** An earlier execution may have started some of the agents without reporting it. */
  readonly resumed: boolean;
}

/**
 * The agents of a fork that were started, and the forking agent afterwards: with the rest of its
 * fork, with its delay, or without a hold.
 */
export interface Forked {
  readonly started: number;
  readonly agent: AgentState;
}

/** Starts the next page of a fork. */
export async function startForks(options: ForkOptions): Promise<Forked> {
  const { step, before, pending } = options;
  const { started, renumbered: extra, page } = pending.progress ?? { started: 0, renumbered: 0, page: undefined };
  const { agents, next } = page === undefined ? first(step) : await load(options, { page, started });
  const { skipsWaits } = options.input.settings;
  const used = await startAll(options, { agents: skipsWaits === true ? agents : staggered(agents, Date.now()), extra });
  if (next === undefined) {
    const hold = step.wait === undefined ? undefined : beginWait(step.wait, Date.now());
    return { started: agents.length, agent: { ...step.agent, forks: step.agent.forks + used, ...defined({ hold }) } };
  }
  const progress = { started: started + agents.length, renumbered: used, page: next };
  return { started: agents.length, agent: { ...before, hold: { ...pending, progress } } };
}

interface Page {
  readonly agents: readonly ForkedAgent[];
  /** The page after it. */
  readonly next: Value | undefined;
}

function first({ agents, more }: ForkOptions['step']): Page {
  return { agents, next: more?.page };
}

async function load(
  { before, step }: ForkOptions,
  { page, started }: { readonly page: Value; readonly started: number },
): Promise<Page> {
  const { forks, next } = (await activities.readRecord(page)) as ForkPage;
  return { agents: forkedAgents(step.agent, { forks, first: before.forks + started + 1 }), next };
}

/** Returns how many agents of the output have got another number by now. */
async function startAll(
  options: ForkOptions,
  { agents, extra }: { readonly agents: readonly ForkedAgent[]; readonly extra: number },
): Promise<number> {
  const last = options.step.agent.forks;
  const waiting = [...agents];
  let used = extra;
  while (waiting.length > 0) {
    const refused = await startTogether(options, waiting.splice(0, FORKS_AT_ONCE));
    for (const one of refused) {
      // It was started before the agent was lost.
      if (options.resumed && one.number <= last) continue;
      used += 1;
      waiting.push(renumbered(one, last + used));
    }
  }
  return used;
}

/** Returns those that could not be started because their names are in use. */
async function startTogether(
  { input, before, run, resumed }: ForkOptions,
  agents: readonly ForkedAgent[],
): Promise<readonly ForkedAgent[]> {
  // The run must know of the agents before they exist, or it could end between the two.
  await run.send(
    messages.startingSignal,
    agents.map(({ agent, ...entry }) => ({
      ...entry,
      agentId: agent.id,
      parent: before.id,
      state: agent.state,
      ...defined({ shares: sharedBy(agent) }),
    })),
  );
  const { runId, workflow, settings } = input;
  // A pause that this agent has received also applies to the agents that it starts: the run may not
  // reach them before their first turn.
  const context = { runId, workflow, settings, ...defined({ pausedBy: before.pausedBy ?? before.forksPausedBy }) };
  const done = await Promise.all(agents.map(({ agent }) => startForked(context, withoutPlacement(agent))));
  const refused = agents.filter((_one, index) => !done[index]);
  // The ledger may know it as lost, from before it was started.
  for (const { agent } of resumed ? agents.filter((one) => !refused.includes(one)) : [])
    await run.send(messages.reportSignal, {
      agentId: agent.id,
      status: { kind: 'running' },
      state: agent.state,
      costUsd: 0,
    });
  for (const { agent } of refused) await run.send(messages.notStartedSignal, { agentId: agent.id, parent: before.id });
  return refused;
}
