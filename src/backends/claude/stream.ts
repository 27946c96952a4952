// Parses `--output-format stream-json` to typed events, in any chunks and with bounded memory. Unknown input is
// skipped. Never throws on input.
import type { z } from 'zod';
import * as shapes from './events.js';
import {
  fitting,
  mainDetail,
  type ClaudeEvent,
  type ResultEvent,
  type Tokens,
  type ToolUse,
  type Usage,
} from './events.js';
import { NO_TOKENS, addUsage } from './tally.js';
import { defined, jsonOf } from '../../protocol/text.js';
import { LineSplitter } from '../lines.js';

/** Reads a stream. */
export class ClaudeStream {
  private readonly lines: LineSplitter;

  /** `onLine` receives every line unchanged, and whether it is an event. */
  constructor(
    maxLineBytes?: number,
    private readonly onLine?: (line: string, isEvent: boolean) => void,
  ) {
    this.lines = new LineSplitter(maxLineBytes);
  }

  /** The events that this chunk completes. */
  push(chunk: Uint8Array): readonly ClaudeEvent[] {
    return this.events(this.lines.push(chunk));
  }

  /** The events of the last line, if it lacks its newline. */
  end(): readonly ClaudeEvent[] {
    return this.events(this.lines.end());
  }

  private events(lines: readonly string[]): readonly ClaudeEvent[] {
    return lines.flatMap((line) => {
      if (line.trim() === '') return [];
      const events = parseLine(line);
      this.onLine?.(line, events !== undefined);
      return events ?? [];
    });
  }
}

/**
 * The events of one line (a message with several failed tools has several), or undefined when the line is not an event.
 */
export function parseLine(line: string): readonly ClaudeEvent[] | undefined {
  const json = jsonOf(line);
  const [head] = fitting(shapes.envelope, json);
  if (head === undefined) return undefined;
  const events = eventsOf(head, json);
  return events.length > 0 ? events : [{ kind: 'other', type: head.type }];
}

function eventsOf(head: z.output<typeof shapes.envelope>, json: unknown): readonly ClaudeEvent[] {
  switch (head.type === 'system' ? `system/${head.subtype ?? ''}` : head.type) {
    case 'system/init':
      return fitting(shapes.init, json).map(initEvent);
    case 'system/permission_denied':
      return fitting(shapes.toolCall, json).map((call) => ({ kind: 'denied', denial: toolUse(call) }));
    case 'system/api_retry':
      return fitting(shapes.apiRetry, json).map(({ error_status: status }) => {
        return { kind: 'api-retry', ...defined({ status }) };
      });
    case 'assistant':
      return fitting(shapes.said, json).map((event) => saidEvent(event, head.parent_tool_use_id));
    case 'stream_event':
      return fitting(shapes.streamed, json).flatMap(usageEvent);
    case 'rate_limit_event':
      return fitting(shapes.rateLimit, json).map(({ rate_limit_info: info }) => rateLimitEvent(info));
    case 'result':
      return fitting(shapes.result, json).map((fields) => resultEvent(fields, head.subtype));
    default:
      return [];
  }
}

function initEvent({ session_id: sessionId, model }: z.output<typeof shapes.init>): ClaudeEvent {
  return { kind: 'init', ...defined({ sessionId, model }) };
}

function saidEvent({ message, error }: z.output<typeof shapes.said>, parentToolUse: string | undefined): ClaudeEvent {
  const blocks = message.content;
  const texts = blocks.filter(({ type }) => type === 'text').map(({ text }) => text ?? '');
  const tools = blocks.filter(({ type }) => type === 'tool_use');
  return {
    kind: 'said',
    by: parentToolUse === undefined ? 'agent' : 'subagent',
    text: texts.join(''),
    tools: tools.map(({ name, id, input }) => toolUse({ tool_name: name ?? '', tool_use_id: id, tool_input: input })),
    ...defined({ error }),
  };
}

