// From one line of the stream to events with Raymond's names. Must never throw on input.
import type { z } from 'zod';
import type { ClaudeEvent, ToolUse, Usage } from './events.js';
import { fitting, type Block, type Tokens } from './shapes.js';
import * as shapes from './shapes.js';
import { addUsage, NO_TOKENS } from './usage.js';

/** The events of one line (a message with several failed tools has several), or undefined when the line is none. */
export function parseLine(line: string): readonly ClaudeEvent[] | undefined {
  const json = parseJson(line);
  const [head] = fitting(shapes.envelope, json);
  if (head === undefined) return undefined;
  const events = eventsOf(head, json);
  return events.length > 0 ? events : [{ kind: 'other', type: head.type }];
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // not JSON: the caller counts it
  }
}

function eventsOf(head: z.output<typeof shapes.envelope>, json: unknown): readonly ClaudeEvent[] {
  switch (head.type === 'system' ? `system/${head.subtype ?? ''}` : head.type) {
    case 'system/init':
      return fitting(shapes.init, json).map(initEvent);
    case 'system/permission_denied':
      return fitting(shapes.toolCall, json).map((call) => ({ kind: 'denied', denial: toolUse(call) }));
    case 'system/api_retry':
      return fitting(shapes.apiRetry, json).map(({ attempt, error_status: status }) => {
        return { kind: 'api-retry', ...present({ attempt, status }) };
      });
    case 'assistant':
      return fitting(shapes.said, json).map((event) => saidEvent(event, head.parent_tool_use_id));
    case 'user':
      return fitting(shapes.said, json).flatMap(({ message }) => toolErrors(message.content));
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

function initEvent({ session_id: sessionId, model, mcp_servers: servers }: z.output<typeof shapes.init>): ClaudeEvent {
  const failedServers = servers.filter(({ status }) => status === 'failed').map(({ name }) => name);
  return { kind: 'init', ...present({ sessionId, model }), failedServers };
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
    ...present({ error }),
  };
}

function toolErrors(blocks: readonly Block[]): readonly ClaudeEvent[] {
  const failed = blocks.filter(({ type, is_error: isError }) => type === 'tool_result' && isError === true);
  return failed.map((block) => {
    const parts = fitting(shapes.content, block.content).flat();
    return { kind: 'tool-error', text: parts.map(({ text }) => text ?? '').join('\n') };
  });
}

function usageEvent({ event, api_message_id: id }: z.output<typeof shapes.streamed>): readonly ClaudeEvent[] {
  const { type, message, usage } = event;
  if (type === 'message_start' && message?.usage !== undefined) {
    const head = present({ messageId: id ?? message.id, model: message.model });
    return [{ kind: 'usage', phase: 'start', ...head, usage: usageOf(message.usage) }];
  }
  if (type !== 'message_delta' || usage === undefined) return [];
  return [{ kind: 'usage', phase: 'end', ...present({ messageId: id }), usage: usageOf(usage) }];
}

function rateLimitEvent(info: z.output<typeof shapes.rateLimit>['rate_limit_info']): ClaudeEvent {
  const { status, resetsAt, rateLimitType: limit } = info;
  return { kind: 'rate-limit', rateLimit: { status, ...present({ resetsAt: epochMs(resetsAt), limit }) } };
}

/** The CLI gives seconds, some of its relatives milliseconds; 0 stands for "unknown". */
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
    ...present({
      subtype,
      text: fields.result,
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

function ownSpending(byModel: Record<string, unknown> | undefined): { ownCostUsd?: number; ownUsage?: Usage } {
  if (byModel === undefined) return {};
  const models = Object.values(byModel).flatMap((value) => fitting(shapes.modelUsage, value));
  const ownUsage = models.map(modelTokens).reduce<Usage>(addUsage, NO_TOKENS);
  const costs = models.flatMap(({ costUSD }) => (costUSD === undefined ? [] : [costUSD]));
  // Models without a single price mean that the cost is unknown; no model at all means that nothing was asked.
  if (costs.length === 0 && Object.keys(byModel).length > 0) return { ownUsage };
  return { ownUsage, ownCostUsd: costs.reduce((sum, cost) => sum + cost, 0) };
}

function modelTokens(model: z.output<typeof shapes.modelUsage>): Partial<Usage> {
  const { inputTokens, outputTokens, cacheReadInputTokens, cacheCreationInputTokens } = model;
  return present({
    inputTokens,
    outputTokens,
    cacheReadTokens: cacheReadInputTokens,
    cacheWriteTokens: cacheCreationInputTokens,
  });
}

function usageOf(tokens: Tokens): Partial<Usage> {
  return present({
    inputTokens: tokens.input_tokens,
    outputTokens: tokens.output_tokens,
    cacheReadTokens: tokens.cache_read_input_tokens,
    cacheWriteTokens: tokens.cache_creation_input_tokens,
  });
}

function toolUse({ tool_name: tool, tool_use_id: id, tool_input: input }: z.output<typeof shapes.toolCall>): ToolUse {
  const { command, file_path: path, url, pattern } = input ?? {};
  const telling = [command, path, url, pattern].find((value) => typeof value === 'string');
  return { tool, ...present({ id, detail: typeof telling === 'string' ? telling.slice(0, 500) : undefined }) };
}

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function present<T extends object>(fields: T): Present<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
