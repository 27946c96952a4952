// Packages from the web, against a server on this host: fetched once, whole and right, or not at all.
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/host/sha256.js';
import { openScope } from '../../src/packages/open.js';
import { fetchPackage, type FetchOptions } from '../../src/packages/remote.js';
import { folder } from '../support/folder.js';
import { thrownBy } from './thrown.js';
import { zipOf } from './zip-file.js';

const bytes = zipOf({ '1_START.md': 'Hello\n', 'B.md': `${Math.PI}`.repeat(5000) });
const sha256 = sha256Of(bytes);
const file = `flow-${sha256}.zip`;

let server: Server;
let cacheDir: string;
let requests: string[];
let answer: RequestListener;

beforeEach(async () => {
  cacheDir = join(await folder(), 'registry');
  requests = [];
  answer = (_request, response) => response.end(bytes);
  server = createServer((request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const limits = { answerMs: 1_000, pauseMs: 1_000, totalMs: 10_000 };
const get = (options: Partial<FetchOptions> = {}) => fetchPackage(`${base()}/a/${file}`, { cacheDir, ...options });

test('a package is fetched whole and kept under its hash, for its owner only', async () => {
  const path = join(cacheDir, `${sha256}.zip`);
  expect(await get()).toEqual({ path, url: `${base()}/a/${file}`, sha256 });
  expect(await readFile(path)).toEqual(bytes);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(cacheDir)).mode & 0o777).toBe(0o700);
  expect(await readdir(cacheDir)).toEqual([`${sha256}.zip`]);
});

test('what is in the cache is not asked for again, not even from a server that is gone', async () => {
  await get();
  const url = `${base()}/a/${file}`;
  server.closeAllConnections();
  server.close();
  expect((await fetchPackage(url, { cacheDir })).path).toBe(join(cacheDir, `${sha256}.zip`));
  expect(requests).toHaveLength(1);
});

test('a damaged file in the cache is fetched again', async () => {
  const { path } = await get();
  await writeFile(path, 'damaged');
  await get();
  expect(await readFile(path)).toEqual(bytes);
  expect(requests).toHaveLength(2);
});

test('several at once all succeed and leave one file', async () => {
  answer = (_request, response) => {
    response.write(bytes.subarray(0, 100));
    setTimeout(() => response.end(bytes.subarray(100)), 30);
  };
  const all = await Promise.all(Array.from({ length: 5 }, () => get()));
  expect(new Set(all.map(({ path }) => path)).size).toBe(1);
  expect(await readdir(cacheDir)).toEqual([`${sha256}.zip`]);
});

test('redirections are followed', async () => {
  answer = (request, response) => {
    if (request.url === '/elsewhere') response.end(bytes);
    else response.writeHead(302, { location: '/elsewhere' }).end();
  };
  await get();
  expect(requests).toEqual([`/a/${file}`, '/elsewhere']);
});

test('a slow server is waited for as long as something comes', async () => {
  answer = (_request, response) => {
    let at = 0;
    const timer = setInterval(() => {
      response.write(bytes.subarray(at, at + 60));
      if ((at += 60) < bytes.length) return;
      clearInterval(timer);
      response.end();
    }, 40);
  };
  expect((await get({ limits: { ...limits, answerMs: 10_000 } })).sha256).toBe(sha256);
});

describe('what goes wrong is a reason and leaves nothing behind', () => {
  const redirect =
    (location: string): RequestListener =>
    (_request, response) =>
      void response.writeHead(302, { location }).end();
  const failures: [string, RequestListener, RegExp][] = [
    [
      'a 404',
      (_, response) => response.writeHead(404).end('no'),
      /^Download: .*127\.0\.0\.1:\d+ answered 404; try again/,
    ],
    ['a part only', (_, response) => response.writeHead(206).end(bytes), /^Download: .* answered 206/],
    [
      'another file',
      (_, response) => response.end('other'),
      /^HashMismatch: .* does not match the SHA-256 in its name: the download has/,
    ],
    ['an end too early', (_, response) => response.end(bytes.subarray(0, 100)), /^HashMismatch: /],
    ['a connection that breaks', (_, response) => cutOff(response), /^Download: cannot fetch /],
    ['no answer', () => undefined, /^Download: .*no answer within 1 s/],
    [
      'a stream that stalls',
      (_, response) => void response.write(bytes.subarray(0, 50)),
      /^Download: .*it stalled for 1 s/,
    ],
    ['a redirection in a circle', redirect('/again'), /^Download: .*more than 5 redirects/],
    ['a redirection to a file', redirect('file:///etc/passwd'), /^Download: .*redirects to file:\/\//],
    ['a redirection to nowhere', redirect('http://'), /^Download: /],
    ['a redirection without a place', (_, response) => response.writeHead(302).end(), /^Download: .* answered 302/],
  ];

  function cutOff(response: Parameters<RequestListener>[1]): void {
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, 100), () => response.destroy());
  }

  test.each(failures)('%s', async (_title, listener, reason) => {
    answer = listener;
    expect(await thrownBy(() => get({ limits }))).toMatch(reason);
    expect(existsSync(cacheDir) ? await readdir(cacheDir) : []).toEqual([]);
  });

  test('too many bytes, as announced', async () => {
    expect(await thrownBy(() => get({ limits: { bytes: 100 } }))).toMatch(/^TooLarge: .*has more than 100 bytes/);
  });

  test('too many bytes, though none were announced', async () => {
    answer = (_request, response) => {
      response.write(bytes.subarray(0, 60));
      setTimeout(() => response.end(bytes.subarray(60)), 20);
    };
    expect(await thrownBy(() => get({ limits: { bytes: 100 } }))).toMatch(/^TooLarge: /);
    expect(await readdir(cacheDir)).toEqual([]);
  });

  test('an answer that grows when it is unpacked', async () => {
    answer = (_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5_000_000)));
    };
    expect(await thrownBy(() => get({ limits: { bytes: 1_000_000 } }))).toMatch(/^TooLarge: /);
  });

  test('a server that sends for ever', async () => {
    answer = (_request, response) => {
      const timer = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(timer));
    };
    expect(await thrownBy(() => get({ limits: { ...limits, totalMs: 400 } }))).toMatch(/^Download: .*more than 0\.4 s/);
  });

  test('a host that cannot be reached', async () => {
    const url = `http://127.0.0.1:9/${file}`;
    expect(await thrownBy(() => fetchPackage(url, { cacheDir }))).toMatch(
      /^Download: cannot fetch http:\/\/127\.0\.0\.1:9/,
    );
  });

  test('a cache that cannot be written', async () => {
    const root = await folder({ occupied: 'a file' });
    const thrown = await thrownBy(() => get({ cacheDir: join(root, 'occupied') }));
    expect(thrown).toMatch(/^Unreadable: cannot keep http.* in .*occupied: /);
  });
});

test.each([
  ['without a hash', 'flow.zip', 'does not end with a zip file that has its SHA-256'],
  ['with a hash in capitals', `flow-${sha256.toUpperCase()}.zip`, 'lower-case hex digits'],
  ['with two hashes', `${sha256}-${sha256}.zip`, 'has its SHA-256'],
  ['with a state', `${file}/START`, 'names a state; fetch the zip file without it'],
])('an address %s is refused before anything is fetched', async (_title, name, words) => {
  const thrown = await thrownBy(() => fetchPackage(`${base()}/${name}`, { cacheDir }));
  expect(thrown).toMatch(/^InvalidName: /);
  expect(thrown).toContain(words);
  expect(requests).toEqual([]);
});

test('a host that has a downloaded scope no more fetches it again when it opens it', async () => {
  const scope = { kind: 'zip', path: join(cacheDir, `${sha256}.zip`), url: `${base()}/${file}` } as const;
  expect(await (await openScope(scope)).list()).toEqual(['1_START.md', 'B.md']);
  await openScope(scope);
  expect(requests).toEqual([`/${file}`]);
});