function usageEvent({ event, api_message_id: id }: z.output<typeof shapes.streamed>): readonly ClaudeEvent[] {
  const { type, message, usage } = event;
  if (type === 'message_start' && message?.usage !== undefined) {
    const head = defined({ messageId: id ?? message.id, model: message.model });
    return [{ kind: 'usage', phase: 'start', ...head, usage: usageOf(message.usage) }];
  }
  if (type !== 'message_delta' || usage === undefined) return [];
  return [{ kind: 'usage', phase: 'end', ...defined({ messageId: id }), usage: usageOf(usage) }];
}

function rateLimitEvent(info: z.output<typeof shapes.rateLimit>['rate_limit_info']): ClaudeEvent {
  const { status, resetsAt, rateLimitType: limit } = info;
  return { kind: 'rate-limit', rateLimit: { status, ...defined({ resetsAt: epochMs(resetsAt), limit }) } };
}

/** The CLI uses seconds, some related programs milliseconds; 0 means "unknown". */
function epochMs(time: number | undefined): number | undefined {
  if (time === undefined || time <= 0) return undefined;
  return time < 1e11 ? time * 1000 : time;
}

function resultEvent(fields: z.output<typeof shapes.result>, subtype: string | undefined): ClaudeEvent {
  return {
    kind: 'result',
    isError: fields.is_error ?? (subtype !== undefined && subtype !== 'success'),
    errors: fields.errors,
    denials: fields.permission_denials.map(toolUse),
    ...defined({
      subtype,
      text: fields.result,
      structured: fields.structured_output,
      sessionId: fields.session_id,
      numTurns: fields.num_turns,
      terminalReason: fields.terminal_reason,
      apiErrorStatus: fields.api_error_status,
      totalCostUsd: fields.total_cost_usd,
      usage: fields.usage === undefined ? undefined : addUsage(NO_TOKENS, usageOf(fields.usage)),
    }),
    ...ownSpending(fields.model_usage_since_last_result),
  };
}

function ownSpending(
  byModel: Record<string, unknown> | undefined,
): Pick<ResultEvent, 'ownCostUsd' | 'ownUsage' | 'ownModels'> {
  if (byModel === undefined) return {};
  const models = Object.entries(byModel).flatMap(([name, value]) =>
    fitting(shapes.modelUsage, value).map((usage) => ({ name, usage })),
  );
  const ownModels = models.map(({ name, usage }) => ({
    model: name,
    costUsd: usage.costUSD ?? 0,
    ...addUsage(NO_TOKENS, modelTokens(usage)),
  }));
  const ownUsage = ownModels.reduce<Usage>(addUsage, NO_TOKENS);
  const costs = models.flatMap(({ usage: { costUSD } }) => (costUSD === undefined ? [] : [costUSD]));
  // Models without a price mean an unknown cost; no model at all means no request.
  if (costs.length === 0 && Object.keys(byModel).length > 0) return { ownUsage, ownModels };
  return { ownUsage, ownModels, ownCostUsd: costs.reduce((sum, cost) => sum + cost, 0) };
}

function modelTokens(model: z.output<typeof shapes.modelUsage>): Partial<Usage> {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = model;
  return defined({
    inputTokens,
    outputTokens,
    cacheReadTokens: cacheReadInputTokens,
    cacheWriteTokens: cacheCreationInputTokens,
  });
}

function usageOf(tokens: Tokens): Partial<Usage> {
  return defined({
    inputTokens: tokens.input_tokens,
    outputTokens: tokens.output_tokens,
    cacheReadTokens: tokens.cache_read_input_tokens,
    cacheWriteTokens: tokens.cache_creation_input_tokens,
  });
}

function toolUse({ tool_name: tool, tool_use_id: id, tool_input: input }: z.output<typeof shapes.toolCall>): ToolUse {
  return { tool, ...defined({ id, detail: mainDetail(input)?.slice(0, 500) }) };
}
