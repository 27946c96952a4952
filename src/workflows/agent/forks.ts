// Starting the agents of a fork, page by page. How far it has come is in the forking agent's record, so that it goes on over
// continue-as-new and restarts; an agent whose name was ever used in the run gets the next free number.
import { CancellationScope } from '@temporalio/workflow';
import type { AgentState, ForkProgress } from '../../protocol/machine/agent.js';
import { forkedAgents, renumbered, type ForkedAgent, type Step } from '../../protocol/machine/step.js';
import { defined, type Value } from '../../protocol/text.js';
import type { ForkPage } from '../../protocol/machine/transition.js';
import { sharedBy, unplaced } from '../../protocol/machine/workspace.js';
import { readRecord } from '../activities.js';
import type { AgentInput } from '../contract.js';
import { startForked } from '../run/to-agents.js';
import type { RunChannel } from './to-run.js';

/** So many are started together: Temporal allows 2,000 signals and children that are under way. */
const FORKS_AT_ONCE = 100;

/** A fork as the workflow carries it out. */
export interface ForkOptions {
  readonly input: AgentInput;
  /** The forking agent as it was before, whose `forks` count from. */
  readonly before: AgentState;
  readonly step: Extract<Step, { readonly kind: 'fork' }>;
  readonly gate: RunChannel;
  readonly progress?: ForkProgress;
  /** An earlier execution may have started some of the agents without having said so. */
  readonly resumed: boolean;
  /** Hears of every page that was started, with how far it has come. */
  readonly started: (agents: number, progress: ForkProgress) => Promise<void>;
}

/** Starts what has yet to be started; gives the forking agent as it goes on. */
export async function startForks(options: ForkOptions): Promise<AgentState> {
  const { step, before } = options;
  let { started, renumbered: extra, page }: ForkProgress = options.progress ?? { started: 0, renumbered: 0 };
  for (let next = options.progress === undefined ? first(step) : await load(page); next !== undefined;) {
    const agents = next.agents ?? forkedAgents(before, { forks: next.forks, first: before.forks + started + 1 });
    extra = await startAll(options, { agents, extra });
    started += agents.length;
    page = next.page;
    await options.started(agents.length, { started, renumbered: extra, ...(page === undefined ? {} : { page }) });
    next = await load(page);
  }
  return { ...step.agent, forks: step.agent.forks + extra };
}

interface Page {
  readonly forks: ForkPage['forks'];
  /** Those of the first page are known. */
  readonly agents?: readonly ForkedAgent[];
  /** The page after it. */
  readonly page: Value | undefined;
}

function first({ agents, more }: ForkOptions['step']): Page {
  return { forks: [], agents, page: more?.page };
}

async function load(page: Value | undefined): Promise<Page | undefined> {
  if (page === undefined) return undefined;
  const { forks, next } = (await readRecord(page)) as ForkPage;
  return { forks, page: next };
}

/** Gives how many agents of the output have other numbers than theirs by now. */
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

/** Gives those that could not be started, because their names were used before. */
async function startTogether(
  { input: { pausedBy: _own, ...input }, before, gate, resumed }: ForkOptions,
  agents: readonly ForkedAgent[],
): Promise<readonly ForkedAgent[]> {
  // The run must know of the agents before they exist, or it could end between the two. That is not torn by a cancel.
  return await CancellationScope.nonCancellable(async () => {
    await gate.starting(
      agents.map(({ agent, ...entry }) => ({
        ...entry,
        agentId: agent.id,
        parent: before.id,
        state: agent.state,
        ...defined({ shares: sharedBy(agent) }),
      })),
    );
    // A pause that this agent has heard of holds for those that it starts: the run may not have told them before their first turn.
    const { pausedBy } = gate;
    const family = pausedBy === undefined ? input : { ...input, pausedBy };
    const done = await Promise.all(agents.map(({ agent }) => startForked(family, unplaced(agent))));
    const refused = agents.filter((_one, index) => !done[index]);
    // The ledger may know it as lost, from before it came to life.
    for (const one of resumed ? agents : [])
      if (!refused.includes(one)) await gate.report(one.agent, { costUsd: 0, status: { kind: 'running' } });
    for (const { agent } of refused) await gate.notStarted(agent, before.id);
    return refused;
  });
}
