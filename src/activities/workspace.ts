// Work on an agent's workspace besides its turns: making it on this host, saving its files after a
// turn, pushing them to a branch. Every turn first checks that the workspace is still the one in
// its record.
import { tmpdir } from 'node:os';
import { ApplicationFailure, Context } from '@temporalio/activity';
import proto from '@temporalio/proto';
import type { Snapshot, Workspace } from '../protocol/machine/agent.js';
import {
  baseOf,
  branchOf,
  type OutputRequest,
  type MadeWorkspace,
  type MakeWorkspaceRequest,
  type SaveRequest,
} from '../protocol/machine/workspace.js';
import { isFailureType } from '../protocol/failure.js';
import { defined } from '../protocol/text.js';
import { checkOut, generationOf, markOf, once } from '../workspaces/checkout.js';
import { RepositoryError } from '../workspaces/mirror.js';
import { pushFiles } from '../workspaces/output.js';
import { remoteCommit } from '../workspaces/remote.js';
import { keepPlacement, latestGeneration } from '../workspaces/placement.js';
import { takeSnapshot } from '../workspaces/snapshot.js';
import { scriptEnvironment } from './environment/environment.js';
import { asFailure, turnFailure } from './failure.js';
import { OutputTail } from './turn/output-text.js';
import type { TurnReport, TurnRequest } from '../contract/turns.js';
import { hostOf, type WorkerContext } from './worker-context.js';

/** Makes a workspace here; the same one again if the answer was lost. */
export async function place(worker: WorkerContext, request: MakeWorkspaceRequest): Promise<MadeWorkspace> {
  const { runId, workspace, settings, generation } = request;
  if (request.avoid === hostOf(worker).host) throw leftToOthers(workspace);
  return await withHeartbeat(worker, `the workspace of ${workspace.owner}`, async (signal) => {
    const { repo, ref, root } = settings;
    const known = workspace.base ?? settings.commit;
    const commit = known ?? (await startCommitOf(worker, { ...request, signal }));
    const origin = { repo, commit, ...(ref === undefined ? {} : { ref }) };
    const branch = branchOf(runId, workspace);
    const { path, snapshot, inherited = false } = workspace;
    const wanted = { path, origin, branch, generation, isOwn: !inherited, ...defined({ snapshot }) };
    await checkOut(wanted, { root, env: worker.environment, store: worker.artifacts, signal });
    if (settings.prepare !== undefined)
      await once(workspace.path, generation, () => prepare(worker, { ...request, command: settings.prepare ?? '' }));
    const { queue = Context.current().info.taskQueue } = worker.settings.host ?? {};
    const placement = { host: hostOf(worker).host, queue, generation };
    await keepPlacement(worker.artifacts, { runId, owner: workspace.owner, placement });
    return { ...placement, ...(known === undefined ? { base: commit } : {}) };
  });
}

/** Temporal offers it again, 200 ms later at first: for a minute and a half in all. */
const OFFERS = 10;

function leftToOthers({ owner }: Pick<Workspace, 'owner'>): ApplicationFailure {
  const message = `no other host has taken the workspace of ${owner}`;
  return ApplicationFailure.create({
    type: 'HostTrouble',
    message,
    nonRetryable: Context.current().info.attempt >= OFFERS,
  });
}

/** The default commit of a workspace: the one that its ref names now, or named when it was created here. */
async function startCommitOf(
  worker: WorkerContext,
  { workspace, settings, generation, signal }: MakeWorkspaceRequest & { readonly signal: AbortSignal },
): Promise<string> {
  const made = await markOf(workspace.path);
  if (made?.generation === generation && made.base !== undefined) return made.base;
  const { repo, ref = 'HEAD' } = settings;
  const inside = { cwd: tmpdir(), env: worker.environment, signal };
  const commit = await remoteCommit(repo, { ref, inside });
  if (commit !== undefined) return commit;
  throw new RepositoryError(
    `the repository ${repo} no longer has a branch, tag or commit ${ref}; start the run with another --ref`,
  );
}

/** Throws `WorkspaceMoved` unless the agent's workspace is on this host. */
export async function requireWorkspace(worker: WorkerContext, { runId, agent }: TurnRequest): Promise<void> {
  if (agent.workspace !== undefined) await requireHere(worker, { runId, workspace: agent.workspace, who: agent });
}

async function requireHere(
  { artifacts }: WorkerContext,
  { runId, workspace, who }: { readonly runId: string; readonly workspace: Workspace; readonly who: Subject },
): Promise<void> {
  const { place: at, owner, path } = workspace;
  if (at === undefined) return;
  const latest = await latestGeneration(artifacts, { runId, owner });
  if (latest <= at.generation && (await generationOf(path)) === at.generation) return;
  throw turnFailure(
    'WorkspaceMoved',
    `${who.id}, ${who.state}: ${path} on host ${at.host} is no longer the agent's workspace`,
  );
}

