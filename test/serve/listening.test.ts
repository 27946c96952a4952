// Clients that are slow or leave in the middle of a request: real connections to the HTTP server.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { EventHub } from '../../dist/serve/events/hub.js';
import type { Serving } from '../../dist/serve/handlers.js';
import { listening, type OpenServer } from '../../dist/serve/listening.js';
import { folder } from '../support/folder.js';
import { until } from '../support/until.js';

const LIMITS = { headersMs: 200, bodyMs: 300, requestMs: 5000, lookEveryMs: 50, connections: 100 };

const lines: string[] = [];
let server: OpenServer;
beforeAll(async () => {
  server = await opened(LIMITS);
});

async function opened(limits: typeof LIMITS): Promise<OpenServer> {
  // Nothing here comes to a handler: what arrives is all that counts.
  const serving = { hub: new EventHub(), raymond: { caller: { env: {} } } } as unknown as Serving;
  const options = { host: '127.0.0.1', port: 0, origins: [], report: (line: string) => void lines.push(line) };
  return await listening(options, { folder: await folder({}), serving, limits });
}
afterAll(() => server.close());

async function sending(text: string, { origin } = server): Promise<Socket> {
  const socket = connect(Number(new URL(origin).port), '127.0.0.1');
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  socket.write(text);
  return socket;
}

const POST = (): string =>
  [
    'POST /api/runs HTTP/1.1',
    `Host: ${new URL(server.origin).host}`,
    `Authorization: Bearer ${server.token}`,
    'Content-Type: application/json',
    'Content-Length: 100',
    '\r\n{"workflow":',
  ].join('\r\n');

const CUT = 'serve: POST /api/runs: the connection ended before the body had arrived';

test('headers that do not arrive end the connection', async () => {
  const socket = await sending('GET / HTTP/1.1\r\nHost: ');
  await once(socket, 'close');
  expect(lines).toEqual([]);
});

test('a JSON body that does not arrive ends the connection, with one line', async () => {
  const socket = await sending(POST());
  await once(socket, 'close');
  await until(() => lines.length > 0, { what: 'the line' });
  expect(lines.splice(0)).toEqual([CUT]);
});

test('a client that leaves in the middle of a body is one line', async () => {
  const socket = await sending(POST());
  socket.destroySoon();
  await until(() => lines.length > 0, { what: 'the line' });
  expect(lines.splice(0)).toEqual([CUT]);
});

test('a connection above the bound is closed at once, and one is accepted when another has ended', async () => {
  const small = await opened({ ...LIMITS, headersMs: 600_000, requestMs: 600_000, connections: 2 });
  try {
    const held = [await sending('GET / HTTP/1.1\r\n', small), await sending('GET / HTTP/1.1\r\n', small)];
    const above = await sending('', small);
    await until(() => above.closed, { what: 'the end of the third connection' });
    expect(held.map(({ closed }) => closed)).toEqual([false, false]);
    held[0]?.destroy();
    const asked = `GET / HTTP/1.1\r\nHost: ${new URL(small.origin).host}\r\nConnection: close\r\n\r\n`;
    const answers = async (): Promise<boolean> => {
      const socket = await sending(asked, small);
      await until(() => socket.closed, { what: 'its end' });
      return socket.bytesRead > 0;
    };
    await until(answers, { what: 'an answer' });
    held[1]?.destroy();
  } finally {
    await small.close();
  }
});
