// Patience with failures: when a turn, or the work between two turns, is tried again, and when it pauses or fails its agent. How patient an
// agent is with which failure says the table in failure.ts. Pure.
import { ruleOf, waitSeconds, type Failure } from '../failure.js';
import type { WantedLease } from '../leases.js';
import { defined } from '../text.js';
import type { AgentState, PendingTransition, RetryHold, WorkspaceHold } from './agent.js';
import type { Agent, Memory } from './inbox.js';
import { waitForLease } from './lease.js';

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
  readonly pauseAtLimit: boolean;
}

/** A script that says how often it may be tried again waits so long in between, in seconds. */
const SCRIPT_RETRIES = { first: 1, factor: 2, max: 60 };

/** So does work between turns, when nothing else is known of its failure. */
const WORK_RETRIES = { tries: Infinity, first: 5, factor: 2, max: 300 };

/** The agent that ends with a failure, unless an order arrives first. */
export function failing(agent: Agent, failure: Failure): Agent {
  return { ...agent, memory: { ...agent.memory, ending: { kind: 'failed', failure } } };
}

/** The agent after a failure. What a pending transition needs is tried for ever; a turn, or a record that is missing, may fail an agent. */
export function afterFailure(
  agent: Agent,
  failed: WorkFailure,
  { work, ...patience }: Patience & { readonly work: Memory['work'] },
): Agent {
  const { record } = agent;
  const { type, message, lacking } = failed;
  if (lacking !== undefined) return waitForLease(agent, { lacking, now: patience.now });
  if (work === 'save' || work === 'push')
    return { ...agent, record: retriedWork(record, { failed, work, now: patience.now }) };
  const { limited: known, ignoreKnownLimits: _ignored, ...nextTurn } = record.nextTurn ?? {};
  const limited = failed.limited === undefined ? known : { ...known, ...failed.limited };
  // Another account of its pool has no limit.
  if (failed.otherAccountFree === true)
    return { ...agent, record: { ...record, nextTurn: { ...nextTurn, ...defined({ limited }) } } };
  const tried = (nextTurn.tries?.[type] ?? 0) + 1;
  const until =
    work === 'turn' ? retryTime(failed, { ...patience, tried }) : workRetryTime(failed, { ...patience, tried });
  if (until === undefined && ruleOf(type).then === 'fail') return failing(agent, { type, message });
  const tries = { ...nextTurn.tries, [type]: tried };
  const { resetsAt } = failed;
  const then = afterwards(record.hold);
  const hold: RetryHold = { kind: 'retry', failure: { type, message }, ...defined({ until, resetsAt, then }) };
  return { ...agent, record: { ...record, hold, nextTurn: { ...nextTurn, tries, ...defined({ limited }) } } };
}

/** When to try again (epoch ms); undefined = when an operator resumes. */
function retryTime(
  { type, resetsAt, retries }: WorkFailure,
  { tried, now, pauseAtLimit }: Patience & { readonly tried: number },
): number | undefined {
  if (resetsAt !== undefined) return pauseAtLimit ? undefined : resetsAt;
  const patience = retries === undefined ? ruleOf(type).patience : { ...SCRIPT_RETRIES, tries: retries };
  return patience !== undefined && tried <= patience.tries ? now + waitSeconds(patience, tried) * 1000 : undefined;
}

/** Work between turns is no reason to give up: what has no patience of its own is tried again all the same. */
function workRetryTime(failed: WorkFailure, patience: Patience & { readonly tried: number }): number | undefined {
  const isPassing = failed.type === 'WorkerLost' || failed.type === 'Unforeseen';
  if (!isPassing) return retryTime(failed, patience);
  return patience.now + waitSeconds(WORK_RETRIES, patience.tried) * 1000;
}

/** The record with work that is tried again: what a pending transition needs never fails an agent. */
export function retriedWork(
  record: AgentState,
  { failed: { type, message }, work, now }: { failed: WorkFailure; work: Memory['work']; now: number },
): AgentState {
  const failure: Failure = { type, message };
  const { hold, workspace } = record;
  const held =
    work === 'save' && workspace !== undefined ? { ...record, workspace: { ...workspace, unsaved: failure } } : record;
  return triedLater(held, { failure, then: afterwards(hold), now });
}

/** The record that waits before its pending transition is applied. */
export function triedLater(
  record: AgentState,
  { failure, then, now }: { readonly failure: Failure; readonly then: RetryHold['then']; readonly now: number },
): AgentState {
  const tried = (record.nextTurn?.tries?.[failure.type] ?? 0) + 1;
  const until = workRetryTime({ ...failure, costUsd: 0 }, { tried, now, pauseAtLimit: false });
  const hold: RetryHold = { kind: 'retry', failure, ...defined({ until, then }) };
  const tries = { ...record.nextTurn?.tries, [failure.type]: tried };
  return { ...record, hold, nextTurn: { ...record.nextTurn, tries } };
}

/** What is left of a hold that a failure interrupts. */
function afterwards(hold: AgentState['hold']): PendingTransition | WorkspaceHold | undefined {
  if (hold?.kind === 'retry') return hold.then;
  return hold?.kind === 'pending' || hold?.kind === 'workspace' ? hold : undefined;
}
