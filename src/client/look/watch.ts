// Watches a run from outside: the turns of its agents as they are recorded in their histories, or saved within a chain, as
// the same events that a worker sends. Needs no worker, and reports nothing twice.
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isGrpcCancelledError, WorkflowNotFoundError } from '@temporalio/client';
import type { TurnProgress, ProgressSink } from '../../contract/turns.js';
import { ENDED } from '../../contract/runs.js';
import { agentWorkflowId } from '../../protocol/ids.js';
import { defined } from '../../protocol/text.js';
import { executorOf } from '../../protocol/language/resolve.js';
import type { HistoryEvent } from '../../history/events.js';
import { heartbeatOf } from '../../history/pending.js';
import {
  agentNow,
  executionOf,
  turnsOf,
  type AgentName,
  type RecordedTurn,
  type TurnSource,
} from '../../history/turns.js';
import { agentOrders, type Order } from './orders.js';
import type { RunView } from './runs.js';

/** How many agents are followed at once: each is a pending call at the server. */
const FOLLOWED = 100;

/** Of how many agents in a script the chains are read, with a call for each at every update. */
const CHAINS = 20;

const CATCH_UP_MS = 5000;
const LOOK_EVERY_MS = 20;

/** What to watch: from the run's start, or without turns recorded before the watch began. */
interface WatchOptions {
  readonly runId: string;
  readonly from: 'start' | 'now';
  /** Receives the events that a worker would send. */
  readonly onProgress?: ProgressSink;
  /** Receives every complete turn. */
  readonly onTurn?: (turn: RecordedTurn) => void;
  /** Receives the orders to its agents. */
  readonly onOrder?: (order: Order) => void;
}

/** Follows the agents of one run. */
export class RunWatch {
  private readonly stop = new AbortController();
  /** Agents that are being followed. */
  private readonly following = new Map<string, Promise<void>>();
  /** Agents with closed histories, as far as the run knows. */
  private readonly ended = new Set<string>();
  /**
   * The last turn of each agent so far: an agent whose history has closed may be followed once more until its run
   * knows.
   */
  private readonly seen = new Map<string, RecordedTurn>();
  /** The number of each agent's last turn that was sent before the end of its chain. */
  private readonly early = new Map<string, number>();
  private readonly readingChain = new Set<string>();
  /** Until when orders to an agent are known, in epoch milliseconds. */
  private readonly ordersUntil = new Map<string, number>();
  private readonly beganAt = Date.now();
  /** Readings of how many turns were recorded before the watch began. */
  private readonly counting: Promise<unknown>[] = [];
  private isFirst = true;

  constructor(
    private readonly client: Client,
    private readonly options: WatchOptions,
  ) {
    // Every agent that is followed has one, for a moment two: FOLLOWED already bounds their number.
    setMaxListeners(0, this.stop.signal);
  }

  /** Reads the state of the run: from now on new agents, and agents that are open again, are followed. */
  update({ agents }: Pick<RunView, 'agents'>): void {
    const known = this.isFirst && this.options.from === 'now';
    this.isFirst = false;
    for (const { id, status } of agents) {
      const isNew = !this.ended.has(id) && !this.following.has(id);
      if (ENDED.has(status)) this.ended.add(id);
      else this.ended.delete(id);
      if (!isNew || this.following.size >= FOLLOWED || (known && this.ended.has(id))) continue;
      const before = known ? this.turnsBefore(id) : Promise.resolve(0);
      if (known) this.counting.push(before.catch(() => undefined));
      const reading = this.follow(id, before).finally(() => this.following.delete(id));
      this.following.set(id, reading);
      // The caller of `close` gets the error.
      reading.catch(() => undefined);
    }
    const inScripts = agents.filter(({ status, state }) => status === 'running' && executorOf(state) !== 'prompt');
    for (const { id } of inScripts.slice(0, CHAINS))
      // The reading of its history reports what is wrong.
      void this.readChain(id).catch(() => undefined);
  }

