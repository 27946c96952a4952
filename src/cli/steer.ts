// `raymond pause` and `tell`: what an operator says to an open run or to one of its agents. They work while no worker is there,
// and take effect at the end of a turn.
import { text as readAll } from 'node:stream/consumers';
import { pauseRun, tellAgent } from '../client/control.js';
import { findRun, type RunView } from '../client/runs.js';
import { operator } from '../host/process.js';
import { isServed } from '../local.js';
import { hintAtWorkers, openForQuestion, type ClientContext } from './context.js';
import type { ConnectionFlags } from './flags.js';
import type { Io } from './io.js';

/** Which run; which agent, of those that name one. */
export interface SteerRequest {
  readonly runId: string;
  readonly flags: ConnectionFlags;
}

/** Flags of `pause`. */
export interface PauseFlags extends ConnectionFlags {
  readonly now?: boolean;
}

/** Lets the agents of a run pause at the end of their turns, or at once. */
export async function pause(io: Io, { runId, flags }: SteerRequest & { readonly flags: PauseFlags }): Promise<number> {
  const { context, view } = await opened(io, { runId, flags });
  const now = flags.now === true;
  await pauseRun(context.link.client, { view, by: operator(), now });
  const when = now ? 'now; turns that were under way will be done again' : 'when its turns have ended';
  await say(context, { view, what: `${view.runId} pauses ${when}; go on with: raymond resume ${view.runId}` });
  return 0;
}

/** Says something to an agent (`-` = standard input): its next prompt begins with that. */
export async function tell(
  io: Io,
  { agentId, words, ...request }: SteerRequest & { readonly agentId: string; readonly words: string },
): Promise<number> {
  const { context, view } = await opened(io, request);
  const text = await context.artifacts.value(words === '-' ? await readAll(io.stdin) : words);
  await tellAgent(context.link.client, { view, agentId, told: { text, by: operator() } });
  await say(context, { view, what: `the next prompt of ${agentId} begins with that` });
  return 0;
}

async function opened(
  io: Io,
  { runId, flags }: SteerRequest,
): Promise<{ readonly context: ClientContext; readonly view: RunView }> {
  const context = await openForQuestion(io, { flags, runId });
  return { context, view: await findRun(context.link.client, runId, context.artifacts) };
}

/** What was asked for is kept by Temporal; without a worker it takes effect when there is one. */
export async function say(
  context: ClientContext,
  { view: { runId, taskQueue }, what }: { readonly view: RunView; readonly what: string },
): Promise<void> {
  const { io, mode, project } = context;
  const isIdle = mode.kind === 'local' && !isServed(project.raymondDir, runId);
  io.say(isIdle ? `${what}; nobody serves the run now: raymond resume ${runId}` : what);
  await hintAtWorkers(context, taskQueue);
}
