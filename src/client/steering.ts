// The operations of programs on existing runs: answers, notes, pauses, budgets, retries, cancels, and forks of old
// turns. Temporal keeps an order until a worker processes it; for a local run that is the engine's, which is started if
// necessary.
import { resolve } from 'node:path';
import { isDirectory } from '../host/files.js';
import { operator } from '../host/process.js';
import { agentNow } from '../history/turns.js';
import type { OperatorNote } from '../protocol/machine/agent.js';
import { MAIN_AGENT } from '../protocol/ids.js';
import { scopeAt } from '../protocol/scope.js';
import { defined } from '../protocol/text.js';
import { askToAnswer, checkFiles, sendAnswer, uploads, type StoredFile } from './steer/answer.js';
import {
  cancelAgent as cancelOne,
  cancelRun as cancelWhole,
  changeBudget as change,
  checkBudget,
  checkOpen,
  checkReached,
  onceRecorded,
  pauseRun as pause,
  relocateAgent,
  resumeOpenRun,
  tellAgent as tell,
  viewAfterOrders,
  withdrawNotes as withdraw,
} from './steer/control.js';
import { ClientError, noDirectory } from './error.js';
import { onceNoticed, viewWithoutEnded } from './steer/ended-outside.js';
import { forkRun as startFork, type ForkRequest } from './steer/fork.js';
import { retryAgent, stateIn } from './steer/moves.js';
import { queueOf, type EngineAccess, type Raymond } from './open.js';
import type { RunName } from './operations.js';
import { againIfChanged, checkResumable, restartRun } from './steer/resume.js';
import { isEmpty, restarted, resumptionOf, type Resumption } from './steer/resumption.js';
import { findRun, viewRun, type RunView } from './look/runs.js';
import { checkRunId, newRunId } from './start/start.js';

/** One agent of a run. */
export interface AgentOptions extends RunName {
  readonly agentId: string;
}

/** An agent whose workspace moves. */
export interface MoveWorkspaceOptions extends AgentOptions {
  /** The host to move to; absent = one that accepts it. */
  readonly to?: string;
  /** Who orders it; absent = the user of this process on this host. */
  readonly by?: string;
}

/** An agent whose waiting notes are removed. */
export interface WithdrawOptions extends AgentOptions {
  /** Who orders it; absent = the user of this process on this host. */
  readonly by?: string;
}

/** An answer to a question. */
export interface AnswerOptions extends RunName {
  /** The question; absent = the only open one. */
  readonly askId?: string;
  readonly text: string;
  /** Files of the answer: `NAME=PATH`, or a path, relative to the project folder. */
  readonly files?: readonly string[];
  /** Files that are already in the store. */
  readonly stored?: readonly StoredFile[];
}

/** Answers a question; returns its id. Throws `NoSuchAsk`, `AnswerRefused`, `RunClosed`. */
export async function answer(
  raymond: Raymond,
  { runId: name, askId: wanted, text, files = [], stored = [] }: AnswerOptions,
): Promise<string> {
  const { link, artifacts, caller } = raymond;
  const view = await viewWithoutEnded(link.client, await findRun(link.client, name));
  const { runId } = view;
  const { askId, agentId, line } = askToAnswer(view, wanted);
  const known = line !== undefined && line.storedFiles === undefined;
  const expected = { known, ...defined({ upload: line?.upload }) };
  if (stored.length > 0) checkFiles(stored, expected);
  const kept = stored.map(({ name: called, type, bytes, sha256 }) => ({ name: called, type, bytes, sha256 }));
  const sent = stored.length > 0 ? kept : await uploads(files, { cwd: caller.cwd, artifacts, ...expected });
  const given = { askId, text: await artifacts.value(text), files: sent };
  // Only a worker accepts an answer; Temporal keeps all other orders.
  await raymond.engine.ensure();
  await sendAnswer(link.client, { runId, agentId, answer: given });
  return askId;
}

/**
 * Pauses every agent at the end of its turn; with `now` turns in progress are interrupted, and run again later. Throws
 * `RunClosed`.
 */
export async function pauseRun(
  { link }: Raymond,
  { runId, by = operator(), now = false }: RunName & { readonly by?: string; readonly now?: boolean },
): Promise<void> {
  await pause(link.client, { view: await findRun(link.client, runId), by, now });
}

/**
 * Moves an agent's workspace to another host before its next turn. Throws `RunClosed`, `NoSuchAgent`, `InvalidUsage`.
 */
export async function moveWorkspace(
  { link }: Raymond,
  { runId, agentId, to, by = operator() }: MoveWorkspaceOptions,
): Promise<void> {
  const view = await findRun(link.client, runId);
  await relocateAgent(link.client, { view, agentId, by, ...defined({ to }) });
}

