// The output of turns in progress: kept for clients that join later, and sent as events, several lines in one. When a
// turn has ended, its output is in the artifact store.
import type { Progress } from '../../contract/turns.js';
import { defined } from '../../protocol/text.js';
import type { EventHub } from './hub.js';
import type { EventOf, Output, Outputs } from '../types.js';

/** How much of a turn is kept, in characters, and how much goes into one event. */
const KEPT_CHARACTERS = 256 * 1024;
const EVENT_CHARACTERS = 32 * 1024;

/** How much of each turn is part of the output of a whole run. */
export const RUN_CHARACTERS = 64 * 1024;

/** Lines that arrive within this many milliseconds form one event. */
const GATHER_MS = 100;

/** How long a turn is remembered after its end: its record may not be readable yet. */
const FORGET_MS = 30_000;

type Words = EventOf<'said' | 'printed'>;

interface LiveTurn {
  readonly of: Omit<EventOf<'turn.started'>, 'type'>;
  text: string;
  /** How much of its beginning was dropped. */
  cut: number;
  ended: boolean;
}

/** Which turn. */
export interface TurnName {
  readonly runId: string;
  readonly agentId: string;
  readonly turn: number;
}

/** Turns the progress of workers into events. */
export class LiveOutput {
  private readonly turns = new Map<string, LiveTurn>();
  private readonly gathered = new Map<string, Words>();
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly hub: EventHub) {}

  /** Returns at once. */
  readonly publish = (event: Progress): void => {
    const { runId, agentId, state, turn, attempt } = event;
    const of = { runId, agentId, state, turn, attempt, at: new Date().toISOString() };
    switch (event.kind) {
      case 'queued':
        return;
      case 'started':
        this.turns.set(keyOf(event), { of, text: '', cut: 0, ended: false });
        return this.hub.publish({ type: 'turn.started', ...of });
      case 'said':
      case 'printed':
        return this.gather({ type: event.kind, ...of, text: event.text });
      case 'warned':
        this.flush();
        return this.hub.publish({ type: 'warned', ...of, text: event.text });
      case 'ended':
      case 'failed':
        return this.ended(event, of);
    }
  };

  /** The output of a turn so far from `offset` on; undefined for a turn that does not run here. */
  read(name: TurnName, offset: number): Output | undefined {
    const live = this.turns.get(keyOf(name));
    if (live === undefined) return undefined;
    const from = Math.max(offset, live.cut);
    const text = live.text.slice(from - live.cut);
    const cut = from > offset ? { cut: true } : {};
    return { text, offset: from, next: from + text.length, done: false, ...cut };
  }

  /** The turns of a run that are in progress here, with the end of what they have printed. */
  ofRun(runId: string): Outputs['live'] {
    return [...this.turns.values()].flatMap(({ of, text, ended }) =>
      ended || of.runId !== runId
        ? []
        : [{ agentId: of.agentId, turn: of.turn, state: of.state, text: text.slice(-RUN_CHARACTERS) }],
    );
  }

  /** Text in `<print>` was already sent as output. */
  private gather(words: Words): void {
    const live = this.turns.get(keyOf(words));
    if (live !== undefined && words.type === 'said') {
      live.text += asLines(words.text);
      const excess = live.text.length - KEPT_CHARACTERS;
      if (excess > 0) [live.text, live.cut] = [live.text.slice(excess), live.cut + excess];
    }
    const key = `${words.type} ${keyOf(words)}`;
    const text = `${this.gathered.get(key)?.text ?? ''}${asLines(words.text)}`;
    this.gathered.set(key, {
      ...words,
      text: text.length > EVENT_CHARACTERS ? `…${text.slice(-EVENT_CHARACTERS)}` : text,
    });
    this.timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    for (const words of this.gathered.values()) this.hub.publish(words);
    this.gathered.clear();
  }

  private ended(
    event: Extract<Progress, { readonly kind: 'ended' | 'failed' }>,
    of: Omit<EventOf<'turn.started'>, 'type'>,
  ): void {
    this.flush();
    const live = this.turns.get(keyOf(event));
    if (live !== undefined) live.ended = true;
    setTimeout(() => this.turns.delete(keyOf(event)), FORGET_MS).unref();
    if (event.kind === 'failed')
      return this.hub.publish({ type: 'turn.ended', ...of, how: 'failed', message: event.message });
    const { outcome, costUsd, durationMs } = event;
    this.hub.publish({ type: 'turn.ended', ...of, how: outcome.kind, ...defined({ costUsd, durationMs }) });
  }
}

function asLines(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function keyOf({ runId, agentId, turn }: TurnName): string {
  return `${runId}/${agentId}/${turn}`;
}
