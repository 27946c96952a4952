// What a worker would say about histories if it had to replay them: nothing, or which of them our workflow code would not have made.
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import type { ReplayHistoriesIterable } from '@temporalio/worker';
import { byNode } from './by-node.js';

const { Worker } = await byNode('@temporalio/worker');

const OPTIONS = {
  workflowBundle: { codePath: fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url)) },
};

/** Histories that were replayed: the ids of their workflows, and a line for each that differs. */
export interface Replays {
  readonly workflowIds: readonly string[];
  readonly differences: readonly string[];
}

/** Replays histories with the workflow code as built. */
export async function replays(histories: ReplayHistoriesIterable): Promise<Replays> {
  const workflowIds: string[] = [];
  const differences: string[] = [];
  for await (const { workflowId, runId, error } of Worker.runReplayHistories(OPTIONS, histories)) {
    workflowIds.push(workflowId);
    if (error !== undefined) differences.push(`${workflowId} (${runId}): ${error.message}`);
  }
  return { workflowIds, differences };
}

/** Forks of one state are alike: of a crowd that an agent has forked so many are replayed. */
const FORKS_REPLAYED = 25;

/** The histories of the workflows that a task queue has had, closed or not. */
export async function* historiesOf({ workflow }: Client, taskQueue: string): ReplayHistoriesIterable {
  const forks = new Map<string, number>();
  for await (const { workflowId, runId } of workflow.list({ query: `TaskQueue = "${taskQueue}"` })) {
    const family = workflowId.replace(/\d+$/, '');
    const known = forks.get(family) ?? 0;
    forks.set(family, known + 1);
    if (workflowId.includes('/') && known >= FORKS_REPLAYED) continue;
    yield { workflowId, history: await workflow.getHandle(workflowId, runId).fetchHistory() };
  }
}
