// What turns spent on this host whose agent has been moved to another one meanwhile: no later turn here will book it, so the worker tells the
// run, once it reaches it again. A turn of an agent with files says beside its journal whose it is.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { z } from 'zod';
import type { Backend } from '../backends/backend.js';
import { eventsOf } from '../history/events.js';
import { agentWorkflowId } from '../protocol/ids.js';
import type { ArtifactStore } from '../store/store.js';
import type { Attempt } from './attempt.js';
import { latestGeneration } from './place.js';
import { reporterOf } from './receipts.js';
import { claimFolder, claimsIn, isReported, journalsOf, spentIn } from './spending.js';

const ownerSchema = z.object({
  runId: z.string(),
  agentId: z.string(),
  workspace: z.string(),
  generation: z.number(),
  host: z.string(),
  workflowRunId: z.string(),
  activityId: z.string(),
});

/** Whose a journal is. */
type Owner = z.infer<typeof ownerSchema>;

/** What it takes to book. */
export interface BookingOptions {
  readonly raymondDir: string;
  readonly client: Client;
  readonly artifacts: ArtifactStore;
  readonly backend: Pick<Backend, 'reader'>;
}

/** Says whose the journal of this attempt will be, if its agent may go elsewhere. */
export async function claimJournal({ request, context, bench, fileName }: Attempt): Promise<void> {
  const { workspace } = request.agent;
  const reporter = reporterOf(context);
  if (workspace?.place === undefined || reporter === undefined) return;
  const { workflowRunId, activityId } = reporter;
  const { host, generation } = workspace.place;
  const whose = { runId: request.runId, agentId: request.agent.id, workspace: workspace.owner, generation, host };
  const owner: Owner = { ...whose, workflowRunId, activityId };
  const folder = claimFolder(bench.settings.raymondDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(join(folder, `${fileName}.json`), JSON.stringify(owner), { mode: 0o600 });
}

/** Books what can be booked. Throws when Temporal or the store cannot be reached: then it is tried again later. */
export async function bookAbandoned(options: BookingOptions): Promise<void> {
  for (const claim of await claimsIn(options.raymondDir)) {
    const name = basename(claim);
    const owner = await ownerIn(claim);
    const journals = await journalsOf(options.raymondDir, name.slice(0, -'.json'.length));
    const isOver = journals.length === 0 || owner === undefined || (await book(owner, { ...options, journals, name }));
    if (isOver) await rm(claim, { force: true });
  }
}

/** True when nothing is left to book. */
async function book(
  owner: Owner,
  {
    artifacts,
    client,
    backend,
    journals,
    name,
  }: BookingOptions & { readonly journals: readonly string[]; readonly name: string },
): Promise<boolean> {
  if (await isTold(client, { owner, journals })) {
    await Promise.all(journals.map((file) => rm(file, { force: true })));
    return true;
  }
  // The agent's next turn is done here, and books it.
  if ((await latestGeneration(artifacts, { runId: owner.runId, owner: owner.workspace })) <= owner.generation)
    return false;
  const { agentId, host } = owner;
  const spent = { agentId, host, key: name, costUsd: await spentIn(journals, backend) };
  try {
    await client.workflow.getHandle(owner.runId).signal('spent', spent);
  } catch (error) {
    // The run is over: what it has not booked stays here, by name.
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
  await Promise.all(journals.map((file) => rm(file, { force: true })));
  return true;
}

/** True when the attempt has reported, and the history has it. */
async function isTold(
  client: Client,
  { owner, journals }: { readonly owner: Owner; readonly journals: readonly string[] },
): Promise<boolean> {
  return journals.every(isReported) && (await isHeard(client, owner));
}

async function isHeard(client: Client, { runId, agentId, workflowRunId, activityId }: Owner): Promise<boolean> {
  const scheduled = new Set<string>();
  const source = { workflowId: agentWorkflowId(runId, agentId), executionId: workflowRunId };
  for await (const event of eventsOf(client, source)) {
    const { activityTaskScheduledEventAttributes: begun, activityTaskCompletedEventAttributes: completed } = event;
    const { activityTaskFailedEventAttributes: failed } = event;
    if (begun?.activityId === activityId) scheduled.add(String(event.eventId));
    const told = completed ?? failed;
    if (told && scheduled.has(String(told.scheduledEventId))) return true;
  }
  return false;
}

async function ownerIn(path: string): Promise<Owner | undefined> {
  const text = await readFile(path, 'utf8').catch(() => ''); // it has just been removed
  try {
    return ownerSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined; // cut off by a crash, before anything was spent
  }
}
