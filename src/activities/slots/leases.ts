// The worker's side of limits: checks before a turn starts that it has its leases, requests missing
// ones, and finds leases that no turn uses. The limiter's workflow decides who gets a lease.
import { Context } from '@temporalio/activity';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import proto from '@temporalio/proto';
import { openScope } from '../../packages/open.js';
import { LIMITER, type HeldLease, type Lease, type LeaseName, type LeaseRequest } from '../../protocol/leases.js';
import type { HolderCheck, LimiterInput, Limits } from '../../protocol/leases.js';
import { DEFAULT_PRIORITY } from '../../protocol/priority.js';
import type { Attempt } from '../attempt/attempt.js';
import { endEarlierAttempts } from '../attempt/earlier-attempts.js';
import type { ActivityContext } from '../attempt/receipts.js';
import { turnFailure } from '../failure.js';
import type { WorkerContextSettings } from '../settings.js';

/** The leases that a state needs, and the model that it requests. */
export interface StateNeeds {
  readonly keys: readonly string[];
  readonly model?: string | undefined;
}

/**
 * Returns when the turn has its leases or needs none; otherwise requests them and throws
 * `LeaseWanted`, so that the agent waits, not this worker. The turn itself reports errors of the
 * state.
 */
export async function requirePlaces(attempt: Attempt, needsOf: () => Promise<StateNeeds>): Promise<void> {
  const { settings, limiter } = attempt.worker;
  const { lease, agent } = attempt.request;
  const keys = await keysOf(attempt, needsOf);
  if (keys.length === 0 || (lease !== undefined && (await isGood(attempt, { lease, keys })))) return;
  // No process of this turn may still run when another turn gets its lease.
  await endEarlierAttempts(attempt);
  const request = requestOf(attempt, keys);
  const { client } = attempt.context;
  await client.workflow.signalWithStart(LIMITER.workflow, {
    ...limiter,
    args: [limiterInput(settings)],
    signal: LIMITER.want,
    signalArgs: [request],
  });
  const places = keys.map((key) => `${key} (${settings.limits[key] ?? 0} in use)`).join(' and ');
  const lacking = { limiter: limiter.workflowId, requestId: request.requestId, keys, places: `a slot of ${places}` };
  throw turnFailure('LeaseWanted', `${agent.id}, ${agent.state}: waits for ${lacking.places}`, { lacking });
}

/** True when the turn needs leases: then it has its own activity. */
export async function needsPlaces(attempt: Attempt, needsOf: () => Promise<StateNeeds>): Promise<boolean> {
  return (await keysOf(attempt, needsOf)).length > 0;
}

async function keysOf(attempt: Attempt, needsOf: () => Promise<StateNeeds>): Promise<readonly string[]> {
  const { limits } = attempt.worker.settings;
  if (Object.keys(limits).length === 0) return [];
  const needs = await needsOf().catch(() => ({ keys: [] }));
  return limitedKeys(limits, { ...needs, keys: [...needs.keys, ...(await packageKeys(attempt))] });
}

/** The input of a new limiter. */
function limiterInput({ limits, leaseCheckMs, leaseMessages }: WorkerContextSettings): LimiterInput {
  return { limits, checkMs: leaseCheckMs, messagesPerHistory: leaseMessages };
}

/** A model counts under its own name and under its family's. */
function limitedKeys(limits: Limits, { keys, model = '' }: StateNeeds): readonly string[] {
  const ofModel = Object.keys(limits).filter(
    (key) => key === model || (FAMILIES.includes(key) && model.split('-').includes(key)),
  );
  return [...new Set([...keys, ...ofModel])].filter((key) => Object.hasOwn(limits, key)).sort();
}

const FAMILIES = ['opus', 'sonnet', 'haiku'];

async function packageKeys({ artifacts, request: { agent } }: Attempt): Promise<readonly string[]> {
  try {
    return (await (await openScope(agent.scope, artifacts)).manifest())?.manifest.limits ?? [];
  } catch {
    return []; // the turn itself reports the error of its package
  }
}

/** An old lease may have been given to another agent while this turn was not running. */
async function isGood(
  { worker, context }: Attempt,
  { lease, keys }: { readonly lease: Lease; readonly keys: readonly string[] },
): Promise<boolean> {
  if (!keys.every((key) => lease.keys.includes(key))) return false;
  const age = Math.abs(Date.now() - lease.since);
  if (context.info.attempt === 1 && age < 1.5 * worker.settings.leaseCheckMs) return true;
  return await isHeld(context, lease);
}

/** If the limiter does not answer, the lease is requested again. */
async function isHeld(context: ActivityContext, { limiter, requestId }: Lease): Promise<boolean> {
  const name: LeaseName = { holder: holderOf(context), requestId };
  const { client } = context;
  try {
    return await client.withDeadline(Date.now() + 5000, () =>
      client.workflow.getHandle(limiter).query<boolean, [LeaseName]>(LIMITER.holds, name),
    );
  } catch {
    return false;
  }
}

function requestOf({ context, turnId, request }: Attempt, keys: readonly string[]): LeaseRequest {
  const { priority = DEFAULT_PRIORITY } = request.settings;
  // All attempts of an activity send the same request.
  return { holder: holderOf(context), requestId: `${turnId}-${context.info.activityId}`, keys, priority };
}

function holderOf({ info: { workflowExecution } }: ActivityContext): LeaseRequest['holder'] {
  const { workflowId = '', runId = '' } = workflowExecution ?? {};
  return { workflowId, runId };
}

const { PendingActivityState } = proto.temporal.api.enums.v1;

/**
 * After how many checks a lease without a running turn is lost: while no worker accepts the turn,
 * and while there is no turn yet.
 */
const UNUSED_CHECKS = { scheduled: 2, none: 10 };

/** Those of some leases whose agents have ended, or have no turn on a worker. */
export async function lostHolders({ held, now, checkMs }: HolderCheck): Promise<readonly HeldLease[]> {
  const { client } = Context.current();
  const lost = held.map(async (lease) => {
    const turn = await turnOf(client, lease.holder);
    const checks = (now - lease.since) / checkMs;
    if (turn === 'closed') return [lease];
    return turn !== 'running' && checks >= UNUSED_CHECKS[turn] ? [lease] : [];
  });
  return (await Promise.all(lost)).flat();
}

/** The state of an agent's turn; throws when the server cannot be reached. */
async function turnOf(
  client: Client,
  { workflowId, runId }: HeldLease['holder'],
): Promise<'closed' | 'running' | 'scheduled' | 'none'> {
  try {
    const { status, raw } = await client.workflow.getHandle(workflowId, runId).describe();
    if (status.name !== 'RUNNING') return 'closed';
    const turn = raw.pendingActivities?.find(({ activityType }) => TURNS.includes(activityType?.name ?? ''));
    if (!turn) return 'none';
    return turn.state === PendingActivityState.PENDING_ACTIVITY_STATE_SCHEDULED ? 'scheduled' : 'running';
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 'closed';
    throw error;
  }
}

const TURNS: readonly string[] = ['runPrompt', 'runScript'];
