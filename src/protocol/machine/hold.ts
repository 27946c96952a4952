// Decides what an agent does next: a pure function of its record, of what it has received, and of the time. Every wait
// is a hold in the record.
// The invariants, each a property test in test/protocol/machine/hold-any.test.ts:
//   H1 No order is lost: it is in the record, or has taken effect.
//   H2 A paused agent never starts a turn.
//   H3 A cancel ends every hold.
//   H4 A hold survives continue-as-new with its retries and times.
//   H5 What an operator sees (status.ts) is computed from the hold, not stored beside it.
import { assertNever } from '../failure.js';
import type { Lease } from '../leases.js';
import { executorOf } from '../language/resolve.js';
import { defined } from '../text.js';
import type { AgentState, Ask, Await, PendingTransition } from './agent.js';
import { areAwaited, holding, type Agent, type Allowance, type Ending, type Work } from './inbox.js';
import { leaseStep, dropLease, type WaitAction } from './lease.js';
import * as needs from './needs.js';
import { withFailure } from './retry.js';
import { applyOrder, retry } from './order.js';
import { announcement, REPORTED_EVERY_MS, withCarried, type Announcement } from './report.js';
import { applyTransition } from './step.js';
import { afterChained, afterWork } from './turn-end.js';
import { afterAnswer, afterAwait, afterDelay, afterLateForks, afterTimeout, beginWait } from './wait.js';

/** What decisions depend on besides the agent. Times are epoch milliseconds. */
export interface Context extends needs.NeedsContext {
  /** Whether delays, limits and retries end at once, as in tests. */
  readonly skipsWaits: boolean;
  readonly rejectsAsks: boolean;
  readonly pauseAtLimit: boolean;
  readonly movesFromTrouble: boolean;
  readonly asksForUnsaved: boolean;
  /** Whether the files of an agent that ends go to a branch. */
  readonly pushes: boolean;
  /** The history is long: the agent continues as new as soon as that loses nothing. */
  readonly isFull: boolean;
}

/** What the agent does now. */
export type Action =
  | WaitAction
  | { readonly kind: 'turn'; readonly allowance?: Allowance; readonly lease?: Lease }
  | { readonly kind: 'work'; readonly work: Exclude<Work, 'turn'> }
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'end-chain' }
  | { readonly kind: 'fork'; readonly pending: PendingTransition }
  | { readonly kind: 'refuse'; readonly by: string; readonly why: string }
  | Announcement
  | needs.Request
  | { readonly kind: 'renew' }
  | { readonly kind: 'end'; readonly ending: Ending };

/** A decision: the action, and the agent after it. */
interface Decision {
  readonly agent: Agent;
  readonly action: Action;
}

/** Decides what the agent does next. */
export function next(agent: Agent, context: Context): Decision {
  for (let now: Agent | Decision = agent; ; now = step(now, context)) if ('action' in now) return now;
}

function step(agent: Agent, context: Context): Agent | Decision {
  const { inbox, memory, record } = agent;
  if (inbox.orders.length > 0) return acceptOrder(agent, context);
  if (inbox.workEnd !== undefined) return afterWork(agent, inbox.workEnd, context);
  if (inbox.chain.length > 0 && memory.ending === undefined)
    return record.hold?.kind === 'pending' ? applyPending(agent, record.hold, context) : afterChained(agent, context);
  const announced = announcement(agent, context);
  if (announced !== undefined) return withTurn(announced, context) ?? announced;
  return memory.work === undefined ? idleStep(agent, context) : workingStep(agent);
}

/** A report goes with the turn that follows at once; undefined when none does, or on a host that may be gone. */
function withTurn({ agent, action: report }: Decision, context: Context): Decision | undefined {
  if (report.kind !== 'report' || report.number !== undefined || report.status.kind !== 'running') return undefined;
  if (agent.memory.work !== undefined || agent.record.workspace !== undefined) return undefined;
  const { agent: working, action } = next(agent, context);
  if (action.kind !== 'turn' || !context.carriesReports) return undefined;
  return { agent: withCarried(working, report), action };
}

/** Moves the oldest order into the record. An order that asks for it interrupts the work in progress. */
function acceptOrder(agent: Agent, context: Context): Agent | Decision {
  const [order, ...orders] = agent.inbox.orders;
  const rest = { ...agent, inbox: { ...agent.inbox, orders } };
  if (order === undefined) return rest;
  if (order.kind === 'resume' && order.by !== undefined && rest.inbox.cancelled === true)
    return { agent: rest, action: { kind: 'refuse', by: order.by, why: 'it was being cancelled' } };
  const after = applyOrder(rest, order, context.now);
  const { work, interrupted } = after.memory;
  if (work === undefined || interrupted === true) return after;
  if (order.kind === 'note' || order.kind === 'withdraw' || order.kind === 'resume') return after;
  const { now } = order.kind === 'move' ? order.move : order;
  const interrupts = work === 'turn' ? now === true : order.kind === 'move';
  return interrupts ? interrupt(after) : { agent: after, action: { kind: 'end-chain' } };
}

