// Pure unit tests of what a turn came to: its text, its cost, its tokens, its denials.
import { describe, expect, test } from '@jest/globals';
import { allowedToolFor } from '../../../src/backends/claude/evidence.js';
import { TurnTally, estimateUsd, type TurnOutput } from '../../../src/backends/claude/tally.js';
import { parseLine } from '../../../src/backends/claude/stream.js';

type Json = Readonly<Record<string, unknown>>;

const INIT = { type: 'system', subtype: 'init', session_id: 's1', model: 'claude-opus-5-5' };

function tallyOf(...lines: readonly Json[]): TurnTally {
  const tally = new TurnTally();
  for (const line of lines) for (const event of parseLine(JSON.stringify(line)) ?? []) tally.add(event);
  return tally;
}

function outputOf(...lines: readonly Json[]): TurnOutput {
  return tallyOf(...lines).output();
}

function said(text: string, more: Json = {}): Json {
  return { type: 'assistant', message: { content: [{ type: 'text', text }] }, ...more };
}

function result(more: Json = {}): Json {
  return { type: 'result', subtype: 'success', is_error: false, num_turns: 1, terminal_reason: 'completed', ...more };
}

function own(costUSD: number): Json {
  return { model_usage_since_last_result: { m: { inputTokens: 10, outputTokens: 5, costUSD } } };
}

/** A request that streamed: 1000 tokens in, and `output` tokens out when it was finished. */
function streamed(id: string, output?: number): readonly Json[] {
  const usage = { input_tokens: 1000, output_tokens: 1 };
  const start = {
    type: 'stream_event',
    event: { type: 'message_start', message: { id, model: 'claude-opus-5-5', usage } },
  };
  const end = {
    type: 'stream_event',
    api_message_id: id,
    event: { type: 'message_delta', usage: { output_tokens: output } },
  };
  return output === undefined ? [start] : [start, end];
}

describe('text', () => {
  test('is that of the last result', () => {
    const output = outputOf(INIT, said('a'), result({ result: 'first' }), said('b'), result({ result: 'second' }));
    expect(output).toMatchObject({
      text: 'second',
      results: 2,
      model: 'claude-opus-5-5',
    });
  });

  test('is all that the agent itself said, when the result has none', () => {
    const output = outputOf(
      said('one'),
      said('not mine', { parent_tool_use_id: 't' }),
      said('two'),
      result({ subtype: 'error_max_turns' }),
    );
    expect(output.text).toBe('one\ntwo');
  });

  test('is empty when nothing was said', () => {
    expect(outputOf()).toMatchObject({ text: '', results: 0, costUsd: 0 });
  });
});

describe('cost', () => {
  test.each<[string, readonly Json[], number]>([
    [
      'the own usage of the result, not the total of the conversation',
      [result({ ...own(0.5), total_cost_usd: 9 })],
      0.5,
    ],
    ['the sum over several results', [result(own(0.5)), result(own(0.25))], 0.75],
    ['the total, when there is nothing else', [result({ total_cost_usd: 9 })], 9],
    ['the last total of several', [result({ total_cost_usd: 4 }), result({ total_cost_usd: 9 })], 9],
    ['nothing, when nothing was asked', [result({ model_usage_since_last_result: {}, total_cost_usd: 9 })], 0],
    ['none, when a result says nothing', [result()], 0],
    ['reported even by a failed turn', [result({ ...own(0.5), is_error: true })], 0.5],
    ['reported, when the requests streamed before it', [...streamed('m1', 500), result(own(0.5))], 0.5],
    ['estimated for a killed turn', streamed('m1', 500), 0.014],
    ['estimated for an unfinished answer', streamed('m1'), 0.00402],
    ['estimated once per message', [...streamed('m1', 100), ...streamed('m1', 500)], 0.014],
    ['estimated for what came after the last result', [result(own(1)), ...streamed('m2', 500)], 1.014],
  ])('is %s', (_what, lines, costUsd) => {
    const output = outputOf(INIT, ...lines);
    expect(output.costUsd).toBeCloseTo(costUsd, 10);
  });

  test.each([
    ['claude-opus-5-5', 24],
    ['claude-opus-4-5', 30],
    ['claude-sonnet-5-5', 12],
    ['claude-sonnet-4-5-20250929', 18],
    ['claude-haiku-5-5', 0.6],
    ['claude-haiku-4-5', 6],
    ['something-new', 30],
    [undefined, 30],
  ])('of a million tokens each way is estimated for %s as %d', (model, usd) => {
    const usage = { inputTokens: 1e6, outputTokens: 1e6, cacheReadTokens: 0, cacheWriteTokens: 0 };
    expect(estimateUsd(model, usage)).toBeCloseTo(usd, 10);
  });
});

