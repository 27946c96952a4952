// What turns say and print while they run: kept for whoever looks in the middle of it, and told as events, several lines in one. When a turn
// has ended its output lies in the artifact store.
import type { Progress } from '../../activities/types.js';
import { defined } from '../../protocol/text.js';
import type { EventHub } from './hub.js';
import type { EventOf, Output } from '../types.js';

/** So much of a turn is kept, in characters, and so much goes into one event. */
const KEPT = 256 * 1024;
const TOLD = 32 * 1024;

/** Lines that come within so many milliseconds are one event. */
const GATHER_MS = 100;

/** After its end a turn is remembered for so long: its record may not be readable yet. */
const FORGET_MS = 30_000;

type Words = EventOf<'said' | 'printed'>;

interface LiveTurn {
  text: string;
  /** How much is gone from its beginning. */
  cut: number;
  ended: boolean;
}

/** Which turn. */
export interface TurnName {
  readonly runId: string;
  readonly agentId: string;
  readonly turn: number;
}

/** Takes the news of workers. */
export class LiveOutput {
  private readonly turns = new Map<string, LiveTurn>();
  private readonly gathered = new Map<string, Words>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly hub: EventHub) {}

  /** Takes a piece of news; returns at once. */
  readonly take = (news: Progress): void => {
    const { runId, agentId, state, turn, attempt } = news;
    const of = { runId, agentId, state, turn, attempt, at: new Date().toISOString() };
    switch (news.kind) {
      case 'queued':
        return;
      case 'started':
        this.turns.set(keyOf(news), { text: '', cut: 0, ended: false });
        return this.hub.publish({ type: 'turn.started', ...of });
      case 'said':
      case 'printed':
        return this.heard({ type: news.kind, ...of, text: news.text });
      case 'warned':
        this.flush();
        return this.hub.publish({ type: 'warned', ...of, text: news.text });
      case 'ended':
      case 'failed':
        return this.ended(news, of);
    }
  };

  /** What a turn has printed so far from `offset` on; undefined for one that is not done here. */
  read(name: TurnName, offset: number): Output | undefined {
    const live = this.turns.get(keyOf(name));
    if (live === undefined) return undefined;
    const from = Math.max(offset, live.cut);
    const text = live.text.slice(from - live.cut);
    const cut = from > offset ? { cut: true } : {};
    return { text, offset: from, next: from + text.length, done: false, ...cut };
  }

  /** What is printed for people (`<print>`) was said before. */
  private heard(words: Words): void {
    const live = this.turns.get(keyOf(words));
    if (live !== undefined && words.type === 'said') {
      live.text += asLines(words.text);
      const over = live.text.length - KEPT;
      if (over > 0) [live.text, live.cut] = [live.text.slice(over), live.cut + over];
    }
    const key = `${words.type} ${keyOf(words)}`;
    const text = `${this.gathered.get(key)?.text ?? ''}${asLines(words.text)}`;
    this.gathered.set(key, { ...words, text: text.length > TOLD ? `…${text.slice(-TOLD)}` : text });
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const words of this.gathered.values()) this.hub.publish(words);
    this.gathered.clear();
  }

  private ended(
    news: Extract<Progress, { readonly kind: 'ended' | 'failed' }>,
    of: Omit<EventOf<'turn.started'>, 'type'>,
  ): void {
    this.flush();
    setTimeout(() => this.turns.delete(keyOf(news)), FORGET_MS).unref();
    if (news.kind === 'failed')
      return this.hub.publish({ type: 'turn.ended', ...of, how: 'failed', message: news.message });
    const { outcome, costUsd, durationMs } = news;
    this.hub.publish({ type: 'turn.ended', ...of, how: outcome.kind, ...defined({ costUsd, durationMs }) });
  }
}

function asLines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function keyOf({ runId, agentId, turn }: TurnName): string {
  return `${runId}/${agentId}/${turn}`;
}
