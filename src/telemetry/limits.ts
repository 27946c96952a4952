// How much of the limits is in use, asked of the limiter that all workers of a queue have in common: each of them shows the same figures.
import type { Client } from '@temporalio/client';
import { LIMITER, type Limits, type LimitUse } from '../protocol/leases.js';

const EVERY_MS = 5000;

/** Asks again and again and tells `take`, until the returned function is called. Without a limiter nothing is in use. */
export function watchLimits(
  client: Client,
  {
    limits,
    workflowId,
    take,
  }: { readonly limits: Limits; readonly workflowId: string; readonly take: (use: LimitUse) => void },
): () => void {
  if (Object.keys(limits).length === 0) return () => undefined;
  const look = async (): Promise<void> => {
    const uses = await usesOf(client, workflowId).catch((): readonly LimitUse[] => []);
    const known = new Map(uses.map((use) => [use.key, use]));
    for (const [key, size] of Object.entries(limits)) take(known.get(key) ?? { key, size, used: 0, waiting: 0 });
  };
  void look();
  const timer = setInterval(() => void look(), EVERY_MS).unref();
  return () => clearInterval(timer);
}

async function usesOf(client: Client, workflowId: string): Promise<readonly LimitUse[]> {
  return await client.withDeadline(Date.now() + EVERY_MS, () =>
    client.workflow.getHandle(workflowId).query<readonly LimitUse[]>(LIMITER.uses),
  );
}
