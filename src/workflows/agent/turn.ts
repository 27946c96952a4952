// The activities of one agent as values: a turn, saving the files of its workspace, pushing them to
// their branch. For protocol/machine/turn-end.ts, their end is data: what the worker reported, a
// failure, or that the host was silent.
import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  TemporalFailure,
  TimeoutFailure,
  workflowInfo,
} from '@temporalio/workflow';
import type { ChainedTurn, TurnFailureDetails, TurnHeartbeat, TurnReport, TurnRequest } from '../../contract/turns.js';
import type { AgentState, StoredRecord, HostLoss, LostActivity } from '../../protocol/machine/agent.js';
import { mayChain, reportOf, turnPart } from '../../protocol/machine/chain.js';
import type { Agent, Allowance, Work } from '../../protocol/machine/inbox.js';
import type { WorkFailure, ChainedEnd, WorkEnd } from '../../protocol/machine/work-end.js';
import type { SaveRequest } from '../../protocol/machine/workspace.js';
import { isFailureType } from '../../protocol/failure.js';
import { MAIN_AGENT } from '../../protocol/ids.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { Lease } from '../../protocol/leases.js';
import { clip, defined, messageOf } from '../../protocol/text.js';
import { activities, performTurn, pushFiles, saveFiles } from '../activities.js';
import type { AgentInput } from '../../contract/runs.js';

/** What a turn was allowed. */
interface Granted {
  readonly allowance?: Allowance;
  readonly lease?: Lease;
}

/** Executes the agent's next turn. */
export async function doTurn(input: AgentInput, agent: AgentState, granted: Granted): Promise<WorkEnd> {
  return await workEnd(agent, async () => reported(await performTurn(requestOf(input, agent, granted), agent)));
}

function reported({ chain = [], ...report }: TurnReport): WorkEnd {
  return { kind: 'reported', report, chain: chain.map(chainedEnd) };
}

function requestOf(input: AgentInput, agent: AgentState, { allowance, lease }: Granted): TurnRequest {
  const { runId, workflow, settings } = input;
  const { reminder, session, limited, ignoreKnownLimits, lostActivities, tries } = agent.nextTurn ?? {};
  const isPrompt = executorOf(agent.state) === 'prompt';
  const chains = !isPrompt && lease === undefined && settings.chain !== false && mayChain(agent);
  const notes = isPrompt ? agent.operatorNotes : undefined;
  return {
    runId,
    workflow,
    ...turnPart({ ...agent, ...defined({ session }) }),
    settings: settings.turn,
    ...defined({
      allowanceUsd: allowance?.usd,
      reminder,
      lease,
      report: agent.carried,
      limited,
      ignoreKnownLimits,
      tries,
      operatorNotes: notes,
    }),
    ...(chains ? { chain: { stack: agent.stack } } : {}),
    ...(agent.workspace === undefined ? {} : defined({ workspace: settings.workspace, lostActivities })),
  };
}

function chainedEnd({ state, turn, end }: ChainedTurn): ChainedEnd {
  if (end.kind === 'report') return { state, turn, end };
  return { state, turn, end: { kind: 'failure', failure: withDetails(end.details, end.message) } };
}

/**
 * Reads the agent's record, saves the files of its workspace, or pushes them to the run's output
 * branch.
 */
export async function doWork(
  input: AgentInput,
  { record, memory }: Agent,
  work: Exclude<Work, 'turn'>,
): Promise<WorkEnd> {
  return await workEnd(record, async () => {
    if (work === 'restore')
      return { kind: 'restored', record: (await activities.readRecord(memory.stored ?? '')) as StoredRecord };
    const files = filesOf(input, record);
    if (work === 'save') return { kind: 'saved', snapshot: await saveFiles(record, files) };
    const output = files.settings.outputBranch ?? '';
    const branch = record.id === MAIN_AGENT ? output : `${output}-${record.id}`;
    await pushFiles(record, { ...files, branch, message: `${record.id} of the run ${input.runId}` });
    return { kind: 'pushed' };
  });
}

