// The status of a whole run, and its summary: its totals and a list of its agents. The list has
// limits for lines and bytes, because it is stored in a memo and written again with every change.
// Pure.
import { MAIN_AGENT } from '../../protocol/ids.js';
import type { Failure } from '../../protocol/failure.js';
import { kindOfRun } from '../../protocol/sandbox.js';
import { clip, defined, isArtifact, utf8Length } from '../../protocol/text.js';
import type {
  AgentLine,
  AgentStatus,
  AskLine,
  LedgerAgent,
  RunInput,
  RunSettings,
  RunStatus,
  RunSummary,
  UnreportedTurn,
} from '../../contract/runs.js';
import { budgetMessage } from './budget.js';
import type { Ledger } from './ledger.js';
import { isLive } from './roster.js';

/** Lines of a summary, and about how many bytes their details (errors, results, questions) may take together. */
const MAX_LINES = 150;
const MAX_DETAIL_BYTES = 32 * 1024;

/** The longest failure and result in a line, in characters. */
const MAX_ERROR = 1000;
const MAX_RESULT = 400;

/** Why a run stops its agents before they end on their own. */
export type Stop = 'cancelled' | 'over-budget' | 'fail-fast';

/** Why a run stops when one of its agents has this status; undefined when it does not. */
export function stopAfter(status: AgentStatus, { failFast }: Pick<RunSettings, 'failFast'>): Stop | undefined {
  if (status.kind !== 'failed') return undefined;
  if (status.failure.type === 'OverBudget') return 'over-budget';
  return failFast ? 'fail-fast' : undefined;
}

/** The status of a run that stops for this reason, or for none. */
export function statusOf(ledger: Ledger, stopping?: Stop): RunStatus {
  if (stopping === 'over-budget') return 'over-budget';
  const status = ownStatus(ledger);
  if (stopping === 'fail-fast' && status === 'cancelled') return 'failed';
  // The operator who cancelled the run has seen which agents failed.
  return stopping === 'cancelled' && status === 'failed' ? 'cancelled' : status;
}

function ownStatus({ roster, archived, resumable, hasFailed }: Ledger): RunStatus {
  if (roster.liveCount > 0) return liveStatus((kind) => roster.count(kind) > 0);
  if (hasFailed) return 'failed';
  return roster.count('cancelled') + archived.cancelled > 0 || resumable !== undefined ? 'cancelled' : 'completed';
}

/** An agent that awaits others has their status. */
function liveStatus(some: (kind: AgentStatus['kind']) => boolean): RunStatus {
  if (some('running') || some('waiting') || some('queued') || some('sleeping')) return 'running';
  if (some('asking')) return 'asking';
  return some('paused') ? 'paused' : 'running';
}

/** What a summary contains besides the ledger. */
interface SummaryOptions {
  readonly input: RunInput;
  readonly status: RunStatus;
  readonly isStopping?: boolean;
  /** The host that has an agent's workspace. */
  readonly hostOf?: (agentId: string) => string | undefined;
  readonly unreported?: readonly UnreportedTurn[];
  /** Why the run waits for something. */
  readonly trouble?: Failure | undefined;
}

function noHost(): undefined {
  return undefined;
}

/** The summary for people and scripts. Large results stay references. */
export function summarise(
  ledger: Ledger,
  { input, status, isStopping = false, hostOf = noHost, unreported = [], trouble }: SummaryOptions,
): RunSummary {
  const { budgetUsd, workspace, turn } = input.settings;
  const { shown, ended, live } = selection(ledger.roster.all());
  const result = status === 'over-budget' ? budgetMessage(ledger.spentUsd, budgetUsd ?? 0) : ledger.result;
  return {
    runId: input.runId,
    workflow: input.workflow,
    scope: input.main.scope.path,
    status,
    ...defined({ result }),
    costUsd: ledger.spentUsd,
    ...(budgetUsd === undefined ? {} : { budgetUsd }),
    agents: linesOf(shown).map((line) => ({ ...line, ...defined({ host: hostOf(line.id) }) })),
    agentsBefore: ledger.archived.count + ended,
    ...(live === 0 ? {} : { agentsHidden: live }),
    resumptions: ledger.resumptions,
    startedAt: ledger.startedAt,
    ...(ledger.pausedBy === undefined ? {} : { pausedBy: ledger.pausedBy }),
    ...(input.forkedFrom === undefined ? {} : { forkedFrom: input.forkedFrom }),
    ...(workspace === undefined ? {} : { workspaceRoot: workspace.root }),
    ...defined({ labels: turn.labels, sandbox: kindOfRun(turn.sandbox) }),
    ...(unreported.length === 0 ? {} : { unreported }),
    ...defined({ trouble }),
    ...(isStopping ? { stopping: true } : {}),
    ...(ledger.refused.length === 0 ? {} : { refused: ledger.refused }),
  };
}