  /** A worker's heartbeat names the turns that it has recorded; the history has them when their activity ends. */
  private async readChain(agentId: string): Promise<void> {
    if (this.readingChain.has(agentId)) return;
    this.readingChain.add(agentId);
    try {
      const { client, stop, options } = this;
      const agent = client.workflow.getHandle(agentWorkflowId(options.runId, agentId));
      const found = await client.connection.withAbortSignal(stop.signal, () => agent.describe());
      const { chain = [] } = (await heartbeatOf(client, found)) ?? {};
      const saved = new Set(chain.map(({ turn }) => turn));
      // Otherwise an earlier turn is still to come from the history, or there is no new one.
      if (!saved.has(this.shown(agentId) + 1)) return;
      const name = { runId: options.runId, agentId };
      const { turns } = await executionOf(client, name, { withSaved: true, signal: stop.signal });
      for (const turn of turns.filter(({ number }) => saved.has(number) && number > this.shown(agentId))) {
        this.early.set(agentId, turn.number);
        this.send(turn);
      }
    } finally {
      this.readingChain.delete(agentId);
    }
  }

  /** The number of an agent's last turn that was sent. */
  private shown(agentId: string): number {
    return Math.max(this.seen.get(agentId)?.number ?? 0, this.early.get(agentId) ?? 0);
  }

  /** Resolves when it is known which turns were recorded before the watch began: all later ones are reported. */
  async ready(): Promise<void> {
    await Promise.all(this.counting.splice(0));
  }

  /** Resolves when everything recorded by now was reported. */
  async settle(): Promise<void> {
    const readings = [...this.following];
    await Promise.all(readings.map(([id, reading]) => (this.ended.has(id) ? reading : this.caughtUp(id))));
  }

  /** For an open agent: until its last turn has arrived. */
  private async caughtUp(agentId: string): Promise<void> {
    const { last } = await agentNow(this.client, { runId: this.options.runId, agentId });
    if (last === undefined) return;
    const hasCome = (): boolean => !isLater(last, this.seen.get(agentId));
    for (const until = Date.now() + CATCH_UP_MS; !hasCome() && Date.now() < until;) await delay(LOOK_EVERY_MS);
  }

  /** Ends the watch. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.following.values());
  }

  private async turnsBefore(agentId: string): Promise<number> {
    let before = 0;
    for await (const _turn of turnsOf(this.client, { runId: this.options.runId, agentId })) before += 1;
    return before;
  }

  private async follow(agentId: string, before: Promise<number>): Promise<void> {
    const agent = { runId: this.options.runId, agentId };
    const { signal } = this.stop;
    try {
      let old = await before;
      for await (const turn of turnsOf(this.client, agent, { follow: true, signal, ...this.orderReading(agent) })) {
        if (!isLater(turn, this.seen.get(agentId))) continue;
        this.seen.set(agentId, turn);
        if (old > 0) old -= 1;
        else if (turn.number > (this.early.get(agentId) ?? 0)) this.send(turn);
      }
    } catch (error) {
      // It has closed and been deleted, or this watch has ended.
      if (error instanceof WorkflowNotFoundError || signal.aborted || isGrpcCancelledError(error)) return;
      throw error;
    }
  }

  private orderReading(agent: AgentName): Pick<TurnSource, 'onEvent'> {
    const { onOrder, from } = this.options;
    if (onOrder === undefined) return {};
    const orders = agentOrders(this.client, agent);
    const onEvent = async (event: HistoryEvent): Promise<void> => {
      const order = await orders.read(event);
      const at = order?.at.getTime() ?? 0;
      if (order === undefined || at <= (this.ordersUntil.get(agent.agentId) ?? (from === 'now' ? this.beganAt : 0)))
        return;
      this.ordersUntil.set(agent.agentId, at);
      onOrder(order);
    };
    return { onEvent };
  }

  private send(turn: RecordedTurn): void {
    const { onProgress, onTurn, runId } = this.options;
    onTurn?.(turn);
    const { agentId, state, number, attempts: attempt } = turn;
    for (const progress of progressOf(turn))
      onProgress?.({ runId, agentId, state, turn: number, attempt, ...progress });
  }
}

/** Whether a turn of an agent ended after another one; absent = there was none. */
function isLater({ endedAt, number }: RecordedTurn, other: RecordedTurn | undefined): boolean {
  if (other === undefined) return true;
  const ms = endedAt.getTime() - other.endedAt.getTime();
  return ms > 0 || (ms === 0 && number > other.number);
}

/** The events that a worker sends about the same turn. */
function progressOf({ end, costUsd, durationMs, warnings, reminder }: RecordedTurn): readonly TurnProgress[] {
  const warned = warnings.map((text) => ({ kind: 'warned', text }) as const);
  if (end.kind === 'failed')
    return [...warned, { kind: 'failed', message: end.failure.message, ...defined({ retry: end.retry }) }];
  return [...warned, { kind: 'ended', outcome: end, costUsd, durationMs, ...defined({ reminder }) }];
}
