import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sha256Of } from '../../src/host/sha256.js';
import { TEMPORAL_CLI_ARCHIVES } from '../../src/host/tested-versions.js';
import { installCli } from '../../src/server/install.js';
import { installedCli, installFolder } from '../../src/server/temporal-cli.js';
import { downloadCli } from '../../src/server/download.js';
import { setEnvironment } from '../support/environment.js';
import { onlyTemporary, script } from './project.js';

let root: string;
let folder: string;
let lines: string[];
let server: Server | undefined;
let restore: () => void;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'raymond-download-'));
  folder = join(root, 'target');
  mkdirSync(folder);
  lines = [];
  restore = setEnvironment({
    PATH: process.env.PATH,
    XDG_CACHE_HOME: join(root, 'cache'),
    RAYMOND_TEMPORAL_DOWNLOAD_URL: undefined,
    RAYMOND_TEMPORAL_DOWNLOAD_SHA256: sha256Of(archive),
  });
  onlyTemporary(installFolder());
});
afterEach(() => {
  restore();
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(root, { recursive: true, force: true });
});

const report = (line: string): number => lines.push(line);

async function serve(listener: RequestListener): Promise<void> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  process.env.RAYMOND_TEMPORAL_DOWNLOAD_URL = `http://127.0.0.1:${(listening.address() as AddressInfo).port}/cli/archive/`;
}

/** A tar.gz with the named stand-in inside, padded so that it has some length. */
function makeArchive(name: string): Buffer {
  const source = mkdtempSync(join(tmpdir(), 'raymond-archive-'));
  script(source, name, ['echo "temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)"']);
  writeFileSync(join(source, 'LICENSE'), Array.from({ length: 20_000 }, (_, index) => `${Math.sin(index)}`).join('\n'));
  spawnSync('tar', ['-czf', join(source, 'archive.tgz'), '-C', source, name, 'LICENSE']);
  const bytes = readFileSync(join(source, 'archive.tgz'));
  rmSync(source, { recursive: true });
  return bytes;
}

const archive = makeArchive('temporal');
const otherArchive = makeArchive('tctl');

test('the official archive of this platform is fetched and unpacked', async () => {
  const seen: (string | undefined)[] = [];
  await serve((request, response) => {
    seen.push(request.url);
    response.end(archive);
  });
  expect(await downloadCli({ folder, report })).toEqual({ kind: 'fetched', path: join(folder, 'temporal') });
  expect(seen).toEqual([
    expect.stringMatching(/^\/cli\/archive\/v1\.9\.1\?platform=(linux|darwin|windows)&arch=(amd64|arm64)$/),
  ]);
  expect(lines[0]).toMatch(/downloading the Temporal CLI v1\.9\.1 from 127\.0\.0\.1/);
});

test('an installation puts the downloaded CLI into the cache, whole, executable and alone', async () => {
  await serve((_, response) => response.end(archive));
  expect(await installCli({ report })).toEqual({
    kind: 'installed',
    cli: { path: installedCli(), serverVersion: '1.29.1' },
  });
  expect(spawnSync(installedCli(), ['--version'], { encoding: 'utf8' }).stdout).toContain('Server 1.29.1');
  expect(spawnSync('ls', ['-A', installFolder()], { encoding: 'utf8' }).stdout.trim()).toBe('temporal');
});

const failures: [string, RequestListener, RegExp, { answerMs?: number; pauseMs?: number }?][] = [
  ['a 404', (_, response) => response.writeHead(404).end('no'), /\/cli\/archive\/v1\.9\.1\?.* answered 404/],
  ['a connection that breaks', (_, response) => void cutOff(response, 200_000), /cannot download from 127\.0\.0\.1/],
  ['a truncated archive', (_, response) => response.end(archive.subarray(0, 50_000)), /it was not used/],
  ['no archive at all', (_, response) => response.end('<html>please log in</html>'), /it was not used/],
  [
    'an archive with another checksum',
    (_, response) => response.end(otherArchive),
    new RegExp(
      `the SHA-256 of the archive from 127.0.0.1:\\d+ is ${sha256Of(otherArchive)}, but .* ${sha256Of(archive)}`,
    ),
  ],
  ['an answer that never comes', () => undefined, /no answer from 127\.0\.0\.1:\d+ within 0\.1 s/, { answerMs: 100 }],
  [
    'a stream that stalls',
    (_, response) => void response.write(archive.subarray(0, 50_000)),
    /it stalled for 0\.1 s/,
    { pauseMs: 100 },
  ],
];

function cutOff(response: Parameters<RequestListener>[1], length: number): void {
  response.writeHead(200, { 'content-length': length });
  response.write(archive.subarray(0, 50_000), () => response.destroy());
}

test('a slow stream is waited for as long as something comes', async () => {
  const parts = Array.from({ length: 10 }, (_, index) =>
    archive.subarray((index * archive.length) / 10, ((index + 1) * archive.length) / 10),
  );
  await serve((_, response) => {
    const timer = setInterval(() => {
      const part = parts.shift();
      if (part !== undefined) return void response.write(part);
      clearInterval(timer);
      response.end();
    }, 60);
  });
  expect(await downloadCli({ folder, report, pauseMs: 500 })).toMatchObject({ kind: 'fetched' });
});

test.each(failures)('%s is a reason', async (...[, listener, reason, limits]) => {
  await serve(listener);
  const result = await downloadCli({ folder, report, ...limits });
  expect(result).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
});

test.each(failures.slice(0, 5))('%s leaves nothing in the cache', async (_, listener) => {
  await serve(listener);
  process.env.PATH = folder; // without go
  expect(await installCli({ report })).toMatchObject({ kind: 'failed' });
  expect(readdirSync(installFolder())).toEqual([]);
});

test.each([
  ['something else', otherArchive, /the archive holds no temporal/],
  ['no archive', Buffer.from('bytes'), /cannot be unpacked: .*/],
])('a mirror whose checksum is that of %s is a reason', async (_, bytes, reason) => {
  process.env.RAYMOND_TEMPORAL_DOWNLOAD_SHA256 = sha256Of(bytes);
  await serve((_request, response) => response.end(bytes));
  expect(await downloadCli({ folder, report })).toEqual({ kind: 'failed', reason: expect.stringMatching(reason) });
});

test('without a checksum of its own a mirror has to give the archive of the release', async () => {
  delete process.env.RAYMOND_TEMPORAL_DOWNLOAD_SHA256;
  await serve((_, response) => response.end(archive));
  const { reason } = (await downloadCli({ folder, report })) as { readonly reason: string };
  const pinned = Object.values(TEMPORAL_CLI_ARCHIVES);
  expect(pinned.some((sha256) => reason.includes(`of the release is ${sha256}`))).toBe(true);
  expect(pinned.every((sha256) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true);
  expect(new Set(pinned).size).toBe(pinned.length);
});

test('a host that cannot be reached is a reason', async () => {
  process.env.RAYMOND_TEMPORAL_DOWNLOAD_URL = 'http://127.0.0.1:9';
  expect(await downloadCli({ folder, report })).toEqual({
    kind: 'failed',
    reason: expect.stringContaining('cannot download from 127.0.0.1:9'),
  });
});
