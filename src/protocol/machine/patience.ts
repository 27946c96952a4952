// Patience with failures: when a turn, or the work between two turns, is tried again, and when it pauses or fails its agent. How patient an
// agent is with which failure says the table in failure.ts. Pure.
import { ruleOf, waitSeconds, type Failure } from '../failure.js';
import type { WantedLease } from '../leases.js';
import { clip, defined } from '../text.js';
import type { AgentState, PendingTransition, RetryHold, WorkspaceHold } from './agent.js';
import type { Agent, Memory } from './inbox.js';
import { waitForLease } from './lease.js';
import { askedAgain } from './wait.js';

/** A failure of an activity, as far as it decides what follows. */
export interface WorkFailure extends Failure {
  readonly costUsd: number;
  /** When a usage limit ends (epoch ms). */
  readonly resetsAt?: number;
  /** How often the state asks to be tried again. */
  readonly retries?: number;
  /** Until when accounts are limited (epoch ms). */
  readonly limited?: Readonly<Record<string, number>>;
  readonly otherAccountFree?: boolean;
  /** The lease that the turn needs before it can start. */
  readonly lacking?: WantedLease;
}

/** What decides how long a failure is waited for. */
export interface Patience {
  readonly now: number;
  /** A usage limit pauses the agent, even when it is known when the limit ends. */
  readonly pauseAtLimit?: boolean;
}

/** A script that says how often it may be tried again waits so long in between, in seconds. */
const SCRIPT_RETRIES = { first: 1, factor: 2, max: 60 };

/** The longest text, in characters, that says why an answer could not be used: every summary of the run holds it. */
const MAX_WHY = 300;

/** So does work between turns, when nothing else is known of its failure. */
const WORK_RETRIES = { tries: Infinity, first: 5, factor: 2, max: 300 };

/** The agent that ends with a failure, unless an order arrives first. */
export function failing(agent: Agent, failure: Failure): Agent {
  return { ...agent, memory: { ...agent.memory, ending: { kind: 'failed', failure } } };
}

/**
 * The agent after a failure. A turn may fail its agent, and so may a record that is missing; what a pending transition needs is tried until
 * it works, or an operator decides otherwise.
 */
export function afterFailure(
  agent: Agent,
  failed: WorkFailure,
  { work, ...patience }: Patience & { readonly work: Memory['work'] },
): Agent {
  const { type, message, lacking, resetsAt } = failed;
  if (lacking !== undefined) return waitForLease(agent, { lacking, now: patience.now });
  if (type === 'AnswerUnusable') {
    const asking = askedAgain(agent.record, { why: clip(message, MAX_WHY), now: patience.now });
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
  const tried = (nextTurn.tries?.[type] ?? 0) + 1;
  const until = retryTime(failed, { ...patience, tried, isTurn: work === 'turn' });
  const mayFail = work !== 'save' && work !== 'push';
  if (until === undefined && mayFail && ruleOf(type).then === 'fail') return failing(agent, { type, message });
  const retry: RetryHold = {
    kind: 'retry',
    failure: { type, message },
    ...defined({ until, resetsAt, then: rest(hold) }),
  };
  const tries = { ...nextTurn.tries, [type]: tried };
  return { ...agent, record: { ...record, hold: retry, nextTurn: { ...nextTurn, tries, ...limited } } };
}

function withUnsaved(record: AgentState, unsaved: Failure | undefined): AgentState {
  const { workspace } = record;
  return unsaved === undefined || workspace === undefined
    ? record
    : { ...record, workspace: { ...workspace, unsaved } };
}

/** When to try again (epoch ms); undefined = when an operator resumes. */
function retryTime(
  { type, resetsAt, retries, costUsd }: WorkFailure,
  { tried, now, pauseAtLimit, isTurn }: Patience & { readonly tried: number; readonly isTurn: boolean },
): number | undefined {
  if (resetsAt !== undefined) return pauseAtLimit === true ? undefined : resetsAt;
  // What was paid for and cannot be kept is not paid for again until somebody has made room.
  if (isTurn && type === 'DiskTrouble' && costUsd > 0) return undefined;
  const known = retries === undefined ? ruleOf(type).patience : { ...SCRIPT_RETRIES, tries: retries };
  // Work between turns is no reason to give up.
  const patience = !isTurn && (type === 'WorkerLost' || type === 'Unforeseen') ? WORK_RETRIES : known;
  return patience !== undefined && tried <= patience.tries ? now + waitSeconds(patience, tried) * 1000 : undefined;
}

/** What is left of a hold that a failure interrupts. */
function rest(hold: AgentState['hold']): PendingTransition | WorkspaceHold | undefined {
  return hold?.kind === 'pending' || hold?.kind === 'workspace' ? hold : undefined;
}