/** The agent or run that a failure is about. */
type Subject = Pick<TurnRequest['agent'], 'id' | 'state'>;

/** Saves the files after a turn. If that fails, the turn still counts. */
export async function saveFiles(
  worker: WorkerContext,
  { agent, workspace: settings }: TurnRequest,
  { outcome }: TurnReport,
): Promise<Pick<TurnReport, 'snapshot' | 'unsaved'>> {
  if (agent.workspace === undefined || settings === undefined || outcome.kind === 'cancelled') return {};
  try {
    return { snapshot: await save(worker, { workspace: agent.workspace, settings }) };
  } catch (error) {
    const { type, message } = asFailure(error, `${agent.id}, ${agent.state}`);
    return { unsaved: { type: isFailureType(type) ? type : 'Unforeseen', message } };
  }
}

/** The current files; the same snapshot again when nothing has changed. */
export async function saveWorkspace(worker: WorkerContext, request: SaveRequest): Promise<Snapshot> {
  return await withHeartbeat(worker, `the workspace of ${request.workspace.owner}`, async (signal) => {
    await requireHere(worker, { ...request, who: request.agent });
    return await save(worker, { ...request, signal });
  });
}

/** The same within an activity that sends its own heartbeats. */
async function save(
  worker: WorkerContext,
  { workspace, settings, signal }: Pick<SaveRequest, 'workspace' | 'settings'> & { readonly signal?: AbortSignal },
): Promise<Snapshot> {
  const previous = workspace.snapshot;
  return await takeSnapshot({
    path: workspace.path,
    env: worker.environment,
    store: worker.artifacts,
    base: baseOf(workspace, settings),
    limitBytes: worker.settings.workspaceBytes,
    ...defined({ generation: workspace.place?.generation }),
    ...(previous === undefined ? {} : { previous }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/**
 * Commits the files on top of the agent's own commits, and pushes them to a branch of the
 * repository.
 */
export async function pushOutput(worker: WorkerContext, request: OutputRequest): Promise<void> {
  await withHeartbeat(worker, `the output of ${request.workspace.owner}`, async (signal) => {
    await requireHere(worker, { ...request, who: request.agent });
    const { workspace, settings, branch, message } = request;
    await pushFiles({ path: workspace.path, repo: settings.repo, branch, message, env: worker.environment, signal });
  });
}

/** When a worker last polled a queue (epoch ms). */
export async function lastPoll(queue: string): Promise<number | undefined> {
  const { client } = Context.current();
  const { pollers } = await client.workflowService.describeTaskQueue({
    namespace: client.options.namespace,
    taskQueue: { name: queue },
    taskQueueType: proto.temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
  });
  const times = pollers.map(({ lastAccessTime }) => Number(lastAccessTime?.seconds ?? 0) * 1000);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Dependencies are not in git: the command of the package or the config installs them in a new
 * workspace.
 */
async function prepare(
  worker: WorkerContext,
  { runId, workspace, command, generation }: MakeWorkspaceRequest & { readonly command: string },
): Promise<void> {
  const marker = {
    turnId: `${runId}/${workspace.owner}/place`,
    attempt: `place-${runId}-${workspace.owner}-${generation}`,
  };
  const names = { RAYMOND_TURN_ID: marker.turnId, RAYMOND_ATTEMPT: marker.attempt, RAYMOND_WORKFLOW_ID: runId };
  const { env } = scriptEnvironment({ inherited: worker.environment, raymond: names, attributes: {} });
  const output = new OutputTail();
  const spec = { command: 'bash', args: ['-c', command], cwd: workspace.path, env, marker };
  const running = worker.launcher.run(
    { ...spec, children: 'sweep', graceMs: worker.settings.graceMs, ...defined({ umask: worker.umask }) },
    (_stream, chunk) => output.add(chunk),
  );
  const { cancellationSignal } = Context.current();
  const stop = (): void => void running.stop();
  cancellationSignal.addEventListener('abort', stop, { once: true });
  const end = await running.ended.finally(() => cancellationSignal.removeEventListener('abort', stop));
  cancellationSignal.throwIfAborted();
  if (end.kind === 'exited' && end.code === 0) return;
  const how = end.kind === 'exited' ? `ended with exit code ${end.code}` : `was stopped (${end.kind})`;
  const message = `the prepare command of ${workspace.path} on host ${hostOf(worker).host} ${how}: ${output.text()}`;
  throw turnFailure('PrepareFailed', `${message}\nfix the command, then resume the run`);
}

/** Does work with a heartbeat every few seconds. */
async function withHeartbeat<T>(
  worker: WorkerContext,
  where: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), worker.settings.heartbeatMs);
  try {
    return await work(context.cancellationSignal);
  } catch (error) {
    if (context.cancellationSignal.aborted) throw error;
    throw asFailure(error, `${where} on host ${hostOf(worker).host}`);
  } finally {
    clearInterval(timer);
  }
}
