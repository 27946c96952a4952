// A new run from a recorded turn of an old one, which stays as it is: the agent of that turn becomes `main`, with its stack, conversation,
// directory and attributes as of then. Other agents are not taken along. Files are as of then in a workspace; elsewhere they are not rewound.
import type { Client } from '@temporalio/client';
import type { AgentState } from '../../protocol/machine/agent.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { defined, type Value } from '../../protocol/text.js';
import { inOwnWorkspace, withFiles } from '../../protocol/machine/workspace.js';
import { ArtifactMissing, StoreDamaged, type ArtifactStore } from '../../store/store.js';
import type { RunInput, RunSettings } from '../../workflows/contract.js';
import { newLedger, withBudget } from '../../workflows/run/ledger.js';
import { ClientError } from '../error.js';
import { launchRun } from '../start/start.js';
import { recordedTurns } from '../../history/recorded-run.js';
import type { RecordedTurn } from '../../history/turns.js';

/** Where to begin, and what shall be otherwise. */
export interface ForkRequest {
  readonly from: { readonly runId: string; readonly agentId: string };
  readonly turn: number;
  /** Do the turn again, or keep it and take its transition. */
  readonly how: 'again' | 'after';
  readonly runId: string;
  readonly taskQueue: string;
  readonly artifacts: ArtifactStore;
  /** A state to go to instead. */
  readonly goto?: string;
  readonly input?: Value;
  /** Without its conversation. */
  readonly fresh?: boolean;
  readonly cwd?: string;
  /** Absent = as the old run, of which nothing counts as spent; without `usd` there is no limit. */
  readonly budget?: { readonly usd?: number };
  /** Forked agents that were not awaited yet are given up. */
  readonly dropForks?: boolean;
  /** Who pauses the new run at once. */
  readonly pausedBy?: string;
}

/** Starts the new run. Throws `NoSuchTurn`, `NotResumable`, `RunExists`, `ResultElsewhere`. */
export async function forkRun(client: Client, request: ForkRequest): Promise<void> {
  const turn = await turnOf(client, request);
  const { before, run } = turn;
  if (before === undefined || run === undefined) throw missing(request, 'the record of its agent is not at hand');
  checkForks(before, request);
  const main = changed(inOwnWorkspace(agentAt({ ...turn, before }, request), request.runId), request);
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
    forkedFrom: { ...from, turn: request.turn },
    ...defined({ pausedBy }),
  };
  await launchRun(client, { input, ledger: newLedger(main, Date.now()), taskQueue, reuse: 'REJECT_DUPLICATE' });
}

/** The branch that the old run's files go to is that run's. */
function withoutOutput({ workspace, ...settings }: RunSettings): RunSettings {
  if (workspace === undefined) return settings;
  const { outputBranch: _theirs, ...kept } = workspace;
  return { ...settings, workspace: kept };
}

async function turnOf(client: Client, { from, turn, how, artifacts }: ForkRequest): Promise<RecordedTurn> {
  const turns = await recordedTurns({ client, artifacts }, from);
  // The last try of a turn is the one that counts.
  const found = turns.findLast(({ number }) => number === turn);
  if (found === undefined) {
    const last = turns.at(-1)?.number;
    const known = last === undefined ? 'it has no recorded turn' : `its recorded turns are 1 to ${last}`;
    throw new ClientError('NoSuchTurn', `${from.agentId} of ${from.runId} has no turn ${turn}; ${known}`);
  }
  if (how === 'after' && found.end.kind !== 'transition')
    throw new ClientError(
      'NoSuchTurn',
      `turn ${turn} of ${from.agentId} has no transition to go on with; use --at ${turn}`,
    );
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
  const { owedUsd: _owed, operatorNotes: _notes, asks: _asks, ...unasked } = agent;
  const { pausedBy: _paused, move: _move, nextTurn: _tries, ...record } = unasked;
  const { hold: _hold, pending: _pending, ...elsewhere } = record;
  const moved: AgentState = goto === undefined ? record : { ...elsewhere, state: goto, via: 'goto', attributes: {} };
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
  const message = `before turn ${turn} ${id} had forked ${forks - awaited} agents that it had not awaited, and they are not taken along; give them up with --drop-forks`;
  throw new ClientError('NotResumable', message);
}

async function requireSession(sha256: string, request: ForkRequest): Promise<void> {
  try {
    await request.artifacts.locate(sha256);
  } catch (error) {
    const what = error instanceof ArtifactMissing ? `not in the artifact store (${error.path})` : undefined;
    const why = error instanceof StoreDamaged ? `damaged (${error.damage.path})` : what;
    if (why === undefined) throw error;
    throw missing(request, `its conversation is ${why}; begin without it: --fresh`);
  }
}

function missing({ from, turn }: ForkRequest, what: string): ClientError {
  return new ClientError('ResultElsewhere', `turn ${turn} of ${from.agentId} in ${from.runId}: ${what}`);
}
