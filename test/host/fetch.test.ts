// Downloads through the proxy of the environment, with a real proxy and a real server.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { proxiedFetch } from '../../src/host/fetch.js';
import { setEnvironment } from '../support/environment.js';
import { until } from '../support/until.js';

const NONE = Object.fromEntries(
  ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'].map((name) => [name, undefined]),
);

let server: Server;
let proxy: Server;
let asked: string[];
/** A server does not close the connections that became tunnels. */
const tunnels: Duplex[] = [];
let restore: () => void;
beforeEach(async () => {
  asked = [];
  restore = setEnvironment(NONE);
  // A client may use a connection again for ten minutes.
  server = createServer({ keepAliveTimeout: 600_000 }, (_request, response) => response.end('the archive'));
  proxy = createServer().on('connect', (request, client) => {
    asked.push(request.url ?? '');
    const [host = '', port] = (request.url ?? '').split(':');
    const target = connect(Number(port), host, () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n');
      client.pipe(target).pipe(client);
    });
    tunnels.push(target, client);
    for (const socket of [target, client]) socket.on('error', () => target.destroy());
  });
  for (const one of [server, proxy]) await new Promise<void>((resolve) => one.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  restore();
  for (const socket of tunnels.splice(0)) socket.destroy();
  for (const one of [server, proxy]) {
    one.close();
    one.closeAllConnections();
  }
});

const portOf = (one: Server): number => (one.address() as AddressInfo).port;

async function fetched(environment: Readonly<Record<string, string>>): Promise<string> {
  const before = setEnvironment(environment);
  try {
    const url = new URL(`http://127.0.0.1:${portOf(server)}/file`);
    const { body } = await proxiedFetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000) });
    return await new Response(body).text();
  } finally {
    before();
  }
}

test('a download goes through the proxy of the environment', async () => {
  expect(await fetched({ http_proxy: `http://127.0.0.1:${portOf(proxy)}` })).toBe('the archive');
  expect(asked).toEqual([`127.0.0.1:${portOf(server)}`]);
});

test('no tunnel stays open after a download', async () => {
  await fetched({ http_proxy: `http://127.0.0.1:${portOf(proxy)}` });
  expect(tunnels).toHaveLength(2);
  await until(() => tunnels.every(({ destroyed }) => destroyed), { what: 'the end of the tunnel' });
});

test('a host of NO_PROXY is reached without it', async () => {
  const environment = { HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}`, NO_PROXY: '127.0.0.1' };
  expect(await fetched(environment)).toBe('the archive');
  expect(asked).toEqual([]);
});

test('without a proxy in the environment nothing else is asked', async () => {
  expect(await fetched({})).toBe('the archive');
  expect(asked).toEqual([]);
});

test('a proxy that cannot be reached is an error', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const port = portOf(gone);
  await new Promise((resolve) => gone.close(resolve));
  await expect(fetched({ HTTP_PROXY: `http://127.0.0.1:${port}` })).rejects.toThrow();
});
