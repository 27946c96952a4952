// Checks what runs need from Temporal: the CLI and server of the embedded mode, without starting them; or a cluster
// with a namespace, search attributes and workers.
import type { ClusterTarget } from '../../client/target.js';
import { clockSkew, describeCluster, hasWorkers, registeredAttributes } from '../../client/fleet/cluster.js';
import type { Link } from '../../client/connect.js';
import { NO_KEYS } from '../../codec/keys.js';
import type { Project } from '../../client/project/project.js';
import { assertNever } from '../../protocol/failure.js';
import { SEARCH_ATTRIBUTES } from '../../protocol/ids.js';
import { lookForCli, serverStatus, type ServerStatus } from '../../server/index.js';
import { storeOf, temporalCliOf } from '../../client/open.js';
import { TESTED, testedWith } from '../../host/tested-versions.js';
import { failed, ok, warning, type Check, type DoctorCheck } from './check.js';
import { messageOf } from '../../protocol/text.js';

const CLI_MS = 10_000;
const SERVER_MS = 3_000;
const CLUSTER_MS = 5_000;

const CLI = 'Temporal CLI';
const SERVER = 'Temporal server';
const CLUSTER = 'cluster';

/** The checks of the embedded mode. */
export function embeddedLooks(project: Project): readonly DoctorCheck[] {
  const { raymondDir } = project;
  return [
    { name: CLI, checks: async () => [await cli(project)] },
    { name: SERVER, checks: async () => [serverCheck(await serverStatus({ raymondDir, answerMs: SERVER_MS }))] },
  ];
}

async function cli(project: Project): Promise<Check> {
  const found = await lookForCli({ ...temporalCliOf(project), timeoutMs: CLI_MS });
  switch (found.kind) {
    case 'found':
      return ok(CLI, `${found.cli.path}, server ${tested(found.cli.serverVersion)}`);
    case 'unusable':
      return failed(CLI, found.reason, 'correct it, or remove it so that Raymond finds one itself');
    case 'missing': {
      const tried = found.tried.map(({ location, reason }) => `${location}: ${reason}`).join('; ');
      const todo =
        'nothing to do if this host can download it: the first start does; otherwise install it (https://docs.temporal.io/cli)';
      return warning(CLI, `none yet (${tried})`, todo);
    }
    default:
      return assertNever(found);
  }
}

function tested(serverVersion: string): string {
  return `${serverVersion}${testedWith(serverVersion, TESTED.temporalServer)}`;
}

function serverCheck(status: ServerStatus): Check {
  switch (status.kind) {
    case 'running': {
      const { address, pid, serverVersion } = status.server;
      return ok(SERVER, `${tested(serverVersion)} runs: ${address} (pid ${pid})`);
    }
    case 'stopped':
      return ok(SERVER, 'not running; it starts automatically');
    case 'gone':
      return ok(SERVER, 'not running: it ended unexpectedly; it starts again automatically');
    case 'unresponsive': {
      const detail = `process ${status.server.pid} runs but does not answer; its log is ${status.server.logFile}`;
      return failed(SERVER, detail, 'stop it with: raymond server stop');
    }
    default:
      return assertNever(status);
  }
}

/** The check of a cluster; `taskQueue` is the one that its fleet polls. */
export function clusterCheck(
  project: Project,
  {
    target,
    taskQueue,
    env,
  }: { readonly target: ClusterTarget; readonly taskQueue: string; readonly env: NodeJS.ProcessEnv },
): DoctorCheck {
  const checks = async (): Promise<readonly Check[]> => {
    const { connect, installRuntime } = await import('../../client/connect.js');
    const restoreRuntime = await installRuntime(() => undefined);
    let link: Link | undefined;
    try {
      link = await connect(target, { keys: NO_KEYS, store: storeOf(project, env) });
      return await onCluster(link, taskQueue);
    } catch (error) {
      const { temporalError } = await import('../../client/connect.js');
      return [failed(CLUSTER, messageOf(temporalError(error) ?? error))];
    } finally {
      await link?.close();
      restoreRuntime();
    }
  };
  return { name: CLUSTER, checks };
}

async function onCluster(link: Link, taskQueue: string): Promise<readonly Check[]> {
  const { connection, address, namespace } = link;
  return await connection.withDeadline(Date.now() + CLUSTER_MS, async () => {
    const { serverVersion, hasNamespace } = await describeCluster(link);
    const reached = ok(CLUSTER, `${address}, server ${tested(serverVersion)}`);
    if (!hasNamespace) {
      const todo = 'create it, or choose another one with --namespace';
      return [reached, failed('namespace', `there is no namespace "${namespace}"`, todo)];
    }
    const [known, isPolled, skew] = await Promise.all([
      registeredAttributes(link),
      hasWorkers(link, taskQueue),
      clockSkew(link).catch(() => undefined), // a client may not be allowed to poll
    ]);
    const clock = skew === undefined ? [] : [clockCheck(skew)];
    return [reached, ok('namespace', namespace), ...clock, attributes(known), workers(link, { taskQueue, isPolled })];
  });
}

const SKEW_MS = 2_000;

/** Judges by how many milliseconds this host's clock is ahead of the server's. */
export function clockCheck(skewMs: number): Check {
  const seconds = (Math.abs(skewMs) / 1000).toFixed(1);
  if (Math.abs(skewMs) < SKEW_MS) return ok('clock', "same as the server's");
  const detail = `${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the server's: durations and waiting times are off by that`;
  return warning('clock', detail, 'synchronize the clocks of this host and of the server with NTP');
}

function attributes(known: readonly string[]): Check {
  const missing = Object.keys(SEARCH_ATTRIBUTES).filter((name) => !known.includes(name));
  if (missing.length === 0) return ok('search attributes', 'all are registered');
  const detail = `not registered, or no permission to list them: ${missing.join(', ')}; Temporal's own UI shows less without them`;
  return warning('search attributes', detail, 'register them once with: raymond fleet setup');
}

function workers(
  { address, namespace }: Link,
  { taskQueue, isPolled }: { readonly taskQueue: string; readonly isPolled: boolean },
): Check {
  if (isPolled) return ok('workers', `a worker polls the task queue "${taskQueue}"`);
  const command = `raymond fleet worker --address ${address} --namespace ${namespace} --task-queue ${taskQueue}`;
  return warning('workers', `no worker polls the task queue "${taskQueue}": runs wait until one does`, command);
}
