// The file of a prompt state: its text and policy, read before the turn starts.
import type { ApplicationFailure } from '@temporalio/common';
import { overridingPiArg } from '../../backends/pi/backend.js';
import { ScopeError } from '../../packages/error.js';
import { readPromptFile, type PromptFile } from '../../packages/frontmatter.js';
import { linearSearch } from '../../packages/linear-pattern.js';
import { openScope } from '../../packages/open.js';
import { resultOfPolicy } from '../../packages/result-schema.js';
import { backendOfPackage, listScope, loadState, type LoadedState } from '../../packages/state.js';
import type { PiOptions } from '../../protocol/backend-options.js';
import {
  CLAUDE_EFFORTS,
  isEffort,
  type BackendName,
  type Policy,
  type ResultCheck,
  type Rules,
} from '../../protocol/language/policy.js';
import type { Evaluation, Evaluator } from '../../protocol/language/evaluate.js';
import type { AgentState, Frame } from '../../protocol/machine/agent.js';
import { defined } from '../../protocol/text.js';
import { turnFailure } from '../failure.js';
import type { StateNeeds } from '../slots/leases.js';
import type { Attempt } from '../attempt/attempt.js';

/** Who reads a state. */
interface Reader {
  readonly artifacts: Attempt['artifacts'];
  readonly request: { readonly agent: Pick<AgentState, 'id' | 'scope' | 'state'> };
}

/** Reads it. Throws `InvalidState` with every mistake of the frontmatter. */
export async function promptFile(
  { artifacts, request: { agent } }: Reader,
  state: LoadedState,
): Promise<Extract<PromptFile, { kind: 'prompt' }>> {
  const read = readPromptFile(state, {
    ...(await listScope(agent.scope, artifacts)),
    positionText: state.positionText,
  });
  if (read.kind === 'prompt') return read;
  throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${read.problems.join('\n')}`);
}

/** The check of the result that a policy asks for. Throws `InvalidState` when its schema cannot be used. */
export async function resultCheck(
  { artifacts, request: { agent } }: Reader,
  { state, policy }: { readonly state: LoadedState; readonly policy: Policy },
): Promise<ResultCheck | undefined> {
  const { result } = policy;
  if (result === undefined) return undefined;
  const reader = await openScope(agent.scope, artifacts);
  return await resultOfPolicy(policy, (file) => reader.read(file)).catch((error: unknown) => {
    if (!(error instanceof ScopeError) || error.code === 'Unreadable') throw error;
    const problems =
      error.problems.length > 0 ? error.problems : [{ line: result.line, text: `result: ${error.message}` }];
    const what = problems.map(({ line, text }) => `${state.positionText(line)}: ${text}`).join('\n');
    throw turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${what}`);
  });
}

/** For the end of a judge: the frame of the state that it decides about, and that state's rules. */
export function judgedOf({ artifacts, request: { agent, judges } }: Attempt): { readonly judged?: Judged } {
  if (judges === undefined) return {};
  const { scope, state: file } = judges;
  const rules = async (): Promise<Rules> => {
    const asked = { artifacts, request: { agent: { id: agent.id, scope, state: file } } };
    const state = await loadState(scope, file, artifacts);
    const { policy } = await promptFile(asked, state);
    return { policy, variables: {}, ...defined({ result: await resultCheck(asked, { state, policy }) }) };
  };
  return { judged: { frame: judges, rules } };
}

/** A state whose transition a judge decides on. */
export interface Judged {
  readonly frame: Frame;
  readonly rules: () => Promise<Rules>;
}

/** The evaluation with its patterns compiled: reading the policy has checked them. */
export function evaluatorOf(evaluation: Evaluation): Evaluator {
  const searches = new Map(evaluation.patterns.map((pattern) => [pattern, linearSearch(pattern.match)]));
  return { ...evaluation, matches: (pattern, text) => searches.get(pattern)?.(text) === true };
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

/** The backend of a turn, and what the manifest asks of it. */
interface TurnBackend {
  readonly name: BackendName;
  readonly options?: PiOptions;
}

/**
 * The backend of a prompt: that of its state, else of the manifest of its package, else of its
 * conversation, else of the run. Throws `InvalidState` when the manifest's options cannot be honoured,
 * and when it differs from the conversation's: no backend can continue the conversation of another.
 */
export async function backendOf(attempt: Attempt, policy: Policy): Promise<TurnBackend> {
  const { agent, settings } = attempt.request;
  const ofPackage = await backendOfPackage(agent.scope, attempt.artifacts);
  const name = continued(attempt, { state: policy.backend, manifest: ofPackage?.name }) ?? settings.backend ?? 'claude';
  const { options } = ofPackage ?? {};
  if (options !== undefined) requireOptions(attempt, { name, options });
  requireEffort(attempt, { name, effort: policy.effort ?? settings.effort });
  return { name, ...defined({ options }) };
}

/** The backend that is named; it must be that of the conversation. */
function continued(
  attempt: Attempt,
  named: { readonly state: BackendName | undefined; readonly manifest: BackendName | undefined },
): BackendName | undefined {
  const { session } = attempt.request.agent;
  const present = session === undefined ? undefined : (session.backend ?? 'claude');
  const wanted = named.state ?? named.manifest;
  if (wanted === undefined || present === undefined || wanted === present) return wanted ?? present;
  const who = named.state === undefined ? 'the manifest of its package names' : 'the state names';
  const what = `${who} the backend ${wanted}, but ${named.state === undefined ? 'the state ' : ''}continues a conversation of ${present}`;
  const tags = named.state === undefined ? '<function-workflow> or <fork-workflow>' : '<reset>, <function> or <fork>';
  throw invalid(attempt, `${what}; enter it with ${tags}, which start a new conversation, or remove the backend key`);
}

/** Options may restrict what a prompt can do, so none of them is ever dropped. */
function requireOptions(attempt: Attempt, { name, options }: Required<TurnBackend>): void {
  if (name !== 'pi') {
    const what = `the state names the backend ${name}, but the manifest of its package has options for pi`;
    throw invalid(attempt, `${what}, which ${name} cannot obey; remove the options or the state's backend key`);
  }
  const overriding = overridingPiArg(attempt.worker.settings.piArgs, options);
  if (overriding === undefined) return;
  const what = `pi_args in the config has ${overriding}, which would override an option in the manifest of the package`;
  throw invalid(attempt, `${what}; remove one of them`);
}

/** Claude Code only warns about an effort that it does not know. */
function requireEffort(
  attempt: Attempt,
  { name, effort }: { readonly name: BackendName; readonly effort: string | undefined },
): void {
  if (name !== 'claude' || effort === undefined || isEffort(effort, CLAUDE_EFFORTS)) return;
  throw invalid(attempt, `Claude Code has no effort "${effort}"; use one of ${CLAUDE_EFFORTS.join(', ')}`);
}

function invalid({ request: { agent } }: Attempt, why: string): ApplicationFailure {
  return turnFailure('InvalidState', `${agent.id}, ${agent.state}: ${why}`);
}
