// `raymond history`: the recorded turns of a run or of one of its agents, with the operators' orders between them, as
// Temporal keeps them. Needs no worker.
import { findRun, ordersIn, record, turnsIn } from '../../client/operations.js';
import type { Order } from '../../client/look/orders.js';
import type { RecordEntry } from '../../client/look/record.js';
import { isReplaced, orderDocument, turnDocument } from '../../client/documents/run-document.js';
import type { RecordedTurn, TurnEnd } from '../../history/turns.js';
import { assertNever } from '../../protocol/failure.js';
import { defined, dollars } from '../../protocol/text.js';
import { openForQuestion } from '../context.js';
import type { ConnectionFlags } from '../flags.js';
import { Columns, shortened } from '../view/columns.js';
import { duration, localTime } from '../view/format.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { isRepeated, repeatedText, Rounds, stepOf, type Shown, type Step } from '../view/rounds.js';
import { endedText, failedText, orderText, unusableText } from '../view/transition-text.js';

/** Flags of `history`. */
export interface HistoryFlags extends ConnectionFlags {
  /** Equal rounds of a poller are shown one by one. */
  readonly all?: boolean;
  readonly json?: boolean;
}

/** The run, and the agent; absent agent = the whole run. */
interface HistoryRequest {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly flags: HistoryFlags;
}

/** Prints the turns in the order in which they ended, and the orders between them. */
export async function history(io: Io, { runId: name, agentId, flags }: HistoryRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { runId } = await findRun(context, { runId: name });
  const batches = record(context, { runId, withOrders: true, ...defined({ agentId }) });
  if (flags.json === true) await printAll(io, { runId, batches });
  else if (!(await printTable(io, { batches, all: flags.all === true })))
    io.say(`no turn of ${runId} has ended yet; to follow it, run: raymond watch ${runId}`);
  return 0;
}

type Batches = ReturnType<typeof record>;

async function printAll(
  io: Io,
  { runId, batches }: { readonly runId: string; readonly batches: Batches },
): Promise<void> {
  const entries: RecordEntry[] = [];
  for await (const some of batches) entries.push(...some);
  const [turns, orders] = [turnsIn(entries).map(turnDocument), ordersIn(entries).map(orderDocument)];
  await printDocument(io, 'history', { runId, turns, orders });
}

const HEADER = ['ENDED', 'AGENT', 'TURN', 'STATE', 'TOOK', 'COST', 'SESSION', 'END'];

/** Rows that arrive sooner are printed together: the columns of a short table then fit all of its rows. */
const PRINT_EVERY_MS = 500;

/** Prints the rows as they are read; returns whether there were any. */
async function printTable(
  io: Io,
  { batches, all }: { readonly batches: Batches; readonly all: boolean },
): Promise<boolean> {
  const rounds = new Rounds<TurnStep>();
  const table = new Columns();
  let isEmpty = true;
  let printedAt = performance.now();
  let rows: (readonly string[])[] = [HEADER];
  const print = async (): Promise<void> => {
    if (rows.length > 0) await io.show(table.text(rows));
    rows = [];
    printedAt = performance.now();
  };
  for await (const entries of batches) {
    isEmpty = false;
    rows.push(...entries.flatMap((entry) => rowsOf(entry, all ? undefined : rounds)));
    if (performance.now() - printedAt >= PRINT_EVERY_MS) await print();
    if (io.unread.aborted) return true;
  }
  rows.push(...rounds.end().map(shownRow));
  if (!isEmpty) await print();
  return !isEmpty;
}

interface TurnStep extends Step {
  readonly turn: RecordedTurn;
}

/** The rows that an entry adds; `rounds` folds those of pollers. */
function rowsOf(entry: RecordEntry, rounds: Rounds<TurnStep> | undefined): readonly (readonly string[])[] {
  if (entry.kind !== 'turn') return [orderRow(entry.order)];
  const { turn } = entry;
  if (rounds === undefined) return [rowOf(turn)];
  return rounds.next({ turn, ...stepOf(turn, endText(turn.end, turn.reminder)) }).map(shownRow);
}

function shownRow(shown: Shown<TurnStep>): readonly string[] {
  if (!isRepeated(shown)) return rowOf(shown.turn);
  const { first, last } = shown;
  const { endedAt, agentId, state, number } = last.turn;
  const turns = first.turn.number === number ? `${number}` : `${first.turn.number}–${number}`;
  return [localTime(endedAt), agentId, turns, state, '', '', '', `${repeatedText(shown)} (--all lists them)`];
}

function orderRow(order: Order): readonly string[] {
  const { at, agentId = '', by } = order;
  return [localTime(at), agentId, '', '', '', '', '', shortened(`${by}: ${orderText(order)}`, 100)];
}

function rowOf(turn: RecordedTurn): readonly string[] {
  const { endedAt, agentId, number, reminder, state, durationMs, costUsd, session, attempts, end } = turn;
  const tries = attempts > 1 ? ` (attempt ${attempts})` : '';
  return [
    localTime(endedAt),
    agentId,
    `${number}${reminder === undefined ? '' : ` (reminder ${reminder})`}${tries}`,
    isReplaced(turn) ? `${state} (replaced)` : state,
    duration(durationMs),
    costUsd > 0 ? dollars(costUsd) : '',
    session?.id.slice(0, 8) ?? '',
    shortened(endText(end, reminder), 100),
  ];
}

function endText(end: TurnEnd, reminder: number | undefined): string {
  switch (end.kind) {
    case 'transition':
      return endedText(end);
    case 'problem':
      return unusableText(end, reminder);
    case 'failed':
      return `failed: ${failedText(end.failure.message, end.retry)}`;
    case 'cancelled':
      return 'cancelled';
    default:
      return assertNever(end);
  }
}
