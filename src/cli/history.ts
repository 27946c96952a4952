// `raymond history`: the recorded turns of a run or of one of its agents, as Temporal keeps them. Needs no worker.
import { findRun, turns } from '../client/operations.js';
import { turnDocument } from '../client/run-document.js';
import type { RecordedTurn, TurnEnd } from '../history/turns.js';
import { assertNever } from '../protocol/failure.js';
import { describeProblem } from '../protocol/problem.js';
import { defined, dollars } from '../protocol/text.js';
import { openForQuestion } from './context.js';
import type { ConnectionFlags } from './flags.js';
import { columns, duration, localTime, shortened } from './view/format.js';
import type { Io } from './io.js';
import { printDocument } from './view/json.js';
import { transitionText } from './view/transition-text.js';

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

/** Prints the turns in the order in which they ended. */
export async function history(io: Io, { runId: name, agentId, flags }: HistoryRequest): Promise<number> {
  const context = await openForQuestion(io, { flags, runId: name });
  const { runId } = await findRun(context, { runId: name });
  const found = await turns(context, { runId, ...defined({ agentId }) });
  if (flags.json === true) await printDocument(io, 'history', { runId, turns: found.map(turnDocument) });
  else if (found.length === 0) io.say(`no turn of ${runId} has ended yet; see it begin: raymond watch ${runId}`);
  else await io.show(columns([HEADER, ...found.map(rowOf)]));
  return 0;
}

const HEADER = ['ENDED', 'AGENT', 'TURN', 'STATE', 'TOOK', 'COST', 'SESSION', 'END'];

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
