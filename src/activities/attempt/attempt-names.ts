// The names of what an attempt stores on disk, and its removal by these names. They are unique
// among all turns of all runs, and short whatever the ids are.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../../host/sha256.js';
import { removeLeft, type Environment } from '../../sandbox/index.js';

/** How the names of an agent's files begin: short, whatever its id. */
export function agentKey(runId: string, agentId: string): string {
  return short(`${runId}/${agentId}`);
}

/**
 * The common part of all attempts of one turn of an activity, unique among all turns of all runs.
 * `link` counts the turns before it.
 */
export function activityKey({
  workflowRunId,
  activityId,
  link = 0,
}: {
  readonly workflowRunId: string;
  readonly activityId: string;
  readonly link?: number;
}): string {
  return short(link === 0 ? `${workflowRunId} ${activityId}` : `${workflowRunId} ${activityId} ${link}`);
}

/** The folder of a worker for the journals of its attempts, until their spending is reported. */
export function journalFolder(raymondDir: string): string {
  return join(raymondDir, 'journal');
}

/** Removes the temporary folders of an agent's dead attempts, and the containers that these name. */
export async function removeTemporary(
  raymondDir: string,
  { runId, agentId, environment }: DeadAttempts,
): Promise<void> {
  const folder = join(raymondDir, 'tmp');
  const names = await readdir(folder).catch(() => []); // no folder: no attempt has left anything
  const dead = names.filter((name) => name.startsWith(`${agentKey(runId, agentId)}-`));
  await Promise.all(
    dead.map(async (name) => {
      await removeLeft(join(folder, name), environment);
      await rm(join(folder, name), { recursive: true, force: true });
    }),
  );
}

interface DeadAttempts {
  readonly runId: string;
  readonly agentId: string;
  /** That of the worker. */
  readonly environment: Environment;
}

function short(text: string): string {
  return sha256Of(text).slice(0, 24);
}
