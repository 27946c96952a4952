// The recorded turns of an agent, assembled from the events of its histories, without a worker.
// Events that do not belong to turns are skipped.
import { isGrpcServiceError, type Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type proto from '@temporalio/proto';
import type { ChainedTurn, TurnFailureDetails, TurnHeartbeat, TurnReport, TurnRequest } from '../contract/turns.js';
import { fromPayload, unchecked, type Payloads } from '../codec/converter.js';
import type { AgentState, OperatorNote, StoredRecord } from '../protocol/machine/agent.js';
import { isFailureType } from '../protocol/failure.js';
import { agentWorkflowId } from '../protocol/ids.js';
import { reportOf } from '../protocol/machine/chain.js';
import { applyTransition } from '../protocol/machine/step.js';
import { pendingOf } from '../protocol/machine/wait.js';
import { defined, type Value } from '../protocol/text.js';
import { withFiles } from '../protocol/machine/workspace.js';
import type { Transition } from '../protocol/machine/transition.js';
import type { ArtifactStore } from '../store/store.js';
import type { AgentInput } from '../contract/runs.js';
import { eventsOf, msOf, resetFrom, type EventSource, type HistoryEvent } from './events.js';
import { heartbeatOf, isTurn, pendingTurn } from './pending.js';
import {
  factsOf,
  failedFacts,
  queueOf,
  reportedTurns,
  takenOf,
  type RecordedTurn,
  type TurnFacts,
} from './recorded-turn.js';

type TemporalFailure = proto.temporal.api.failure.v1.IFailure;

export type { RecordedTurn, TurnEnd } from './recorded-turn.js';

/** An agent whose history is read. */
export interface AgentName {
  readonly runId: string;
  readonly agentId: string;
}

/**
 * Which events of an agent; with the store also the records before the turns of resumed agents.
 * `onEvent` receives every event.
 */
export type TurnSource = Omit<EventSource, 'workflowId'> & {
  readonly artifacts?: ArtifactStore;
  /** Only of `executionOf`: also the turns of a chain in progress, which the history has when the chain ends. */
  readonly withSaved?: boolean;
  readonly onEvent?: (event: HistoryEvent) => Promise<unknown>;
};

/**
 * The recorded turns of one agent; ends with its history, or when the call is aborted. Throws
 * `KeyError`, `ArtifactMissing`.
 */
export async function* turnsOf(
  client: Client,
  agent: AgentName,
  source: TurnSource = {},
): AsyncGenerator<RecordedTurn> {
  const reader = readerOf(client, agent, source);
  for await (const { turns } of readingOf(client, agent, { ...source, reader })) yield* turns;
}

/** One execution of an agent's workflow. */
export interface Execution {
  readonly executionId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly turns: readonly RecordedTurn[];
  /** The execution that it was made from by a reset. */
  readonly madeFrom?: string;
}

/** The turns of one execution, the latest one when none is named. Throws as `turnsOf`. */
export async function executionOf(
  client: Client,
  agent: AgentName,
  { withSaved = false, ...source }: TurnSource = {},
): Promise<Execution> {
  const reader = readerOf(client, agent, source);
  const turns: RecordedTurn[] = [];
  let [executionId, startedAt] = [source.executionId ?? '', 0];
  let madeFrom: string | undefined;
  for await (const { event, turns: ended } of readingOf(client, agent, { ...source, reader })) {
    const workflowStarted = event.workflowExecutionStartedEventAttributes;
    if (workflowStarted)
      [executionId, startedAt] = [workflowStarted.originalExecutionRunId ?? executionId, msOf(event.eventTime)];
    // A reset execution starts with the events of the original one, with its id.
    executionId = event.workflowTaskFailedEventAttributes?.newRunId || executionId;
    madeFrom = resetFrom(event) ?? madeFrom;
    turns.push(...ended);
  }
  if (withSaved && reader.mayChain) turns.push(...(await savedTurns(client, agent, reader)));
  return { executionId, startedAt, turns, ...defined({ madeFrom }) };
}

/** The same; undefined when Temporal has deleted it. */
export async function executionIfKnown(
  client: Client,
  agent: AgentName,
  source: TurnSource,
): Promise<Execution | undefined> {
  try {
    return await executionOf(client, agent, source);
  } catch (error) {
    const code: number | undefined = isGrpcServiceError(error) ? error.code : undefined;
    if (code === NOT_FOUND) return undefined;
    throw error;
  }
}

/** gRPC's code for data that the server does not have. */
const NOT_FOUND = 5;

function readerOf(client: Client, { agentId }: AgentName, { artifacts }: TurnSource): TurnReader {
  return new TurnReader(agentId, { converter: unchecked(client.options.loadedDataConverter), artifacts });
}

/** The turns that the worker of a chain in progress has saved, from its latest heartbeat. */
async function savedTurns(
  client: Client,
  { runId, agentId }: AgentName,
  reader: TurnReader,
): Promise<readonly RecordedTurn[]> {
  const found = await client.workflow.getHandle(agentWorkflowId(runId, agentId)).describe();
  const activity = pendingTurn(found);
  const { chain = [], afterMs } = (await heartbeatOf(client, found)) ?? {};
  const report = reportOf(chain);
  if (activity === undefined || report === undefined || afterMs === undefined) return [];
  const startedAt = new Date(msOf(activity.lastStartedTime));
  return reader.saved(report, { startedAt, attempts: activity.attempt ?? 1, afterMs });
}

async function* readingOf(
  client: Client,
  { runId, agentId }: AgentName,
  { artifacts: _read, onEvent, reader, ...source }: TurnSource & { readonly reader: TurnReader },
): AsyncGenerator<{ readonly event: HistoryEvent; readonly turns: readonly RecordedTurn[] }> {
  for await (const event of eventsOf(client, { workflowId: agentWorkflowId(runId, agentId), ...source })) {
    await onEvent?.(event);
    yield { event, turns: await reader.read(event) };
  }
}

/** An agent in its current execution; its return stack is absent when its record is not available. */
interface AgentNow {
  readonly stack?: AgentState['stack'];
  readonly last?: RecordedTurn;
  /** Notes of operators that no prompt has begun with yet; absent = none. */
  readonly notes?: readonly OperatorNote[];
}

/** Reads the current state of an agent. */
export async function agentNow(
  client: Client,
  { runId, agentId }: AgentName,
  artifacts?: ArtifactStore,
): Promise<AgentNow> {
  const reader = readerOf(client, { runId, agentId }, defined({ artifacts }));
  let last: RecordedTurn | undefined;
  for await (const event of eventsOf(client, { workflowId: agentWorkflowId(runId, agentId) }))
    last = (await reader.read(event)).at(-1) ?? last;
  return defined({ stack: reader.stack, last, notes: reader.notesNow });
}

interface ScheduledTurn {
  readonly request: TurnRequest;
  readonly scheduledAt: Date;
  startedAt: Date;
  attempts: number;
}

/** Assembles turns from the events of one agent's histories. */
class TurnReader {
  private readonly scheduled = new Map<string, ScheduledTurn>();
  /** The return stack after all events so far; requests contain the rest of the agent's record. */
  stack: AgentState['stack'] | undefined;
  /** Notes of operators that no recorded turn has begun with. */
  private notes: readonly OperatorNote[] = [];
  private run: RecordedTurn['run'];

  constructor(
    private readonly agentId: string,
    private readonly sources: { readonly converter: Payloads; readonly artifacts: ArtifactStore | undefined },
  ) {}

  /** True while a turn is in progress that others may follow in its activity. */
  get mayChain(): boolean {
    return [...this.scheduled.values()].some(({ request }) => request.chain !== undefined);
  }

  /** The turns of the activity in progress before its current one, which started `afterMs` after the first. */
  saved(
    report: TurnReport,
    { afterMs, ...started }: Pick<ScheduledTurn, 'startedAt' | 'attempts'> & { readonly afterMs: number },
  ): readonly RecordedTurn[] {
    const [turn] = this.scheduled.values();
    if (turn === undefined) return [];
    const endedAt = new Date(started.startedAt.getTime() + afterMs);
    return this.chained({ ...turn, ...started }, { endedAt, report });
  }

  /** The notes that neither a recorded turn nor one in progress has begun with. */
  get notesNow(): readonly OperatorNote[] | undefined {
    const waiting = this.notes.slice(this.notesGiven);
    return waiting.length === 0 ? undefined : waiting;
  }

  private get notesGiven(): number {
    return Math.max(0, ...[...this.scheduled.values()].map(({ request }) => request.operatorNotes?.length ?? 0));
  }

  /** Reads the next event; returns the turns that ended with it. */
  async read(event: HistoryEvent): Promise<readonly RecordedTurn[]> {
    const time = new Date(msOf(event.eventTime));
    const workflowStarted = event.workflowExecutionStartedEventAttributes;
    if (workflowStarted) await this.begin(await this.decode<AgentInput>(workflowStarted.input?.payloads?.[0]));
    const signalled = event.workflowExecutionSignaledEventAttributes;
    const note =
      signalled?.signalName === 'tell' ? await this.decode<OperatorNote>(signalled.input?.payloads?.[0]) : undefined;
    if (note !== undefined) this.notes = [...this.notes, note];
    if (signalled?.signalName === 'withdraw') this.notes = this.notes.slice(0, this.notesGiven);
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled && isTurn(scheduled)) {
      const request = await this.decode<TurnRequest>(scheduled.input?.payloads?.[0]);
      if (request !== undefined)
        this.scheduled.set(String(event.eventId), { request, scheduledAt: time, startedAt: time, attempts: 1 });
    }
    const started = event.activityTaskStartedEventAttributes;
    const known = started && this.scheduled.get(String(started.scheduledEventId));
    if (known) Object.assign(known, { startedAt: time, attempts: started.attempt ?? 1 });
    return await this.ended(event, time);
  }

  private async begin(input: AgentInput | undefined): Promise<void> {
    if (input === undefined) return;
    const { workflow, settings, agent } = input;
    this.run = { workflow, settings };
    const record = 'record' in agent ? await this.stored(agent.record) : agent;
    this.stack = record?.stack;
    this.notes = record?.operatorNotes ?? [];
    const pending = pendingOf(record?.hold);
    if (record !== undefined && pending !== undefined) this.apply(record, pending.transition);
  }

  private async stored(record: Value): Promise<AgentState | undefined> {
    const { artifacts } = this.sources;
    return artifacts === undefined ? undefined : (JSON.parse(await artifacts.text(record)) as StoredRecord).agent;
  }

  private apply(agent: AgentState, transition: Transition): void {
    const step = applyTransition(agent, transition);
    this.stack = step.agent.stack;
  }

  private async ended(event: HistoryEvent, endedAt: Date): Promise<readonly RecordedTurn[]> {
    const completed = event.activityTaskCompletedEventAttributes;
    const failed = event.activityTaskFailedEventAttributes;
    const timedOut = event.activityTaskTimedOutEventAttributes;
    const cancelled = event.activityTaskCanceledEventAttributes;
    const id = String((completed ?? failed ?? timedOut ?? cancelled)?.scheduledEventId);
    const turn = this.scheduled.get(id);
    if (turn === undefined) return [];
    this.scheduled.delete(id);
    if (completed) {
      const report = await this.decode<TurnReport>(completed.result?.payloads?.[0]);
      if (report !== undefined) return this.chained(turn, { endedAt, report });
    }
    const recorded = reportOf(await this.recordedBefore(timedOut?.failure));
    if (recorded !== undefined) return this.chained(turn, { endedAt, report: recorded });
    if (cancelled) return [this.recorded(turn, { endedAt, end: { kind: 'cancelled' }, costUsd: 0 })];
    const facts = await this.failureOf((failed ?? timedOut)?.failure, turn.request.tries);
    // The turn has not started.
    if (facts.end.kind === 'failed' && facts.end.failure.type === 'LeaseWanted') return [];
    return [this.recorded(turn, { endedAt, ...facts })];
  }

  /** Turns of its chain that a worker recorded before it stopped reporting. */
  private async recordedBefore(failure: TemporalFailure | null | undefined): Promise<readonly ChainedTurn[]> {
    const [details] = failure?.timeoutFailureInfo?.lastHeartbeatDetails?.payloads ?? [];
    return (await this.decode<Partial<TurnHeartbeat>>(details))?.chain ?? [];
  }

  /**
   * The turns of one activity; within a chain their times are those of its worker, counted from the
   * server's start time of the activity.
   */
  private chained(
    { request, scheduledAt, startedAt, attempts }: ScheduledTurn,
    { endedAt, report }: { readonly endedAt: Date; readonly report: TurnReport },
  ): readonly RecordedTurn[] {
    this.notes = this.notes.slice(request.operatorNotes?.length ?? 0);
    const reported = reportedTurns(request, report);
    const begins = reported.map(({ afterMs }) => new Date(Math.min(startedAt.getTime() + afterMs, endedAt.getTime())));
    return reported.map((turn, index) => {
      const begin = begins[index] ?? startedAt;
      return this.recorded(
        { request: turn.request, scheduledAt: index === 0 ? scheduledAt : begin, startedAt: begin, attempts },
        { endedAt: begins[index + 1] ?? endedAt, ...factsOf(turn.end) },
      );
    });
  }

  private recorded(
    { request: { agent, reminder }, scheduledAt, startedAt, attempts }: ScheduledTurn,
    { queuedMs, ...facts }: TurnFacts & Pick<RecordedTurn, 'endedAt'>,
  ): RecordedTurn {
    const { stack, run } = this;
    const before = stack === undefined ? undefined : { ...agent, stack };
    if (before !== undefined && facts.end.kind === 'transition')
      this.apply(
        withFiles({ ...before, turn: agent.turn + 1, ...defined({ session: facts.session ?? agent.session }) }, facts),
        facts.end.transition,
      );
    return {
      agentId: this.agentId,
      number: agent.turn + 1,
      state: agent.state,
      ...defined({ reminder: reminder?.number, before, run }),
      startedAt,
      attempts,
      ...queueOf({ scheduledAt, startedAt, attempts }, queuedMs),
      durationMs: facts.endedAt.getTime() - startedAt.getTime(),
      warnings: [],
      ...facts,
    };
  }

  private async failureOf(
    failure: TemporalFailure | null | undefined,
    tries: TurnRequest['tries'],
  ): Promise<TurnFacts> {
    const info = failure?.applicationFailureInfo;
    const details = (await this.decode<Partial<TurnFailureDetails>>(info?.details?.payloads?.[0])) ?? {};
    const hidden = await this.decode<{ readonly message?: string }>(failure?.encodedAttributes);
    const isSilent = Boolean(failure?.timeoutFailureInfo);
    const type = isSilent ? 'WorkerLost' : isFailureType(info?.type) ? info.type : 'Unforeseen';
    const said = hidden?.message ?? failure?.message ?? '';
    const message = isSilent ? `no worker reported in time: ${said}` : said;
    const { output, ...taken } = details;
    const facts = failedFacts(message, { costUsd: 0, ...details, type }, tries);
    return { ...facts, ...defined({ output }), ...takenOf(taken) };
  }

  private async decode<T>(payload: Payload | null | undefined): Promise<T | undefined> {
    return payload ? ((await fromPayload(this.sources.converter, payload)) as T) : undefined;
  }
}
