// What turns spent on this host whose agent has been moved to another one meanwhile: no later turn here will book it, so the worker tells the
// run, once it reaches it again.
import { rm } from 'node:fs/promises';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import type { Pricing } from '../../backends/backends.js';
import { eventsOf } from '../../history/events.js';
import type { ArtifactStore } from '../../store/store.js';
import { claimsIn, type Claim, type Claimant } from './claims.js';
import { latestGeneration } from '../../workspaces/placement.js';
import { hasArrived, type Reporter } from '../attempt/receipts.js';
import { isReported, journalsOf, notedIn, spentIn } from './spending.js';

/** What it takes to book. */
export interface BookingOptions {
  readonly raymondDir: string;
  readonly client: Client;
  readonly artifacts: ArtifactStore;
  readonly pricing: Pricing;
}

/** Books what can be booked. Throws when Temporal or the store cannot be reached: then it is tried again later. */
export async function bookAbandoned(options: BookingOptions): Promise<void> {
  for (const claim of await claimsIn(options.raymondDir)) {
    const journals = await journalsOf(options.raymondDir, claim.name);
    if (await isOver(claim, { ...options, journals })) await rm(claim.path, { force: true });
  }
}

type Booking = BookingOptions & { readonly journals: readonly string[] };

/** True when nothing is left to book. */
async function isOver({ name, claimant }: Claim, options: Booking): Promise<boolean> {
  const { client, pricing, journals } = options;
  if (journals.length === 0 || claimant === undefined) return true;
  const untold = await untoldOf(client, journals);
  const left = await isAbandoned(claimant, options);
  if (untold.length > 0 && !left) return false;
  const { runId, agentId, host, turn } = claimant;
  const spent = { agentId, host, turn, key: name, costUsd: await spentIn(untold, pricing) };
  try {
    // Also when nothing is left to tell: the run may name the turn.
    if (left) await client.workflow.getHandle(runId).signal('spent', spent);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    // The run is over: what it has not booked stays here, by name.
    if (untold.length > 0) return false;
  }
  await Promise.all(journals.map((file) => rm(file, { force: true })));
  return true;
}

/** False while the agent's next turn is done here, which books it, and while the turn itself may report. */
async function isAbandoned(
  { runId, workspace, generation, activity }: Claimant,
  { artifacts, client }: Pick<BookingOptions, 'artifacts' | 'client'>,
): Promise<boolean> {
  return (
    (await latestGeneration(artifacts, { runId, owner: workspace })) > generation &&
    (await hasArrived(client, activity))
  );
}

/** Without those that an activity has reported whose end the history has: of the attempt itself, or of a later one that took it up. */
async function untoldOf(client: Client, journals: readonly string[]): Promise<readonly string[]> {
  const told = await Promise.all(
    journals.map(async (journal) => {
      const reporter = isReported(journal) ? await notedIn(journal) : undefined;
      return reporter !== undefined && (await isHeard(client, reporter));
    }),
  );
  return journals.filter((_, index) => told[index] !== true);
}

async function isHeard(client: Client, { workflowId, workflowRunId, activityId }: Reporter): Promise<boolean> {
  const scheduled = new Set<string>();
  for await (const event of eventsOf(client, { workflowId, executionId: workflowRunId })) {
    const { activityTaskScheduledEventAttributes: begun, activityTaskCompletedEventAttributes: completed } = event;
    const { activityTaskFailedEventAttributes: failed } = event;
    if (begun?.activityId === activityId) scheduled.add(String(event.eventId));
    const told = completed ?? failed;
    if (told && scheduled.has(String(told.scheduledEventId))) return true;
  }
  return false;
}
