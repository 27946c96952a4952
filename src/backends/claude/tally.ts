// Folds the events of a Claude turn into text, cost, tokens and denials. The last result counts, costs add up; the cost
// of a turn that was killed before its result is estimated from its tokens. Keeps only a bounded text.
import type { ClaudeEvent, RateLimit, ResultEvent, SaidEvent, ToolUse, Usage, UsageEvent } from './events.js';
import { defined } from '../../protocol/text.js';
import type { ModelSpending } from '../backend.js';

/**
 * A turn, as far as its stream reported. `last` is its last result; `assistantError` the last API error that the CLI
 * named.
 */
export interface TurnOutput {
  readonly text: string;
  readonly model?: string;
  readonly costUsd: number;
  readonly usage: Usage;
  readonly denials: readonly ToolUse[];
  readonly rateLimit?: RateLimit;
  readonly results: number;
  readonly last?: ResultEvent;
  readonly assistantError?: string;
}

/** How many characters of the agent's text are kept for a turn whose result has no text. */
const MAX_WORDS = 4 * 1024 * 1024;

interface RequestUsage {
  readonly model?: string;
  readonly usage: Usage;
}

/** Folds the events of one process, in order. */
export class TurnTally {
  private readonly results: ResultEvent[] = [];
  /** Requests that no result includes yet, by message id. */
  private readonly uncovered = new Map<string, RequestUsage>();
  private readonly denials = new Map<string, ToolUse>();
  private words = '';
  private openMessage = '';
  private init: Extract<ClaudeEvent, { kind: 'init' }> | undefined;
  private rateLimit: RateLimit | undefined;
  private assistantError: string | undefined;

  add(event: ClaudeEvent): void {
    switch (event.kind) {
      case 'init':
        this.init = event;
        break;
      case 'said':
        this.addWords(event);
        break;
      case 'usage':
        this.addUsage(event);
        break;
      case 'rate-limit':
        this.rateLimit = event.rateLimit;
        break;
      case 'denied':
        this.deny(event.denial);
        break;
      case 'result':
        this.addResult(event);
        break;
      default:
        break; // 'api-retry' and 'other' show that Claude is alive, and change nothing.
    }
  }

  output(): TurnOutput {
    const last = this.results.at(-1);
    return {
      text: last?.text ?? this.words,
      ...defined({ model: this.init?.model }),
      costUsd: this.costUsd(),
      usage: this.usage(),
      denials: [...this.denials.values()],
      ...defined({ rateLimit: this.rateLimit }),
      results: this.results.length,
      ...defined({ last, assistantError: this.assistantError }),
    };
  }

  /** Cost and tokens by model; amounts without a model count for the conversation's first one. */
  spending(): readonly ModelSpending[] {
    const known = this.init?.model ?? 'unknown';
    const own = this.results.flatMap(({ ownModels }) => ownModels ?? []);
    const reported = own.length > 0 ? own : [{ model: known, costUsd: this.reportedUsd(), ...this.reportedUsage() }];
    const guessed = [...this.uncovered.values()].map(({ model, usage }) => {
      return { model: model ?? known, costUsd: estimateUsd(model, usage), ...usage };
    });
    return byModel([...reported, ...guessed]);
  }

  private addWords({ by, text, error }: SaidEvent): void {
    if (by === 'subagent') return;
    if (error !== undefined) this.assistantError = error;
    if (text !== '') this.words = `${this.words}${this.words === '' ? '' : '\n'}${text}`.slice(-MAX_WORDS);
  }

  private addUsage({ messageId, phase, model, usage }: UsageEvent): void {
    const id = messageId ?? (phase === 'start' ? `message ${this.uncovered.size}` : this.openMessage);
    if (phase === 'start') this.openMessage = id;
    const before = this.uncovered.get(id);
    const requestModel = model ?? before?.model ?? this.init?.model;
    const tokens = { ...(before?.usage ?? NO_TOKENS), ...usage };
    this.uncovered.set(id, { usage: tokens, ...defined({ model: requestModel }) });
  }

