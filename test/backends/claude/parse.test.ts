// Pure unit tests of the events: one line of the stream, as the real CLI prints it, and what Raymond reads from it.
import { describe, expect, test } from '@jest/globals';
import { parseLine } from '../../../src/backends/claude/stream.js';

describe('events', () => {
  test.each<[string, object, readonly object[]]>([
    [
      'the start',
      {
        type: 'system',
        subtype: 'init',
        session_id: 's',
        model: 'm',
        mcp_servers: [{ name: 'a', status: 'failed' }, { name: 'b', status: 'connected' }, 7],
      },
      [{ kind: 'init', sessionId: 's', model: 'm' }],
    ],
    [
      'words and tools',
      {
        type: 'assistant',
        message: {
          content: [
            { type: 'text', text: 'a' },
            { type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls', description: 'd' } },
            { type: 'text', text: 'b' },
          ],
        },
      },
      [{ kind: 'said', by: 'agent', text: 'ab', tools: [{ tool: 'Bash', id: 't', detail: 'ls' }] }],
    ],
    [
      'a subagent',
      { type: 'assistant', parent_tool_use_id: 't', message: { content: 'x' } },
      [{ kind: 'said', by: 'subagent', text: 'x', tools: [] }],
    ],
    [
      'an API error',
      { type: 'assistant', error: 'rate_limit', message: { content: [{ type: 'text', text: 'API Error' }] } },
      [{ kind: 'said', by: 'agent', text: 'API Error', tools: [], error: 'rate_limit' }],
    ],
    [
      'tokens at the start of a message',
      {
        type: 'stream_event',
        event: {
          type: 'message_start',
          message: { id: 'm1', model: 'opus', usage: { input_tokens: 3, cache_read_input_tokens: 4 } },
        },
      },
      [
        {
          kind: 'usage',
          phase: 'start',
          messageId: 'm1',
          model: 'opus',
          usage: { inputTokens: 3, cacheReadTokens: 4 },
        },
      ],
    ],
    [
      'tokens at its end',
      { type: 'stream_event', api_message_id: 'm1', event: { type: 'message_delta', usage: { output_tokens: 9 } } },
      [{ kind: 'usage', phase: 'end', messageId: 'm1', usage: { outputTokens: 9 } }],
    ],
    [
      'other parts of the stream',
      { type: 'stream_event', event: { type: 'content_block_delta' } },
      [{ kind: 'other', type: 'stream_event' }],
    ],
    [
      'a limit, its time in seconds',
      {
        type: 'rate_limit_event',
        rate_limit_info: { status: 'rejected', resetsAt: 1795248318, rateLimitType: 'five_hour' },
      },
      [{ kind: 'rate-limit', rateLimit: { status: 'rejected', resetsAt: 1795248318000, limit: 'five_hour' } }],
    ],
    [
      'a limit, its time in milliseconds',
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1795248318000 } },
      [{ kind: 'rate-limit', rateLimit: { status: 'rejected', resetsAt: 1795248318000 } }],
    ],
    [
      'a limit without a time',
      { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 0 } },
      [{ kind: 'rate-limit', rateLimit: { status: 'rejected' } }],
    ],
    [
      'a denial',
      { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't', message: 'no' },
      [{ kind: 'denied', denial: { tool: 'Bash', id: 't' } }],
    ],
    [
      'a retry of the CLI',
      { type: 'system', subtype: 'api_retry', attempt: 2, error_status: null },
      [{ kind: 'api-retry' }],
    ],
    ['what nobody reads', { type: 'system', subtype: 'status' }, [{ kind: 'other', type: 'system' }]],
  ])('%s', (_what, line, events) => {
    expect(parseLine(JSON.stringify(line))).toEqual(events);
  });

  test('a result as the real CLI prints it', () => {
    const model = {
      inputTokens: 10,
      outputTokens: 5,
      cacheReadInputTokens: 1,
      cacheCreationInputTokens: 2,
      costUSD: 0.5,
      provider: 'x',
    };
    const line = {
      ...{
        type: 'result',
        subtype: 'success',
        is_error: false,
        result: 'done',
        session_id: 's',
        num_turns: 2,
        terminal_reason: 'completed',
      },
      ...{
        total_cost_usd: 7,
        api_error_status: null,
        model_usage_since_last_result: { opus: model, haiku: { ...model, costUSD: 0.25 } },
      },
      permission_denials: [{ tool_name: 'Write', tool_use_id: 't', tool_input: { file_path: '/f' } }, 'junk'],
    };
    expect(parseLine(JSON.stringify(line))).toEqual([
      {
        ...{
          kind: 'result',
          isError: false,
          subtype: 'success',
          text: 'done',
          errors: [],
          sessionId: 's',
          numTurns: 2,
        },
        ...{ terminalReason: 'completed', totalCostUsd: 7, ownCostUsd: 0.75 },
        ownUsage: { inputTokens: 20, outputTokens: 10, cacheReadTokens: 2, cacheWriteTokens: 4 },
        ownModels: [
          { model: 'opus', costUsd: 0.5, inputTokens: 10, outputTokens: 5, cacheReadTokens: 1, cacheWriteTokens: 2 },
          { model: 'haiku', costUsd: 0.25, inputTokens: 10, outputTokens: 5, cacheReadTokens: 1, cacheWriteTokens: 2 },
        ],
        denials: [{ tool: 'Write', id: 't', detail: '/f' }],
      },
    ]);
  });

  test('wrongly typed fields of a result are absent', () => {
    const line = {
      type: 'result',
      subtype: 'success',
      is_error: 'no',
      result: 5,
      num_turns: '2',
      total_cost_usd: -1,
      errors: 'x',
      usage: [],
      model_usage_since_last_result: [],
    };
    expect(parseLine(JSON.stringify(line))).toEqual([
      { kind: 'result', isError: false, subtype: 'success', errors: [], denials: [] },
    ]);
  });

  test('a result that does not say whether it failed is judged by its subtype', () => {
    expect(parseLine('{"type":"result","subtype":"error_during_execution"}')).toMatchObject([{ isError: true }]);
    expect(parseLine('{"type":"result"}')).toMatchObject([{ isError: false }]);
  });

  test('models without a price leave the cost unknown; no model at all has cost nothing', () => {
    expect(
      parseLine('{"type":"result","model_usage_since_last_result":{"m":{"inputTokens":1}}}')?.[0],
    ).not.toHaveProperty('ownCostUsd');
    expect(parseLine('{"type":"result","model_usage_since_last_result":{}}')).toMatchObject([{ ownCostUsd: 0 }]);
  });
});
