// `raymond logs`: the output of prompts and scripts, turn by turn, also of other hosts: it is in the artifact store.
// With --follow also that of turns in progress, from the heartbeats of their workers.
import { pMapIterable } from 'p-map';
import { ClientError } from '../../client/error.js';
import { findRun, followRun, liveTexts, record, turnsIn } from '../../client/operations.js';
import type { RunView } from '../../client/look/runs.js';
import type { RecordedTurn } from '../../history/turns.js';
import { defined } from '../../protocol/text.js';
import { openForQuestion, type ClientContext } from '../context.js';
import { EXIT } from '../exit.js';
import type { ConnectionFlags } from '../flags.js';
import { hearSignals, type Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { localTime } from '../view/format.js';
import { isRepeated, repeatedText, Rounds, stepOf, type Repeated, type Shown, type Step } from '../view/rounds.js';
import { Streamed } from '../view/streamed.js';

/** Flags of `logs`. */
export interface LogsFlags extends ConnectionFlags {
  readonly follow?: boolean;
  readonly turn?: number;
  readonly json?: boolean;
}

/** The run, and the agent; absent agent = the whole run. */
interface LogsRequest {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly flags: LogsFlags;
}

/** Prints the output of turns in the order in which they ended. */
export async function logs(io: Io, { runId: name, agentId, flags }: LogsRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { runId, open } = await findRun(context, { runId: name });
  if (flags.follow === true && open) return await follow(context, { runId, agentId, flags });
  let found = 0;
  const printing = new FoldedLogs(context, flags);
  for await (const entries of record(context, { runId, ...defined({ agentId }) })) {
    const wanted = turnsIn(entries).filter(({ number }) => (flags.turn ?? number) === number);
    found += wanted.length;
    const work = async (turn: RecordedTurn): Promise<Printed> => ({ turn, text: await textOf(context, turn) });
    for await (const printed of pMapIterable(wanted, work, { concurrency: AT_ONCE })) await printing.print(printed);
    if (io.unread.aborted) break;
  }
  await printing.end();
  if (flags.turn !== undefined && found === 0)
    throw new ClientError(
      'NoSuchTurn',
      `no turn ${flags.turn} is recorded; to list the turns, run: raymond history ${runId}`,
    );
  if (found === 0 && flags.json !== true)
    io.say(`no turn of ${agentId ?? runId} has ended yet; to follow it, run: raymond watch ${runId}`);
  return EXIT.completed;
}

/** Of how many agents turns in progress are shown: each takes a call per second. */
const STREAMED = 20;

/** How many texts are fetched at once. */
const AT_ONCE = 16;

/** A turn and its output. */
interface Printed {
  readonly turn: RecordedTurn;
  readonly text: string;
}

/** From the run's first turn to its end, or to Ctrl-C. */
async function follow(context: ClientContext, { runId, agentId, flags }: LogsRequest): Promise<number> {
  const stop = new AbortController();
  const interruption = hearSignals(context.io, { names: ['SIGINT'], onSignal: () => stop.abort() });
  let printing: Promise<void> = Promise.resolve();
  const streamed = new Streamed();
  const folded = new FoldedLogs(context, flags);
  const isWanted = (agent: string, turn: number): boolean =>
    (agentId ?? agent) === agent && (flags.turn ?? turn) === turn;
  const onTurn = (turn: RecordedTurn): void => {
    if (!isWanted(turn.agentId, turn.number)) return;
    printing = printing.then(async () => {
      const text = streamed.rest(turn, await textOf(context, turn));
      await folded.print({ turn, text });
    });
  };
  // A document is that of a whole turn.
  const onView = async ({ agents }: RunView): Promise<void> => {
    const running = agents.filter(({ id, status }) => status === 'running' && (agentId ?? id) === id);
    const agentIds = running.slice(0, STREAMED).map(({ id }) => id);
    const live = flags.json === true ? [] : await liveTexts(context, { runId, agentIds });
    printing = printing.then(async () => {
      for (const [id, text] of live)
        if (isWanted(id, text.turn)) await show(context, { ...text, agentId: id, text: streamed.next(id, text) });
    });
    await printing;
  };
  try {
    const signal = AbortSignal.any([stop.signal, context.io.unread]);
    await followRun(context, { runId, onTurn, onView, signal });
    return stop.signal.aborted ? EXIT.interrupted : EXIT.completed;
  } finally {
    interruption.off();
    await printing;
    await folded.end();
  }
}

async function textOf({ artifacts }: ClientContext, { output }: RecordedTurn): Promise<string> {
  return output === undefined ? '' : await artifacts.text(output);
}

/** Prints turns; equal rounds of a poller only once, with their number. */
class FoldedLogs {
  private readonly rounds = new Rounds<Printed & Step>();

  constructor(
    private readonly context: ClientContext,
    private readonly flags: LogsFlags,
  ) {}

  async print(printed: Printed): Promise<void> {
    if (this.flags.json === true || this.flags.turn !== undefined)
      return await print(this.context, printed, this.flags);
    await this.show(this.rounds.next({ ...printed, ...stepOf(printed.turn, printed.text) }));
  }

  async end(): Promise<void> {
    await this.show(this.rounds.end());
  }

  private async show(all: readonly Shown<Printed & Step>[]): Promise<void> {
    for (const shown of all) {
      if (!isRepeated(shown)) await print(this.context, shown, this.flags);
      else await this.showRepeated(shown);
    }
  }

  /** Rounds without output were not shown either. */
  private async showRepeated(shown: Repeated<Printed & Step>): Promise<void> {
    const { agentId, state, endedAt } = shown.last.turn;
    if (shown.first.text === '' && shown.last.text === '') return;
    const text = `${repeatedText(shown)}, the last at ${localTime(endedAt)}`;
    await show(this.context, { agentId, state, text });
  }
}

async function print(context: ClientContext, { turn, text }: Printed, flags: LogsFlags): Promise<void> {
  const { agentId, number, state, endedAt } = turn;
  if (flags.json !== true) return await show(context, { agentId, state, text });
  await printDocument(context.io, 'logs', { agentId, turn: number, state, endedAt: endedAt.toISOString(), text });
}

interface Lines {
  readonly agentId: string;
  readonly state: string;
  readonly text: string;
}

async function show({ io }: ClientContext, { agentId, state, text }: Lines): Promise<void> {
  const lines = text.replace(/\n$/, '').split('\n');
  if (text !== '') await io.show(lines.map((line) => `${agentId} ${state} | ${line}`).join('\n'));
}
