// The hosts of a fleet, as Temporal knows them: the pollers of its queues, the turns in progress, and the agents whose
// files are there.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import pMap from 'p-map';
import proto from '@temporalio/proto';
import { msOf } from '../../history/events.js';
import { pendingActivities } from '../../history/pending.js';
import { hostQueue, SILENCE_SECONDS } from '../../protocol/machine/workspace.js';
import { parseIdentity } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import { liveTurn } from '../look/live-turn.js';
import { registeredAttributes } from './cluster.js';
import { endedPollers, pollersOf, type PollerInfo, type TaskQueueType } from './pollers.js';
import { ClientError } from '../error.js';
import type { Raymond } from '../open.js';
import { listRuns } from '../look/runs.js';

const { TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY } = proto.temporal.api.enums.v1.TaskQueueType;

/** A host that polls a fleet's queues, or has files of its agents. */
export interface HostView {
  readonly host: string;
  /** Whether one of its workers has polled recently: an idle worker polls once a minute. */
  readonly alive: boolean;
  readonly workers: readonly WorkerLine[];
  readonly turns: readonly TurnLine[];
  /** Agents whose workspaces it has. */
  readonly placed: readonly AgentPlace[];
}

/** A worker: a process that polls. */
export interface WorkerLine {
  /** Absent when its name does not have our form. */
  readonly pid?: number;
  readonly queues: readonly string[];
  readonly lastPoll: Date;
  readonly deployment?: string;
  readonly buildId?: string;
  /** The sandboxes that it can make; absent = it does not say. */
  readonly sandboxes?: readonly string[];
}

/** An agent of a run. */
export interface AgentPlace {
  readonly runId: string;
  readonly agentId: string;
}

/** A turn in progress. */
export interface TurnLine extends AgentPlace {
  readonly state: string;
  readonly turn: number;
  readonly attempt: number;
  readonly phase: 'queued' | 'running';
}

/** The hosts of the fleet that serves this project's queue, by name. Throws `InvalidUsage` without a cluster. */
export async function listHosts(raymond: Raymond): Promise<readonly HostView[]> {
  const { mode, link } = raymond;
  if (mode.kind !== 'cluster')
    throw new ClientError('InvalidUsage', 'only a cluster has hosts: give --address HOST:PORT');
  const { taskQueue } = mode;
  const placed = await agentsByHost(link.client, taskQueue);
  const hasEnded = await endedPollers(link.client, taskQueue);
  const workersOf = async (name: string, types: readonly TaskQueueType[]): Promise<readonly Poller[]> =>
    (await pollersOf(link.client, name, types))
      .filter((poller) => !hasEnded(poller))
      .map((poller) => lineOf(name, poller));
  const common = await workersOf(taskQueue, [TASK_QUEUE_TYPE_WORKFLOW, TASK_QUEUE_TYPE_ACTIVITY]);
  const names = new Set([...common.map(({ host }) => host), ...placed.keys()]);
  const own = await Promise.all(
    [...names].map((host) => workersOf(hostQueue(taskQueue, host), [TASK_QUEUE_TYPE_ACTIVITY])),
  );
  const workers = merged([...common, ...own.flat()]);
  const turns = await turnsByHost(raymond, taskQueue);
  for (const host of turns.keys()) names.add(host);
  return [...names].sort().map((host) => {
    const here = workers.filter((worker) => worker.host === host).map(({ host: _host, ...worker }) => worker);
    const alive = here.some(({ lastPoll }) => Date.now() - lastPoll.getTime() < SILENCE_SECONDS * 1000);
    return { host, alive, workers: here, turns: turns.get(host) ?? [], placed: placed.get(host) ?? [] };
  });
}

interface Poller extends WorkerLine {
  readonly host: string;
}

function lineOf(queue: string, { identity, lastAccessTime, deploymentOptions }: PollerInfo): Poller {
  return {
    ...describeWorker(identity ?? ''),
    queues: [queue],
    lastPoll: new Date(msOf(lastAccessTime)),
    ...versionOf(deploymentOptions),
  };
}

function versionOf(options: PollerInfo['deploymentOptions']): Pick<WorkerLine, 'deployment' | 'buildId'> {
  const { deploymentName, buildId } = options ?? {};
  return deploymentName && buildId ? { deployment: deploymentName, buildId } : {};
}

function describeWorker(identity: string): Pick<Poller, 'host' | 'pid' | 'sandboxes'> {
  const known = parseIdentity(identity);
  return known === undefined
    ? { host: identity }
    : { host: known.host, pid: known.pid, ...defined({ sandboxes: known.sandboxes }) };
}

/** A process polls several queues, and a queue for several kinds of tasks. */
function merged(pollers: readonly Poller[]): readonly Poller[] {
  const found = new Map<string, Poller>();
  for (const poller of pollers) {
    const key = `${poller.pid ?? ''}@${poller.host}`;
    const known = found.get(key) ?? poller;
    const lastPoll = known.lastPoll > poller.lastPoll ? known.lastPoll : poller.lastPoll;
    found.set(key, { ...poller, ...known, lastPoll, queues: [...new Set([...known.queues, ...poller.queues])] });
  }
  return [...found.values()];
}

/** The agents of open runs whose workspaces are on a host, by host. */
async function agentsByHost(client: Client, taskQueue: string): Promise<ReadonlyMap<string, readonly AgentPlace[]>> {
  const runs = await listRuns(client, { openOnly: true });
  const placed = runs
    .filter((run) => run.taskQueue === taskQueue)
    .flatMap(({ runId, agents = [] }) => agents.map(({ id, host }) => ({ host, place: { runId, agentId: id } })));
  return byHost(placed.flatMap(({ host, place: agent }) => (host === undefined ? [] : [[host, agent] as const])));
}

/** How many agents are read, in total and at once. */
const MOST_AGENTS = 500;
const AT_ONCE = 20;

async function turnsByHost(raymond: Raymond, taskQueue: string): Promise<ReadonlyMap<string, readonly TurnLine[]>> {
  const { client } = raymond.link;
  const working = (await registeredAttributes(raymond.link)).includes('RaymondStatus')
    ? ' AND RaymondStatus = "running"'
    : '';
  const query = `WorkflowType = "agent" AND ExecutionStatus = "Running" AND TaskQueue = "${taskQueue}"${working}`;
  const ids: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query })) if (ids.push(workflowId) >= MOST_AGENTS) break;
  const turns = await pMap(ids, (id) => turnOf(client, id), { concurrency: AT_ONCE });
  return byHost(turns.flat());
}

/** The turn of an agent, with its worker's host; none between two turns. */
async function turnOf(client: Client, workflowId: string): Promise<readonly (readonly [string, TurnLine])[]> {
  const found = await client.workflow
    .getHandle(workflowId)
    .describe()
    .catch((): WorkflowExecutionDescription | undefined => undefined); // It has ended meanwhile.
  if (found === undefined) return [];
  const worker = pendingActivities(found)[0]?.lastWorkerIdentity;
  const turn = await liveTurn(client, found);
  if (!worker || turn === undefined) return [];
  const [runId = '', agentId = ''] = workflowId.split('/');
  const { number, attempt, phase, state } = turn;
  return [[describeWorker(worker).host, { runId, agentId, state, turn: number, attempt, phase }]];
}

function byHost<T>(entries: readonly (readonly [host: string, item: T])[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const [host, item] of entries) found.set(host, [...(found.get(host) ?? []), item]);
  return found;
}
