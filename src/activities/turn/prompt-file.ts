// The file of a prompt state: its text and policy, read before the turn starts.
import { readPromptFile, type PromptFile } from '../../packages/frontmatter.js';
import { listScope, type LoadedState } from '../../packages/state.js';
import type { BackendName } from '../../protocol/language/policy.js';
import { turnFailure } from '../failure.js';
import type { StateNeeds } from '../slots/leases.js';
import type { Attempt } from '../attempt/attempt.js';

/** Reads it. Throws `InvalidState` with every mistake of the frontmatter. */
export async function promptFile(
  { artifacts, request: { agent } }: Attempt,
  state: LoadedState,
): Promise<Extract<PromptFile, { kind: 'prompt' }>> {
  const read = readPromptFile(state, {
    ...(await listScope(agent.scope, artifacts)),
    positionText: state.positionText,
  });
  if (read.kind === 'prompt') return read;
  throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${read.problems.join('\n')}`);
}

/** The leases that a prompt needs. Throws the errors of reading it. */
export async function promptNeeds(attempt: Attempt): Promise<StateNeeds> {
  const { settings } = attempt.request;
  const { policy } = await promptFile(attempt, await attempt.readState());
  return { keys: policy.limits ?? [], model: policy.model ?? settings.model };
}

/** The accounts that a prompt names; none when it cannot be read. */
export async function accountsNamed(attempt: Attempt): Promise<readonly string[] | undefined> {
  try {
    return (await promptFile(attempt, await attempt.readState())).policy.accounts;
  } catch {
    return undefined; // the turn says why
  }
}

/**
 * The backend of a prompt: that of its state, else of its conversation, else of the run. Throws
 * `InvalidState` when state and conversation differ: no backend can continue the conversation of
 * another.
 */
export function backendOf({ request: { agent, settings } }: Attempt, named: BackendName | undefined): BackendName {
  const { session } = agent;
  const present = session === undefined ? undefined : (session.backend ?? 'claude');
  if (named === undefined || present === undefined || named === present)
    return named ?? present ?? settings.backend ?? 'claude';
  const what = `the state names the backend ${named}, but continues a conversation of ${present}`;
  const next = 'enter it with <reset>, <function> or <fork>, which start a new conversation, or remove its backend key';
  throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${what}; ${next}`);
}
