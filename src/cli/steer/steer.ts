// `raymond pause` and `tell`: orders to an open run, and notes to one of its agents. Temporal keeps them while no worker runs.
import { ClientError } from '../../client/error.js';
import { isExecuted } from '../../client/open.js';
import { findRun } from '../../client/operations.js';
import type { RunView } from '../../client/look/runs.js';
import { moveWorkspace, pauseRun, tellAgent, withdrawNotes } from '../../client/steering.js';
import { operator } from '../../host/process.js';
import { defined } from '../../protocol/text.js';
import { hintAtWorkers, openContext, openForQuestion, type ClientContext } from '../context.js';
import type { ConnectionFlags } from '../flags.js';
import { readAll, type Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { shortText } from '../view/transition-text.js';

/** Flags of both. */
export interface SteerFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** The run, and the agent of commands that name one. */
interface SteerRequest {
  readonly runId: string;
  readonly flags: SteerFlags;
}

interface AgentRequest extends SteerRequest {
  readonly agentId: string;
}

/** Flags of `move`. */
export interface MoveFlags extends SteerFlags {
  readonly to?: string;
}

/** Flags of `tell`. */
export interface TellFlags extends SteerFlags {
  readonly withdraw?: boolean;
}

/** Flags of `pause`. */
export interface PauseFlags extends SteerFlags {
  readonly now?: boolean;
}

/** Pauses the agents of a run at the end of their turns, or at once. */
export async function pause(io: Io, request: SteerRequest & { readonly flags: PauseFlags }): Promise<number> {
  const { context, view } = await opened(io, request);
  const { runId } = view;
  const by = operator();
  const { json, now } = request.flags;
  await pauseRun(context, { runId, by, ...defined({ now }) });
  const when = now === true ? 'now; turns in progress run again later' : 'after the current turns';
  const what = `${runId} pauses ${when}; resume it with: raymond resume ${runId}`;
  return await report(context, { command: 'pause', view, by, what, json });
}

/** Adds a note (`-` = standard input) to the beginning of an agent's next prompt, or removes those that wait for it. */
export async function tellCommand(
  io: Io,
  { words, ...request }: AgentRequest & { readonly words: string | undefined; readonly flags: TellFlags },
): Promise<number> {
  const { agentId, flags } = request;
  if ((words === undefined) !== (flags.withdraw === true))
    throw new ClientError('InvalidUsage', words === undefined ? NO_TEXT : 'give a text or --withdraw, not both');
  const context = await openContext(io, flags);
  const view = await findRun(context, { runId: request.runId });
  const to = { runId: view.runId, agentId, by: operator() };
  if (words !== undefined) await tellAgent(context, { ...to, text: words === '-' ? await readAll(io.stdin) : words });
  const withdrawn = words === undefined ? await withdrawNotes(context, to) : [];
  const what =
    words === undefined
      ? `removed from the next prompt of ${agentId}: ${withdrawn.map(({ text }) => shortText(text)).join(', ')}`
      : `the next prompt of ${agentId} begins with this note`;
  return await report(context, { command: 'tell', view, agentId, by: to.by, what, json: flags.json });
}

const NO_TEXT =
  "missing required argument 'text'; - = read it from stdin, or --withdraw to remove the notes that no prompt has received";

/** Moves an agent's workspace to another host. */
export async function move(io: Io, request: AgentRequest & { readonly flags: MoveFlags }): Promise<number> {
  const { context, view } = await opened(io, request);
  const { runId } = view;
  const { agentId, flags } = request;
  const { to, json } = flags;
  const by = operator();
  await moveWorkspace(context, { runId, agentId, by, ...defined({ to }) });
  const what = `the workspace of ${agentId} moves to ${to ?? 'another host'} before its next turn`;
  return await report(context, { command: 'move', view, agentId, by, what, json });
}

async function opened(
  io: Io,
  { runId: name, flags }: SteerRequest,
): Promise<{ readonly context: ClientContext; readonly view: RunView }> {
  const context = await openForQuestion(io, { flags, runId: name });
  return { context, view: await findRun(context, { runId: name }) };
}

interface Report {
  readonly command: 'pause' | 'tell' | 'move' | 'retry' | 'goto';
  readonly view: Pick<RunView, 'runId' | 'taskQueue'>;
  readonly agentId?: string;
  readonly by?: string;
  /** The order, in words. */
  readonly what: string;
  readonly json: boolean | undefined;
}

/** Temporal keeps the order; without a worker it takes effect when one starts. */
export async function report(
  context: ClientContext,
  { command, view: { runId, taskQueue }, agentId, by, what, json }: Report,
): Promise<number> {
  const { io } = context;
  const served = isExecuted(context);
  if (json === true) await printDocument(io, command, { runId, ...defined({ agentId, by }), served });
  else io.say(served ? what : `${what}, once the engine runs: raymond up`);
  await hintAtWorkers(context, taskQueue);
  return 0;
}