function interrupt(agent: Agent): Decision {
  return { agent: { ...agent, memory: { ...agent.memory, interrupted: true } }, action: { kind: 'interrupt' } };
}

function workingStep(agent: Agent): Decision {
  const { inbox, memory } = agent;
  if (inbox.cancelled === true && memory.interrupted !== true) return interrupt(agent);
  return { agent, action: { kind: 'wait' } };
}

/** An agent without an activity in progress. */
function idleStep(agent: Agent, context: Context): Agent | Decision {
  const { record, inbox, memory } = agent;
  const { hold, move } = record;
  if (inbox.cancelled === true) return endStep(dropLease(agent), { kind: 'cancelled' });
  if (memory.stored !== undefined && memory.ending === undefined)
    return hold === undefined ? startWork(agent, 'restore') : holdStep(agent, context);
  if (context.isFull && memory.ending === undefined && isSettled(agent)) return renewStep(agent);
  // The agents of a fork in progress must not be forgotten.
  if (hold?.kind === 'pending' && hold.progress !== undefined)
    return { agent, action: { kind: 'fork', pending: hold } };
  if (move !== undefined) return applyMove(agent);
  if (memory.ending !== undefined) return endStep(dropLease(agent), memory.ending);
  return holdStep(agent, context);
}

/** A lease belongs to one execution: it is released first. */
function renewStep(agent: Agent): Agent | Decision {
  const unleased = dropLease(agent);
  return unleased === agent ? { agent, action: { kind: 'renew' } } : unleased;
}

/** A lease is released before the agent ends. */
function endStep(agent: Agent, ending: Ending): Agent | Decision {
  return agent.memory.leases.toRelease === undefined ? { agent, action: { kind: 'end', ending } } : agent;
}

/** True when a new execution would lose nothing. A transition is applied first: it may be the agent's last. */
function isSettled({ record: { hold }, inbox: { answer, results, moves } }: Agent): boolean {
  const isAnswered =
    (hold?.kind === 'ask' && answer !== undefined) || (hold?.kind === 'await' && results !== undefined);
  const isToApply = hold?.kind === 'pending' && hold.progress === undefined;
  return !isAnswered && !isToApply && moves === undefined;
}

/** Moves the agent where an operator sends it, whatever it waited for. The files of its last turn are saved first. */
function applyMove(agent: Agent): Agent {
  const { record, inbox } = agent;
  const { move, hold, pending: _given, nextTurn: _over, ...rest } = record;
  if (move === undefined) return agent;
  const { kind, target, input } = move;
  const pending: PendingTransition = { kind: 'pending', transition: { kind, target, ...defined({ input }) } };
  const then = hold?.kind === 'workspace' && hold.loss !== undefined ? { ...hold, pending } : pending;
  const { answer: _late, results: _unread, ...unused } = inbox;
  const { ending: _not, ...memory } = agent.memory;
  return dropLease({ inbox: unused, memory, record: { ...rest, hold: then } });
}

function holdStep(agent: Agent, context: Context): Agent | Decision {
  const { hold, pausedBy } = agent.record;
  const { now, skipsWaits } = context;
  switch (hold?.kind) {
    case undefined:
      return pausedBy === undefined
        ? startTurn(agent, context)
        : dropLease(holding(agent, { kind: 'paused', by: pausedBy }));
    case 'paused':
      return hold.by === pausedBy ? waitUntil(agent) : holding(agent, undefined);
    case 'pending':
      return pendingStep(agent, hold, context);
    case 'delay':
      return skipsWaits || now >= hold.until
        ? { ...agent, record: afterDelay(agent.record) }
        : waitUntil(agent, hold.until);
    case 'ask':
      return askStep(agent, hold, context);
    case 'await':
      return awaitStep(agent, hold, context);
    case 'retry':
      if (hold.until === undefined || (now < hold.until && !skipsWaits)) return waitUntil(agent, hold.until);
      return { ...agent, record: retry(agent.record, hold, { now, byOperator: false }) };
    case 'money':
      return needs.moneyStep(agent, hold, now);
    case 'lease':
      return leaseStep(agent, hold, now);
    case 'workspace':
      return needs.workspaceStep(agent, hold, context);
    default:
      return assertNever(hold);
  }
}

function waitUntil(agent: Agent, until = Infinity): Decision {
  const { reported } = agent.memory;
  const at = Math.min(until, reported === undefined ? Infinity : reported.at + REPORTED_EVERY_MS);
  return { agent, action: { kind: 'wait', ...(at === Infinity ? {} : { until: at }) } };
}