describe('spending by model', () => {
  const none = { cacheReadTokens: 0, cacheWriteTokens: 0 };

  test('is that of the results, and what no result covers, one entry per model', () => {
    const other = { model_usage_since_last_result: { n: { inputTokens: 1, costUSD: 0.25 } } };
    const spending = tallyOf(
      INIT,
      result(own(0.5)),
      result(own(0.5)),
      result(other),
      ...streamed('m1', 500),
    ).spending();
    expect(spending).toEqual([
      { model: 'm', costUsd: 1, inputTokens: 20, outputTokens: 10, ...none },
      { model: 'n', costUsd: 0.25, inputTokens: 1, outputTokens: 0, ...none },
      { model: 'claude-opus-5-5', costUsd: expect.closeTo(0.014), inputTokens: 1000, outputTokens: 500, ...none },
    ]);
  });

  test('is that of the model that the conversation began with, when a result names none', () => {
    const tokens = { input_tokens: 1, output_tokens: 2 };
    expect(tallyOf(INIT, result({ total_cost_usd: 1, usage: tokens })).spending()).toEqual([
      { model: 'claude-opus-5-5', costUsd: 1, inputTokens: 1, outputTokens: 2, ...none },
    ]);
  });

  test('is nothing when nothing was spent', () => {
    expect(tallyOf().spending()).toEqual([]);
    expect(tallyOf(INIT, result()).spending()).toEqual([]);
  });
});

describe('tokens', () => {
  test('are summed over results and what no result covers', () => {
    const { usage } = outputOf(result(own(1)), result(own(1)), ...streamed('m1', 7));
    expect(usage).toEqual({ inputTokens: 1020, outputTokens: 17, cacheReadTokens: 0, cacheWriteTokens: 0 });
  });

  test('are those of the last result of an older CLI', () => {
    const tokens = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };
    expect(outputOf(result({ total_cost_usd: 1, usage: tokens })).usage).toEqual({
      inputTokens: 1,
      outputTokens: 2,
      cacheReadTokens: 3,
      cacheWriteTokens: 4,
    });
  });
});

describe('denials', () => {
  test('are reported once, with what the tool was asked', () => {
    const event = { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't1' };
    const listed = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'python3 x.py' } };
    const { denials } = outputOf(
      event,
      result({ permission_denials: [listed] }),
      result({ permission_denials: [listed] }),
    );
    expect(denials).toEqual([{ tool: 'Bash', id: 't1', detail: 'python3 x.py' }]);
  });

  test('are reported for a turn that was killed, too', () => {
    expect(outputOf({ type: 'system', subtype: 'permission_denied', tool_name: 'Write' }).denials).toEqual([
      { tool: 'Write' },
    ]);
  });

  test.each([
    [{ tool: 'Bash', detail: 'python3 -c "print(1)"' }, 'Bash(python3 *)'],
    [{ tool: 'Bash', detail: 'npm test' }, 'Bash(npm *)'],
    [{ tool: 'Bash', detail: './gradlew build' }, 'Bash(./gradlew *)'],
    [{ tool: 'Bash', detail: 'cd x && rm y' }, 'Bash'],
    [{ tool: 'Bash', detail: 'A=1 make' }, 'Bash'],
    [{ tool: 'WebFetch', detail: 'https://example.org' }, 'WebFetch'],
    [{ tool: 'Bash' }, 'Bash'],
    [{ tool: 'Bash', detail: `python3 -c "print('a'); print(2 > 1)"` }, 'Bash(python3 *)'],
    [{ tool: 'Bash', detail: 'python3 -c "\nimport os\nprint(os.name)\n"' }, 'Bash(python3 *)'],
    [{ tool: 'Bash', detail: "awk '{ print $1; }' list" }, 'Bash(awk *)'],
    [{ tool: 'Bash', detail: `node -e "${'f(); '.repeat(100)}` }, 'Bash(node *)'],
    [{ tool: 'Bash', detail: 'echo "$(rm -r x)"' }, 'Bash'],
    [{ tool: 'Bash', detail: 'echo "\\"; rm -r x #"' }, 'Bash(echo *)'],
    [{ tool: 'Bash', detail: `echo 'a' "b"; rm -r x` }, 'Bash'],
    [{ tool: 'Bash', detail: `echo it\\'s; rm -r 'x'` }, 'Bash'],
  ])('%j would be permitted by %s', (denial, line) => {
    expect(allowedToolFor(denial)).toBe(line);
  });
});

test('limits and API errors are kept', () => {
  const output = outputOf(
    INIT,
    { type: 'rate_limit_event', rate_limit_info: { status: 'allowed' } },
    { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 2e9 } },
    said('API Error', { error: 'rate_limit' }),
  );
  expect(output).toMatchObject({
    rateLimit: { status: 'rejected', resetsAt: 2e12 },
    assistantError: 'rate_limit',
  });
});
