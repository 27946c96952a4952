// The recorded turns of an agent, put together from the events of its histories: no worker is needed, and what is told here has surely
// happened. The events that are no turns are passed over.
import type { Client } from '@temporalio/client';
import type { Payload } from '@temporalio/common';
import type proto from '@temporalio/proto';
import type { TurnFailureDetails, TurnOutcome, TurnReport, TurnRequest } from '../activities/types.js';
import { fromPayload, unchecked, type Payloads } from '../codec/converter.js';
import type { AgentState, Session, StoredRecord } from '../protocol/agent.js';
import { isFailureType, type Failure } from '../protocol/failure.js';
import { agentWorkflowId } from '../protocol/ids.js';
import { applyTransition } from '../protocol/step.js';
import { defined, type Value } from '../protocol/text.js';
import { withFiles, type Snapshot } from '../protocol/workspace.js';
import type { Transition } from '../protocol/transition.js';
import type { ArtifactStore } from '../store/store.js';
import type { AgentInput } from '../workflows/contract.js';
import { eventsOf, msOf, type EventSource, type HistoryEvent } from './events.js';

type TemporalFailure = proto.temporal.api.failure.v1.IFailure;

/** How a turn ended, as far as it has been told to Temporal. */
export type TurnEnd = TurnOutcome | { readonly kind: 'failed'; readonly failure: Failure };

/** A turn that has ended. A turn that failed and was tried again by the agent stands here once for each try. */
export interface RecordedTurn {
  readonly agentId: string;
  /** Counts from 1; the tries of one turn have the same. */
  readonly number: number;
  readonly state: string;
  /** Which reminder of its state the turn was; absent = none. */
  readonly reminder?: number;
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** How often a worker began it. */
  readonly attempts: number;
  readonly end: TurnEnd;
  readonly costUsd: number;
  readonly durationMs: number;
  /** The conversation that it left, of a prompt turn that counts. */
  readonly session?: Session;
  /** The files that it left in its agent's workspace. */
  readonly snapshot?: Snapshot;
  /** The account of Claude that it spent from. */
  readonly account?: string;
  readonly stateSha256?: string;
  /** What it printed, or said. */
  readonly output?: Value;
  readonly warnings: readonly string[];
  /** The agent as it was before the turn; absent when an earlier execution's record is not at hand. */
  readonly before?: AgentState;
  /** What the whole run was started with. */
  readonly run?: Pick<AgentInput, 'workflow' | 'settings'>;
}

/** An agent whose history is read. */
export interface AgentName {
  readonly runId: string;
  readonly agentId: string;
}

/** Which events of an agent; with the store also what resumed agents were before each turn. */
type TurnSource = Omit<EventSource, 'workflowId'> & { readonly artifacts?: ArtifactStore };

/**
 * The turns of one agent as they are recorded; ends with its history, or with an abort of the call around it. Throws `KeyError`,
 * `ArtifactMissing`.
 */
export async function* turnsOf(
  client: Client,
  agent: AgentName,
  source: TurnSource = {},
): AsyncGenerator<RecordedTurn> {
  for await (const { turn } of readingOf(client, agent, source)) if (turn !== undefined) yield turn;
}

/** One execution of an agent's workflow. */
export interface Execution {
  readonly executionId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly turns: readonly RecordedTurn[];
}

/** All that is recorded of one execution, the latest one when none is named. Throws as `turnsOf`. */
export async function executionOf(client: Client, agent: AgentName, source: TurnSource = {}): Promise<Execution> {
  const turns: RecordedTurn[] = [];
  let [executionId, startedAt] = [source.executionId ?? '', 0];
  for await (const { event, turn } of readingOf(client, agent, source)) {
    const begun = event.workflowExecutionStartedEventAttributes;
    if (begun) [executionId, startedAt] = [begun.originalExecutionRunId ?? executionId, msOf(event.eventTime)];
    if (turn !== undefined) turns.push(turn);
  }
  return { executionId, startedAt, turns };
}

async function* readingOf(
  client: Client,
  { runId, agentId }: AgentName,
  { artifacts, ...source }: TurnSource,
): AsyncGenerator<{ readonly event: HistoryEvent; readonly turn: RecordedTurn | undefined }> {
  const reader = new TurnReader(agentId, { converter: unchecked(client.options.loadedDataConverter), artifacts });
  for await (const event of eventsOf(client, { workflowId: agentWorkflowId(runId, agentId), ...source }))
    yield { event, turn: await reader.take(event) };
}

/** An agent as its current execution has it: its return stack, unless its record is not at hand, and the last turn that is recorded. */
export interface AgentNow {
  readonly stack?: AgentState['stack'];
  readonly last?: RecordedTurn;
}

