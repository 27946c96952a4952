// Continues one agent, at its own state or at another one. An open run receives an order; a closed run is started again
// for that agent alone, and the others stay as they ended.
import { parse } from 'node:path';
import type { Client } from '@temporalio/client';
import { recordedTurns } from '../../history/recorded-run.js';
import { ScopeError } from '../../packages/error.js';
import { listScope } from '../../packages/state.js';
import { storeFailure, type ArtifactStore } from '../../store/store.js';
import { meantState, stateFiles } from '../../protocol/language/resolve.js';
import { packageName, type Scope, scopeAt } from '../../protocol/scope.js';
import { defined } from '../../protocol/text.js';
import type { Move } from '../../contract/runs.js';
import { operator } from '../../host/process.js';
import { moveAgent, retryAgent as retryOpen } from './control.js';
import { ClientError } from '../error.js';
import { queueOf, type EngineAccess, type Raymond } from '../open.js';
import { onceNoticed } from './ended-outside.js';
import { againIfChanged, restartRun } from './resume.js';
import { findRun, viewRun, type RunView } from '../look/runs.js';

/** An agent to retry. */
export interface RetryOptions {
  readonly runId: string;
  readonly agentId: string;
  /** Who orders it; absent = the user of this process on this host. */
  readonly by?: string;
  /** The queue of the fleet for a run that is started again; absent = as before. */
  readonly taskQueue?: string;
}

/** An agent, and its next state. */
export interface GotoOptions extends RetryOptions {
  /** Its file, with or without the extension. */
  readonly state: string;
  readonly input?: string;
  /** Without its conversation. */
  readonly reset?: boolean;
  /** Interrupts a turn in progress. */
  readonly now?: boolean;
}

/**
 * What to do with the run: if open, send an order; if closed, start it again by `begin`, which an engine executes
 * (absent = that of the open project).
 */
export interface PreparedMove {
  readonly view: RunView;
  /** The file of the agent's next state. */
  readonly target?: string;
  readonly begin: (engine?: EngineAccess) => Promise<void>;
}

/**
 * Retries one agent that is paused or waiting, or that ended without a result. Throws `NoSuchAgent`, `NotResumable`.
 */
export async function retryAgent(raymond: Raymond, options: RetryOptions): Promise<void> {
  const { begin } = await prepareRetry(raymond, options);
  await begin();
}

/**
 * Continues one agent at another state; whatever it waited for is dropped. Throws `InvalidUsage`, `NoSuchAgent`,
 * `NotResumable`, and `TurnUnderWay` unless `now` is set.
 */
export async function gotoState(raymond: Raymond, options: GotoOptions): Promise<void> {
  const { begin } = await prepareGoto(raymond, options);
  await begin();
}

/** Finds the run of an agent to retry. */
export async function prepareRetry(
  raymond: Raymond,
  { runId, agentId, by = operator(), ...queue }: RetryOptions,
): Promise<PreparedMove> {
  const { link, artifacts } = raymond;
  const found = await findRun(link.client, runId, artifacts);
  const order = (view: RunView): Promise<void> =>
    view.open ? retryOpen(link.client, { view, agentId, by }) : restart(raymond, { view, agentId, by, ...queue });
  const begin = (engine = raymond.engine): Promise<void> => giveOrder(link.client, { found, engine, order });
  return { view: found, begin };
}

/** Finds the run of an agent, and its next state. */
export async function prepareGoto(raymond: Raymond, options: GotoOptions): Promise<PreparedMove> {
  const { link, artifacts } = raymond;
  const { agentId, state, reset = false, now, by = operator() } = options;
  const found = await findRun(link.client, options.runId, artifacts);
  const target = await targetOf(raymond, { view: found, agentId, state });
  const begin = async (engine = raymond.engine): Promise<void> => {
    const input = options.input === undefined ? undefined : await artifacts.value(options.input);
    const move: Move = { kind: reset ? 'reset' : 'goto', target, by, ...defined({ input, now }) };
    const order = (view: RunView): Promise<void> =>
      view.open
        ? moveAgent(link, { view, agentId, move })
        : restart(raymond, { view, agentId, by, move, ...defined({ taskQueue: options.taskQueue }) });
    await giveOrder(link.client, { found, engine, order });
  };
  return { view: found, target, begin };
}

/** An order to a run that was found earlier. */
interface OrderRequest {
  readonly found: RunView;
  readonly engine: EngineAccess;
  readonly order: (view: RunView) => Promise<void>;
}

/** Sends the order to the run in its current state. */
async function giveOrder(client: Client, { found, engine, order }: OrderRequest): Promise<void> {
  let known: RunView | undefined = found;
  await againIfChanged(async () => {
    const view = await onceNoticed(client, known ?? (await viewRun(client, found.runId)), engine);
    known = undefined;
    await engine.carryOut(view.runId, () => order(view));
  });
}

interface RestartOptions {
  readonly view: RunView;
  readonly agentId: string;
  readonly by: string;
  readonly move?: Move;
  readonly taskQueue?: string;
}

async function restart(raymond: Raymond, { view, taskQueue: wanted, ...only }: RestartOptions): Promise<void> {
  const { link, artifacts } = raymond;
  const taskQueue = queueOf(raymond, wanted ?? view.taskQueue);
  await restartRun(link.client, { view, artifacts, taskQueue, only });
}

/**
 * The state's file in the agent's package; on a cluster the package may be on another host: then the name is used as it
 * is.
 */
async function targetOf(
  { link, artifacts, mode }: Raymond,
  { view, agentId, state }: { readonly view: RunView; readonly agentId: string; readonly state: string },
): Promise<string> {
  try {
    const turns = await recordedTurns({ client: link.client, artifacts }, { runId: view.runId, agentId });
    return await stateIn(turns.at(-1)?.before?.scope ?? scopeAt(view.scope), state, artifacts);
  } catch (error) {
    if (mode.kind === 'cluster' && mayBeOnWorkers(error)) return state;
    throw error;
  }
}

function mayBeOnWorkers(error: unknown): boolean {
  const isUnknown = error instanceof ClientError && error.code === 'InvalidUsage';
  return isUnknown || error instanceof ScopeError || storeFailure(error) !== undefined;
}

/** The file of a state, named with or without its extension. Throws `InvalidUsage`. */
export async function stateIn(scope: Scope, name: string, artifacts: ArtifactStore): Promise<string> {
  const { files } = await listScope(scope, artifacts);
  const found = files.includes(name) ? [name] : files.filter((file) => parse(file).name === name);
  const [file] = found;
  if (file !== undefined && found.length === 1) return file;
  const states = stateFiles(files);
  const near = meantState(name, states);
  const hint = near === undefined ? `it has ${states.join(', ')}` : `did you mean ${near}?`;
  const what = found.length > 1 ? `${name} may be ${found.join(' or ')}` : hint;
  throw new ClientError('InvalidUsage', `${packageName(scope)} has no state ${name}; ${what}`);
}