/** An agent without a hold: its turn starts, with what it needs. */
function startTurn(agent: Agent, context: Context): Agent | Decision {
  const { record, memory } = agent;
  // The files of a prompt with a protocol mistake are saved before the state runs again.
  if (record.workspace?.unsaved !== undefined) return startWork(agent, 'save');
  const lacking = needs.lackingNeed(agent, context);
  if (lacking !== undefined) return lacking;
  const wanted = needs.nextTurnId(context.runId, record);
  const allowance = executorOf(record.state) === 'prompt' ? needs.allowanceFor(agent, wanted) : undefined;
  const { grant: _used, ...inbox } = agent.inbox;
  const { requestedTurn: _asked, standing: _before, ...rest } = memory;
  const standing = allowance === undefined ? memory.standing : { ...allowance, turns: allowance.turns - 1 };
  const answersReports = memory.answersReports ?? (agent.inbox.grant?.turns === undefined ? undefined : true);
  const { granted: lease } = memory.leases;
  const notesGiven = allowance === undefined ? 0 : (record.operatorNotes?.length ?? 0);
  return {
    agent: {
      record,
      inbox: allowance === undefined ? agent.inbox : inbox,
      memory: { ...rest, work: 'turn', notesGiven, ...defined({ standing, answersReports }) },
    },
    action: { kind: 'turn', ...defined({ allowance, lease }) },
  };
}

/** A pending transition is applied once the files of the last turn are saved. */
function pendingStep(agent: Agent, hold: PendingTransition, context: Context): Agent | Decision {
  const { record, memory } = agent;
  if (record.workspace?.unsaved !== undefined) return startWork(agent, 'save');
  const pushes = context.pushes && record.workspace?.owner === record.id && memory.pushed !== true;
  if (pushes && isEnd(record, hold)) {
    const isLocated = record.workspace.place !== undefined && agent.inbox.moves === undefined;
    return isLocated
      ? startWork(agent, 'push')
      : holding(agent, { kind: 'workspace', until: context.now, pending: hold });
  }
  return applyPending(agent, hold, context);
}

function isEnd({ hold: _pending, ...record }: AgentState, { transition }: PendingTransition): boolean {
  return applyTransition(record, transition).kind === 'end';
}

function startWork(agent: Agent, work: Exclude<Work, 'turn'>): Decision {
  return { agent: { ...agent, memory: { ...agent.memory, work } }, action: { kind: 'work', work } };
}

function applyPending(agent: Agent, pending: PendingTransition, { now }: Context): Agent | Decision {
  const { hold: _applied, nextTurn: _tried, ...record } = agent.record;
  const after = applyTransition(record, pending.transition);
  switch (after.kind) {
    case 'continue':
      return { ...agent, record: after.agent };
    case 'fork':
      return { agent, action: { kind: 'fork', pending } };
    case 'wait':
      return holding({ ...agent, record: after.agent }, beginWait(after.wait, now));
    case 'end':
      return {
        ...agent,
        memory: { ...agent.memory, ending: { kind: 'completed', agent: after.agent, result: after.payload } },
      };
    default:
      return assertNever(after);
  }
}

function askStep(
  agent: Agent,
  ask: Ask & { readonly kind: 'ask' },
  { now, runId, rejectsAsks, skipsWaits }: Context,
): Agent | Decision {
  const { record, inbox } = agent;
  const where = `${record.id}, ${record.state}`;
  if (rejectsAsks)
    return withFailure(agent, {
      type: 'AskRejected',
      message: `${where}: the state asks a person, but the run has --on-ask=reject; to allow questions, run: raymond resume ${runId} --on-ask=exit`,
    });
  const { answer, expired, ...rest } = inbox;
  if (answer?.askId === ask.id) return { ...agent, inbox: rest, record: afterAnswer(record, { ask, answer }) };
  // Where time passes at once, the answering program reports the expiry.
  const until = skipsWaits ? undefined : ask.until;
  if (expired !== ask.id && (until === undefined || now < until)) return waitUntil(agent, until);
  const late = afterTimeout(record, ask);
  if (late !== undefined) return { ...agent, inbox: rest, record: late };
  const message = `${where}: ${ask.id} expired without an answer, and it has no timeout_next; ask again with: raymond resume ${runId}`;
  return withFailure({ ...agent, inbox: rest }, { type: 'AskTimedOut', message });
}

/** The run sets the status of an agent that awaits others when it sends the results. */
function awaitStep(agent: Agent, hold: Await, { now, runId, skipsWaits }: Context): Agent | Decision {
  const { record, memory } = agent;
  const { results, ...inbox } = agent.inbox;
  if (results !== undefined && areAwaited(record, results)) {
    const { reported } = memory;
    const known = reported === undefined ? {} : { reported: { ...reported, status: { kind: 'running' } as const } };
    return { inbox, record: afterAwait(record, { ...hold, ...results }), memory: { ...memory, ...known } };
  }
  const until = skipsWaits ? undefined : hold.until;
  if (until === undefined || now < until) return waitUntil(agent, until);
  const late = afterLateForks(record, hold);
  if (late !== undefined) return { ...agent, record: late };
  const message = `${record.id}, ${record.state}: the agents that it awaits have not ended in time, and <await> has no timeout_next; await them again with: raymond resume ${runId}`;
  return withFailure(agent, { type: 'AwaitTimedOut', message });
}
