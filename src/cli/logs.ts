// `raymond logs`: what prompts and scripts printed, turn by turn, also those of other hosts: it lies in the artifact store. Of a turn that is
// under way only the worker knows it; `watch` shows its last line.
import { RunWatch } from '../client/watch.js';
import { followRun } from '../client/follow.js';
import { findRun, viewRun, type RunView } from '../client/runs.js';
import { ClientError } from '../client/error.js';
import { agentsOf, recordedTurns } from '../history/chapters.js';
import type { RecordedTurn } from '../history/turns.js';
import { openForQuestion, type ClientContext } from './context.js';
import { EXIT } from './exit.js';
import type { ConnectionFlags } from './flags.js';
import { hearSignals, type Io } from './io.js';

/** Flags of `logs`. */
export interface LogsFlags extends ConnectionFlags {
  readonly follow?: boolean;
  readonly turn?: number;
  readonly json?: boolean;
}

/** Whose; absent agent = all of the run. */
interface LogsRequest {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly flags: LogsFlags;
}

/** Prints what the turns printed, in the order in which they ended. */
export async function logs(io: Io, { runId: name, agentId, flags }: LogsRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { link, artifacts } = context;
  const view = await findRun(link.client, name, artifacts);
  if (flags.follow === true && view.open) return await follow(context, { view, agentId, flags });
  const turns = await turnsOfRun(context, { runId: view.runId, agentId, flags });
  for (const turn of turns) await print(context, { turn, flags });
  if (turns.length === 0) io.say(`no turn of ${agentId ?? view.runId} has ended yet`);
  return EXIT.completed;
}

async function turnsOfRun(
  { link, artifacts }: ClientContext,
  { runId, agentId, flags: { turn: wanted } }: LogsRequest,
): Promise<readonly RecordedTurn[]> {
  const sources = { client: link.client, artifacts };
  const known = await agentsOf(sources, runId);
  if (agentId !== undefined && !known.includes(agentId))
    throw new ClientError('NoSuchAgent', `the run ${runId} has no agent ${agentId}; it has ${known.join(', ')}`);
  const turns: RecordedTurn[] = [];
  for (const id of agentId === undefined ? known : [agentId])
    turns.push(...(await recordedTurns(sources, { runId, agentId: id })));
  const found = turns.filter(({ number }) => wanted === undefined || number === wanted);
  if (wanted !== undefined && found.length === 0)
    throw new ClientError('NoSuchTurn', `no turn ${wanted} is recorded; "raymond history ${runId}" numbers them`);
  return found.sort((one, other) => one.endedAt.getTime() - other.endedAt.getTime());
}

/** From the run's first turn to its end, or to Ctrl-C. */
async function follow(
  context: ClientContext,
  { view: { runId }, agentId, flags }: { readonly view: RunView } & Omit<LogsRequest, 'runId'>,
): Promise<number> {
  const { io, link } = context;
  const stop = new AbortController();
  const interruption = hearSignals(io, { names: ['SIGINT'], asked: () => stop.abort() });
  let printing: Promise<void> = Promise.resolve();
  const recorded = (turn: RecordedTurn): void => {
    const isWanted = (agentId ?? turn.agentId) === turn.agentId && (flags.turn ?? turn.number) === turn.number;
    if (isWanted) printing = printing.then(() => print(context, { turn, flags }));
  };
  const watch = new RunWatch(link.client, { runId, from: 'start', take: () => undefined, recorded });
  try {
    watch.look(await viewRun(link.client, runId));
    const onView = (run: RunView): Promise<void> => Promise.resolve(watch.look(run));
    const ended = await followRun(link.client, runId, { onAsk: 'wait', onView, signal: stop.signal });
    if (ended !== undefined) await watch.settle();
    return ended === undefined ? EXIT.interrupted : EXIT.completed;
  } finally {
    interruption.off();
    await watch.close();
    await printing;
  }
}

async function print(
  { io, artifacts }: ClientContext,
  { turn, flags }: { readonly turn: RecordedTurn; readonly flags: LogsFlags },
): Promise<void> {
  const { agentId, number, state, output, endedAt } = turn;
  const text = output === undefined ? '' : await artifacts.text(output);
  if (flags.json === true) return await io.print(JSON.stringify({ agentId, turn: number, state, endedAt, text }));
  const lines = text.replace(/\n$/, '').split('\n');
  if (text !== '') await io.show(lines.map((line) => `${agentId} ${state} | ${line}`).join('\n'));
}
