// `raymond history`: the recorded turns of a run or of one of its agents, and what people have asked of it meanwhile, as Temporal keeps
// them. Needs no worker.
import { findRun, orders, turns } from '../../client/operations.js';
import type { Order } from '../../client/look/orders.js';
import { orderDocument, turnDocument } from '../../client/documents/run-document.js';
import type { RecordedTurn, TurnEnd } from '../../history/turns.js';
import { assertNever } from '../../protocol/failure.js';
import { describeProblem } from '../../protocol/language/problem.js';
import { defined, dollars } from '../../protocol/text.js';
import { openForQuestion } from '../context.js';
import type { ConnectionFlags } from '../flags.js';
import { columns, duration, localTime, shortened } from '../view/format.js';
import type { Io } from '../io.js';
import { printDocument } from '../view/json.js';
import { shortText, transitionText } from '../view/transition-text.js';

/** Flags of `history`. */
export interface HistoryFlags extends ConnectionFlags {
  readonly json?: boolean;
}

/** Whose turns; absent agent = all of the run. */
interface HistoryRequest {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly flags: HistoryFlags;
}

/** Prints the turns in the order in which they ended, and the orders between them. */
export async function history(io: Io, { runId: name, agentId, flags }: HistoryRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { runId } = await findRun(context, { runId: name });
  const wanted = { runId, ...defined({ agentId }) };
  const [found, asked] = [await turns(context, wanted), await orders(context, wanted)];
  if (flags.json === true) {
    const document = { runId, turns: found.map(turnDocument), orders: asked.map(orderDocument) };
    await printDocument(io, 'history', document);
  } else if (found.length + asked.length === 0)
    io.say(`no turn of ${runId} has ended yet; see it begin: raymond watch ${runId}`);
  else await io.show(table(found, asked));
  return 0;
}

const HEADER = ['ENDED', 'AGENT', 'TURN', 'STATE', 'TOOK', 'COST', 'SESSION', 'END'];

function table(turns: readonly RecordedTurn[], orders: readonly Order[]): string {
  const lines = [
    ...turns.map((turn) => ({ at: turn.endedAt, row: rowOf(turn) })),
    ...orders.map((order) => ({ at: order.at, row: orderRow(order) })),
  ];
  lines.sort((one, other) => one.at.getTime() - other.at.getTime());
  return columns([HEADER, ...lines.map(({ row }) => row)]);
}

function orderRow(order: Order): readonly string[] {
  const { at, agentId = '', by } = order;
  return [localTime(at), agentId, '', '', '', '', '', shortened(`${by}: ${wishText(order)}`, 100)];
}

function wishText(order: Order): string {
  switch (order.kind) {
    case 'pause':
    case 'resume':
    case 'retry':
    case 'cancel':
      return order.kind;
    case 'goto':
      return `goto ${order.target}`;
    case 'budget':
      return order.usd === undefined ? 'no budget' : `a budget of ${dollars(order.usd)}`;
    case 'tell':
      return `tell ${shortText(order.text)}`;
    case 'answer':
      return `answer to ${order.askId}`;
    default:
      return assertNever(order);
  }
}

function rowOf(turn: RecordedTurn): readonly string[] {
  const { endedAt, agentId, number, reminder, state, durationMs, costUsd, session, attempts, end } = turn;
  const tries = attempts > 1 ? ` (attempt ${attempts})` : '';
  return [
    localTime(endedAt),
    agentId,
    `${number}${reminder === undefined ? '' : ` (reminder ${reminder})`}${tries}`,
    state,
    duration(durationMs),
    costUsd > 0 ? dollars(costUsd) : '',
    session?.id.slice(0, 8) ?? '',
    shortened(endText(end), 100),
  ];
}

function endText(end: TurnEnd): string {
  switch (end.kind) {
    case 'transition':
      return transitionText(end.transition);
    case 'problem':
      return describeProblem(end.problem);
    case 'failed':
      return `failed: ${end.failure.message}`;
    case 'cancelled':
      return 'cancelled';
    default:
      return assertNever(end);
  }
}
