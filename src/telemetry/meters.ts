// Raymond's own metrics, served with those of Temporal's SDK: turns, their time and cost, slots, the launcher. The
// SDK's counters are whole numbers, so dollars are the sum of a histogram.
import type { MetricCounter, MetricGauge, MetricHistogram, MetricMeter } from '@temporalio/common';
import {
  chargedByModel,
  type TurnEnd,
  type TurnWatch,
  type TurnWatcher,
  type WatchedTurn,
} from '../activities/watch.js';
import type { LimitUse } from '../protocol/leases.js';
import type { Labels } from '../protocol/labels.js';
import { defined } from '../protocol/text.js';
import type { Slots } from '../activities/slots/slots.js';

/**
 * Agents of one task queue that wait for a person, and those that wait for the end of a limit or of a service error.
 */
export interface WaitingAgents {
  readonly asking: number;
  readonly waiting: number;
}

/** The meters of one worker, which polls the task queue `queue`. */
export class Meters implements TurnWatcher {
  private readonly turns: MetricCounter;
  private readonly seconds: MetricHistogram;
  private readonly dollars: MetricHistogram;
  private readonly tokens: MetricCounter;
  private readonly restarts: MetricCounter;
  private readonly slots: MetricGauge;
  private readonly slotsUsed: MetricGauge;
  private readonly promptsWaiting: MetricGauge;
  private readonly asksOpen: MetricGauge;
  private readonly agentsSleeping: MetricGauge;
  private readonly limit: MetricGauge;
  private readonly limitUsed: MetricGauge;
  private readonly limitWaiting: MetricGauge;
  private readonly accountLimited: MetricGauge;

  constructor(
    meter: MetricMeter,
    private readonly queue: string,
  ) {
    this.turns = meter.createCounter('raymond_turns_total', '', 'Ended attempts of turns.');
    this.seconds = meter.createHistogram('raymond_turn_seconds', 'float', 's', 'Duration of attempts.');
    this.dollars = meter.createHistogram('raymond_turn_dollars', 'float', '', 'Cost of turns in US dollars.');
    this.tokens = meter.createCounter('raymond_tokens_total', '', 'Tokens that turns used.');
    this.restarts = meter.createCounter('raymond_launcher_restarts_total', '', 'Restarts of the launcher.');
    this.slots = meter.createGauge('raymond_slots', 'int', '', 'Slots for turns.');
    this.slotsUsed = meter.createGauge('raymond_slots_used', 'int', '', 'Running turns.');
    this.promptsWaiting = meter.createGauge('raymond_prompts_waiting', 'int', '', 'Prompts waiting for a slot.');
    this.asksOpen = meter.createGauge('raymond_asks_open', 'int', '', 'Questions without an answer.');
    this.agentsSleeping = meter.createGauge(
      'raymond_agents_sleeping',
      'int',
      '',
      'Agents waiting for the end of a limit.',
    );
    this.limit = meter.createGauge('raymond_limit', 'int', '', 'Slots of a limit.');
    this.limitUsed = meter.createGauge('raymond_limit_used', 'int', '', 'Turns with a lease of a limit.');
    this.limitWaiting = meter.createGauge('raymond_limit_waiting', 'int', '', 'Agents waiting for a lease of a limit.');
    this.accountLimited = meter.createGauge(
      'raymond_account_limited',
      'int',
      '',
      '1 while the worker knows of a usage limit of the account.',
    );
    // A missing counter could not be distinguished from one that was never read.
    this.restarts.add(0);
  }

  begin(turn: WatchedTurn): TurnWatch {
    const since = performance.now();
    return { environment: {}, end: (end) => this.ended({ ...turn, seconds: (performance.now() - since) / 1000 }, end) };
  }

  /** The launcher had died and was started again. */
  launcherRestarted(): void {
    this.restarts.add(1);
  }

  /** Publishes the slots of a worker from now on. */
  watchSlots({ prompts, scripts }: { readonly prompts: Slots; readonly scripts: Slots }): void {
    this.watchKind(prompts, 'prompt');
    this.watchKind(scripts, 'script');
  }

  /** Publishes how many agents of the queue wait: each of its workers publishes the same number. */
  showWaiting({ asking, waiting }: WaitingAgents): void {
    const { queue } = this;
    this.asksOpen.set(asking, { queue });
    this.agentsSleeping.set(waiting, { queue });
  }

  /** Publishes the usage of a limit: each worker that shares it publishes the same. */
  showLimit({ key, size, used, waiting }: LimitUse): void {
    this.limit.set(size, { limit: key });
    this.limitUsed.set(used, { limit: key });
    this.limitWaiting.set(waiting, { limit: key });
  }

  /** Publishes whether an account has reached its usage limit. */
  showAccount({ name, isLimited }: { readonly name: string; readonly isLimited: boolean }): void {
    this.accountLimited.set(isLimited ? 1 : 0, { account: name });
  }

  private watchKind(slots: Slots, kind: WatchedTurn['kind']): void {
    slots.watch(({ size, used, waiting }) => {
      const { queue } = this;
      this.slots.set(size, { kind, queue });
      this.slotsUsed.set(used, { kind, queue });
      if (kind === 'prompt') this.promptsWaiting.set(waiting, { queue });
    });
  }

  private ended(turn: WatchedTurn & { readonly seconds: number }, end: TurnEnd): void {
    const { kind, state, seconds } = turn;
    const own = tagsOf(turn.labels);
    this.turns.add(1, { kind, state, outcome: end.outcome, ...own });
    this.seconds.record(seconds, { kind, state, ...own });
    for (const { model, costUsd, ...tokens } of chargedByModel(end)) {
      const tags = { model, ...defined({ account: end.account }), ...own };
      this.dollars.record(costUsd, tags);
      for (const [name, type] of TOKEN_TYPES) this.tokens.add(tokens[name], { ...tags, type });
    }
  }
}

/** The labels of a run, apart from the names that Raymond uses itself. */
function tagsOf(labels: Labels = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(labels).map(([key, value]) => [`label_${key}`, value]));
}

const TOKEN_TYPES = [
  ['inputTokens', 'input'],
  ['outputTokens', 'output'],
  ['cacheReadTokens', 'cache_read'],
  ['cacheWriteTokens', 'cache_write'],
] as const;
