// The current work of a run's agents, as Temporal knows it without a worker: the turn in progress from its heartbeat,
// callers and the beginning of a wait from the history; and the cost of their recorded turns.
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { OperatorNote } from '../../protocol/machine/agent.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { exactly, defined } from '../../protocol/text.js';
import { storeFailure } from '../../store/store.js';
import { ENDED, type UnreportedTurn } from '../../contract/runs.js';
import { msOf } from '../../history/events.js';
import type { Raymond } from '../open.js';
import { turns } from '../operations.js';
import { blockedBy } from './blocked.js';
import { pendingTurn } from '../../history/pending.js';
import { liveTurn, type LiveTurn } from './live-turn.js';
import type { RunView } from './runs.js';
import { agentNow, type RecordedTurn } from '../../history/turns.js';

/** The current work of an open agent. */
export interface AgentDetail {
  /** The states that will receive a result, the next one first; absent = unknown. */
  readonly callers?: readonly string[];
  /** When its turn started, or its wait. */
  readonly since?: Date;
  /** The turn in progress, with its worker's latest report. */
  readonly turn?: LiveTurn;
  /** An attempt of its turn was lost, and another one starts the turn again. */
  readonly beginsAgain?: LostAttempts;
  /** Notes of operators that its next prompt begins with; absent = none. */
  readonly notes?: readonly OperatorNote[];
  /** Why its workflow is blocked until a worker with a fixed version of Raymond runs. */
  readonly blocked?: string;
}

/**
 * Attempts of a turn before number `attempt` were lost; `spends` = they may have cost money, which is not known yet.
 */
export interface LostAttempts {
  readonly attempt: number;
  readonly spends: boolean;
}

/** How many agents are read, and how many events of their histories in total. */
const LOOKED_AT = 50;
const MOST_EVENTS = 20_000;

/** The current work of the open agents of a run; the first 50 of them. */
export async function liveAgents(raymond: Raymond, view: RunView): Promise<ReadonlyMap<string, AgentDetail>> {
  const { runId, open, agents } = view;
  const live = agents.filter(({ status }) => open && !ENDED.has(status)).slice(0, LOOKED_AT);
  const found = await Promise.all(live.map(({ id }) => descriptionOf(raymond, runId, id)));
  let room = MOST_EVENTS;
  const looks = live.flatMap(({ id: agentId }, at): readonly AgentLookup[] => {
    const description = found[at];
    if (description === undefined) return [];
    room -= description.historyLength;
    return [{ runId, agentId, found: description, withHistory: room >= 0 }];
  });
  return new Map(
    await Promise.all(looks.map(async (lookup) => [lookup.agentId, await detailOf(raymond, lookup)] as const)),
  );
}

/**
 * A run with its agents at the turns that their workers execute: the run itself learns of a chain of turns at its end.
 */
export function whereTurnsAre(view: RunView, details: ReadonlyMap<string, AgentDetail>): RunView {
  const agents = view.agents.map((line) => ({ ...line, state: details.get(line.id)?.turn?.state ?? line.state }));
  return { ...view, agents };
}

async function descriptionOf(
  { link: { client } }: Raymond,
  runId: string,
  agentId: string,
): Promise<WorkflowExecutionDescription | undefined> {
  try {
    return await client.workflow.getHandle(agentWorkflowId(runId, agentId)).describe();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

interface AgentLookup {
  readonly runId: string;
  readonly agentId: string;
  readonly found: WorkflowExecutionDescription;
  readonly withHistory: boolean;
}

async function detailOf({ link: { client }, artifacts }: Raymond, lookup: AgentLookup): Promise<AgentDetail> {
  const { found, withHistory, ...agent } = lookup;
  const activity = pendingTurn(found);
  // The record may be in a store that this host does not have, or that does not answer.
  const now = withHistory ? await agentNow(client, agent, artifacts).catch(nothingMissing) : {};
  const startedTime = activity?.lastStartedTime ?? activity?.scheduledTime;
  const attempt = activity?.attempt ?? 1;
  const turn = await liveTurn(client, found);
  const isLost = attempt > 1 && turn?.isContinued !== true;
  return defined({
    callers: now.stack?.map(({ state }) => state).toReversed(),
    since: startedTime ? new Date(msOf(startedTime)) : (now.last?.endedAt ?? found.startTime),
    turn,
    notes: now.notes,
    blocked: await blockedBy(client, found),
    beginsAgain: isLost ? { attempt, spends: activity?.activityType?.name === 'runPrompt' } : undefined,
  });
}

function nothingMissing(error: unknown): Record<string, never> {
  if (storeFailure(error) !== undefined) return {};
  throw error;
}

/** The total cost of some turns. */
export interface Cost {
  readonly name: string;
  readonly turns: number;
  readonly costUsd: number;
}

/** The same totals, the most expensive first. */
export interface Costs {
  readonly byAgent: readonly Cost[];
  readonly byState: readonly Cost[];
  readonly byModel: readonly Cost[];
  /** Absent = no turn has reported its account. */
  readonly byAccount?: readonly Cost[];
  /** Absent = no lost attempt has cost anything. */
  readonly lost?: LostCosts;
}

/** The cost of lost attempts: included in the totals; and turns whose lost attempt only a host can account for. */
export interface LostCosts {
  readonly costUsd: number;
  readonly unknown: readonly UnreportedTurn[];
}

/** The cost of a run's recorded turns, by agent, state and requested model. */
export async function costsOf(raymond: Raymond, runId: string): Promise<Costs> {
  const recorded = await turns(raymond, { runId });
  const prompts = recorded.filter(({ session, costUsd }) => session !== undefined || costUsd > 0);
  const spent = prompts.filter(({ account }) => account !== undefined);
  return {
    byAgent: sums(recorded, ({ agentId }) => agentId),
    byState: sums(recorded, ({ state }) => state),
    byModel: sums(prompts, modelOf),
    ...(spent.length === 0 ? {} : { byAccount: sums(spent, ({ account = '' }) => account) }),
    ...defined({ lost: lostCosts(recorded) }),
  };
}

/** The cost of lost attempts of these turns. */
export function lostCosts(
  recorded: readonly Pick<RecordedTurn, 'agentId' | 'number' | 'lost'>[],
): LostCosts | undefined {
  const known = recorded.flatMap(({ lost }) => lost ?? []);
  if (known.length === 0) return undefined;
  const unknown = recorded.flatMap(({ agentId, number: turn, lost }) =>
    lost?.unknownOn === undefined ? [] : [{ agentId, turn, host: lost.unknownOn }],
  );
  return { costUsd: exactly(known.reduce((sum, { usd }) => sum + usd, 0)), unknown };
}

function modelOf({ session, run, before }: RecordedTurn): string {
  return session?.model ?? run?.settings.turn.model ?? before?.session?.model ?? 'default';
}

function sums(recorded: readonly RecordedTurn[], nameOf: (turn: RecordedTurn) => string): readonly Cost[] {
  const found = new Map<string, Cost>();
  for (const turn of recorded) {
    const name = nameOf(turn);
    const { turns: count, costUsd } = found.get(name) ?? { turns: 0, costUsd: 0 };
    found.set(name, { name, turns: count + 1, costUsd: exactly(costUsd + turn.costUsd) });
  }
  return [...found.values()].sort((one, other) => other.costUsd - one.costUsd || other.turns - one.turns);
}
