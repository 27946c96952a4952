// What an agent has yet to tell others: its run its status, its spending and its files, the limiter that a lease is free. Computed as the
// difference between what is true now and what was reported last, so that nothing is reported twice or forgotten. Pure.
import type { WantedLease } from '../leases.js';
import { executorOf } from '../language/resolve.js';
import { defined } from '../text.js';
import type { AgentState } from './agent.js';
import type { Agent } from './inbox.js';
import { isStanding, nextTurnId, type NeedsContext } from './needs.js';
import { applyTransition } from './step.js';
import { statusOf, type LiveStatus } from './status.js';
import type { Workspace } from './workspace.js';

/** A held agent reports once a day: so it learns that its run is gone. */
export const REPORTED_EVERY_MS = 24 * 60 * 60 * 1000;

/** What the agent tells its run: its status, and what it has spent; `asks` and `standing` = it continues with a prompt turn. */
export interface Report {
  readonly kind: 'report';
  readonly status: LiveStatus;
  readonly state: string;
  readonly costUsd: number;
  readonly asks?: string;
  readonly standing?: true;
}

/** A message to send, and the agent once it is sent. */
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
  return unreported(agent, context);
}

/** Money that the agent waits for and that has just come: reporting the wait now would give it back. */
function hasComeToMoney({ record, inbox }: Agent): boolean {
  const { hold, pausedBy } = record;
  if (hold?.kind !== 'money' || inbox.grant?.turnId !== hold.turnId) return false;
  return pausedBy === undefined && inbox.recalled !== true;
}

function unreported(agent: Agent, { now, runId }: NeedsContext): Announced | undefined {
  if (hasComeToMoney(agent)) return undefined;
  const { record, inbox, memory } = agent;
  const { owedUsd: costUsd = 0, ...settled } = record;
  const { reported } = memory;
  const status: LiveStatus = memory.work === undefined ? statusOf(record, now) : { kind: 'running' };
  const isPrompt = memory.work === 'turn' && executorOf(record.state) === 'prompt';
  const isRecalled = inbox.recalled === true && !isPrompt;
  const isKnown = reported !== undefined && isSame(reported.status, status) && now < reported.at + REPORTED_EVERY_MS;
  if (isKnown && costUsd === 0 && memory.mustReport !== true && !isRecalled) return undefined;
  const { recalled: _returned, grant: _freed, ...kept } = inbox;
  const { mustReport: _done, standing, asked: _old, ...rest } = memory;
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
    ...defined({ asked: asks, standing: continues ? standing : undefined }),
  };
  return { agent: { record: settled, inbox: isPrompt ? inbox : kept, memory: known }, action };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The agent about to do its next state; undefined when it forks, waits or ends first. */
function followerOf({ hold, ...record }: AgentState): AgentState | undefined {
  if (hold?.kind !== 'pending') return undefined;
  const after = applyTransition(record, hold.transition);
  return after.kind === 'continue' ? after.agent : undefined;
}
