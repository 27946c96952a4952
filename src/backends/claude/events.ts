// The events of a Claude Code stream that Raymond reads, with our own names, and their zod shapes: loose, because the
// format is another program's. A missing field, or one of a wrong type, is absent; a list loses invalid items.
import { z } from 'zod';
import type { ModelSpending } from '../backend.js';

/** Tokens of one or more requests. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

/** A tool that was used or denied; `detail` is the important part of its input: the command, the file, the address. */
export interface ToolUse {
  readonly tool: string;
  readonly id?: string;
  readonly detail?: string;
}

/** A tool call as one label. */
export function toolLabel({ tool, detail }: ToolUse): string {
  return `[${tool}${detail === undefined ? '' : ` ${detail}`}]`;
}

/** The important part of a tool's input: its command, file, address or pattern. */
export function mainDetail({ command, file_path: path, url, pattern }: Readonly<Record<string, unknown>> = {}):
  string | undefined {
  return [command, path, url, pattern].find((value) => typeof value === 'string');
}

/** The state of a subscription's limit. `resetsAt` is in epoch milliseconds. */
export interface RateLimit {
  readonly status: string;
  readonly resetsAt?: number;
  /** Which limit: `five_hour`, `seven_day`, … */
  readonly limit?: string;
}

/** The end of a model turn; one process may print several. */
export interface ResultEvent {
  readonly kind: 'result';
  readonly isError: boolean;
  readonly subtype?: string;
  readonly text?: string;
  /** The answer that `--json-schema` asked for. */
  readonly structured?: unknown;
  readonly errors: readonly string[];
  readonly sessionId?: string;
  readonly numTurns?: number;
  readonly terminalReason?: string;
  readonly apiErrorStatus?: number;
  /** Cost and tokens since the previous result of this process. */
  readonly ownCostUsd?: number;
  readonly ownUsage?: Usage;
  /** The same by model. */
  readonly ownModels?: readonly ModelSpending[];
  /** The cost of the whole conversation with its earlier turns; of this turn alone when a CLI reports nothing else. */
  readonly totalCostUsd?: number;
  readonly usage?: Usage;
  readonly denials: readonly ToolUse[];
}

/** Text or actions; `by` distinguishes the agent from a subagent. */
export interface SaidEvent {
  readonly kind: 'said';
  readonly by: 'agent' | 'subagent';
  readonly text: string;
  readonly tools: readonly ToolUse[];
  /** The class of an API error that the CLI reports as text of the model. */
  readonly error?: string;
}

/** Tokens of a request while its answer streams; a later event of the same message replaces an earlier one. */
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
  | { readonly kind: 'init'; readonly sessionId?: string; readonly model?: string }
  | SaidEvent
  | UsageEvent
  | { readonly kind: 'rate-limit'; readonly rateLimit: RateLimit }
  | { readonly kind: 'denied'; readonly denial: ToolUse }
  | { readonly kind: 'api-retry'; readonly status?: number }
  | ResultEvent
  | { readonly kind: 'other'; readonly type: string };

const text = z.string().optional().catch(undefined);
const number = z.number().optional().catch(undefined);
const amount = z.number().nonnegative().optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);
const record = z.record(z.string(), z.unknown()).optional().catch(undefined);

/** The value if it has the shape, as a list; else an empty list. */
export function fitting<T extends z.ZodType>(shape: T, value: unknown): z.output<T>[] {
  const { success, data } = shape.safeParse(value);
  return success ? [data] : [];
}

function listOf<T extends z.ZodType>(item: T) {
  const items = z.array(z.unknown()).catch([]);
  return items.transform((values) => values.flatMap((value) => fitting(item, value)));
}

/** The common fields of all events. */
export const envelope = z.object({ type: z.string(), subtype: text, parent_tool_use_id: text });

const block = z.object({
  type: z.string(),
  text,
  name: text,
  id: text,
  input: record,
  tool_use_id: text,
  is_error: flag,
  content: z.unknown().optional(),
});

/** One part of a message. */
export type Block = z.output<typeof block>;

/** The content of a message or tool result: plain text, or blocks. */
export const content = z.union([
  z.string().transform((words): Block[] => [{ type: 'text', text: words }]),
  listOf(block),
]);

const tokens = z.object({
  input_tokens: amount,
  output_tokens: amount,
  cache_read_input_tokens: amount,
  cache_creation_input_tokens: amount,
});
const usage = tokens.optional().catch(undefined);

/** Tokens as the Messages API names them. */
export type Tokens = z.output<typeof tokens>;

/** `system/init`. */
export const init = z.object({ session_id: text, model: text });

/** `assistant`. */
export const said = z.object({ message: z.object({ content: content.catch([]) }), error: text });

/** `system/permission_denied`, and an element of `permission_denials`. */
export const toolCall = z.object({ tool_name: z.string(), tool_use_id: text, tool_input: record });

/** `rate_limit_event`. */
export const rateLimit = z.object({
  rate_limit_info: z.object({ status: z.string(), resetsAt: number, rateLimitType: text }),
});

/** `system/api_retry`. */
export const apiRetry = z.object({ error_status: number });

/** `stream_event`. */
export const streamed = z.object({
  event: z.object({
    type: z.string(),
    message: z.object({ id: text, model: text, usage }).optional().catch(undefined),
    usage,
  }),
  api_message_id: text,
});

/** An element of `model_usage_since_last_result`. */
export const modelUsage = z.object({
  costUSD: amount,
  inputTokens: amount,
  outputTokens: amount,
  cacheReadInputTokens: amount,
  cacheCreationInputTokens: amount,
});

/** `result`. */
export const result = z.object({
  is_error: flag,
  result: text,
  structured_output: z.unknown().optional(),
  errors: listOf(z.string()),
  session_id: text,
  num_turns: number,
  terminal_reason: text,
  api_error_status: number,
  total_cost_usd: amount,
  usage,
  model_usage_since_last_result: record,
  permission_denials: listOf(toolCall),
});
