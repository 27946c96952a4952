// Follows a run until it ends or waits for a person; or until it shows the results of its last turns.
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { agentWorkflowId, turnKey, type HeldTurns } from '../../protocol/ids.js';
import { occasionOf } from '../../protocol/machine/status.js';
import type { AgentLine, AskLine, RunSummary } from '../../contract/runs.js';
import { hasExpired } from '../steer/expired.js';
import { viewRun, type RunView } from './runs.js';

/** Options of `followRun`. */
export interface FollowOptions {
  /** Called with every new state of the run. */
  readonly onView?: (view: RunView) => void | Promise<void>;
  /** A pause, or an open question, ends following only after this many resumptions. */
  readonly resumptions?: number;
  /** When only a person's answer is missing: keep waiting, or return. */
  readonly onAsk?: 'wait' | 'exit';
  /** A question that was just answered (its `occasionOf`): a view that still shows it is outdated. */
  readonly answered?: string;
  /** An agent that an order has just continued, as the run showed it before: a view that still shows it is outdated. */
  readonly continued?: AgentLine;
  readonly signal?: AbortSignal;
}

const LOOK_EVERY_MS = 1000;

/** How long an order may take to show. An agent that is held again at once, for the same reason, looks the same. */
const ORDER_SHOWN_MS = 10_000;

/** Resolves with the run when it ended or is held; undefined when `signal` fired first. */
export async function followRun(
  client: Client,
  runId: string,
  following: FollowOptions = {},
): Promise<RunView | undefined> {
  const looking = new AbortController();
  // A pending call would be retried after the connection was closed.
  const result = client.connection.withAbortSignal(looking.signal, () => client.workflow.getHandle(runId).result());
  const ended = result.then(
    () => 'ended' as const,
    (error: unknown) => error, // a run that failed has ended, too; anything else shows when it is looked at
  );
  // One listener for all calls: one for each would accumulate.
  const stopped = aborted(following.signal);
  const shownBy = Date.now() + ORDER_SHOWN_MS;
  try {
    for (;;) {
      const tick = delay(LOOK_EVERY_MS, 'tick' as const, { signal: looking.signal }).catch(() => 'tick' as const);
      const change = await Promise.race([ended, tick, stopped]);
      if (change === 'aborted') return undefined;
      const view = await viewRun(client, runId);
      await following.onView?.(view);
      if (!view.open) return view;
      if (isHeld(view, following) && (Date.now() > shownBy || !isOutdated(view, following))) return view;
      // The wait for the end can break while the run continues (a server restart): reading the run every second still
      // notices.
      if (change !== 'tick') await tick;
    }
  } finally {
    looking.abort();
  }
}

function isHeld(view: RunView, { resumptions = 0, onAsk = 'wait', answered }: FollowOptions): boolean {
  if (view.resumptions < resumptions) return false;
  if (view.status === 'paused') return true;
  if (view.status !== 'asking' || onAsk === 'wait') return false;
  // An answered question is outdated, and after a resumption so is an expired one: it is asked again.
  const isOld = (ask: AskLine): boolean =>
    occasionOf(ask) === answered || (resumptions > 0 && hasExpired(ask, Date.now()));
  return !view.agents.some(({ ask }) => ask !== undefined && isOld(ask));
}

function isOutdated({ agents }: RunView, { continued }: FollowOptions): boolean {
  return continued !== undefined && agents.some((line) => isDeepStrictEqual(line, continued));
}

function aborted(signal: AbortSignal | undefined): Promise<'aborted'> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) resolve('aborted');
    else signal?.addEventListener('abort', () => resolve('aborted'), { once: true });
  });
}

const APPLIED_MS = 5000;
const MOST_AGENTS = 50;
const SCHEDULED = proto.temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED;

/**
 * Waits until a run whose turns have ended, except those that are held back, shows their results; gives up after 5 s. A
 * worker must execute its workflows.
 */
export async function waitUntilApplied(client: Client, runId: string, held: HeldTurns): Promise<RunView> {
  for (const until = Date.now() + APPLIED_MS; ;) {
    const view = await viewRun(client, runId);
    if (!view.open || Date.now() > until || (await isApplied(client, view, held))) return await viewRun(client, runId);
    await delay(50);
  }
}

async function isApplied(client: Client, view: RunView, held: HeldTurns): Promise<boolean> {
  const working = view.agents.filter(({ status }) => status === 'running').slice(0, MOST_AGENTS);
  const waiting = await Promise.all(
    working.map(({ id }) => waitsForTurn(client, agentWorkflowId(view.runId, id), held)),
  );
  // Reads the run last: by then it has the messages of its agents.
  if (waiting.includes(false) || !(await isIdle(client, view.runId))) return false;
  const known = await client.workflow.getHandle(view.runId).query<RunSummary>('summary');
  const shown = new Map(view.agents.map(({ id, status }) => [id, status]));
  return known.agents.every(({ id, status }) => shown.get(id) === status);
}

/**
 * True for an agent that waits for a turn to begin, or has closed. The result of a turn may still be on its way to the
 * server.
 */
async function waitsForTurn(client: Client, workflowId: string, held: HeldTurns): Promise<boolean> {
  try {
    const { raw, status } = await client.workflow.getHandle(workflowId).describe();
    if (status.name !== 'RUNNING') return true;
    const pending = raw.pendingActivities ?? [];
    const begins = pending.every(
      ({ activityId, state }) => state === SCHEDULED || held.has(turnKey(workflowId, activityId ?? '')),
    );
    return !raw.pendingWorkflowTask && pending.length > 0 && begins;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return true;
    throw error;
  }
}

/** True when a run itself has no activity: a run that ends still stores its records. */
async function isIdle(client: Client, runId: string): Promise<boolean> {
  const { raw } = await client.workflow.getHandle(runId).describe();
  return !raw.pendingWorkflowTask && (raw.pendingActivities ?? []).length === 0;
}
