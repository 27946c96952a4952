// `raymond goto` and `retry`: one agent goes on, from another state or from its own. An agent of a run that has closed goes on alone: the run
// is started again for it, and in the embedded mode this process serves it.
import { parse } from 'node:path';
import { ClientError } from '../client/error.js';
import { moveAgent, retryAgent } from '../client/control.js';
import { restartRun } from '../client/resume.js';
import { findRun, type RunView } from '../client/runs.js';
import { recordedTurns } from '../history/chapters.js';
import { operator } from '../host/process.js';
import { localQueue } from '../local.js';
import { listScope } from '../packages/state.js';
import type { Scope } from '../protocol/agent.js';
import { scopeAt } from '../protocol/scope.js';
import { defined } from '../protocol/text.js';
import type { Move } from '../workflows/contract.js';
import { hintAtWorkers, type CommandContext } from './context.js';
import type { ConnectionFlags, ViewFlags } from './flags.js';
import type { Io } from './io.js';
import { followOn, openForView, serveOn } from './serve.js';
import { say } from './steer.js';

/** Flags of `retry`. */
export interface RetryFlags extends ConnectionFlags, ViewFlags {
  readonly follow?: boolean;
  readonly taskQueue?: string;
}

/** Flags of `goto`. */
export interface GotoFlags extends RetryFlags {
  readonly input?: string;
  readonly reset?: boolean;
  readonly now?: boolean;
}

/** Which agent. */
interface AgentRequest<T> {
  readonly runId: string;
  readonly agentId: string;
  readonly flags: T;
}

/** Lets one agent try again; gives the exit code. */
export async function retry(io: Io, { runId, agentId, flags: given }: AgentRequest<RetryFlags>): Promise<number> {
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId });
  const view = await findRun(context.link.client, runId, context.artifacts);
  if (!view.open) return await goOnAlone(context, { view, agentId, flags });
  await retryAgent(context.link.client, { view, agentId, by: operator() });
  await say(context, { view, what: `${agentId} tries again` });
  return 0;
}

/** Sends one agent to another state; gives the exit code. */
export async function goTo(
  io: Io,
  { runId, agentId, state, flags: given }: AgentRequest<GotoFlags> & { readonly state: string },
): Promise<number> {
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId });
  const { link, artifacts } = context;
  const view = await findRun(link.client, runId, artifacts);
  const target = await stateOf(context, { view, agentId, state });
  const input = flags.input === undefined ? undefined : await artifacts.value(flags.input);
  const move: Move = {
    kind: flags.reset === true ? 'reset' : 'goto',
    target,
    by: operator(),
    ...defined({ input, now: flags.now }),
  };
  if (!view.open) return await goOnAlone(context, { view, agentId, flags, move });
  await moveAgent(link, { view, agentId, move });
  await say(context, { view, what: `${agentId} goes to ${target}` });
  return 0;
}

/** The state's file as the agent's package has it; on a cluster the package may be elsewhere. */
async function stateOf({ link, artifacts, mode }: CommandContext, { view, agentId, state }: Target): Promise<string> {
  if (mode.kind === 'cluster') return state;
  const turns = await recordedTurns({ client: link.client, artifacts }, { runId: view.runId, agentId });
  return await stateIn(turns.at(-1)?.before?.scope ?? scopeAt(view.scope), state);
}

interface Target {
  readonly view: RunView;
  readonly agentId: string;
  readonly state: string;
}

/** The file of a state, named with or without its extension. Throws `InvalidUsage`. */
export async function stateIn(scope: Scope, name: string): Promise<string> {
  const { files } = await listScope(scope);
  const found = files.includes(name) ? [name] : files.filter((file) => parse(file).name === name);
  const [file] = found;
  if (file !== undefined && found.length === 1) return file;
  const what = found.length > 1 ? `${name} may be ${found.join(' or ')}` : `it has ${files.join(', ')}`;
  throw new ClientError('InvalidUsage', `${scope.path} has no state ${name}; ${what}`);
}

async function goOnAlone(
  context: CommandContext,
  {
    view,
    agentId,
    flags,
    move,
  }: { readonly view: RunView; readonly agentId: string; readonly flags: RetryFlags; readonly move?: Move },
): Promise<number> {
  const { io, link, mode, artifacts } = context;
  const { runId } = view;
  const only = { agentId, by: operator(), ...defined({ move }) };
  const taskQueue = mode.kind === 'local' ? localQueue(runId) : (flags.taskQueue ?? view.taskQueue);
  const restart = (): Promise<void> => restartRun(link.client, { view, artifacts, taskQueue, only });
  if (mode.kind === 'local') return await serveOn(context, { runId, flags, onServing: restart });
  await restart();
  if (flags.follow === true) return await followOn(context, { runId, flags, following: {} });
  io.say(`${agentId} of ${runId} goes on`);
  await hintAtWorkers(context, taskQueue);
  return 0;
}
