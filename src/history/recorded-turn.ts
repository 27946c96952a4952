// A turn as it is recorded, and the turns that one activity reports: a chain of script turns (protocol/machine/chain.ts) is told like turns that
// had an activity each.
import type { LostSpending, Tokens, TurnTaken } from '../activities/record-types.js';
import type { ChainedTurn, TurnOutcome, TurnReport, TurnRequest } from '../activities/types.js';
import type { AgentState, Session } from '../protocol/machine/agent.js';
import { followerOf, turnPart } from '../protocol/machine/chain.js';
import type { Failure } from '../protocol/failure.js';
import { defined, type Value } from '../protocol/text.js';
import type { Snapshot } from '../protocol/machine/workspace.js';
import type { AgentInput } from '../workflows/contract.js';

/** How a turn ended, as far as it has been told to Temporal. */
export type TurnEnd = TurnOutcome | { readonly kind: 'failed'; readonly failure: Failure };

/** A turn that has ended. A turn that failed and was tried again by the agent stands here once for each try. */
export interface RecordedTurn {
  readonly agentId: string;
  /** Counts from 1; the tries of one turn have the same. */
  readonly number: number;
  readonly state: string;
  /** Which reminder of its state the turn was; absent = none. */
  readonly reminder?: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** How often a worker began it. */
  readonly attempts: number;
  readonly end: TurnEnd;
  readonly costUsd: number;
  readonly durationMs: number;
  /** The conversation that it left, of a prompt turn that counts. */
  readonly session?: Session;
  /** The files that it left in its agent's workspace. */
  readonly snapshot?: Snapshot;
  /** The account of Claude that it spent from. */
  readonly account?: string;
  /** What its lost attempts spent: part of its cost, as far as it is known. */
  readonly lost?: LostSpending;
  /** Of its last attempt. */
  readonly tokens?: Tokens;
  /** Since when it waited for a worker and for its place there, and when it had it; absent = it did not wait. */
  readonly queuedAt?: Date;
  readonly ranAt?: Date;
  readonly stateSha256?: string;
  /** What it printed, or said. */
  readonly output?: Value;
  readonly warnings: readonly string[];
  /** The agent as it was before the turn; absent when an earlier execution's record is not at hand. */
  readonly before?: AgentState;
  /** What the whole run was started with. */
  readonly run?: Pick<AgentInput, 'workflow' | 'settings'>;
}

/** A turn of an activity; `afterMs` is when it began, counted from the activity's own start. */
interface ReportedTurn {
  readonly request: TurnRequest;
  readonly afterMs: number;
  readonly end: ChainedTurn['end'];
}

/** What an activity was asked for and what it did beyond that, in order. */
export function reportedTurns(request: TurnRequest, { chain = [], ...report }: TurnReport): readonly ReportedTurn[] {
  const turns: ReportedTurn[] = [{ request, afterMs: 0, end: { kind: 'report', report } }];
  let agent: AgentState | undefined = { ...request.agent, stack: request.chain?.stack ?? [] };
  let before: ChainedTurn['end'] | undefined = { kind: 'report', report };
  for (const { afterMs, end } of chain) {
    agent = before.kind === 'report' ? followerOf(agent, before.report.outcome) : undefined;
    if (agent === undefined) break;
    const { returnsTo: _first, ...rest } = request;
    turns.push({ request: { ...rest, ...turnPart(agent) }, afterMs, end });
    before = end;
  }
  return turns;
}

/** What is told of how a turn ended; `queuedMs` = it waited so long on its worker. */
export interface TurnFacts extends Omit<Partial<RecordedTurn>, 'end' | 'costUsd'> {
  readonly end: TurnEnd;
  readonly costUsd: number;
  readonly queuedMs?: number;
}

/** What is recorded of how a turn ended. */
export function factsOf(end: ChainedTurn['end']): TurnFacts {
  if (end.kind === 'failure') {
    const { message, details } = end;
    const { type, costUsd, output, ...taken } = details;
    return { end: { kind: 'failed', failure: { type, message } }, costUsd, ...defined({ output }), ...takenOf(taken) };
  }
  const { outcome, costUsd, durationMs, warnings = [], ...report } = end.report;
  const { session, stateSha256, output, snapshot } = report;
  const kept = { ...defined({ session, stateSha256, output, snapshot }), ...takenOf(report) };
  return { end: outcome, costUsd, durationMs, warnings, ...kept };
}

/** What a turn took, of more that is told of it. */
export function takenOf({ account, tokens, queuedMs, lost }: TurnTaken): TurnTaken {
  return defined({ account, tokens, queuedMs, lost });
}

/** A wait that is shorter is none. */
const QUEUE_MS = 100;

/** When a turn waited: for a worker that took it, and `queuedMs` for its place there. What was tried again had begun before. */
export function queueOf(
  { scheduledAt, startedAt, attempts }: Pick<RecordedTurn, 'startedAt' | 'attempts'> & { readonly scheduledAt: Date },
  queuedMs = 0,
): Pick<RecordedTurn, 'queuedAt' | 'ranAt'> {
  const queuedAt = attempts > 1 ? startedAt : scheduledAt;
  const ranAt = new Date(startedAt.getTime() + queuedMs);
  return ranAt.getTime() - queuedAt.getTime() < QUEUE_MS ? {} : { queuedAt, ranAt };
}