/** How a run is resumed. */
interface ResumeOptions extends RunName {
  /** For a run that has ended: whether its agents may ask. Absent = as before. */
  readonly rejectAsks?: boolean;
  /** For a run that has ended: ends a turn after this many seconds without output. */
  readonly timeoutSeconds?: number;
  /** For a run of a cluster that has ended: the queue to start it on; absent = as before. */
  readonly taskQueue?: string;
}

/**
 * Continues a paused run, or starts a run again that closed without completing; returns the effects. Throws
 * `NotResumable`.
 */
export async function resumeRun(raymond: Raymond, options: ResumeOptions): Promise<Resumption> {
  return await againIfChanged(() => resumeOnce(raymond, options));
}

async function resumeOnce(raymond: Raymond, options: ResumeOptions): Promise<Resumption> {
  const { link, artifacts, engine } = raymond;
  const view = await findRun(link.client, options.runId, artifacts);
  const { runId } = view;
  if (!view.open) {
    checkResumable(view);
    return restarted(view, await startedAgain(raymond, { view, ...options }));
  }
  // Also when no agent seems paused: an order that no worker has processed yet may pause it.
  const noticed = await onceNoticed(link.client, view, engine);
  if (!noticed.open) return restarted(noticed, await startedAgain(raymond, { ...options, view: noticed }));
  return await engine.carryOut(runId, async () => {
    const expected = resumptionOf(noticed, Date.now());
    const current = isEmpty(expected) ? await viewAfterOrders(link.client, noticed) : noticed;
    await resumeOpenRun(link.client, current ?? noticed);
    return current === undefined ? { ...expected, unprocessed: true } : resumptionOf(current, Date.now());
  });
}

interface Restarting extends Omit<ResumeOptions, 'runId'> {
  readonly view: RunView;
  readonly budget?: { readonly usd?: number };
}

/** Starts a closed run again. */
async function startedAgain(raymond: Raymond, { view, taskQueue, ...choices }: Restarting): Promise<readonly string[]> {
  const { link, artifacts, engine } = raymond;
  const queue = queueOf(raymond, taskQueue ?? view.taskQueue);
  const request = { view, artifacts, taskQueue: queue, ...choices };
  return await engine.carryOut(view.runId, () => restartRun(link.client, request));
}

/**
 * Changes the budget of a run in USD, 0 = no limit; a run that stopped at its budget continues. Throws `NotResumable`,
 * `InvalidUsage`.
 */
export async function changeBudget(raymond: Raymond, options: BudgetOptions): Promise<void> {
  await againIfChanged(() => changeBudgetOnce(raymond, options));
}

interface BudgetOptions extends RunName, Pick<ResumeOptions, 'rejectAsks'> {
  readonly budgetUsd: number;
}

async function changeBudgetOnce(
  raymond: Raymond,
  { runId: name, budgetUsd, rejectAsks }: BudgetOptions,
): Promise<void> {
  const { link, artifacts } = raymond;
  const view = await findRun(link.client, name, artifacts);
  const { runId } = view;
  checkBudget(view, budgetUsd);
  const limit = budgetUsd === 0 ? {} : { usd: budgetUsd };
  if (!view.open) await startedAgain(raymond, { view, budget: limit, ...defined({ rejectAsks }) });
  else {
    await change(link.client, { runId, ...limit });
    await raymond.engine.ensure();
  }
}

/**
 * Retries all agents of a run that failed, are lost, or are paused by a failure; a run that has ended is resumed.
 * Returns their ids. Throws `NotResumable`.
 */
export async function retryFailed(
  raymond: Raymond,
  { runId: name, by = operator() }: { readonly runId: string; readonly by?: string },
): Promise<readonly string[]> {
  const view = await findRun(raymond.link.client, name, raymond.artifacts);
  const { runId, agents, open } = view;
  const failed = agents.filter(({ status, error, errorType }) => {
    const isHeld = status === 'paused' && error !== undefined && errorType !== 'PausedByOperator';
    return isHeld || status === 'failed' || status === 'lost';
  });
  if (failed.length === 0) throw new ClientError('NotResumable', `no agent of ${runId} has failed`);
  if (open) for (const { id } of failed) await retryAgent(raymond, { runId, agentId: id, by });
  else await resumeRun(raymond, { runId });
  return failed.map(({ id }) => id);
}

/** Stops the agents of a run and closes it; `resumeRun` can still continue it. Throws `RunClosed`. */
export async function cancelRun({ link: { client }, engine }: Raymond, { runId: name }: RunName): Promise<void> {
  const view = await findRun(client, name);
  checkOpen(view);
  await cancelWhole(client, view.runId);
  await engine.ensure();
}

/** Stops one agent; the others continue. Throws `RunClosed`, `NoSuchAgent`. */
export async function cancelAgent({ link, engine }: Raymond, { runId, agentId }: AgentOptions): Promise<void> {
  await cancelOne(link.client, { view: await findRun(link.client, runId), agentId });
  await engine.ensure();
}

