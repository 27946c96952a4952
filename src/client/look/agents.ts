// What the agents of a run are at, as Temporal knows it without a worker: the turn that is under way from its heartbeat, callers and the
// beginning of a wait from the history; and what their recorded turns have cost.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/client';
import type { LinePlace, TurnHeartbeat } from '../../activities/types.js';
import { fromPayload } from '../../codec/converter.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { exactly, defined } from '../../protocol/text.js';
import { storeFailure } from '../../store/store.js';
import { ENDED, type UnbookedTurn } from '../../workflows/contract.js';
import { msOf } from '../../history/events.js';
import type { Raymond } from '../open.js';
import { turns } from '../operations.js';
import { blockedBy } from './blocked.js';
import type { RunView } from './runs.js';
import { agentNow, isTurn, type RecordedTurn } from '../../history/turns.js';

/** What a live agent is at. */
export interface AgentDetail {
  /** The states that a result goes back to, the next one first; absent = not known. */
  readonly callers?: readonly string[];
  /** Since when its turn runs, or it waits. */
  readonly since?: Date;
  /** The turn that is under way, with what its worker has told last. */
  readonly turn?: LiveTurn;
  /** An attempt of its turn was lost, and another one begins the turn again. */
  readonly beginsAgain?: LostAttempts;
  /** Why its workflow does not continue until a worker with a fix of Raymond comes. */
  readonly blocked?: string;
}

/** Attempts of a turn before number `attempt` were lost; `spends` = they may have cost money, which is not known yet. */
export interface LostAttempts {
  readonly attempt: number;
  readonly spends: boolean;
}

/** A turn that is under way. */
export interface LiveTurn {
  readonly number: number;
  readonly state: string;
  readonly attempt: number;
  readonly phase: TurnHeartbeat['phase'];
  readonly host: string;
  /** While it is queued, its place in the line of its worker. */
  readonly queue?: LinePlace;
  readonly lastOutputAt?: Date;
  /** The last line of its output. */
  readonly line?: string;
}

/** How many agents are looked at, and how many events of their histories are read in all. */
const LOOKED_AT = 50;
const MOST_EVENTS = 20_000;

/** What the live agents of a run are at; the first 50 of them. */
export async function liveAgents(raymond: Raymond, view: RunView): Promise<ReadonlyMap<string, AgentDetail>> {
  const { runId, open, agents } = view;
  const live = agents.filter(({ status }) => open && !ENDED.has(status)).slice(0, LOOKED_AT);
  const found = await Promise.all(live.map(({ id }) => descriptionOf(raymond, runId, id)));
  let room = MOST_EVENTS;
  const looks = live.flatMap(({ id: agentId }, at): readonly Look[] => {
    const description = found[at];
    if (description === undefined) return [];
    room -= description.historyLength;
    return [{ runId, agentId, found: description, withHistory: room >= 0 }];
  });
  return new Map(await Promise.all(looks.map(async (look) => [look.agentId, await detailOf(raymond, look)] as const)));
}

/** A run whose agents are where the turns are that their workers do: of a chain of turns the run hears when it is over. */
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

interface Look {
  readonly runId: string;
  readonly agentId: string;
  readonly found: WorkflowExecutionDescription;
  readonly withHistory: boolean;
}

async function detailOf({ link: { client }, artifacts }: Raymond, look: Look): Promise<AgentDetail> {
  const { found, withHistory, ...agent } = look;
  const activity = pendingTurn(found);
  // What it goes on from may lie in a store that is not here, or does not answer.
  const now = withHistory ? await agentNow(client, agent, artifacts).catch(nothingMissing) : {};
  const begun = activity?.lastStartedTime ?? activity?.scheduledTime;
  const attempt = activity?.attempt ?? 1;
  return defined({
    callers: now.stack?.map(({ state }) => state).toReversed(),
    since: begun ? new Date(msOf(begun)) : (now.last?.endedAt ?? found.startTime),
    turn: await liveTurn(client, found),
    blocked: await blockedBy(client, found),
    beginsAgain: attempt > 1 ? { attempt, spends: activity?.activityType?.name === 'runPrompt' } : undefined,
  });
}

/** The activity of an agent that does its turn; others, such as one that keeps its record, tell nothing of it. */
function pendingTurn({ raw }: WorkflowExecutionDescription): PendingActivity | undefined {
  return raw.pendingActivities?.find(isTurn);
}

type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];

function nothingMissing(error: unknown): Record<string, never> {
  if (storeFailure(error) !== undefined) return {};
  throw error;
}

/** The turn of an agent that is under way, as its worker has told it last. */
export async function liveTurn(
  client: Client,
  description: WorkflowExecutionDescription,
): Promise<LiveTurn | undefined> {
  const { workflowId } = description;
  const activity = pendingTurn(description);
  const payload = activity?.heartbeatDetails?.payloads?.[0];
  if (!activity || !payload) return undefined;
  const { namespace, loadedDataConverter } = client.options;
  const { activityId, attempt } = activity;
  const beating = {
    type: 'activity',
    namespace,
    workflowId,
    isLocal: false,
    ...(activityId ? { activityId } : {}),
  } as const;
  const beat = (await fromPayload(loadedDataConverter, payload, beating)) as TurnHeartbeat | undefined;
  // A bare sign of life: of an attempt that is just taking over, or of an activity that is no turn.
  if (beat === undefined) return undefined;
  const { turn, state, phase, host, queue, lastOutputAt, line } = beat;
  const heard = lastOutputAt === undefined ? undefined : new Date(lastOutputAt);
  return { number: turn, state, attempt: attempt ?? 1, phase, host, ...defined({ queue, lastOutputAt: heard, line }) };
}

/** What some turns have cost together. */
export interface Cost {
  readonly name: string;
  readonly turns: number;
  readonly costUsd: number;
}

/** The same sums, the dearest first. */
export interface Costs {
  readonly byState: readonly Cost[];
  readonly byModel: readonly Cost[];
  /** Absent = no turn has told its account. */
  readonly byAccount?: readonly Cost[];
  /** Absent = no attempt was lost that had spent something. */
  readonly lost?: LostCosts;
}

/** What attempts spent that were lost: a part of the sums, and turns of which only a host knows what an attempt spent there. */
export interface LostCosts {
  readonly costUsd: number;
  readonly unknown: readonly UnbookedTurn[];
}

/** What the recorded turns of a run have cost, by state and by the model that was asked for; the dearest first. */
export async function costsOf(raymond: Raymond, runId: string): Promise<Costs> {
  const recorded = await turns(raymond, { runId });
  const prompts = recorded.filter(({ session, costUsd }) => session !== undefined || costUsd > 0);
  const spent = prompts.filter(({ account }) => account !== undefined);
  return {
    byState: sums(recorded, ({ state }) => state),
    byModel: sums(prompts, modelOf),
    ...(spent.length === 0 ? {} : { byAccount: sums(spent, ({ account = '' }) => account) }),
    ...defined({ lost: lostCosts(recorded) }),
  };
}

/** What lost attempts of these turns spent. */
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
