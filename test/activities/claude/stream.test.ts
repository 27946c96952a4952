// Pure unit tests of the stream parser: any chunking, any bytes, bounded memory.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ClaudeEvent } from '../../../src/activities/claude/events.js';
import { LineSplitter } from '../../../src/activities/claude/lines.js';
import { parseLine } from '../../../src/activities/claude/parse.js';
import { ClaudeStream } from '../../../src/activities/claude/stream.js';

function read(
  bytes: Uint8Array,
  sizes: readonly number[],
  limit?: number,
): { events: readonly ClaudeEvent[]; stream: ClaudeStream } {
  const stream = new ClaudeStream(limit);
  const events: ClaudeEvent[] = [];
  let at = 0;
  for (const size of sizes) events.push(...stream.push(bytes.subarray(at, (at += size))));
  events.push(...stream.push(bytes.subarray(at)), ...stream.end());
  return { events, stream };
}

const assistant = (text: string): string =>
  JSON.stringify({ type: 'assistant', message: { content: [{ type: 'text', text }] } });

describe('lines', () => {
  test('the same lines come out of any chunking, characters whole', () => {
    const line = fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\n', ''));
    fc.assert(
      fc.property(fc.array(line), fc.array(fc.nat(7)), (lines, sizes) => {
        const bytes = Buffer.from(lines.map((one) => `${one}\n`).join(''));
        const splitter = new LineSplitter();
        const out: string[] = [];
        let at = 0;
        for (const size of sizes) out.push(...splitter.push(bytes.subarray(at, (at += size))));
        out.push(...splitter.push(bytes.subarray(at)), ...splitter.end());
        expect(out).toEqual(lines.map((one) => Buffer.from(one).toString('utf8')));
      }),
    );
  });

  test('a last line without a newline counts', () => {
    expect(read(Buffer.from(`${assistant('a')}\n${assistant('b')}`), [3]).events).toHaveLength(2);
  });

  test('a line up to the limit is kept, a longer one skipped and counted, and reading goes on', () => {
    const lines = [assistant('x'.repeat(200)), assistant('short')];
    const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    for (const sizes of [[], Array.from({ length: bytes.length }, () => 1)]) {
      const exact = read(bytes, sizes, lines[0]?.length);
      expect(exact.events).toHaveLength(2);
      const { events, stream } = read(bytes, sizes, 150);
      expect(events).toMatchObject([{ kind: 'said', text: 'short' }]);
      expect(stream.tooLong).toBe(1);
    }
  });

  test('a line of many megabytes is read', () => {
    const text = 'x'.repeat(20 * 1024 * 1024);
    expect(read(Buffer.from(`${assistant(text)}\n`), [1000, 5_000_000]).events).toMatchObject([{ kind: 'said', text }]);
  });

  test('a skipped line keeps no memory of it', () => {
    const splitter = new LineSplitter(10);
    for (let chunk = 0; chunk < 1000; chunk += 1) splitter.push(Buffer.alloc(1000, 'x'));
    expect(JSON.stringify(splitter).length).toBeLessThan(200);
    expect([...splitter.push(Buffer.from('\nok\n'))]).toEqual(['ok']);
  });
});

describe('junk', () => {
  test.each(['not json', '[1]', '"text"', 'null', '12', '{"no":"type"}', '{"type":7}', '{"type":"result"'])(
    '%s is counted and skipped',
    (line) => {
      const { events, stream } = read(Buffer.from(`${line}\n${assistant('after')}\n\n  \n`), []);
      expect(events).toMatchObject([{ kind: 'said', text: 'after' }]);
      expect(stream.notEvents).toBe(1);
    },
  );

  test('bytes that are no UTF-8 do no harm', () => {
    const bytes = Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(assistant('after'))]);
    expect(read(bytes, []).events).toMatchObject([{ kind: 'said', text: 'after' }]);
  });

  test('no JSON of whatever shape throws', () => {
    const type = fc.constantFrom('result', 'assistant', 'user', 'system', 'stream_event', 'rate_limit_event', 'new');
    const keys = fc.constantFrom(
      'message',
      'result',
      'is_error',
      'usage',
      'model_usage_since_last_result',
      'permission_denials',
      'event',
      'errors',
    );
    const fields = fc.dictionary(keys, fc.jsonValue());
    fc.assert(
      fc.property(type, fc.constantFrom('init', 'success', undefined), fields, (name, subtype, rest) => {
        const events = parseLine(JSON.stringify({ ...rest, type: name, subtype }));
        expect(events?.length).toBeGreaterThan(0);
      }),
    );
  });
});

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
      [{ kind: 'init', sessionId: 's', model: 'm', failedServers: ['a'] }],
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
      'failed tools',
      {
        type: 'user',
        message: {
          content: [
            { type: 'tool_result', is_error: true, content: [{ type: 'text', text: 'no' }] },
            { type: 'tool_result', content: 'ok' },
            { type: 'tool_result', is_error: true, content: 'bad' },
          ],
        },
      },
      [
        { kind: 'tool-error', text: 'no' },
        { kind: 'tool-error', text: 'bad' },
      ],
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
      [{ kind: 'api-retry', attempt: 2 }],
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