interface Selection {
  readonly shown: readonly LedgerAgent[];
  /** How many ended and live agents are not shown. */
  readonly ended: number;
  readonly live: number;
}

/** The agents to list: `main`, then those that need attention, then the latest that completed. */
function selection(agents: readonly LedgerAgent[]): Selection {
  if (agents.length <= MAX_LINES) return { shown: agents, ended: 0, live: 0 };
  const ranked = agents.map((agent, index) => ({ agent, index, rank: rankOf(agent) }));
  ranked.sort((a, b) => a.rank - b.rank || (a.rank === 3 ? b.index - a.index : a.index - b.index));
  const names = new Set(ranked.slice(0, MAX_LINES).map(({ agent }) => agent.id));
  const hidden = agents.filter(({ id }) => !names.has(id));
  const live = hidden.filter(({ status }) => isLive(status)).length;
  return { shown: agents.filter(({ id }) => names.has(id)), ended: hidden.length - live, live };
}

/** Agents that need no attention. */
const WORKING: ReadonlySet<AgentStatus['kind']> = new Set(['running', 'waiting', 'queued', 'sleeping']);

function rankOf({ id, status: { kind } }: LedgerAgent): number {
  if (id === MAIN_AGENT) return 0;
  if (kind === 'completed') return 3;
  return WORKING.has(kind) ? 2 : 1;
}

/** The lines with their details, by rank, until the space is used up. */
function linesOf(agents: readonly LedgerAgent[]): readonly AgentLine[] {
  const details = new Map<string, Partial<AgentLine>>();
  let room = MAX_DETAIL_BYTES;
  for (const agent of [...agents].sort((a, b) => rankOf(a) - rankOf(b))) {
    const detail = { ...aboutOf(agent), ...detailOf(agent.status) };
    room -= utf8Length(JSON.stringify(detail));
    details.set(agent.id, room >= 0 ? detail : withoutTexts(detail));
  }
  return agents.map(({ id, state, costUsd, status }) => ({
    id,
    status: status.kind,
    state,
    costUsd,
    ...details.get(id),
  }));
}

/** The rest of a line when there is no space for its texts: a question can still be answered by its id. */
function withoutTexts({ ask, until }: Partial<AgentLine>): Partial<AgentLine> {
  return { ...(ask === undefined ? {} : { ask: { id: ask.id, ...untilOf(ask) } }), ...untilOf({ until }) };
}

function detailOf(status: AgentStatus): Partial<AgentLine> {
  if (status.kind === 'asking') return { ask: status.ask, ...untilOf(status.ask) };
  if ('failure' in status) {
    const { type: errorType, message } = status.failure;
    return { error: clip(message, MAX_ERROR), errorType, ...('until' in status ? untilOf(status) : {}) };
  }
  if (status.kind === 'sleeping' || status.kind === 'awaiting') return untilOf(status);
  if (status.kind === 'queued') return { waitsFor: status.waitsFor };
  if (status.kind !== 'completed') return {};
  // A longer result of a forked agent is found in its own workflow.
  return isArtifact(status.result) || status.result.length <= MAX_RESULT ? { result: status.result } : {};
}

/** The longest text of an agent's attributes, in characters. */
const MAX_ABOUT = 120;

function aboutOf({ about }: LedgerAgent): Pick<AgentLine, 'about'> {
  if (about === undefined || isArtifact(about)) return {};
  const attributes = Object.entries(JSON.parse(about) as Readonly<Record<string, string>>);
  return { about: clip(attributes.map(([name, value]) => `${name}=${value}`).join(' '), MAX_ABOUT) };
}

function untilOf({ until }: { readonly until?: number | undefined }): Pick<AskLine, 'until'> {
  return until === undefined ? {} : { until };
}
