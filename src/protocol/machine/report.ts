// The agent's outgoing messages: status, spending and files for its run, a free lease for the limiter. Each is the
// difference between the present and the last report, so nothing is reported twice or forgotten. Pure.
import type { WantedLease } from '../leases.js';
import { executorOf } from '../language/resolve.js';
import { defined } from '../text.js';
import type { AgentState, Workspace } from './agent.js';
import type { Agent } from './inbox.js';
import { isStanding, nextTurnId, type NeedsContext } from './needs.js';
import { applyTransition } from './step.js';
import { statusOf, type LiveStatus } from './status.js';

/** A held agent reports once a day, and learns then when its run is gone. */
export const REPORTED_EVERY_MS = 24 * 60 * 60 * 1000;

/** A report to the run: status and spending; `asks` and `standing` = it continues with a prompt turn. */
export interface Report {
  readonly kind: 'report';
  readonly status: LiveStatus;
  readonly state: string;
  readonly costUsd: number;
  readonly asks?: string;
  readonly standing?: true;
  /** A turn may have delivered it. */
  readonly number?: number;
}

/** A message to send, and the agent after sending it. */
interface Announced {
  readonly agent: Agent;
  readonly action: Announcement;
}

/** A message about the agent. */
export type Announcement =
  | Report
  | { readonly kind: 'saved' | 'quiet'; readonly workspace: Workspace }
  | { readonly kind: 'release'; readonly request: WantedLease };

/** The next message to send; a free lease comes first, because other agents wait for it. */
export function announcement(agent: Agent, context: NeedsContext): Announced | undefined {
  const { record, inbox, memory } = agent;
  const { toRelease, ...leases } = memory.leases;
  if (toRelease !== undefined)
    return { agent: { ...agent, memory: { ...memory, leases } }, action: { kind: 'release', request: toRelease } };
  const { workspace } = record;
  if (workspace?.snapshot !== undefined && !isSame(memory.savedSnapshot, workspace.snapshot)) {
    const known = { ...memory, savedSnapshot: workspace.snapshot };
    return { agent: { ...agent, memory: known }, action: { kind: 'saved', workspace } };
  }
  if (workspace !== undefined && inbox.moves === 'asked' && memory.work === undefined)
    return { agent: { ...agent, inbox: { ...inbox, moves: 'quiet' } }, action: { kind: 'quiet', workspace } };
  if (record.carried !== undefined && memory.work === undefined) {
    const { carried, ...rest } = record;
    return { agent: { ...agent, record: rest }, action: { kind: 'report', status: { kind: 'running' }, ...carried } };
  }
  return unreported(agent, context);
}

/** The agent at the start of a turn that delivers this report. */
export function withCarried(agent: Agent, { state, costUsd, standing }: Report): Agent {
  const number = (agent.record.reports ?? 0) + 1;
  const carried = { number, state, costUsd, ...defined({ standing }) };
  return { ...agent, record: { ...agent.record, reports: number, carried } };
}

/** Money that has just arrived for a waiting agent: reporting the wait now would give it back. */
function hasUnusedGrant({ record, inbox }: Agent): boolean {
  const { hold, pausedBy } = record;
  if (hold?.kind !== 'money' || inbox.grant?.turnId !== hold.turnId) return false;
  return pausedBy === undefined && inbox.recalled !== true;
}

/**
 * A question that the run rejects fails its agent at once: it is never open. The run knows who waits for its budget, and
 * takes a report of that for the end of the wait: money that is on its way would come back.
 */
function statusToReport({ record, memory }: Agent, context: NeedsContext): LiveStatus {
  const isOpen = memory.work === undefined && !(context.hidesRejectedAsks && record.hold?.kind === 'ask');
  const status = isOpen ? statusOf(record, context.now) : RUNNING;
  return status.kind === 'queued' && record.hold?.kind === 'money' && context.leavesMoneyToRun ? RUNNING : status;
}

const RUNNING: LiveStatus = { kind: 'running' };

function unreported(agent: Agent, context: NeedsContext): Announced | undefined {
  const { now, runId } = context;
  if (hasUnusedGrant(agent)) return undefined;
  const { record, inbox, memory } = agent;
  const { owedUsd: costUsd = 0, ...settled } = record;
  const { reported } = memory;
  const status = statusToReport(agent, context);
  const isPrompt = memory.work === 'turn' && executorOf(record.state) === 'prompt';
  const isRecalled = inbox.recalled === true && !isPrompt;
  const isKnown = reported !== undefined && isSame(reported.status, status) && now < reported.at + REPORTED_EVERY_MS;
  if (isKnown && costUsd === 0 && memory.mustReport !== true && !isRecalled) return undefined;
  const { recalled: _returned, grant: _freed, ...restOfInbox } = inbox;
  const { mustReport: _done, standing, requestedTurn: _old, ...rest } = memory;
  const follower = record.pausedBy === undefined ? followerOf(record) : undefined;
  const continues = follower !== undefined && !isRecalled && isStanding(standing);
  const asks =
    !continues && follower !== undefined && memory.answersReports === true && executorOf(follower.state) === 'prompt'
      ? nextTurnId(runId, follower)
      : undefined;
  const action: Report = {
    kind: 'report',
    status,
    state: (follower ?? record).state,
    costUsd,
    ...defined({ asks }),
    ...(continues ? { standing: true } : {}),
  };
  const known = {
    ...rest,
    reported: { status, at: now },
    ...defined({ requestedTurn: asks, standing: continues ? standing : undefined }),
  };
  return { agent: { record: settled, inbox: isPrompt ? inbox : restOfInbox, memory: known }, action };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The agent before its next state; undefined when it forks, waits or ends first. */
function followerOf({ hold, ...record }: AgentState): AgentState | undefined {
  if (hold?.kind !== 'pending') return undefined;
  const after = applyTransition(record, hold.transition);
  return after.kind === 'continue' ? after.agent : undefined;
}
