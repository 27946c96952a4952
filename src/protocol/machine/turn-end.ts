// Applies the end of an activity to an agent: a turn is recorded, repeated with a reminder, retried later
// (retry.ts), or ends the agent. Pure.
import { assertNever, type Failure } from '../failure.js';
import { describeProblem, type Problem } from '../language/problem.js';
import { MAX_REMINDERS } from '../language/reminder.js';
import { executorOf } from '../language/resolve.js';
import { defined, exactly } from '../text.js';
import type { AgentState, NextTurn, PendingTransition, Reminder, StoredRecord, WorkspaceHold } from './agent.js';
import { exceedsStack } from './chain.js';
import { holding, type Agent, type Memory } from './inbox.js';
import { dropLease, waitForLease } from './lease.js';
import { afterFailure, withFailure, type RetryContext } from './retry.js';
import { MAX_STACK } from './step.js';
import { reopened } from './wait.js';
import type { TurnOutcome, TurnResult, WorkEnd, WorkFailure } from './work-end.js';
import { withFiles } from './workspace.js';

/** After the same host was lost twice, its worker is probably just starting. */
const LOST_AGAIN_MS = 1000;

/** The agent after the end of its activity. */
export function afterWork(agent: Agent, end: WorkEnd, context: RetryContext): Agent {
  const { work, interrupted, ...memory } = agent.memory;
  const { workEnd: _end, ...inbox } = agent.inbox;
  const stopped = interrupted === true;
  const record = end.kind === 'reported' && end.report.delivered === true ? withoutCarried(agent.record) : agent.record;
  const idle: Agent = { inbox, record, memory: work === 'turn' ? withPromptEnded(agent, memory) : memory };
  const unleased = work === 'turn' && !isLacking(end) ? dropLease(idle) : idle;
  switch (end.kind) {
    case 'reported':
      return afterReport({ ...unleased, inbox: { ...inbox, chain: end.chain } }, { ...end, stopped });
    case 'failed': {
      const known = addSpending(unleased, end.failure.costUsd);
      if (stopped) return withoutRequest(known, end.failure, context.now);
      return afterFailure(known, end.failure, { ...context, work: work ?? 'turn' });
    }
    case 'lost':
      return stopped
        ? addSpending(unleased, end.costUsd)
        : afterLoss(addSpending(unleased, end.costUsd), end, { ...context, work });
    case 'stopped':
      return addSpending(stopped ? unleased : { ...unleased, inbox: { ...inbox, cancelled: true } }, end.costUsd);
    case 'restored':
      return restore(unleased, end.record);
    case 'saved':
      return { ...unleased, record: withFiles(unleased.record, end) };
    case 'pushed':
      return { ...unleased, memory: { ...unleased.memory, pushed: true } };
    default:
      return assertNever(end);
  }
}

function withoutCarried({ carried: _known, ...record }: AgentState): AgentState {
  return record;
}

/** The agent with its record, and with the orders that arrived while it was read. */
function restore({ record, inbox, memory }: Agent, stored: StoredRecord): Agent {
  const { stored: _read, withdrawn, ...rest } = memory;
  const reopenedRecord = reopened(stored);
  const { pausedBy, forksPausedBy, move, operatorNotes = [] } = record;
  const { operatorNotes: before = [], ...reopenedRest } = reopenedRecord;
  const notes = [...(withdrawn === true ? [] : before), ...operatorNotes];
  const { snapshot } = reopenedRecord.workspace ?? {};
  return {
    inbox,
    record: {
      ...reopenedRest,
      ...defined({ pausedBy, forksPausedBy, move }),
      ...(notes.length === 0 ? {} : { operatorNotes: notes }),
    },
    memory: { ...rest, ...defined({ savedSnapshot: snapshot }) },
  };
}

/**
 * The agent after the next turn of a chain. Worker and workflow follow the same rules: a difference is a bug in
 * Raymond.
 */
export function afterChained(agent: Agent, context: RetryContext): Agent {
  const [next, ...chain] = agent.inbox.chain;
  if (next === undefined) return agent;
  const { id, state, turn } = agent.record;
  if (next.state !== state || next.turn !== turn + 1)
    throw new TypeError(`${id}, ${state}: turn ${turn + 1} is next, but the worker did ${next.state} as ${next.turn}`);
  const rest = { ...agent, inbox: { ...agent.inbox, chain } };
  if (next.end.kind === 'report') return afterReport(rest, { report: next.end.report, stopped: false });
  const { failure } = next.end;
  return afterFailure(addSpending(rest, failure.costUsd), failure, { ...context, work: 'turn' });
}

/** An interrupted turn may have requested a lease that will not be used. */
function withoutRequest(agent: Agent, { lacking }: WorkFailure, now: number): Agent {
  return lacking === undefined ? agent : dropLease(holding(waitForLease(agent, { lacking, now }), undefined));
}

function isLacking(end: WorkEnd): boolean {
  return end.kind === 'failed' && end.failure.lacking !== undefined;
}

function withPromptEnded({ record }: Agent, memory: Memory): Memory {
  return executorOf(record.state) === 'prompt' ? { ...memory, mustReport: true } : memory;
}

function addSpending(agent: Agent, costUsd: number): Agent {
  if (costUsd === 0) return agent;
  const { record, memory } = agent;
  const { standing } = memory;
  const remaining = standing?.usd === undefined ? standing : { ...standing, usd: exactly(standing.usd - costUsd) };
  return {
    ...agent,
    record: { ...record, owedUsd: exactly((record.owedUsd ?? 0) + costUsd) },
    memory: { ...memory, ...defined({ standing: remaining }) },
  };
}

