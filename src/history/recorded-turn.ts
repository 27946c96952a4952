// A recorded turn, and the turns that one activity reports: a chain of script turns
// (protocol/machine/chain.ts) is shown like turns with their own activities.
import type { LostSpending, Tokens, TurnTaken } from '../contract/records.js';
import type { ChainedTurn, TurnFailureDetails, TurnOutcome, TurnReport, TurnRequest } from '../contract/turns.js';
import type { AgentState, Session, Snapshot } from '../protocol/machine/agent.js';
import { followerOf, turnPart } from '../protocol/machine/chain.js';
import { nextTry, type NextTry } from '../protocol/machine/retry.js';
import type { Failure } from '../protocol/failure.js';
import type { EnforcedSandbox } from '../protocol/sandbox.js';
import { defined, type Value } from '../protocol/text.js';
import type { AgentInput } from '../contract/runs.js';

/** How a turn ended, as far as Temporal knows. */
export type TurnEnd =
  | TurnOutcome
  /** `retry`: when it was to be tried again; absent = not by itself. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly retry?: NextTry };

/** A turn that has ended. A failed turn that the agent retried appears once for each try. */
export interface RecordedTurn {
  readonly agentId: string;
  /** Counts from 1; all tries of a turn have the same number. */
  readonly number: number;
  readonly state: string;
  /** The number of the reminder of its state; absent = none. */
  readonly reminder?: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** How often a worker started it. */
  readonly attempts: number;
  readonly end: TurnEnd;
  readonly costUsd: number;
  readonly durationMs: number;
  /** Its conversation, if it is a completed prompt turn. */
  readonly session?: Session;
  /** The files in its agent's workspace after the turn. */
  readonly snapshot?: Snapshot;
  /** The account of Claude that it spent from. */
  readonly account?: string;
  /** What its process was kept in; absent = no sandbox. */
  readonly sandbox?: EnforcedSandbox;
  /** What its lost attempts spent: the known part is included in its cost. */
  readonly lost?: LostSpending;
  /** The tokens of its last attempt. */
  readonly tokens?: Tokens;
  /**
   * When it started to wait for a worker and for a slot, and when it got the slot; absent = it did
   * not wait.
   */
  readonly queuedAt?: Date;
  readonly ranAt?: Date;
  readonly stateSha256?: string;
  /** Its output. */
  readonly output?: Value;
  readonly warnings: readonly string[];
  /** The agent before the turn; absent when the record of an earlier execution is not available. */
  readonly before?: AgentState;
  /** The settings of the whole run. */
  readonly run?: Pick<AgentInput, 'workflow' | 'settings'>;
}

/** A turn of an activity; `afterMs` = when it started, counted from the start of the activity. */
interface ReportedTurn {
  readonly request: TurnRequest;
  readonly afterMs: number;
  readonly end: ChainedTurn['end'];
}

/** The requested turn of an activity and those that followed it, in order. */
export function reportedTurns(request: TurnRequest, { chain = [], ...report }: TurnReport): readonly ReportedTurn[] {
  const turns: ReportedTurn[] = [{ request, afterMs: 0, end: { kind: 'report', report } }];
  let agent: AgentState | undefined = { ...request.agent, stack: request.chain?.stack ?? [] };
  let before: ChainedTurn['end'] | undefined = { kind: 'report', report };
  const { returnsTo: _first, tries: _before, ...rest } = request;
  for (const { afterMs, end } of chain) {
    agent = before.kind === 'report' ? followerOf(agent, before.report.outcome) : undefined;
    if (agent === undefined) break;
    turns.push({ request: { ...rest, ...turnPart(agent) }, afterMs, end });
    before = end;
  }
  return turns;
}

/** What is reported of a turn's end; `queuedMs` = how long it waited on its worker. */
export interface TurnFacts extends Omit<Partial<RecordedTurn>, 'end' | 'costUsd'> {
  readonly end: TurnEnd;
  readonly costUsd: number;
  readonly queuedMs?: number;
}

/** The recorded facts of a turn's end. */
export function factsOf(end: ChainedTurn['end']): TurnFacts {
  if (end.kind === 'failure') {
    const { message, details } = end;
    const { output, ...taken } = details;
    return { ...failedFacts(message, details), ...defined({ output }), ...takenOf(taken) };
  }
  const { outcome, costUsd, durationMs, warnings = [], ...report } = end.report;
  const { session, stateSha256, output, snapshot } = report;
  const kept = { ...defined({ session, stateSha256, output, snapshot }), ...takenOf(report) };
  return { end: outcome, costUsd, durationMs, warnings, ...kept };
}

/** The facts of a turn that failed with these details; `tries`: its failures before, by type. */
export function failedFacts(
  message: string,
  details: Pick<TurnFailureDetails, 'type' | 'costUsd' | 'retries' | 'resetsAt' | 'otherAccountFree'>,
  tries: TurnRequest['tries'] = {},
): TurnFacts {
  const { type, costUsd, resetsAt, otherAccountFree } = details;
  // The message of a limit says itself when it ends; with another account the turn starts at once.
  const isLimit = resetsAt !== undefined || otherAccountFree === true;
  const tryNumber = (tries[type] ?? 0) + 1;
  const retry = isLimit ? undefined : nextTry(details, { tryNumber, isTurn: true });
  return { end: { kind: 'failed', failure: { type, message }, ...defined({ retry }) }, costUsd };
}

/** The part of the facts about what a turn took. */
export function takenOf({ account, tokens, queuedMs, lost, sandbox }: TurnTaken): TurnTaken {
  return defined({ account, tokens, queuedMs, lost, sandbox });
}

/** Shorter waits are not shown. */
const QUEUE_MS = 100;

/**
 * When a turn waited: for a worker, and `queuedMs` for a slot. A retried turn had started before.
 */
export function queueOf(
  { scheduledAt, startedAt, attempts }: Pick<RecordedTurn, 'startedAt' | 'attempts'> & { readonly scheduledAt: Date },
  queuedMs = 0,
): Pick<RecordedTurn, 'queuedAt' | 'ranAt'> {
  const queuedAt = attempts > 1 ? startedAt : scheduledAt;
  const ranAt = new Date(startedAt.getTime() + queuedMs);
  return ranAt.getTime() - queuedAt.getTime() < QUEUE_MS ? {} : { queuedAt, ranAt };
}
