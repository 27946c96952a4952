// `raymond goto` and `retry`: one agent continues, from another state or from its own.
import { prepareGoto, prepareRetry, type PreparedMove } from '../../client/steer/moves.js';
import { defined } from '../../protocol/text.js';
import type { ClientContext } from '../context.js';
import type { Io } from '../io.js';
import { openForView, order, type GoOnFlags } from '../runs/follow.js';
import { report } from './steer.js';

/** Flags of `retry`. */
export type RetryFlags = GoOnFlags;

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
  const { flags, context } = await openForView(io, { flags: given, runId });
  const wishes = { runId, agentId, ...defined({ taskQueue: flags.taskQueue }) };
  const prepared = await prepareRetry(context, wishes);
  return await goOn(context, prepared, { command: 'retry', agentId, flags, what: `${agentId} tries again` });
}

/** Sends one agent to another state; gives the exit code. */
export async function goTo(
  io: Io,
  { runId, agentId, state, flags: given }: AgentRequest<GotoFlags> & { readonly state: string },
): Promise<number> {
  const { flags, context } = await openForView(io, { flags: given, runId });
  const { input, reset, now, taskQueue } = flags;
  const wishes = { runId, agentId, state, ...defined({ input, reset, now, taskQueue }) };
  const prepared = await prepareGoto(context, wishes);
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
  context: ClientContext,
  { view, begin }: PreparedMove,
  { command, agentId, flags, what }: Going,
): Promise<number> {
  const act = ({ engine }: ClientContext): Promise<void> => begin(engine);
  const done = await order(context, { runId: view.runId, flags, act });
  if ('code' in done) return done.code;
  return await report(context, { command, view, agentId, what, json: flags.json });
}
