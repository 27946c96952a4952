// Starts a new run from a recorded turn of an old one, which stays as it is: the agent of that turn becomes `main`,
// with its stack, conversation, directory and attributes as of then. Other agents are not copied. Files are restored
// only in a workspace.
import type { Client } from '@temporalio/client';
import type { AgentState } from '../../protocol/machine/agent.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { Scope } from '../../protocol/scope.js';
import { defined, type Value } from '../../protocol/text.js';
import { inOwnWorkspace, withFiles } from '../../protocol/machine/workspace.js';
import { ArtifactMissing, StoreDamaged, type ArtifactStore } from '../../store/store.js';
import type { RunInput, RunSettings } from '../../contract/runs.js';
import { newLedger, withBudget } from '../../workflows/run/ledger.js';
import { ClientError } from '../error.js';
import { launchRun } from '../start/start.js';
import { stateIn } from './moves.js';
import { recordedTurns } from '../../history/recorded-run.js';
import type { RecordedTurn } from '../../history/turns.js';

/** Where to start, and what to change. */
export interface ForkRequest {
  readonly from: { readonly runId: string; readonly agentId: string };
  readonly turn: number;
  /** Run the turn again, or keep it and apply its transition. */
  readonly how: 'again' | 'after';
  readonly runId: string;
  readonly taskQueue: string;
  readonly artifacts: ArtifactStore;
  /** A state to continue at instead. */
  readonly goto?: string;
  readonly input?: Value;
  /** New texts of prompts, by the name of the state: for the new run only. */
  readonly replace?: Readonly<Record<string, string>>;
  /** Without its conversation. */
  readonly fresh?: boolean;
  readonly cwd?: string;
  /** Absent = as the old run, with nothing spent; without `usd` there is no limit. */
  readonly budget?: { readonly usd?: number };
  /** Drops forked agents that were not awaited yet. */
  readonly dropForks?: boolean;
  /** The name of the user who pauses the new run at its start. */
  readonly pausedBy?: string;
}

/** Starts the new run. Throws `NoSuchTurn`, `NotResumable`, `RunExists`, `ResultElsewhere`. */
export async function forkRun(client: Client, request: ForkRequest): Promise<void> {
  const turn = await turnOf(client, request);
  const { before, run } = turn;
  if (before === undefined || run === undefined) throw missing(request, 'the record of its agent is missing');
  checkForks(before, request);
  const replaced = await storedTexts(before.scope, request);
  const agent = withReplaced(agentAt({ ...turn, before }, request), replaced);
  const main = changed(inOwnWorkspace(agent, request.runId), request);
  if (main.session !== undefined) await requireSession(main.session.sha256, request);
  const { from, runId, taskQueue, pausedBy } = request;
  const debug = run.settings.turn.debug === undefined ? {} : { debug: { startedAt: Date.now() } };
  const kept = { ...withoutOutput(run.settings), turn: { ...run.settings.turn, ...debug } };
  const settings = request.budget === undefined ? kept : withBudget(kept, request.budget.usd);
  const input: RunInput = {
    runId,
    workflow: run.workflow,
    settings,
    main,
    forkedFrom: { ...from, turn: request.turn, ...defined({ replaced: replaced && Object.keys(replaced) }) },
    ...defined({ pausedBy }),
  };
  await launchRun(client, { input, ledger: newLedger(main, Date.now()), taskQueue, reuse: 'REJECT_DUPLICATE' });
}

