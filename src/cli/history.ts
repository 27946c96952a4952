// `raymond history`: the recorded turns of a run or of one of its agents, as Temporal keeps them. Needs no worker.
import { findRun } from '../client/runs.js';
import { agentsOf, recordedTurns } from '../history/chapters.js';
import type { RecordedTurn, TurnEnd } from '../history/turns.js';
import { ClientError } from '../client/error.js';
import { assertNever } from '../protocol/failure.js';
import { describeProblem } from '../protocol/problem.js';
import { dollars } from '../protocol/text.js';
import { openForQuestion } from './context.js';
import type { ConnectionFlags } from './flags.js';
import { columns, duration, localTime, shortened } from './view/format.js';
import type { Io } from './io.js';
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
  const { link, artifacts } = await openForQuestion(io, { flags, runId: name });
  const sources = { client: link.client, artifacts };
  const { runId } = await findRun(link.client, name, artifacts);
  const known = await agentsOf(sources, runId);
  if (agentId !== undefined && !known.includes(agentId)) {
    const message = `the run ${runId} has no agent ${agentId}; it has ${shortened(known.join(', '), 200)}`;
    throw new ClientError('NoSuchAgent', message);
  }
  const turns: RecordedTurn[] = [];
  for (const id of agentId === undefined ? known : [agentId])
    turns.push(...(await recordedTurns(sources, { runId, agentId: id })));
  turns.sort((one, other) => one.endedAt.getTime() - other.endedAt.getTime());
  if (flags.json === true) await io.print(JSON.stringify({ runId, turns: turns.map(toJson) }));
  else if (turns.length === 0) io.say(`no turn of ${runId} has ended yet`);
  else await io.show(columns([HEADER, ...turns.map(rowOf)]));
  return 0;
}

function toJson({ before: _before, run: _run, ...turn }: RecordedTurn): object {
  return turn;
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
