// `raymond goto` and `retry`: one agent continues, at another state or at its own.
import { prepareGoto, prepareRetry, type PreparedMove } from '../../client/steer/moves.js';
import type { AgentLine } from '../../contract/runs.js';
import { defined } from '../../protocol/text.js';
import type { ClientContext } from '../context.js';
import type { Io } from '../io.js';
import { openForView, order, type ContinueFlags } from '../runs/follow.js';
import { report } from './steer.js';

/** Flags of `retry`. */
export type RetryFlags = ContinueFlags;

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

/** Retries one agent; returns the exit code. */
export async function retry(io: Io, { runId, agentId, flags: given }: AgentRequest<RetryFlags>): Promise<number> {
  const { flags, context } = await openForView(io, { flags: given, runId });
  const options = { runId, agentId, ...defined({ taskQueue: flags.taskQueue }) };
  const prepared = await prepareRetry(context, options);
  return await continueAgent(context, prepared, { command: 'retry', agentId, flags, what: `retrying ${agentId}` });
}

/** Continues one agent at another state; returns the exit code. */
export async function goTo(
  io: Io,
  { runId, agentId, state, flags: given }: AgentRequest<GotoFlags> & { readonly state: string },
): Promise<number> {
  const { flags, context } = await openForView(io, { flags: given, runId });
  const { input, reset, now, taskQueue } = flags;
  const options = { runId, agentId, state, ...defined({ input, reset, now, taskQueue }) };
  const prepared = await prepareGoto(context, options);
  const { pausedBy, open, runId: id } = prepared.view;
  const pauses = open && pausedBy !== undefined ? `, and pauses there; resume it with: raymond resume ${id}` : '';
  const what = `${agentId} continues at ${prepared.target ?? state}${pauses}`;
  return await continueAgent(context, prepared, { command: 'goto', agentId, flags, what });
}

interface MoveOrder {
  readonly command: 'retry' | 'goto';
  readonly agentId: string;
  readonly flags: RetryFlags;
  /** The order, in words. */
  readonly what: string;
}

async function continueAgent(
  context: ClientContext,
  { view, begin }: PreparedMove,
  { command, agentId, flags, what }: MoveOrder,
): Promise<number> {
  const act = ({ engine }: ClientContext): Promise<void> => begin(engine);
  const continued = view.agents.find(({ id }) => id === agentId);
  const following = (): { readonly continued?: AgentLine } => defined({ continued });
  const done = await order(context, { runId: view.runId, flags, act, following });
  if ('code' in done) return done.code;
  return await report(context, { command, view, agentId, what, json: flags.json });
}
