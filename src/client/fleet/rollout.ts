// Upgrades a fleet: which version of its workers gets the workflow tasks, by Temporal's worker deployments.
import { setTimeout as delay } from 'node:timers/promises';
import { operator } from '../../host/process.js';
import { defined } from '../../protocol/text.js';
import { refusedForNow } from '../connect.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';

/** A version of the workers of a deployment, which is one fleet with all its versions. */
export interface WorkerVersion {
  readonly deployment: string;
  readonly buildId: string;
}

/** The version to make current, and how long to wait for its workers; absent = a minute. */
export interface RolloutOptions extends WorkerVersion {
  readonly patienceMs?: number;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const ASK_EVERY_MS = 250;

/**
 * Makes a version current: from now on its workers execute the fleet's runs, including open ones. Waits until one of
 * them has polled; returns the version that was current. Throws `InvalidUsage`, `Unreachable`.
 */
export async function rollOut(
  raymond: Raymond,
  { deployment, buildId, patienceMs = DEFAULT_TIMEOUT_MS }: RolloutOptions,
): Promise<{ readonly before?: string }> {
  if (raymond.mode.kind !== 'cluster')
    throw new ClientError('InvalidUsage', 'only a cluster has worker versions: give --address HOST:PORT');
  const { client, namespace } = raymond.link;
  const version = { deploymentName: deployment, buildId, version: `${deployment}.${buildId}` };
  const request = { namespace, ...version, identity: operator() };
  for (const until = Date.now() + patienceMs; ; await delay(ASK_EVERY_MS)) {
    try {
      const set = await client.connection.workflowService.setWorkerDeploymentCurrentVersion(request);
      return defined({ before: set.previousDeploymentVersion?.buildId ?? undefined });
    } catch (error) {
      const why = refusedForNow(error);
      if (why === undefined) throw error;
      if (Date.now() >= until) throw notPolling({ deployment, buildId }, why);
    }
  }
}

function notPolling({ deployment, buildId }: WorkerVersion, why: string): ClientError {
  return new ClientError(
    'Unreachable',
    `no worker of ${deployment} with the build id ${buildId} polls the queue of the fleet (Temporal says: ${why}); ` +
      `start one with: raymond fleet worker --deployment ${deployment} --build-id ${buildId}`,
  );
}

/** The version in a worker's flags. Throws `InvalidUsage` when half of it is missing. */
export function workerVersion({
  deployment,
  buildId,
}: {
  readonly deployment?: string;
  readonly buildId?: string;
}): WorkerVersion | undefined {
  if (deployment === undefined && buildId === undefined) return undefined;
  if (deployment !== undefined && buildId !== undefined) return { deployment, buildId };
  throw new ClientError('InvalidUsage', 'give both --deployment and --build-id, or neither');
}
