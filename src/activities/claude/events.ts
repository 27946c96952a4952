// The events of a Claude Code stream that Raymond reads, with names of its own. Types only; stream.ts makes them.

/** Tokens of one or more requests. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** A tool that was used or refused; `detail` is the telling part of its input: the command, the file, the address. */
export interface ToolUse {
  readonly tool: string;
  readonly id?: string;
  readonly detail?: string;
}

/** The state of a subscription's limit. `resetsAt` is in epoch milliseconds. */
export interface RateLimit {
  readonly status: string;
  readonly resetsAt?: number;
  /** Which limit: `five_hour`, `seven_day`, … */
  readonly limit?: string;
}

/** The end of a turn of the model; one process may print several. */
export interface ResultEvent {
  readonly kind: 'result';
  readonly isError: boolean;
  readonly subtype?: string;
  readonly text?: string;
  readonly errors: readonly string[];
  readonly sessionId?: string;
  readonly numTurns?: number;
  readonly terminalReason?: string;
  readonly apiErrorStatus?: number;
  /** Cost and tokens since the previous result of this process. */
  readonly ownCostUsd?: number;
  readonly ownUsage?: Usage;
  /** Cost of the whole conversation, earlier turns included; of this turn alone when a CLI reports nothing else. */
  readonly totalCostUsd?: number;
  readonly usage?: Usage;
  readonly denials: readonly ToolUse[];
}

/** What was said or done; `by` tells the agent itself from a subagent. */
export interface SaidEvent {
  readonly kind: 'said';
  readonly by: 'agent' | 'subagent';
  readonly text: string;
  readonly tools: readonly ToolUse[];
  /** The class of an API error whose message the CLI put into the model's mouth. */
  readonly error?: string;
}

/** Tokens of a request as its answer streams; a later event of the same message replaces an earlier one. */
export interface UsageEvent {
  readonly kind: 'usage';
  /** `start` opens a message, `end` has its final output tokens (and no model). */
  readonly phase: 'start' | 'end';
  readonly messageId?: string;
  readonly model?: string;
  readonly usage: Partial<Usage>;
}

/** One line of the stream. */
export type ClaudeEvent =
  | {
      readonly kind: 'init';
      readonly sessionId?: string;
      readonly model?: string;
      readonly failedServers: readonly string[];
    }
  | SaidEvent
  | { readonly kind: 'tool-error'; readonly text: string }
  | UsageEvent
  | { readonly kind: 'rate-limit'; readonly rateLimit: RateLimit }
  | { readonly kind: 'denied'; readonly denial: ToolUse }
  | { readonly kind: 'api-retry'; readonly attempt?: number; readonly status?: number }
  | ResultEvent
  | { readonly kind: 'other'; readonly type: string };