/** Reads it. */
export async function agentNow(
  client: Client,
  { runId, agentId }: AgentName,
  artifacts?: ArtifactStore,
): Promise<AgentNow> {
  const reader = new TurnReader(agentId, { converter: unchecked(client.options.loadedDataConverter), artifacts });
  let last: RecordedTurn | undefined;
  for await (const event of eventsOf(client, { workflowId: agentWorkflowId(runId, agentId) }))
    last = (await reader.take(event)) ?? last;
  return defined({ stack: reader.stackNow, last });
}

const TURNS = ['runPrompt', 'runScript'];

interface ScheduledTurn {
  readonly request: TurnRequest;
  startedAt: Date;
  attempts: number;
}

/** Puts the events of one agent's histories together to turns. */
class TurnReader {
  private readonly scheduled = new Map<string, ScheduledTurn>();
  /** The return stack between two turns: requests have all of an agent's record but that. */
  private stack: AgentState['stack'] | undefined;
  private run: RecordedTurn['run'];

  constructor(
    private readonly agentId: string,
    private readonly sources: { readonly converter: Payloads; readonly artifacts: ArtifactStore | undefined },
  ) {}

  /** The return stack after all that was taken. */
  get stackNow(): AgentState['stack'] | undefined {
    return this.stack;
  }

  /** Takes the next event; gives the turn that ended with it. */
  async take(event: HistoryEvent): Promise<RecordedTurn | undefined> {
    const time = new Date(msOf(event.eventTime));
    const begun = event.workflowExecutionStartedEventAttributes;
    if (begun) await this.begin(await this.read<AgentInput>(begun.input?.payloads?.[0]));
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled && TURNS.includes(scheduled.activityType?.name ?? '')) {
      const request = await this.read<TurnRequest>(scheduled.input?.payloads?.[0]);
      if (request !== undefined) this.scheduled.set(String(event.eventId), { request, startedAt: time, attempts: 1 });
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
    if (record?.hold?.kind === 'due') this.apply(record, record.hold.transition);
  }

  private async stored(record: Value): Promise<AgentState | undefined> {
    const { artifacts } = this.sources;
    return artifacts === undefined ? undefined : (JSON.parse(await artifacts.text(record)) as StoredRecord).agent;
  }

  private apply(agent: AgentState, transition: Transition): void {
    const step = applyTransition(agent, transition);
    this.stack = step.agent.stack;
  }

  private async ended(event: HistoryEvent, endedAt: Date): Promise<RecordedTurn | undefined> {
    const completed = event.activityTaskCompletedEventAttributes;
    const failed = event.activityTaskFailedEventAttributes;
    const timedOut = event.activityTaskTimedOutEventAttributes;
    const cancelled = event.activityTaskCanceledEventAttributes;
    const id = String((completed ?? failed ?? timedOut ?? cancelled)?.scheduledEventId);
    const turn = this.scheduled.get(id);
    if (turn === undefined) return undefined;
    this.scheduled.delete(id);
    if (completed) {
      const report = await this.read<TurnReport>(completed.result?.payloads?.[0]);
      if (report !== undefined) return this.recorded(turn, { endedAt, ...factsOf(report) });
    }
    if (cancelled) return this.recorded(turn, { endedAt, end: { kind: 'cancelled' }, costUsd: 0 });
    const facts = await this.failureOf((failed ?? timedOut)?.failure);
    // It has not begun.
    if (facts.end.kind === 'failed' && facts.end.failure.type === 'LeaseWanted') return undefined;
    return this.recorded(turn, { endedAt, ...facts });
  }

  private recorded(
    { request: { agent, reminder }, startedAt, attempts }: ScheduledTurn,
    facts: Pick<RecordedTurn, 'endedAt' | 'end' | 'costUsd'> & Partial<RecordedTurn>,
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
      durationMs: facts.endedAt.getTime() - startedAt.getTime(),
      warnings: [],
      ...facts,
    };
  }

  private async failureOf(
    failure: TemporalFailure | null | undefined,
  ): Promise<Pick<RecordedTurn, 'end' | 'costUsd' | 'output' | 'account'>> {
    const info = failure?.applicationFailureInfo;
    const { costUsd = 0, ...told } = (await this.read<TurnFailureDetails>(info?.details?.payloads?.[0])) ?? {};
    const hidden = await this.read<{ readonly message?: string }>(failure?.encodedAttributes);
    const type = isFailureType(info?.type) ? info.type : 'Unforeseen';
    const message = hidden?.message ?? failure?.message ?? '';
    const { output, account } = told as Partial<TurnFailureDetails>;
    return { end: { kind: 'failed', failure: { type, message } }, costUsd, ...defined({ output, account }) };
  }

  private async read<T>(payload: Payload | null | undefined): Promise<T | undefined> {
    return payload ? ((await fromPayload(this.sources.converter, payload)) as T) : undefined;
  }
}

function factsOf({ outcome, costUsd, durationMs, warnings = [], ...report }: TurnReport) {
  const { session, account, stateSha256, output, snapshot } = report;
  const kept = defined({ session, account, stateSha256, output, snapshot });
  return { end: outcome, costUsd, durationMs, warnings, ...kept };
}