/** Puts this note before an agent's next prompt. Throws `RunClosed`, `NoSuchAgent`. */
export async function tellAgent(
  { link, artifacts, engine }: Raymond,
  { runId, agentId, text, by = operator() }: AgentOptions & { readonly text: string; readonly by?: string },
): Promise<void> {
  const note = { text: await artifacts.value(text), by };
  await tell(link.client, { view: await findRun(link.client, runId), agentId, note });
  await engine.ensure();
}

/**
 * Removes the notes to an agent that no prompt has received yet. Throws `RunClosed`, `NoSuchAgent`, `NothingToDo`.
 */
export async function withdrawNotes(
  raymond: Raymond,
  { runId, agentId, by = operator() }: WithdrawOptions,
): Promise<readonly OperatorNote[]> {
  const { link, artifacts, engine } = raymond;
  const agent = { view: await findRun(link.client, runId), agentId };
  await checkReached(link.client, agent);
  await onceRecorded(link.client, agent);
  const { notes } = await agentNow(link.client, { runId: agent.view.runId, agentId }, artifacts);
  if (notes === undefined) throw new ClientError('NothingToDo', `no note waits for the next prompt of ${agentId}`);
  await withdraw(link.client, { ...agent, by });
  await engine.ensure();
  return notes;
}

/** The turn to start from, and what to change. */
export interface ForkOptions extends RunName {
  /** Absent = `main`. */
  readonly agentId?: string;
  readonly turn: number;
  /** Run the turn again, or keep it and apply its transition. */
  readonly how: 'again' | 'after';
  /** The id of the new run; absent = a new one. */
  readonly newRunId?: string;
  /** A state to continue at instead. */
  readonly goto?: string;
  readonly input?: string;
  /** New texts of prompts, by the name of the state: the new run uses them instead of the files. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Starts without the conversation. */
  readonly fresh?: boolean;
  readonly cwd?: string;
  /** In USD; 0 = no limit, absent = as the old run. */
  readonly budgetUsd?: number;
  /** Drops forked agents that were not awaited yet. */
  readonly dropForks?: boolean;
  /** Starts paused. */
  readonly pause?: boolean;
  /** Who orders it; absent = the user of this process on this host. */
  readonly by?: string;
  /** On a cluster: the queue of its fleet; absent = as the old run. */
  readonly taskQueue?: string;
}

/** A new run that can be started. */
interface PreparedFork {
  readonly runId: string;
  readonly taskQueue: string;
  readonly from: ForkRequest['from'];
  /** By this engine; absent = that of the open project. */
  readonly begin: (engine?: EngineAccess) => Promise<void>;
}

/** Checks a fork before it starts. Throws `RunNotFound`, `InvalidUsage`. */
export async function prepareFork(raymond: Raymond, options: ForkOptions): Promise<PreparedFork> {
  const { link, artifacts, mode } = raymond;
  const { agentId = MAIN_AGENT, turn, how, newRunId: wanted, input, fresh, dropForks, budgetUsd } = options;
  const { by = operator(), replace } = options;
  if (how === 'after' && input !== undefined && options.goto === undefined)
    throw new ClientError(
      'InvalidUsage',
      'after a turn its transition sets the input of the next state; to give another one, name the state with --goto',
    );
  const old = await findRun(link.client, options.runId, artifacts);
  const runId = wanted === undefined ? newRunId(old.workflow) : checkRunId(wanted);
  const cwd = await directoryOf(raymond, options.cwd);
  const isHere = options.goto !== undefined && mode.kind === 'local';
  const goto = isHere ? await stateIn(scopeAt(old.scope), options.goto, artifacts) : options.goto;
  const from = { runId: old.runId, agentId };
  const budget = budgetUsd === undefined ? undefined : budgetUsd === 0 ? {} : { usd: budgetUsd };
  const pausedBy = options.pause === true ? by : undefined;
  const taskQueue = queueOf(raymond, options.taskQueue ?? old.taskQueue);
  const begin = async (engine = raymond.engine): Promise<void> => {
    const given = input === undefined ? undefined : await artifacts.value(input);
    const choices = defined({ goto, input: given, replace, fresh, dropForks, cwd, budget, pausedBy });
    const start = (): Promise<void> =>
      startFork(link.client, { from, turn, how, runId, taskQueue, artifacts, ...choices });
    await engine.begin(runId, start);
  };
  return { runId, taskQueue, from, begin };
}

/** Starts a new run from a recorded turn of an old one. Throws `NoSuchTurn`, `NotResumable`, `RunExists`, `ResultElsewhere`. */
export async function forkRun(raymond: Raymond, options: ForkOptions): Promise<RunView> {
  const { runId, begin } = await prepareFork(raymond, options);
  await begin();
  return await viewRun(raymond.link.client, runId);
}

async function directoryOf({ caller, mode }: Raymond, cwd: string | undefined): Promise<string | undefined> {
  if (cwd === undefined) return undefined;
  const path = resolve(caller.cwd, cwd);
  if (mode.kind === 'local' && !(await isDirectory(path))) throw noDirectory(path);
  return path;
}
