// The network list of a sandbox, with real processes: what a script reaches through the proxy, and what it does not.
import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { TestWorker, failureOf } from '../activities/test-worker.js';
import { beforeRemoval } from '../support/folder.js';
import { describeUnless, noNetworkList } from '../support/unless.js';

/** A server of this host that redirects from `/away` to its address. */
async function server(): Promise<number> {
  const listening = createServer((request, response) => {
    if (request.url === '/away') response.writeHead(302, { location: `http://127.0.0.1:${port()}/` });
    response.end('reached');
  });
  const port = (): number => {
    const address = listening.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  };
  await new Promise<void>((resolve) => listening.listen(0, resolve));
  beforeRemoval(() => new Promise((resolve) => listening.close(() => resolve())));
  return port();
}

interface Reached {
  readonly got: readonly string[];
  readonly denied: readonly string[];
}

/** Which of the commands a script succeeds with, and what its turn says was denied. */
async function reached(network: readonly string[], commands: Readonly<Record<string, string>>): Promise<Reached> {
  const lines = Object.entries(commands).map(([name, command]) => `if ${command}; then echo "got ${name}"; fi`);
  const worker = await TestWorker.with(
    { 'START.sh': `${lines.join('\n')}\necho "<result>ok</result>"\n` },
    { settings: { sandbox: { kind: 'process', network } } },
  );
  const report = await worker.turn();
  expect(report.outcome).toMatchObject({ transition: { payload: 'ok' } });
  expect(await worker.processesOf('main')).toEqual([]);
  if (report.output === undefined) throw new Error('it printed nothing');
  const text = await worker.context.artifacts.text(report.output);
  const got = [...text.matchAll(/^got (.*)$/gm)].map(([, name]) => name ?? '');
  return { got, denied: report.warnings ?? [] };
}

describeUnless(noNetworkList())('a script with a network list', () => {
  test('reaches what is listed, and nothing beside the proxy', async () => {
    const port = await server();
    const { got, denied } = await reached(['localhost', 'example.invalid'], {
      'a listed host': `curl -sf http://localhost:${port}/ | grep -q reached`,
      'a listed host by a tunnel': `curl -sfp http://localhost:${port}/ | grep -q reached`,
      'its address': `curl -sf http://127.0.0.1:${port}/`,
      'a redirect to its address': `curl -sfL http://localhost:${port}/away`,
      'no proxy': `NO_PROXY='*' no_proxy='*' curl -sf http://localhost:${port}/`,
      'another host': 'curl -sf http://example.com/',
      'a name without an address': 'curl -sf http://example.invalid/',
      DNS: `python3 -c 'import socket; socket.getaddrinfo("example.com", 80)' 2>/dev/null`,
    });
    expect(got).toEqual(['a listed host', 'a listed host by a tunnel']);
    expect(denied).toEqual([
      'network: 127.0.0.1 is not in the network list of the sandbox',
      'network: example.com is not in the network list of the sandbox',
      expect.stringContaining('network: example.invalid is not found: '),
    ]);
  }, 60_000);

  test('gets by a wildcard no address of this host, of its network, or of a cloud', async () => {
    const port = await server();
    const { got, denied } = await reached(['*'], {
      'this host': `curl -sf http://localhost:${port}/`,
      'its address': `curl -sf http://127.0.0.1:${port}/`,
      'its address in IPv6': `curl -sf 'http://[::ffff:127.0.0.1]:${port}/'`,
      'its address as a number': `curl -sf http://2130706433:${port}/`,
      metadata: 'curl -sf http://169.254.169.254/',
    });
    expect(got).toEqual([]);
    expect(denied).toContain('network: localhost leads to 127.0.0.1, which is not public');
    expect(denied).toContain('network: 169.254.169.254 leads to 169.254.169.254, which is not public');
  }, 60_000);
});

test('a host without socat does not start a turn with a network list', async () => {
  const worker = await TestWorker.with(
    { 'START.sh': 'echo "<result>ok</result>"\n' },
    { settings: { sandbox: { kind: 'process', network: ['example.com'] } }, environment: { PATH: '/nowhere' } },
  );
  expect(await failureOf(worker.turn())).toMatchObject({ type: 'NeedsPerson' });
});
