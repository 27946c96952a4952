// Spending on this host for agents that have moved to another one: no later turn here records it,
// so the worker reports it to the run, as soon as it can reach the run.
import { rm } from 'node:fs/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Pricing } from '../../backends/backends.js';
import { eventsOf } from '../../history/events.js';
import type { ArtifactStore } from '../../store/store.js';
import { claimsIn, type SpendingClaim, type Claimant } from './claims.js';
import { latestGeneration } from '../../workspaces/placement.js';
import { hasArrived, type Reporter } from '../attempt/receipts.js';
import { isReported, journalsOf, notedIn, spentIn } from './spending.js';

/** What a report needs. */
export interface SpendingReportOptions {
  readonly raymondDir: string;
  readonly client: Client;
  readonly artifacts: ArtifactStore;
  readonly pricing: Pricing;
}

/**
 * Reports what it can. Throws when Temporal or the store cannot be reached: it is tried again
 * later.
 */
export async function reportSpending(options: SpendingReportOptions): Promise<void> {
  for (const claim of await claimsIn(options.raymondDir)) {
    const journals = await journalsOf(options.raymondDir, claim.name);
    if (await isSettled(claim, { ...options, journals })) await rm(claim.path, { force: true });
  }
}

type SpendingReport = SpendingReportOptions & { readonly journals: readonly string[] };

/** True when nothing is left to report. */
async function isSettled({ name, claimant }: SpendingClaim, options: SpendingReport): Promise<boolean> {
  const { client, pricing, journals } = options;
  if (journals.length === 0 || claimant === undefined) return true;
  const unreported = await unreportedOf(client, journals);
  const hasLeft = await agentHasLeft(claimant, options);
  if (unreported.length > 0 && !hasLeft) return false;
  const { runId, agentId, host, turn } = claimant;
  const spent = { agentId, host, turn, key: name, costUsd: await spentIn(unreported, pricing) };
  try {
    // Also without spending: the run may list the turn as unreported.
    if (hasLeft) await client.workflow.getHandle(runId).signal('spent', spent);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    // The run has ended: unreported spending stays here, by name.
    if (unreported.length > 0) return false;
  }
  await Promise.all(journals.map((file) => rm(file, { force: true })));
  return true;
}

/**
 * False while the agent's next turn is on this host and records the spending, and while the turn
 * itself may report.
 */
async function agentHasLeft(
  { runId, workspace, generation, activity }: Claimant,
  { artifacts, client }: Pick<SpendingReportOptions, 'artifacts' | 'client'>,
): Promise<boolean> {
  return (
    (await latestGeneration(artifacts, { runId, owner: workspace })) > generation &&
    (await hasArrived(client, activity))
  );
}

/**
 * Without those that a finished activity has reported: that of the attempt itself, or of a later
 * attempt.
 */
async function unreportedOf(client: Client, journals: readonly string[]): Promise<readonly string[]> {
  const reported = await Promise.all(
    journals.map(async (journal) => {
      const reporter = isReported(journal) ? await notedIn(journal) : undefined;
      return reporter !== undefined && (await isInHistory(client, reporter));
    }),
  );
  return journals.filter((_, index) => reported[index] !== true);
}

async function isInHistory(client: Client, { workflowId, workflowRunId, activityId }: Reporter): Promise<boolean> {
  const scheduled = new Set<string>();
  for await (const event of eventsOf(client, { workflowId, executionId: workflowRunId })) {
    const { activityTaskScheduledEventAttributes: scheduledEvent, activityTaskCompletedEventAttributes: completed } =
      event;
    const { activityTaskFailedEventAttributes: failed } = event;
    if (scheduledEvent?.activityId === activityId) scheduled.add(String(event.eventId));
    const ended = completed ?? failed;
    if (ended && scheduled.has(String(ended.scheduledEventId))) return true;
  }
  return false;
}
