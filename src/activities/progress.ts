// What a worker tells whoever shows a run live: turns that start and end, and what they say meanwhile.
// Must not influence a turn: a sink that throws is the sink's mistake.
import type { TurnOutcome } from './types.js';

/** One piece of news from a turn. */
export type Progress = {
  readonly runId: string;
  readonly agentId: string;
  readonly state: string;
  readonly turn: number;
} & (
  | { readonly kind: 'queued' }
  | { readonly kind: 'started' }
  | { readonly kind: 'said'; readonly text: string }
  | { readonly kind: 'printed'; readonly text: string }
  | { readonly kind: 'warned'; readonly text: string }
  | { readonly kind: 'ended'; readonly outcome: TurnOutcome; readonly costUsd: number; readonly durationMs: number }
  | { readonly kind: 'failed'; readonly message: string }
);

/** Takes news; must return at once. */
export type ProgressSink = (news: Progress) => void;
