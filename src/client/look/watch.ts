// Watching a run from outside: the turns of its agents as they are recorded in their histories, as the same news that a worker tells
// whoever started the run here. Needs no worker, and tells nothing twice.
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { isGrpcCancelledError, WorkflowNotFoundError } from '@temporalio/client';
import type { News, ProgressSink } from '../../activities/types.js';
import { ENDED } from '../../workflows/contract.js';
import type { RunView } from './runs.js';
import { agentNow, turnsOf, type RecordedTurn } from '../../history/turns.js';

/** So many agents are followed at once: each is a call that waits at the server. */
const FOLLOWED = 100;

const CATCH_UP_MS = 5000;
const LOOK_EVERY_MS = 20;

/** What is watched, and from where on: from the run's start, or without what was recorded before the first look. */
interface WatchOptions {
  readonly runId: string;
  readonly from: 'start' | 'now';
  /** Hears the news that a worker would tell. */
  readonly take?: ProgressSink;
  /** Hears of every turn whole. */
  readonly onTurn?: (turn: RecordedTurn) => void;
}

/** Follows the agents of one run. */
export class RunWatch {
  private readonly stop = new AbortController();
  /** Agents that are being followed. */
  private readonly following = new Map<string, Promise<void>>();
  /** Those whose histories are closed, as far as the run says. */
  private readonly ended = new Set<string>();
  /** The last turn that has come of each agent: one whose history has closed may be followed once more until its run knows. */
  private readonly seen = new Map<string, RecordedTurn>();
  private isFirst = true;

  constructor(
    private readonly client: Client,
    private readonly options: WatchOptions,
  ) {
    // Every agent that is followed has one, and for a moment two: their number is bounded by FOLLOWED already.
    setMaxListeners(0, this.stop.signal);
  }

  /** Takes a look at the run: agents that are new, or live again, are followed from now on. */
  look({ agents }: Pick<RunView, 'agents'>): void {
    const known = this.isFirst && this.options.from === 'now';
    this.isFirst = false;
    for (const { id, status } of agents) {
      const isNew = !this.ended.has(id) && !this.following.has(id);
      if (ENDED.has(status)) this.ended.add(id);
      else this.ended.delete(id);
      if (!isNew || this.following.size >= FOLLOWED || (known && this.ended.has(id))) continue;
      const reading = this.follow(id, known).finally(() => this.following.delete(id));
      this.following.set(id, reading);
      // Whoever closes the watch hears of it.
      reading.catch(() => undefined);
    }
  }

  /** Resolves when all was told that is recorded by now. */
  async settle(): Promise<void> {
    const readings = [...this.following];
    await Promise.all(readings.map(([id, reading]) => (this.ended.has(id) ? reading : this.caughtUp(id))));
  }

  /** Of an agent that lives: until its last turn has come. */
  private async caughtUp(agentId: string): Promise<void> {
    const { last } = await agentNow(this.client, { runId: this.options.runId, agentId });
    if (last === undefined) return;
    const hasCome = (): boolean => !isLater(last, this.seen.get(agentId));
    for (const until = Date.now() + CATCH_UP_MS; !hasCome() && Date.now() < until;) await delay(LOOK_EVERY_MS);
  }

  /** Ends the watching. */
  async close(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.following.values());
  }

  private async follow(agentId: string, known: boolean): Promise<void> {
    const agent = { runId: this.options.runId, agentId };
    const { signal } = this.stop;
    try {
      let old = 0;
      if (known) for await (const _turn of turnsOf(this.client, agent)) old += 1;
      for await (const turn of turnsOf(this.client, agent, { follow: true, signal })) {
        if (!isLater(turn, this.seen.get(agentId))) continue;
        this.seen.set(agentId, turn);
        if (old > 0) old -= 1;
        else this.tell(turn);
      }
    } catch (error) {
      // It has closed and been forgotten, or this watch is over.
      if (error instanceof WorkflowNotFoundError || signal.aborted || isGrpcCancelledError(error)) return;
      throw error;
    }
  }

  private tell(turn: RecordedTurn): void {
    const { take, onTurn, runId } = this.options;
    onTurn?.(turn);
    const { agentId, state, number, attempts: attempt } = turn;
    for (const news of newsOf(turn)) take?.({ runId, agentId, state, turn: number, attempt, ...news });
  }
}

/** Whether a turn of an agent ended after another one; absent = there was none. */
function isLater({ endedAt, number }: RecordedTurn, other: RecordedTurn | undefined): boolean {
  if (other === undefined) return true;
  const ms = endedAt.getTime() - other.endedAt.getTime();
  return ms > 0 || (ms === 0 && number > other.number);
}

/** What a worker tells of the same turn. */
function newsOf({ end, costUsd, durationMs, warnings }: RecordedTurn): readonly News[] {
  const warned = warnings.map((text) => ({ kind: 'warned', text }) as const);
  if (end.kind === 'failed') return [...warned, { kind: 'failed', message: end.failure.message }];
  return [...warned, { kind: 'ended', outcome: end, costUsd, durationMs }];
}
