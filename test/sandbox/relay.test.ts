// The relay of sandboxed prompts, with real sockets: what passes, what it adds, and what it says of the rest.
import { createServer, request, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from '@jest/globals';
import { SOCKET, startRelay, type ModelAccess, type Relay } from '../../src/sandbox/relay.js';
import { Denials } from '../../src/sandbox/sockets.js';
import { beforeRemoval, folder } from '../support/folder.js';

interface Seen {
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An API that repeats what it gets, and says at once when it has the head of a request. */
async function upstream(): Promise<{ readonly url: string; readonly seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((incoming, response) => {
    void text(incoming).then((body) => {
      seen.push({ url: incoming.url, headers: incoming.headers, body });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  beforeRemoval(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`, seen };
}

async function relayTo(
  access: Partial<ModelAccess> & { readonly url: string },
): Promise<{ readonly relay: Relay; readonly socket: string }> {
  // Longer than the path of a socket may be.
  const place = await folder({ [`${'deep/'.repeat(30)}x`]: '' });
  const inside = join(place, 'deep/'.repeat(30));
  const all = { headers: {}, ownHeaders: ['authorization', 'x-api-key'], allowed: ['POST /v1/messages'], ...access };
  const relay = await startRelay(inside, all);
  const short = await folder();
  const { symlink } = await import('node:fs/promises');
  await symlink(inside, join(short, 'd'));
  return { relay, socket: join(short, 'd', SOCKET) };
}

async function post(
  socketPath: string,
  { path = '/v1/messages', body = '', headers = {} }: { path?: string; body?: string; headers?: object },
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return await new Promise((resolve, reject) => {
    const sent = request({ socketPath, path, method: 'POST', headers: { ...headers } }, (answer) => {
      text(answer).then((said) => resolve({ status: answer.statusCode, body: said }), reject);
    });
    sent.on('error', reject).end(body);
  });
}

test('it adds the credential, drops what the turn sets itself, and passes on bodies of any size', async () => {
  const { url, seen } = await upstream();
  const headers = { 'x-api-key': 'outside', 'anthropic-beta': 'oauth' };
  const { relay, socket } = await relayTo({ url: `${url}/gateway/`, headers });
  const body = 'x'.repeat(3_000_000);
  const own = { 'x-api-key': 'inside', authorization: 'Bearer inside', 'anthropic-beta': 'a,b', 'x-other': 'kept' };
  expect(await post(socket, { path: '/v1/messages?beta=true', body, headers: own })).toEqual({ status: 200, body });
  expect(seen).toMatchObject([{ url: '/gateway/v1/messages?beta=true', body }]);
  expect(seen[0]?.headers).toMatchObject({ 'x-api-key': 'outside', 'anthropic-beta': 'a,b,oauth', 'x-other': 'kept' });
  expect(seen[0]?.headers.authorization).toBeUndefined();
  expect(await relay.close()).toEqual([]);
});

test('it refuses every other request, and says so once', async () => {
  const { url, seen } = await upstream();
  const { relay, socket } = await relayTo({ url });
  for (const path of ['/v1/files', '/v1/files', '/v1/messages/../files', '/v1/messages/batches'])
    expect(await post(socket, { path })).toMatchObject({ status: 403, body: expect.stringContaining('does not pass') });
  expect(seen).toEqual([]);
  expect(await relay.close()).toEqual([
    "network: POST /v1/files of the model's API",
    "network: POST /v1/messages/../files of the model's API",
    "network: POST /v1/messages/batches of the model's API",
  ]);
});

test('an API that is not there is an error of the service, which Claude Code tries again', async () => {
  const { relay, socket } = await relayTo({ url: 'http://127.0.0.1:1' });
  const { status, body } = await post(socket, {});
  expect({ status, body: JSON.parse(body) as unknown }).toMatchObject({
    status: 502,
    body: { type: 'error', error: { message: expect.stringContaining("the model's API: connect ECONNREFUSED") } },
  });
  await relay.close();
});

test('TLS on its socket ends at once, with the likely reason', async () => {
  const { url } = await upstream();
  const { relay, socket } = await relayTo({ url });
  const client = connect(socket);
  client.write(Buffer.from([0x16, 0x03, 0x01, 0x00, 0x05, 1, 2, 3, 4, 5]));
  await new Promise((resolve) => client.once('close', resolve).resume());
  expect(await relay.close()).toEqual([expect.stringContaining('remove ANTHROPIC_BASE_URL from the settings')]);
});

test('what a turn was refused cannot control a terminal', () => {
  const denials = new Denials();
  denials.add('network: \u001b[2J\u0007example.com\nline \u009b31m');
  expect(denials.all).toEqual(['network: ?[2J?example.com?line ?31m']);
});