function filesOf({ runId, settings }: AgentInput, { id, workspace }: AgentState): Omit<SaveRequest, 'agent'> {
  if (workspace === undefined || settings.workspace === undefined) throw new TypeError(`${id} has no workspace`);
  return { runId, workspace, settings: settings.workspace };
}

/** A bug in Raymond is no end: it blocks the workflow task until a worker with the fix runs. */
async function workEnd(agent: AgentState, work: () => Promise<WorkEnd>): Promise<WorkEnd> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof TemporalFailure)) throw error;
    const recorded = reportOf(recordedBefore(error));
    if (recorded !== undefined) return reported(recorded);
    const failure = workFailureOf(error, agent);
    if (isCancellation(error)) return { kind: 'stopped', costUsd: failure.costUsd };
    const loss = hostLossOf(error, agent);
    if (loss === undefined) return { kind: 'failed', failure };
    return { kind: 'lost', loss, costUsd: failure.costUsd, activities: lostActivities(error) };
  }
}

/** Turns of a chain that a worker recorded before it stopped reporting: they do not run again. */
function recordedBefore(error: TemporalFailure): readonly ChainedTurn[] {
  if (!(error instanceof ActivityFailure && error.cause instanceof TimeoutFailure)) return [];
  const details = error.cause.lastHeartbeatDetails as Partial<TurnHeartbeat> | undefined;
  return details?.chain ?? [];
}

/** The longest message of a failure, in characters: it is stored for every agent. */
const MAX_MESSAGE = 8000;

/** The part of a failure that decides what follows. */
export function workFailureOf(error: unknown, { id, state }: Pick<AgentState, 'id' | 'state'>): WorkFailure {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof TimeoutFailure)
    return { type: 'WorkerLost', message: `${id}, ${state}: no worker reported in time: ${cause.message}`, costUsd: 0 };
  if (!(cause instanceof ApplicationFailure))
    return { type: 'Unforeseen', message: `${id}, ${state}: ${messageOf(cause)}`, costUsd: 0 };
  const [details] = (cause.details ?? []) as readonly (TurnFailureDetails | undefined)[];
  const type = isFailureType(cause.type) ? cause.type : 'Unforeseen';
  return withDetails({ costUsd: 0, ...details, type }, cause.message);
}

function withDetails(details: TurnFailureDetails, message: string): WorkFailure {
  const { type, costUsd, resetsAt, retries, limited, otherAccountFree, lacking } = details;
  const known = defined({ resetsAt, retries, limited, otherAccountFree, lacking });
  return { type, message: clip(message, MAX_MESSAGE), costUsd, ...known };
}

/** Why an activity on a host's queue ended without a report; undefined when it reported. */
function hostLossOf(error: unknown, { workspace, state, turn }: AgentState): HostLoss | undefined {
  const { place } = workspace ?? {};
  if (place === undefined || place.queue === workflowInfo().taskQueue || !(error instanceof ActivityFailure))
    return undefined;
  const { generation } = place;
  const started = executorOf(state) === 'prompt' ? { turn: turn + 1 } : {};
  if (error.cause instanceof TimeoutFailure)
    return { generation, why: 'silent', ...(error.cause.timeoutType === 'HEARTBEAT' ? started : {}) };
  if (!(error.cause instanceof ApplicationFailure)) return undefined;
  if (error.cause.type === 'WorkspaceMoved') return { generation, why: 'moved' };
  return error.cause.type === 'WorkerLost' ? { generation, why: 'silent', ...started } : undefined;
}

/**
 * The activity, if it may have left processes and spending on its host; one that reported has not.
 */
function lostActivities(error: unknown): readonly LostActivity[] {
  if (!(error instanceof ActivityFailure && error.cause instanceof TimeoutFailure)) return [];
  if (error.activityId === undefined) return [];
  return [{ workflowRunId: workflowInfo().runId, activityId: error.activityId }];
}