  private addResult(event: ResultEvent): void {
    this.results.push(event);
    for (const denial of event.denials) this.deny(denial);
    if (costOf(event) !== undefined) this.uncovered.clear();
  }

  private deny(denial: ToolUse): void {
    const key = denial.id ?? `${denial.tool} ${denial.detail ?? ''}`;
    this.denials.set(key, { ...this.denials.get(key), ...denial });
  }

  private costUsd(): number {
    const requests = [...this.uncovered.values()];
    return requests.reduce((sum, { model, usage }) => sum + estimateUsd(model, usage), this.reportedUsd());
  }

  private reportedUsd(): number {
    const own = this.results.flatMap(({ ownCostUsd }) => (ownCostUsd === undefined ? [] : [ownCostUsd]));
    const total = this.results.findLast(({ totalCostUsd }) => totalCostUsd !== undefined)?.totalCostUsd;
    return own.length > 0 ? own.reduce((sum, cost) => sum + cost, 0) : (total ?? 0);
  }

  private usage(): Usage {
    return [...this.uncovered.values()].reduce((sum, { usage }) => addUsage(sum, usage), this.reportedUsage());
  }

  private reportedUsage(): Usage {
    const own = this.results.flatMap(({ ownUsage }) => (ownUsage === undefined ? [] : [ownUsage]));
    return own.length > 0 ? own.reduce(addUsage, NO_TOKENS) : (this.results.at(-1)?.usage ?? NO_TOKENS);
  }
}

function costOf({ ownCostUsd, totalCostUsd }: ResultEvent): number | undefined {
  return ownCostUsd ?? totalCostUsd;
}

/** No tokens. */
export const NO_TOKENS: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

/** Adds tokens up; absent ones are none. */
export function addUsage(a: Usage, b: Partial<Usage>): Usage {
  return {
    inputTokens: a.inputTokens + (b.inputTokens ?? 0),
    outputTokens: a.outputTokens + (b.outputTokens ?? 0),
    cacheReadTokens: a.cacheReadTokens + (b.cacheReadTokens ?? 0),
    cacheWriteTokens: a.cacheWriteTokens + (b.cacheWriteTokens ?? 0),
  };
}

/** One entry per model; models without tokens are left out. */
function byModel(entries: readonly ModelSpending[]): readonly ModelSpending[] {
  const sums = new Map<string, ModelSpending>();
  for (const entry of entries) {
    const before = sums.get(entry.model);
    const costUsd = (before?.costUsd ?? 0) + entry.costUsd;
    sums.set(entry.model, { model: entry.model, costUsd, ...addUsage(before ?? NO_TOKENS, entry) });
  }
  return [...sums.values()].filter(({ model: _, ...amounts }) => Object.values(amounts).some((amount) => amount > 0));
}

/** USD per million input tokens; the first matching name counts. */
const INPUT_PRICES: readonly (readonly [name: RegExp, usd: number])[] = [
  [/opus-5-5/, 4],
  [/opus/, 5],
  [/sonnet-[5-9]/, 2],
  [/sonnet/, 3],
  [/haiku-5-5/, 0.1],
  [/3-5-haiku/, 0.8],
  [/haiku/, 1],
  [/fable-5-[2-9]/, 8],
  [/fable|mythos/, 10],
];
const UNKNOWN_INPUT_PRICE = 5;

/** For all models: these prices as multiples of the input price (cached reads rounded up: 0.05 to 0.1). */
const OUTPUT = 5;
const CACHE_WRITE = 1.25;
const CACHE_READ = 0.1;

/** Estimates USD from tokens. */
export function estimateUsd(model: string | undefined, usage: Usage): number {
  const input = INPUT_PRICES.find(([name]) => name.test(model ?? ''))?.[1] ?? UNKNOWN_INPUT_PRICE;
  const { inputTokens, outputTokens, cacheWriteTokens, cacheReadTokens } = usage;
  return (
    (input * (inputTokens + OUTPUT * outputTokens + CACHE_WRITE * cacheWriteTokens + CACHE_READ * cacheReadTokens)) /
    1e6
  );
}
