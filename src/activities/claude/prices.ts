// What a turn that was killed before its result has probably cost: tokens times list price, as CLI 2.1.329 reckons it.
// An estimate only; whenever Claude Code reports a cost, that one counts.
import type { Usage } from './events.js';

/** USD per million input tokens; the first name that fits counts. */
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

/** All models: these prices as multiples of the input price (cached reads rounded up: 0.05 to 0.1). */
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
