// Patience with failures of the world: how long an agent waits before it tries a turn again, whether it is paused instead, or fails. The
// table is protocol/failure.ts.
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import type { TurnFailureDetails } from '../../activities/types.js';
import type { AgentState } from '../../protocol/machine/agent.js';
import { isFailureType, ruleOf, waitSeconds, type Failure, type FailureType } from '../../protocol/failure.js';
import { clip, defined, messageOf } from '../../protocol/text.js';
import type { AgentInput } from '../contract.js';
import type { RunChannel } from './to-run.js';
import { show, showAgent } from '../visibility.js';

/** Whose turn has failed. */
interface FailedTurn {
  readonly input: AgentInput;
  readonly agent: AgentState;
  readonly gate: RunChannel;
  readonly limited?: Readonly<Record<string, number>>;
}

/** What the next try is told of usage limits. */
interface KnownLimits {
  readonly limited?: Readonly<Record<string, number>>;
  readonly anew?: true;
}

/** A failure of a turn, as its workflow needs it. */
export interface TurnFailure extends Failure {
  readonly costUsd: number;
  readonly resetsAt?: number;
  readonly retries?: number;
  readonly limited?: Readonly<Record<string, number>>;
  readonly elsewhere?: boolean;
}

/** Waits until the turn is to be tried again; throws when it is not. */
export async function waitForRetry(
  { agent, gate, input, limited: known }: FailedTurn,
  { error, trouble: failed, tries }: { error: unknown; trouble: TurnFailure; tries: Map<string, number> },
): Promise<KnownLimits> {
  const { type, message } = failed;
  const limits: KnownLimits = failed.limited === undefined ? {} : { limited: { ...known, ...failed.limited } };
  // Another account of its pool has no limit.
  if (failed.elsewhere === true) return limits;
  const rule = ruleOf(type);
  const failure: Failure = { type, message };
  const tried = (tries.get(type) ?? 0) + 1;
  tries.set(type, tried);
  const wait = waitUntil(failed, { tried, pauseAtLimit: input.settings.pauseAtLimit === true });
  if (wait === undefined && rule.then === 'fail') throw error;
  const status =
    wait === undefined ? ({ kind: 'paused', failure } as const) : ({ kind: 'waiting', until: wait, failure } as const);
  showAgent(agent, status);
  show({ RaymondStatus: status.kind }, input.settings.searchAttributes);
  await gate.hold(agent, { status, ...(wait === undefined ? {} : { until: wait }) });
  if (wait === undefined) tries.clear();
  showAgent(agent, { kind: 'running' });
  show({ RaymondStatus: 'running' }, input.settings.searchAttributes);
  await gate.report(agent, { costUsd: 0, status: { kind: 'running' } });
  const isAsked = failed.resetsAt !== undefined && Date.now() < failed.resetsAt;
  return isAsked ? { limited: {}, anew: true } : limits;
}

/** When to try again by itself (epoch ms); undefined = not by itself. `Date.now` is Temporal's replayed time here. */
function waitUntil(
  { type, resetsAt, retries }: TurnFailure,
  { tried, pauseAtLimit }: { readonly tried: number; readonly pauseAtLimit: boolean },
): number | undefined {
  if (resetsAt !== undefined) return pauseAtLimit ? undefined : resetsAt;
  return retryAt(type, tried, retries === undefined ? ruleOf(type).patience : { ...RETRIES, tries: retries });
}

/** When to try for the n-th time again what has failed like this (epoch ms); undefined = not by itself. */
export function retryAt(type: FailureType, tried: number, patience = ruleOf(type).patience): number | undefined {
  return patience !== undefined && tried <= patience.tries
    ? Date.now() + waitSeconds(patience, tried) * 1000
    : undefined;
}

/** How long a script that says how often it may be tried again waits in between, in seconds. */
const RETRIES = { first: 1, factor: 2, max: 60 };

/** The longest message of a failure, in characters: it is kept for every agent. */
const MAX_MESSAGE = 8000;

/** What a failure is called in the ledger. */
export function failureOf(error: unknown, agent: AgentState): Failure {
  const { type, message } = turnFailureOf(error, agent);
  return { type, message };
}

/** What a failed turn says of itself. */
export function turnFailureOf(error: unknown, agent: AgentState): TurnFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) {
    const [details] = (cause.details ?? []) as readonly (TurnFailureDetails | undefined)[];
    const { costUsd = 0, resetsAt, retries, limited, elsewhere } = details ?? {};
    const type = isFailureType(cause.type) ? cause.type : 'Unforeseen';
    return {
      type,
      message: clip(cause.message, MAX_MESSAGE),
      costUsd,
      ...defined({ resetsAt, retries, limited, elsewhere }),
    };
  }
  const message = messageOf(cause);
  return { type: 'Unforeseen', message: `${agent.id}, ${agent.state}: ${message}`, costUsd: 0 };
}
