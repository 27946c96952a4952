// The news of a worker in this process, for those who watch its runs: everything at once, but the end of a turn only when it is recorded.
// A turn that the worker has done is done for nobody else until then: the disk of the server may be full, or the server may have given the
// turn to another attempt meanwhile.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Progress, ProgressSink } from '../../activities/types.js';
import { turnsOf, type AgentName, type RecordedTurn } from '../../history/turns.js';

/** Who hears what. */
export interface RecordedNewsOptions {
  /** Hears the news; each recorded end of a turn once, as it is recorded. */
  readonly show: ProgressSink;
  /** Hears of a turn that is done and not yet recorded. */
  readonly finishing?: (turn: Progress) => void;
}

const CATCH_UP_MS = 5000;
const RETRY_MS = 500;

/** Passes news on. */
export class RecordedNews {
  private readonly agents = new Map<string, AgentNews>();
  private readonly stop = new AbortController();

  constructor(
    private readonly client: Client,
    private readonly options: RecordedNewsOptions,
  ) {}

  /** Takes the news of the worker; returns at once. */
  readonly take = (news: Progress): void => {
    const { runId, agentId } = news;
    const key = `${runId}/${agentId}`;
    const known = this.agents.get(key);
    const agent =
      known ?? new AgentNews(this.client, { runId, agentId }, { ...this.options, signal: this.stop.signal });
    if (known === undefined) this.agents.set(key, agent);
    agent.take(news);
  };

  /** Resolves when every turn that was done is recorded and shown; gives up after 5 s. */
  async settle(): Promise<void> {
    const over = new AbortController();
    const late = delay(CATCH_UP_MS, undefined, { signal: over.signal }).catch(() => undefined);
    await Promise.race([Promise.all([...this.agents.values()].map((agent) => agent.settled())), late]);
    over.abort();
  }

  /** Ends the waiting for records. */
  close(): void {
    this.stop.abort();
  }
}

type Ended = Extract<Progress, { readonly kind: 'ended' }>;

/** The attempt of a turn that was begun last, and when (epoch ms). */
interface Current {
  readonly turn: number;
  readonly attempt: number;
  readonly begunAt: number;
}

/** The turns of an agent's history as far as they were read, and for which turn the reading began. */
interface Reader {
  readonly turns: AsyncGenerator<RecordedTurn>;
  readonly begunFor: Ended;
}

/** The news of one agent. Its history is read only while one of its turns is done and not yet recorded. */
class AgentNews {
  private current: Current | undefined;
  private done: Ended | undefined;
  private reader: Reader | undefined;
  private isReading = false;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: Client,
    private readonly name: AgentName,
    private readonly options: RecordedNewsOptions & { readonly signal: AbortSignal },
  ) {}

  async settled(): Promise<void> {
    await this.reading;
  }

  take(news: Progress): void {
    const { show } = this.options;
    if (news.kind === 'started') this.started(news);
    if (news.kind === 'ended') this.ended(news);
    // An attempt that no longer counts must not speak for the one that does.
    else if (news.kind !== 'failed' || this.isCurrent(news)) show(news);
    if (news.kind === 'failed' && this.isCurrent(news)) this.done = undefined;
  }

  private started({ turn, attempt }: Progress): void {
    const { done } = this;
    this.done = undefined;
    // The next turn begins only when the one before is safe: in the history, or in the log of its chain (activities/turn/chain-log.ts).
    if (done !== undefined && turn > done.turn) this.options.show(done);
    this.current = { turn, attempt, begunAt: Date.now() };
  }

  private ended(news: Ended): void {
    if (!this.isCurrent(news)) return;
    this.done = news;
    this.options.finishing?.(news);
    if (!this.isReading) this.reading = this.read();
  }

  private isCurrent({ turn, attempt }: Progress): boolean {
    return this.current?.turn === turn && this.current.attempt === attempt;
  }

  private async read(): Promise<void> {
    this.isReading = true;
    const { signal } = this.options;
    while (this.done !== undefined && !signal.aborted) {
      try {
        await this.readOn(this.done);
      } catch {
        // The server is away, or does not know the agent (yet): nothing is recorded that could be shown.
        this.reader = undefined;
        await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
      }
    }
    this.isReading = false;
  }

  private async readOn(begunFor: Ended): Promise<void> {
    this.reader ??= {
      turns: turnsOf(this.client, this.name, { follow: true, signal: this.options.signal }),
      begunFor,
    };
    const next = await this.reader.turns.next();
    if (next.done !== true) return this.recorded(next.value);
    // An agent that was started again has another history; one that has closed without this turn will never record it.
    if (this.reader.begunFor === this.done) this.done = undefined;
    this.reader = undefined;
  }

  private recorded({ number, state, attempts, end, endedAt, costUsd, durationMs }: RecordedTurn): void {
    const { done, current, name } = this;
    // A turn that ended before the agent was started again may have had the same number.
    if (done?.turn !== number || endedAt.getTime() < (current?.begunAt ?? 0)) return;
    this.done = undefined;
    // The server has heard otherwise, for example that the turn took too long; the worker shows its failures itself.
    if (end.kind === 'failed') return;
    const turn = { ...name, state, turn: number, attempt: attempts };
    this.options.show({ ...turn, kind: 'ended', outcome: end, costUsd, durationMs });
  }
}
