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
  const prepare = (inner: ClientContext): Promise<PreparedMove> => prepareRetry(inner, wishes);
  const what = (): string => `${agentId} tries again`;
  return await goOn(context, prepare, { command: 'retry', agentId, flags, what });
}

/** Sends one agent to another state; gives the exit code. */
export async function goTo(
  io: Io,
  { runId, agentId, state, flags: given }: AgentRequest<GotoFlags> & { readonly state: string },
): Promise<number> {
  const { flags, context } = await openForView(io, { flags: given, runId });
  const { input, reset, now, taskQueue } = flags;
  const wishes = { runId, agentId, state, ...defined({ input, reset, now, taskQueue }) };
  const what = ({ view: { open, pausedBy, runId: id }, target = state }: PreparedMove): string => {
    const pauses = open && pausedBy !== undefined ? `, and pauses there; resume it with: raymond resume ${id}` : '';
    return `${agentId} goes to ${target}${pauses}`;
  };
  const prepare = (inner: ClientContext): Promise<PreparedMove> => prepareGoto(inner, wishes);
  return await goOn(context, prepare, { command: 'goto', agentId, flags, what });
}

interface Going {
  readonly command: 'retry' | 'goto';
  readonly agentId: string;
  readonly flags: RetryFlags;
  /** What was asked for, in words. */
  readonly what: (prepared: PreparedMove) => string;
}

/** What is wrong with the order is found before an engine is needed. */
async function goOn(
  context: ClientContext,
  prepare: (inner: ClientContext) => Promise<PreparedMove>,
  { command, agentId, flags, what }: Going,
): Promise<number> {
  const { view } = await prepare(context);
  const act = async (inner: ClientContext): Promise<string> => {
    const prepared = await prepare(inner);
    await prepared.begin();
    return what(prepared);
  };
  const done = await order(context, { runId: view.runId, flags, act });
  if ('code' in done) return done.code;
  return await report(context, { command, view, agentId, what: done.acted, json: flags.json });
}