function afterReport(
  agent: Agent,
  { report, stopped }: { readonly report: TurnResult; readonly stopped: boolean },
): Agent {
  const paid = addSpending(agent, report.costUsd);
  const outcome = limitStack(agent.record, report.outcome);
  switch (outcome.kind) {
    case 'transition':
      return recordTurn(paid, { report, pending: { kind: 'pending', transition: outcome.transition } });
    case 'problem':
      return afterProblem(paid, { report, problem: outcome });
    case 'cancelled':
      return stopped ? paid : { ...paid, inbox: { ...paid.inbox, cancelled: true } };
    default:
      return assertNever(outcome);
  }
}

/** Endless calls are a protocol mistake: the calling state fails, and the record stays. */
function limitStack(agent: AgentState, outcome: TurnOutcome): TurnOutcome {
  if (outcome.kind !== 'transition' || !exceedsStack(agent, outcome.transition)) return outcome;
  return {
    kind: 'problem',
    problem: { kind: 'stack-full', tag: outcome.transition.kind, limit: MAX_STACK },
    text: '',
  };
}

/** The turn counts: even if the agent stops after this line, the turn does not run again (I1). */
function recordTurn(
  agent: Agent,
  { report, pending }: { readonly report: TurnResult; readonly pending: PendingTransition },
): Agent {
  const { nextTurn, ...record } = countTurn(agent, report);
  const session = report.session ?? nextTurn?.session ?? record.session;
  return { ...agent, record: { ...record, ...defined({ session }), hold: pending } };
}

/** Failed attempts must not make the record of an agent grow. */
const MAX_DENIED = 20;

function countTurn({ record, memory }: Agent, report: TurnResult): AgentState {
  const { operatorNotes: notes = [], denied: before = [], ...rest } = record;
  const remaining = notes.slice(memory.notesGiven);
  const { account } = report;
  // The prompt has named the refusals before it.
  const known = executorOf(record.state) === 'prompt' ? [] : before;
  const denied = [...new Set([...known, ...(report.denied ?? [])])].slice(-MAX_DENIED);
  return withFiles(
    {
      ...rest,
      turn: record.turn + 1,
      ...defined({ account }),
      ...(remaining.length === 0 ? {} : { operatorNotes: remaining }),
      ...(denied.length === 0 ? {} : { denied }),
    },
    report,
  );
}

function afterProblem(
  agent: Agent,
  { report, problem }: { readonly report: TurnResult; readonly problem: TurnOutcome & { readonly kind: 'problem' } },
): Agent {
  const before = agent.record.nextTurn?.reminder;
  if (problem.remindable !== true) return withFailure(agent, protocolError(agent.record, problem.problem, before));
  const record = countTurn(agent, report);
  if (before?.number === MAX_REMINDERS)
    return withFailure({ ...agent, record }, protocolError(agent.record, problem.problem, before));
  const reminder = { problem: problem.problem, number: (before?.number ?? 0) + 1 };
  const session = report.session ?? agent.record.nextTurn?.session;
  const nextTurn: NextTurn = { reminder, ...defined({ session }) };
  return { ...agent, record: { ...record, nextTurn } };
}

function protocolError({ id, state }: AgentState, problem: Problem, reminder: Reminder | undefined): Failure {
  return { type: 'ProtocolError', message: `${id}, ${state}: ${problemText(problem, reminder?.number)}` };
}

/** The problem of a turn that failed its agent; `reminder` is the number of the last one. */
export function problemText(problem: Problem, reminder: number | undefined): string {
  const reminded = reminder === undefined ? '' : ` (after ${reminder} ${reminder === 1 ? 'reminder' : 'reminders'})`;
  return `${describeProblem(problem)}${reminded}`;
}

/** The host of the agent's workspace reported nothing: the agent asks its run for the workspace's host. */
function afterLoss(
  agent: Agent,
  { loss, activities }: Extract<WorkEnd, { readonly kind: 'lost' }>,
  { work, now, asksForUnsaved }: RetryContext & { readonly work: Memory['work'] },
): Agent {
  const { record } = agent;
  const { nextTurn = {}, workspace } = record;
  const { generation, why } = loss;
  if (work === 'save' && why === 'silent' && asksForUnsaved !== true) {
    const host = workspace?.place?.host ?? 'a host';
    const message = `${record.id}, ${record.state}: waits for ${host}, the only host with the files of its last turn`;
    const failed = { type: 'HostLost', message, costUsd: 0 } as const;
    return afterFailure(agent, failed, { work, now });
  }
  const pending = record.hold?.kind === 'pending' ? record.hold : undefined;
  const started = nextTurn.startedIn === generation ? record.turn + 1 : undefined;
  const turn = work === 'turn' ? (loss.turn ?? started) : undefined;
  const again = work !== 'turn' || (nextTurn.lostActivities ?? []).length > 0;
  const hold: WorkspaceHold = {
    kind: 'workspace',
    until: again ? now + LOST_AGAIN_MS : now,
    loss: { generation, why, ...defined({ turn }) },
    ...defined({ pending }),
  };
  const known: NextTurn = {
    ...nextTurn,
    lostActivities: [...(nextTurn.lostActivities ?? []), ...activities],
    ...(turn === undefined ? {} : { startedIn: generation }),
  };
  return { ...agent, record: { ...record, hold, ...(work === 'turn' ? { nextTurn: known } : {}) } };
}
