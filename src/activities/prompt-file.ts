// The file of a prompt state: its text and its policy, and what it says before the turn begins.
import { readPromptFile, type PromptFile } from '../packages/frontmatter.js';
import { listScope, loadState, type LoadedState } from '../packages/state.js';
import { turnFailure } from './failure.js';
import type { StateNeeds } from './leases.js';
import type { TurnRequest } from './types.js';

/** Reads it. Throws `InvalidState` with every mistake of the frontmatter. */
export async function promptFile(
  { agent }: TurnRequest,
  state: LoadedState,
): Promise<Extract<PromptFile, { kind: 'prompt' }>> {
  const read = readPromptFile(state, { ...(await listScope(agent.scope)), place: state.place });
  if (read.kind === 'prompt') return read;
  throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${read.problems.join('\n')}`);
}

/** What a prompt needs a place of. Throws what keeps it from being read. */
export async function promptNeeds(request: TurnRequest): Promise<StateNeeds> {
  const { agent, settings } = request;
  const { policy } = await promptFile(request, await loadState(agent.scope, agent.state));
  return { keys: policy.limits ?? [], model: policy.model ?? settings.model };
}
