// `raymond goto` and `retry`: one agent goes on, from another state or from its own. In the embedded mode a run that is started again for it
// is served by this process.
import { prepareGoto, prepareRetry, type PreparedMove } from '../../client/steer/moves.js';
import { defined } from '../../protocol/text.js';
import type { CommandContext } from '../context.js';
import type { ConnectionFlags, ViewFlags } from '../flags.js';
import type { Io } from '../io.js';
import { followOn, openForView, serveOn } from '../runs/follow.js';
import { report } from './steer.js';

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
  const prepared = await prepareRetry(context, { runId, agentId, ...defined({ taskQueue: flags.taskQueue }) });
  return await goOn(context, prepared, { command: 'retry', agentId, flags, what: `${agentId} tries again` });
}

/** Sends one agent to another state; gives the exit code. */
export async function goTo(
  io: Io,
  { runId, agentId, state, flags: given }: AgentRequest<GotoFlags> & { readonly state: string },
): Promise<number> {
  const { flags, surroundings: context } = await openForView(io, { flags: given, runId });
  const { input, reset, now, taskQueue } = flags;
  const prepared = await prepareGoto(context, { runId, agentId, state, ...defined({ input, reset, now, taskQueue }) });
  const { pausedBy, open, runId: id } = prepared.view;
  const pauses = open && pausedBy !== undefined ? `, and pauses there; resume it with: raymond resume ${id}` : '';
  const what = `${agentId} goes to ${prepared.target ?? state}${pauses}`;
  return await goOn(context, prepared, { command: 'goto', agentId, flags, what });
}

interface Going {
  readonly command: 'retry' | 'goto';
  readonly agentId: string;
  readonly flags: RetryFlags;
  /** What was asked for, in words. */
  readonly what: string;
}

async function goOn(
  context: CommandContext,
  { view, begin }: PreparedMove,
  { command, agentId, flags, what }: Going,
): Promise<number> {
  const { runId, open } = view;
  if (!open && context.mode.kind === 'local') return await serveOn(context, { runId, flags, onServing: begin });
  await begin();
  if (flags.follow === true) return await followOn(context, { runId, flags, following: {} });
  return await report(context, { command, view, agentId, what, json: flags.json });
}