/** Stores the new texts; returns their hashes by file. Throws `InvalidUsage`. */
async function storedTexts(
  scope: Scope,
  { replace = {}, artifacts }: ForkRequest,
): Promise<Scope['replaced'] | undefined> {
  const texts = await Promise.all(
    Object.entries(replace).map(async ([name, text]) => {
      const file = await stateIn(scope, name, artifacts);
      if (executorOf(file) === 'prompt') return [file, (await artifacts.put(Buffer.from(text))).sha256] as const;
      throw new ClientError('InvalidUsage', `${file} is a script; only prompts can be replaced for one run`);
    }),
  );
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

/** The agent, and its callers of the same package, with these prompts. */
function withReplaced(agent: AgentState, replaced: Scope['replaced']): AgentState {
  if (replaced === undefined) return agent;
  const { path } = agent.scope;
  const changedIn = <Place extends { readonly scope: Scope }>(place: Place): Place =>
    place.scope.path === path
      ? { ...place, scope: { ...place.scope, replaced: { ...place.scope.replaced, ...replaced } } }
      : place;
  return { ...changedIn(agent), stack: agent.stack.map(changedIn) };
}

/** The output branch belongs to the old run. */
function withoutOutput({ workspace, ...settings }: RunSettings): RunSettings {
  if (workspace === undefined) return settings;
  const { outputBranch: _theirs, ...kept } = workspace;
  return { ...settings, workspace: kept };
}

async function turnOf(client: Client, { from, turn, how, artifacts }: ForkRequest): Promise<RecordedTurn> {
  const turns = await recordedTurns({ client, artifacts }, from);
  // The last attempt of a turn is the one that counts.
  const found = turns.findLast(({ number }) => number === turn);
  if (found === undefined) {
    const last = turns.at(-1)?.number;
    const known = last === undefined ? 'it has no recorded turn' : `its recorded turns are 1 to ${last}`;
    throw new ClientError('NoSuchTurn', `${from.agentId} of ${from.runId} has no turn ${turn}; ${known}`);
  }
  if (how === 'after' && found.end.kind !== 'transition')
    throw new ClientError('NoSuchTurn', `turn ${turn} of ${from.agentId} has no transition to apply; use --at ${turn}`);
  return found;
}

function agentAt(
  { before, end, session, snapshot, number }: RecordedTurn & { readonly before: AgentState },
  { how }: ForkRequest,
): AgentState {
  if (how === 'again' || end.kind !== 'transition') return before;
  const after = session === undefined ? before : { ...before, session };
  return withFiles(
    { ...after, turn: number, hold: { kind: 'pending', transition: end.transition } },
    defined({ snapshot }),
  );
}

function changed(agent: AgentState, { goto, input, fresh, cwd }: ForkRequest): AgentState {
  const { owedUsd: _owed, reports: _counted, carried: _sent, operatorNotes: _notes, asks: _asks, ...unasked } = agent;
  const { pausedBy: _paused, forksPausedBy: _others, move: _move, nextTurn: _tries, ...record } = unasked;
  const { hold: _hold, pending: _pending, ...unheld } = record;
  const moved: AgentState = goto === undefined ? record : { ...unheld, state: goto, via: 'goto', attributes: {} };
  const { session: _session, ...unread } = moved;
  return {
    ...(fresh === true ? unread : moved),
    id: MAIN_AGENT,
    awaited: agent.forks,
    ...(input === undefined ? {} : { pending: { value: input, returning: false } }),
    ...(cwd === undefined ? {} : { cwd, home: cwd }),
  };
}

function checkForks({ id, forks, awaited = 0 }: AgentState, { dropForks, turn }: ForkRequest): void {
  if (forks <= awaited || dropForks === true) return;
  const message = `before turn ${turn} ${id} had forked ${forks - awaited} agents that it had not awaited, and they cannot be copied; drop them with --drop-forks`;
  throw new ClientError('NotResumable', message);
}

async function requireSession(sha256: string, request: ForkRequest): Promise<void> {
  try {
    await request.artifacts.locate(sha256);
  } catch (error) {
    const what = error instanceof ArtifactMissing ? `not in the artifact store (${error.path})` : undefined;
    const why = error instanceof StoreDamaged ? `damaged (${error.damage.path})` : what;
    if (why === undefined) throw error;
    throw missing(request, `its conversation is ${why}; start without it: --fresh`);
  }
}

function missing({ from, turn }: ForkRequest, what: string): ClientError {
  return new ClientError('ResultElsewhere', `turn ${turn} of ${from.agentId} in ${from.runId}: ${what}`);
}
