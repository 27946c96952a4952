// The stream-json events of the fake Claude, in the shapes of the real CLI. Must not print them.
import { randomUUID } from 'node:crypto';

const MODEL = 'claude-fake-1';
const USAGE = { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 5 };

/** Makes events for one process; `total` is the cost of the conversation so far. */
export function eventsOf({ sessionId, flags, total }) {
  const model = flags['--model'] ?? MODEL;
  const stamped = (event) => ({ ...event, session_id: sessionId, uuid: randomUUID() });
  const partial = flags['--include-partial-messages'] === true;
  let cost = total;
  return {
    init: () =>
      stamped({
        type: 'system',
        subtype: 'init',
        cwd: process.cwd(),
        model,
        tools: ['Bash'],
        mcp_servers: [],
        permissionMode: mode(flags),
      }),
    messageStart: (reply) => (partial ? messageStart(stamped, { reply, model }) : []),
    answer: (reply, text) => answer(stamped, { reply, text, model, partial }),
    message: (type, content) => stamped({ type, message: { role: type, content }, parent_tool_use_id: null }),
    rateLimit: (info) => stamped({ type: 'rate_limit_event', rate_limit_info: info }),
    denied: (denial) =>
      stamped({
        type: 'system',
        subtype: 'permission_denied',
        decision_reason_type: 'mode',
        message: 'denied',
        ...denial,
      }),
    big: (bytes) =>
      stamped({
        type: 'user',
        message: { role: 'user', content: [{ type: 'tool_result', content: 'x'.repeat(bytes) }] },
      }),
    result: (reply, text) => {
      cost += reply.costUsd ?? 0.01;
      return stamped(result({ reply, text, model, cost }));
    },
    cost: () => cost,
  };
}

function mode(flags) {
  return flags['--dangerously-skip-permissions'] === true
    ? 'bypassPermissions'
    : (flags['--permission-mode'] ?? 'default');
}

function messageStart(stamped, { reply, model }) {
  const usage = { ...USAGE, ...reply.usage, output_tokens: 1 };
  const message = { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model, content: [], usage };
  return [
    stamped({
      type: 'stream_event',
      event: { type: 'message_start', message },
      api_message_id: message.id,
      parent_tool_use_id: null,
    }),
  ];
}

function answer(stamped, { reply, text, model, partial }) {
  const failed = reply.assistantError !== undefined;
  const message = {
    id: `msg_${randomUUID()}`,
    role: 'assistant',
    model: failed ? '<synthetic>' : model,
    content: [{ type: 'text', text }],
    usage: { ...USAGE, output_tokens: 1 },
  };
  const said = stamped({
    type: 'assistant',
    message,
    parent_tool_use_id: null,
    ...(failed ? { error: reply.assistantError } : {}),
  });
  const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { ...USAGE, ...reply.usage } };
  return partial && !failed
    ? [said, stamped({ type: 'stream_event', event: delta, parent_tool_use_id: null })]
    : [said];
}

function result({ reply, text, model, cost }) {
  const isError = reply.isError === true;
  const subtype = reply.subtype ?? 'success';
  const own = reply.costUsd ?? 0.01;
  const used = { inputTokens: 10, outputTokens: 5, cacheReadInputTokens: 0, cacheCreationInputTokens: 0, costUSD: own };
  return {
    type: 'result',
    subtype,
    is_error: isError,
    ...(subtype === 'success' ? { result: text } : { errors: reply.errors ?? [text] }),
    num_turns: reply.numTurns ?? 1,
    duration_ms: 10,
    total_cost_usd: reply.onlyTotalCost === true ? own : cost,
    usage: { ...USAGE, ...reply.usage },
    ...(reply.onlyTotalCost === true
      ? {}
      : { modelUsage: { [model]: { ...used, costUSD: cost } }, model_usage_since_last_result: { [model]: used } }),
    permission_denials: reply.permissionDenials ?? [],
    terminal_reason: reply.terminalReason ?? (isError ? 'api_error' : 'completed'),
    ...(reply.apiErrorStatus === undefined ? {} : { api_error_status: reply.apiErrorStatus }),
  };
}
