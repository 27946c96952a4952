// A loopback Messages API that answers what a test says: the HTTP part, in plain JavaScript so that it also runs without a build.
// Must not decide what to answer; modelApiRules.mjs does.
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

const ERROR_TYPES = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

/** Starts the server, on an ephemeral port of the loopback interface unless another is named. See modelApiServer.d.mts. */
export async function startModelServer({ reply, port = 0, host = '127.0.0.1' }) {
  const requests = [];
  const server = http.createServer((incoming, outgoing) => {
    answer({ incoming, outgoing, requests, reply }).catch((error) => {
      if (!outgoing.headersSent) sendError(outgoing, { status: 500, message: `mock: ${error.message}` });
      else outgoing.destroy();
    });
  });
  await new Promise((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  return {
    url: `http://${host}:${server.address().port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer({ incoming, outgoing, requests, reply }) {
  const { pathname } = new URL(incoming.url, 'http://localhost');
  const body = await readJson(incoming);
  if (incoming.method === 'POST' && pathname === '/v1/messages') {
    const request = readRequest(incoming, body);
    requests.push(request);
    const chosen = await reply(request);
    if (chosen.delayMs !== undefined) await delay(chosen.delayMs);
    return send(outgoing, { chosen, body, number: requests.length });
  }
  if (pathname === '/v1/messages/count_tokens') return sendJson(outgoing, { status: 200, value: { input_tokens: 1 } });
  if (incoming.method === 'HEAD') return outgoing.writeHead(200).end();
  return sendError(outgoing, { status: 404, message: `mock: no ${incoming.method} ${pathname}` });
}

async function readJson(incoming) {
  const chunks = [];
  for await (const chunk of incoming) chunks.push(chunk);
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function readRequest(incoming, body) {
  const conversation = conversationOf(body.messages ?? []);
  return {
    conversation,
    newest: conversation.findLast(({ role, kind }) => role === 'user' && kind === 'text')?.text ?? '',
    sessionId: incoming.headers['x-claude-code-session-id'],
    credential: incoming.headers['authorization'] ?? incoming.headers['x-api-key'],
    model: body.model,
    tools: (body.tools ?? []).map(({ name }) => name),
    raw: body,
  };
}

/** What user and assistant said; system messages and reminders that the CLI injects are left out. */
function conversationOf(messages) {
  const talk = messages.filter(({ role }) => role === 'user' || role === 'assistant');
  return talk.flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return joinTexts(blocks.map((block) => ({ role, ...said(block) })).filter(({ text }) => text !== ''));
  });
}

function said(block) {
  switch (block.type) {
    case 'text':
      return { kind: 'text', text: withoutReminders(block.text) };
    case 'tool_use':
      return { kind: 'tool', text: `[${block.name}] ${JSON.stringify(block.input)}` };
    case 'tool_result':
      return { kind: 'tool-result', text: resultText(block.content) };
    default:
      return { kind: 'other', text: '' };
  }
}

function resultText(content) {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('\n');
}

function withoutReminders(text) {
  return text.replace(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim();
}

function joinTexts(parts) {
  const joined = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (last?.kind === 'text' && part.kind === 'text') last.text += `\n${part.text}`;
    else joined.push({ ...part });
  }
  return joined;
}

function send(outgoing, { chosen, body, number }) {
  if (chosen.hang === true) return undefined;
  if (chosen.status !== undefined) return sendError(outgoing, chosen);
  const message = messageOf({ chosen, body, number });
  if (body.stream !== true) return sendJson(outgoing, { status: 200, value: message });
  return stream(outgoing, { message, hang: chosen.hang });
}

function messageOf({ chosen, body, number }) {
  const content = [];
  if (chosen.text !== undefined) content.push({ type: 'text', text: chosen.text });
  if (chosen.tool !== undefined) content.push({ type: 'tool_use', id: `toolu_${number}`, ...chosen.tool });
  return {
    id: `msg_${number}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    content,
    stop_reason: chosen.tool === undefined ? 'end_turn' : 'tool_use',
    stop_sequence: null,
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 5,
      ...chosen.usage,
    },
  };
}

function stream(outgoing, { message, hang }) {
  outgoing.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (type, data) => outgoing.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  const { content, stop_reason, usage, ...head } = message;
  event('message_start', {
    message: { ...head, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
  });
  if (hang === 'mid') return;
  for (const [index, block] of content.entries()) {
    const { empty, delta } = pieces(block);
    event('content_block_start', { index, content_block: empty });
    event('content_block_delta', { index, delta });
    event('content_block_stop', { index });
  }
  event('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
  event('message_stop', {});
  outgoing.end();
}

function pieces(block) {
  return block.type === 'text'
    ? { empty: { type: 'text', text: '' }, delta: { type: 'text_delta', text: block.text } }
    : {
        empty: { ...block, input: {} },
        delta: { type: 'input_json_delta', partial_json: JSON.stringify(block.input) },
      };
}

function sendError(outgoing, { status, headers, errorType, message }) {
  const type = errorType ?? ERROR_TYPES[status] ?? 'api_error';
  sendJson(outgoing, { status, headers, value: { type: 'error', error: { type, message: message ?? type } } });
}

function sendJson(outgoing, { status, headers, value }) {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers });
  outgoing.end(JSON.stringify(value));
}
