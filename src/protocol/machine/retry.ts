// Decides after a failure when a turn, or the work between two turns, is retried, and when it pauses or fails its
// agent. The table in failure.ts sets how patient an agent is with each failure. Pure.
import { FAILURES, ruleOf, waitSeconds, type Failure } from '../failure.js';
import { clip, defined } from '../text.js';
import type { AgentState, PendingTransition, RetryHold, WorkspaceHold } from './agent.js';
import type { Agent, Memory } from './inbox.js';
import { waitForLease } from './lease.js';
import { reopenAsk } from './wait.js';
import type { WorkFailure } from './work-end.js';

/** What decides how long to wait after a failure. */
export interface RetryContext {
  readonly now: number;
  /** A usage limit pauses the agent even when its end is known. */
  readonly pauseAtLimit?: boolean;
  /** Whether a workspace moves away from a host that has no room for a turn. */
  readonly movesFromTrouble?: boolean;
  /** Whether an agent asks its run when the host with its unsaved files is silent. */
  readonly asksForUnsaved?: boolean;
}

/** A failed turn that is tried again: how often it was tried so far, how often at most, and the seconds until then. */
export interface NextTry {
  readonly tried: number;
  readonly of: number;
  readonly seconds: number;
}

/** The seconds between the retries that a script asks for. */
const SCRIPT_RETRIES = { first: 1, factor: 2, max: 60 };

/** The longest reason, in characters, why an answer could not be used: every summary of the run includes it. */
const MAX_WHY = 300;

/** The rule for work between turns when its failure is unknown. */
const WORK_RETRIES = { tries: Infinity, first: 5, factor: 2, max: 300 };

/** The agent that ends with a failure, unless an order arrives first. */
export function withFailure(agent: Agent, failure: Failure): Agent {
  return { ...agent, memory: { ...agent.memory, ending: { kind: 'failed', failure } } };
}

/**
 * The agent after a failure. A turn may fail its agent, and so may a missing record; the work for a pending transition
 * is retried until it succeeds, or an operator decides otherwise.
 */
export function afterFailure(
  agent: Agent,
  failed: WorkFailure,
  { work, ...context }: RetryContext & { readonly work: Memory['work'] },
): Agent {
  const { type, message, lacking, resetsAt } = failed;
  if (lacking !== undefined) return waitForLease(agent, { lacking, now: context.now });
  if (type === 'AnswerUnusable') {
    const asking = reopenAsk(agent.record, { why: clip(message, MAX_WHY), now: context.now });
    if (asking !== undefined) return { ...agent, record: asking };
  }
  const {
    hold,
    nextTurn: before,
    ...record
  } = withUnsaved(agent.record, work === 'save' ? { type, message } : undefined);
  const { limited: known, ignoreKnownLimits: _ignored, ...nextTurn } = before ?? {};
  const limited = defined({ limited: failed.limited === undefined ? known : { ...known, ...failed.limited } });
  // Another account of its pool has no limit.
  if (failed.otherAccountFree === true)
    return { ...agent, record: { ...record, nextTurn: { ...nextTurn, ...limited } } };
  const tryNumber = (nextTurn.tries?.[type] ?? 0) + 1;
  const until = nextTryAt(failed, { ...context, tryNumber, isTurn: work === 'turn' });
  const mayFail = work !== 'save' && work !== 'push';
  if (until === undefined && mayFail && ruleOf(type).then === 'fail') return withFailure(agent, { type, message });
  const retry: RetryHold = {
    kind: 'retry',
    failure: { type, message },
    ...defined({ until, resetsAt, then: remainingHold(hold) }),
  };
  const move = until === undefined && work === 'turn' ? moveAway(record, failed, { ...context, tryNumber }) : undefined;
  const tries = { ...nextTurn.tries, [type]: tryNumber };
  return { ...agent, record: { ...record, hold: move ?? retry, nextTurn: { ...nextTurn, tries, ...limited } } };
}

/** How many other hosts a turn may try. */
const MOST_MOVES = 3;

/** A turn without a result has left nothing on its host that its workspace needs; undefined when the agent must pause. */
function moveAway(
  { workspace }: AgentState,
  { type, message, costUsd, retries }: WorkFailure,
  { now, movesFromTrouble, tryNumber }: RetryContext & { readonly tryNumber: number },
): WorkspaceHold | undefined {
  const { place, unsaved } = workspace ?? {};
  if (place === undefined || unsaved !== undefined || costUsd > 0 || retries !== undefined) return undefined;
  if ((type !== 'DiskTrouble' && type !== 'HostTrouble') || tryNumber > FAILURES[type].retry.tries + MOST_MOVES)
    return undefined;
  if (movesFromTrouble !== true) return undefined;
  const failure = { type, message };
  return {
    kind: 'workspace',
    until: now,
    failure,
    loss: { generation: place.generation, why: 'trouble', failure },
  };
}

function withUnsaved(record: AgentState, unsaved: Failure | undefined): AgentState {
  const { workspace } = record;
  return unsaved === undefined || workspace === undefined
    ? record
    : { ...record, workspace: { ...workspace, unsaved } };
}

/** When to retry (epoch ms); undefined = when an operator resumes. */
function nextTryAt(
  failed: WorkFailure,
  { now, pauseAtLimit, ...trying }: RetryContext & { readonly tryNumber: number; readonly isTurn: boolean },
): number | undefined {
  if (failed.resetsAt !== undefined) return pauseAtLimit === true ? undefined : failed.resetsAt;
  const next = nextTry(failed, trying);
  return next === undefined ? undefined : now + next.seconds * 1000;
}

/** The next try after a failure without a known end. */
export function nextTry(
  { type, retries, costUsd }: Pick<WorkFailure, 'type' | 'retries' | 'costUsd'>,
  { tryNumber, isTurn }: { readonly tryNumber: number; readonly isTurn: boolean },
): NextTry | undefined {
  // A paid result that cannot be saved is not paid for again until a person has freed space.
  if (isTurn && type === 'DiskTrouble' && costUsd > 0) return undefined;
  const known = retries === undefined ? ruleOf(type).retry : { ...SCRIPT_RETRIES, tries: retries };
  // Work between turns never makes the agent fail.
  const policy = !isTurn && (type === 'WorkerLost' || type === 'Unforeseen') ? WORK_RETRIES : known;
  if (policy === undefined || tryNumber > policy.tries) return undefined;
  return { tried: tryNumber, of: policy.tries + 1, seconds: waitSeconds(policy, tryNumber) };
}

/** The part of a hold that survives a failure. */
function remainingHold(hold: AgentState['hold']): PendingTransition | WorkspaceHold | undefined {
  return hold?.kind === 'pending' || hold?.kind === 'workspace' ? hold : undefined;
}
