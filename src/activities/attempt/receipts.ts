// What the server knows of an attempt: whether it is current before it starts, and whether its
// report has arrived. The latter is checked after each report, outside the turn, so that the copy
// kept for a lost report can be removed; a failing check fails no turn.
import { ServiceError, type Client, type WorkflowExecutionDescription } from '@temporalio/client';
import type { Context } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/common';
import { pendingActivities, unreportedActivities, type PendingActivity } from '../../history/pending.js';
import { point } from '../../host/faults.js';
import { turnFailure } from '../failure.js';
import type { TurnHeartbeat, TurnRequest } from '../../contract/turns.js';

const [FIRST_LOOK_MS, LONGEST_MS] = [50, 10_000];

/** An activity, as the server identifies it. */
export interface Reporter {
  readonly workflowId: string;
  readonly workflowRunId: string;
  readonly activityId: string;
}

/** The details of a heartbeat, as they are when it is sent. */
export type BeatDetails = () => Partial<TurnHeartbeat> | undefined;

/** What a turn knows of the attempt that reports for it. */
export interface ActivityContext extends Pick<
  Context,
  'info' | 'client' | 'cancellationSignal' | 'cancellationDetails'
> {
  /** When the SDK was last given a heartbeat (`performance.now`). */
  readonly beatAt: number;
  heartbeat(details: BeatDetails): void;
}

/** The worker's client; undefined outside of a worker. */
export function clientOf(context: Pick<ActivityContext, 'client'>): Client | undefined {
  try {
    return context.client;
  } catch {
    return undefined;
  }
}

/** The activity of a context; undefined outside of a workflow. */
export function reporterOf({ info }: Pick<ActivityContext, 'info'>): Reporter | undefined {
  const { workflowExecution: execution, activityId } = info;
  if (execution === undefined) return undefined;
  return { workflowId: execution.workflowId, workflowRunId: execution.runId, activityId };
}

type Settle = () => Promise<boolean>;

/** Reports that may not have arrived yet. */
export class Receipts {
  private readonly open = new Set<Settle>();

  /** Calls `arrived` once the server no longer waits for this activity. */
  await(context: ActivityContext, arrived: () => Promise<void>): void {
    const client = clientOf(context);
    const reporter = reporterOf(context);
    if (client === undefined || reporter === undefined) return;
    const settle = async (): Promise<boolean> => {
      const settled = await hasArrived(client, reporter).catch(() => false); // not now: asked again later
      if (!settled || !this.open.delete(settle)) return settled;
      point('after-report');
      await arrived().catch(() => undefined); // the agent's next turn finds what is left
      return true;
    };
    this.open.add(settle);
    this.checkAfter(FIRST_LOOK_MS, settle);
  }

  /** Checks every open report once more, because this worker ends. */
  async settle(): Promise<void> {
    await Promise.all([...this.open].map((settle) => settle()));
  }

  private checkAfter(ms: number, settle: Settle): void {
    setTimeout(() => {
      void settle().then((settled) => {
        // The server has rejected it, or cannot be reached for long: the agent's next turn finds the copy.
        if (settled || ms > LONGEST_MS) this.open.delete(settle);
        else this.checkAfter(ms * 2, settle);
      });
    }, ms).unref();
  }
}

/** A server that does not answer within this time is unreachable. */
const ANSWERED_MS = 5000;

/** An activity that the server waits for; undefined when it does not (any more). Throws when the server is away. */
export async function pendingActivity(client: Client, reporter: Reporter): Promise<PendingActivity | undefined> {
  const description = await describe(client, reporter);
  return description && pendingActivities(description).find(isOf(reporter));
}

/** True when the server has the report of this activity, or has deleted its workflow. Throws when it cannot be reached. */
export async function hasArrived(client: Client, reporter: Reporter): Promise<boolean> {
  const description = await describe(client, reporter);
  return description === undefined || !unreportedActivities(description).some(isOf(reporter));
}

async function describe(
  client: Client,
  { workflowId, workflowRunId }: Reporter,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    const handle = client.workflow.getHandle(workflowId, workflowRunId);
    return await client.withDeadline(Date.now() + ANSWERED_MS, () => handle.describe());
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

const isOf =
  ({ activityId }: Reporter) =>
  (activity: PendingActivity): boolean =>
    activity.activityId === activityId;

/** Half of the heartbeat timeout, after which the server gives the turn of a silent worker to another attempt. */
export const HALF_HEARTBEAT_TIMEOUT_MS = 7500;

/**
 * False when the server has given the turn to another attempt, or no longer waits for it. Throws `WorkerLost` when it
 * does not answer.
 */
export async function isCurrent(context: Pick<ActivityContext, 'client' | 'info'>): Promise<boolean> {
  const { attempt, currentAttemptScheduledTimestampMs: since } = context.info;
  const [client, reporter] = [clientOf(context), reporterOf(context)];
  if (Date.now() - since < HALF_HEARTBEAT_TIMEOUT_MS || client === undefined || reporter === undefined) return true;
  try {
    return (await pendingActivity(client, reporter))?.attempt === attempt;
  } catch (error) {
    throw turnFailure('WorkerLost', `the server cannot be asked whether the turn still counts: ${reasonOf(error)}`);
  }
}

/** Delivers the report that a turn carries. Throws `RunGone`, and `WorkerLost` when the server does not answer. */
export async function deliverReport(
  context: Pick<ActivityContext, 'client'>,
  { runId, agent, report }: Pick<TurnRequest, 'runId' | 'agent' | 'report'>,
): Promise<true | undefined> {
  const client = clientOf(context);
  if (report === undefined || client === undefined) return undefined;
  const message = { agentId: agent.id, status: { kind: 'running' }, ...report };
  const run = client.workflow.getHandle(runId);
  try {
    point('before-delivery');
    await client.withDeadline(Date.now() + ANSWERED_MS, () => run.signal('report', message));
    point('after-delivery');
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) throw turnFailure('RunGone', `the run ${runId} is no longer open`);
    throw turnFailure('WorkerLost', `the server does not accept the report of the last turn: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  const cause = error instanceof ServiceError ? error.cause : error;
  return cause instanceof Error ? cause.message : String(cause);
}
