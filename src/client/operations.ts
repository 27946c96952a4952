// The operations of programs on runs: start them, find them, follow them, read their results. Each takes an open
// project first and one object after it. Operations that change an open run are in steering.ts.
import type { ProgressSink } from '../contract/turns.js';
import { sha256Of } from '../host/sha256.js';
import { clip, defined } from '../protocol/text.js';
import type { RunOptions } from './start/options.js';
import { beginRun, openWorkflow, prepareRun } from './start/begin.js';
import { ClientError } from './error.js';
import { liveText, type LiveText } from './look/live-turn.js';
import { followRun as follow, type FollowOptions } from './look/follow.js';
import type { Raymond } from './open.js';
import type { Order } from './look/orders.js';
import { recordOf, type RecordEntry } from './look/record.js';
import { documentOf, textOf, type RunDocument } from './documents/run-document.js';
import {
  findRun as find,
  listRuns as listOf,
  viewRun,
  type RunFilter,
  type RunLine,
  type RunView,
} from './look/runs.js';
import type { RecordSources } from '../history/chapters.js';
import { agentsKnown } from '../history/recorded-run.js';
import type { AgentName, RecordedTurn } from '../history/turns.js';
import { RunWatch } from './look/watch.js';

/** The run: its id, a unique prefix of it, or `@last`. */
export interface RunName {
  readonly runId: string;
}

/** What to start. */
export interface StartOptions extends RunOptions {
  /** A folder, a state file, a `.zip`, a `.yaml`, or an address; paths are relative to the project folder. */
  readonly workflow: string;
  /** Runs a pinned copy: later edits of the workflow have no effect. */
  readonly pin?: boolean;
  /**
   * Reads the files of the workflow at each turn, even when the store is a bucket: then all workers must have access to
   * them.
   */
  readonly live?: boolean;
  /** False = starts it although lint finds an error in a reachable state. */
  readonly check?: boolean;
}

/**
 * Starts a run. A local run is executed by the project's engine, which is started if necessary; on a cluster by its
 * workers. Throws `ClientError`: `InvalidWorkflow`, `InvalidUsage`, `ClaudeMissing`, `RunExists`.
 */
export async function startRun(raymond: Raymond, { workflow: argument, ...options }: StartOptions): Promise<RunView> {
  const { caller, project, mode } = raymond;
  const { pin, live, check, ...startOptions } = options;
  const workflow = await openWorkflow(project, { argument, caller, pin, live, check });
  const prepared = await prepareRun(project, { workflow, options: startOptions, caller, local: mode.kind === 'local' });
  await beginRun(raymond, prepared);
  return await viewRun(raymond.link.client, prepared.runId);
}

/**
 * Starts a run that may be asked for twice, because the answer to the first request was lost: the second request with
 * the same id and the same `requestHash` finds the run of the first one. Throws `RunExists` when that is another run.
 */
export async function startRunOnce(
  raymond: Raymond,
  options: StartOptions & { readonly runId: string; readonly requestHash: string },
): Promise<{ readonly view: RunView; readonly isRepeated: boolean }> {
  try {
    return { view: await startRun(raymond, options), isRepeated: false };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'RunExists') throw error;
    const view = await viewRun(raymond.link.client, options.runId);
    if (view.requestHash !== options.requestHash) throw error;
    return { view, isRepeated: true };
  }
}

/** The hash of a request; the order of its fields does not matter. */
export function requestHashOf(request: object): string {
  const fields = Object.entries(request).sort(([one], [other]) => (one < other ? -1 : 1));
  return sha256Of(JSON.stringify(fields));
}

/** The runs that Temporal still knows, newest first. */
export async function listRuns({ link }: Raymond, filter: RunFilter = {}): Promise<readonly RunLine[]> {
  return await listOf(link.client, filter);
}

/** One run as it is now. Throws `RunNotFound`, `RunAmbiguous`. */
export async function findRun({ link, artifacts }: Raymond, { runId }: RunName): Promise<RunView> {
  return await find(link.client, runId, artifacts);
}

/** How to follow a run. */
export interface FollowRunOptions extends RunName, FollowOptions {
  /** Called for every turn that has ended, once each. */
  readonly onTurn?: (turn: RecordedTurn) => void;
  /** Called with every progress event of a turn. */
  readonly onProgress?: ProgressSink;
  /** Called with every order of a person to one of its agents. */
  readonly onOrder?: (order: Order) => void;
  /** Which turns to report: all of the run, or those that end from now on; absent = all. */
  readonly from?: 'start' | 'now';
  /** Called once it is known which turns ended before. */
  readonly onBegin?: () => void;
}

/**
 * Follows a run to its end, or until it is paused, or with `onAsk: 'exit'` until only a person's answer is missing;
 * returns the run then, undefined when `signal` stopped the following. The run continues whether or not it is followed.
 */
