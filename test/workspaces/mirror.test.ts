// The mirrors of a host when the repository hangs, and when several want the same one at a time.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { acquireLock } from '../../src/host/lock.js';
import { git } from '../../src/workspaces/git.js';
import { mirrorPath, mirrorWith, RepositoryError } from '../../src/workspaces/mirror.js';
import { remoteCommit } from '../../src/workspaces/remote.js';
import { folder } from '../support/folder.js';
import { until } from '../support/until.js';

const env = { PATH: process.env['PATH'] ?? '', HOME: '/nonexistent' };
const COMMIT = 'c'.repeat(40);
let silent: Server;
let sockets: Socket[];
let root: string;

beforeEach(async () => {
  sockets = [];
  root = await folder();
  silent = createServer((socket) => void sockets.push(socket.on('error', () => undefined)));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
});

const hung = (protocol: string): string => `${protocol}://127.0.0.1:${(silent.address() as AddressInfo).port}/shop.git`;

async function repository(): Promise<{ readonly repo: string; readonly commit: string }> {
  const repo = await folder({ 'README.md': 'hello\n' });
  const inside = { cwd: repo, env };
  await git(['init', '--quiet', '-b', 'main'], inside);
  await git(['add', '.'], inside);
  await git(['commit', '--quiet', '-m', 'first'], inside);
  return { repo, commit: await git(['rev-parse', 'HEAD'], inside) };
}

test.each(['git', 'http'])(
  'a repository that accepts and never answers is given up (%s), once for all that wait',
  async (protocol) => {
    const origin = { repo: hung(protocol), commit: COMMIT };
    const tries = [1, 2, 3].map(() => mirrorWith(origin, { root, env, idleMs: 300 }));
    const ends = await Promise.allSettled(tries);
    for (const end of ends)
      expect(end).toMatchObject({
        status: 'rejected',
        reason: expect.objectContaining({
          name: RepositoryError.name,
          message: `the repository ${origin.repo} cannot be cloned: no progress for 0.3 s`,
        }),
      });
    // On a busy host the time can end before git has connected.
    expect(sockets.length).toBeLessThanOrEqual(1);
  },
);

test('what a hung repository names now is not waited for', async () => {
  await expect(remoteCommit(hung('git'), { inside: { cwd: root, env, idleMs: 100 } })).rejects.toThrow(
    'no progress for 0.1 s',
  );
});

test('a caller that is cancelled leaves a hung fetch at once; the last one ends it', async () => {
  const origin = { repo: hung('git'), commit: COMMIT };
  const [one, other] = [new AbortController(), new AbortController()];
  const first = mirrorWith(origin, { root, env, signal: one.signal });
  const second = mirrorWith(origin, { root, env, signal: other.signal });
  await until(() => sockets.length > 0, { what: 'the connection' });
  one.abort(new Error('the first is cancelled'));
  await expect(first).rejects.toThrow('the first is cancelled');
  expect(sockets[0]?.closed).toBe(false);
  other.abort(new Error('the second is cancelled'));
  await expect(second).rejects.toThrow('the second is cancelled');
  sockets[0]?.resume();
  await until(() => sockets[0]?.readableEnded ?? false, { what: 'the end of git' });
});

test('whose commit the mirror has does not wait for a fetch', async () => {
  const origin = await repository();
  const path = await mirrorWith(origin, { root, env });
  const lock = await acquireLock(`${path}.lock`);
  expect(await mirrorWith(origin, { root, env })).toBe(path);
  if (lock.kind === 'acquired') await lock.release();
});

test('a fetch waits for that of another process of the host', async () => {
  const origin = await repository();
  const path = mirrorPath(root, origin.repo);
  await mkdir(join(path, '..'), { recursive: true });
  const lock = await acquireLock(`${path}.lock`);
  let isDone = false;
  const made = mirrorWith(origin, { root, env }).finally(() => (isDone = true));
  await until(async () => (await git(['version'], { cwd: root, env })) !== '', {
    what: 'time in which git could begin',
  });
  expect(isDone).toBe(false);
  if (lock.kind === 'acquired') await lock.release();
  expect(await made).toBe(path);
});

test('ssh asks a silent host for a sign of life, unless the user has set how ssh is called', async () => {
  const bin = await folder();
  const said = join(bin, 'said');
  await writeFile(join(bin, 'ssh'), `#!/bin/sh\necho "$@" >>${said}\nexit 1\n`, { mode: 0o755 });
  const path = { ...env, PATH: `${bin}:${env.PATH}` };
  const ask = async (more: Readonly<Record<string, string>>): Promise<string> => {
    await writeFile(said, '');
    await remoteCommit('ssh://git@host/shop.git', { inside: { cwd: root, env: { ...path, ...more } } }).catch(
      () => undefined,
    );
    return await readFile(said, 'utf8');
  };
  expect(await ask({})).toContain('ServerAliveInterval=15');
  expect(await ask({ GIT_SSH_COMMAND: 'ssh -4' })).not.toContain('ServerAliveInterval');
  await git(['init', '--quiet'], { cwd: root, env });
  await git(['config', 'core.sshCommand', 'ssh -6'], { cwd: root, env });
  expect(await ask({})).toMatch(/^-6 /);
});