export async function followRun(
  { link }: Raymond,
  { runId: name, onTurn, onProgress, onOrder, from = 'start', onView, onBegin, ...following }: FollowRunOptions,
): Promise<RunView | undefined> {
  const first = await find(link.client, name);
  const { runId } = first;
  const watch = new RunWatch(link.client, {
    runId,
    from,
    ...defined({ onProgress, onTurn, onOrder }),
  });
  const isWatched = onTurn !== undefined || onProgress !== undefined;
  const knownAsks = new Set<string>();
  const handleView = async (view: RunView): Promise<void> => {
    if (isWatched) watch.update(view);
    const fresh = view.agents.flatMap(({ ask }) => (ask === undefined || knownAsks.has(ask.id) ? [] : [ask.id]));
    // A question comes after the turn that asked it.
    if (isWatched && fresh.length > 0) await watch.settle();
    fresh.forEach((id) => knownAsks.add(id));
    await onView?.(view);
  };
  try {
    if (isWatched) watch.update(first);
    if (onBegin !== undefined) await watch.ready().then(onBegin);
    await handleView(first);
    const ended = await follow(link.client, runId, { ...following, onView: handleView });
    if (ended !== undefined) await watch.settle();
    return ended;
  } finally {
    await watch.close();
  }
}

/** The latest output of these agents' turns in progress, on any host. */
export async function liveTexts(
  { link }: Raymond,
  { runId, agentIds }: { readonly runId: string; readonly agentIds: readonly string[] },
): Promise<ReadonlyMap<string, LiveText>> {
  const texts = await Promise.all(
    agentIds.map(async (agentId) => [agentId, await liveText(link.client, { runId, agentId })] as const),
  );
  return new Map(texts.flatMap(([id, text]) => (text === undefined ? [] : [[id, text] as const])));
}

/** The run, and the agent; absent agent = the whole run. */
export interface TurnsOptions extends RunName {
  readonly agentId?: string;
}

/** The recorded turns in the order in which they ended. Throws `RunNotFound`, `NoSuchAgent`. */
export async function turns(raymond: Raymond, options: TurnsOptions): Promise<readonly RecordedTurn[]> {
  const found: RecordedTurn[] = [];
  for await (const entries of record(raymond, options)) found.push(...turnsIn(entries));
  return found;
}

/** The turns among the entries of a record. */
export function turnsIn(entries: readonly RecordEntry[]): readonly RecordedTurn[] {
  return entries.flatMap((entry) => (entry.kind === 'turn' ? [entry.turn] : []));
}

/** The orders among the entries of a record. */
export function ordersIn(entries: readonly RecordEntry[]): readonly Order[] {
  return entries.flatMap((entry) => (entry.kind === 'order' ? [entry.order] : []));
}

/** What to read of a run's record. */
export interface RecordOptions extends TurnsOptions {
  /** Whether to include people's orders. */
  readonly withOrders?: boolean;
  /** Skips agents that ended before this time (epoch milliseconds). */
  readonly since?: number;
}

/**
 * The record of a run in order of time, available while the rest is still being read. Throws `RunNotFound`,
 * `NoSuchAgent`.
 */
export async function* record(
  { link: { client }, artifacts }: Raymond,
  { runId: name, agentId, ...options }: RecordOptions,
): AsyncGenerator<readonly RecordEntry[]> {
  const { runId } = await find(client, name, artifacts);
  const sources = { client, artifacts };
  let isEmpty = true;
  for await (const entries of recordOf(sources, { runId, ...options, ...defined({ agentId }) })) {
    isEmpty = false;
    yield entries;
  }
  // An agent with a recorded event exists: no need to list all agents.
  if (isEmpty && agentId !== undefined) await requireAgent(sources, { runId, agentId });
}

async function requireAgent(sources: RecordSources, { runId, agentId }: AgentName): Promise<void> {
  const known = (await agentsKnown(sources, { runId })).map(({ agentId: id }) => id);
  if (known.includes(agentId)) return;
  const message = `the run ${runId} has no agent ${agentId}; it has ${clip(known.join(', '), 200)}`;
  throw new ClientError('NoSuchAgent', message);
}

/** The orders of people to a run or one of its agents, oldest first; absent agent = all. Throws `RunNotFound`. */
export async function orders(raymond: Raymond, options: TurnsOptions): Promise<readonly Order[]> {
  const found: Order[] = [];
  for await (const entries of record(raymond, { ...options, withOrders: true })) found.push(...ordersIn(entries));
  return found;
}

/** The result of a run, whole; undefined while or when it has none. Throws `RunNotFound`, `ResultElsewhere`. */
export async function result({ link, artifacts }: Raymond, { runId }: RunName): Promise<string | undefined> {
  const view = await find(link.client, runId, artifacts);
  return view.result === undefined ? undefined : await textOf(view.result, artifacts);
}

/** The run as the JSON document that `--json` prints, with its questions and results whole. */
export async function describeRun({ link, artifacts }: Raymond, { runId }: RunName): Promise<RunDocument> {
  return await documentOf(await find(link.client, runId, artifacts), artifacts);
}
