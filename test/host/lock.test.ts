import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { acquireLock, type LockResult, readLockOwner, waitForLock } from '../../src/host/lock.js';
import { identifySelf } from '../../src/host/process.js';
import { transpile } from '../support/transpile.js';

let scripts: string;
let folder: string;
let path: string;
const children = new Set<ChildProcess>();

beforeAll(() => {
  scripts = transpile(['host']);
  writeFileSync(join(scripts, 'contender.js'), CONTENDER);
  writeFileSync(join(scripts, 'counter.js'), COUNTER);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'raymond-lock-'));
  path = join(folder, 'x.lock');
});
afterEach(async () => {
  await Promise.all([...children].map(killed));
  rmSync(folder, { recursive: true, force: true });
});

// Tries the lock once per message and tells the outcome; on `release` gives it back.
const CONTENDER = `
import { acquireLock } from './host/lock.js';
let held;
process.on('message', async (message) => {
  if (message === 'release') { await held?.release(); held = undefined; return process.send('released'); }
  const result = await acquireLock(message);
  if (result.kind === 'acquired') held = result;
  process.send(result.kind === 'held' ? { kind: 'held', pid: result.owner.pid } : { kind: 'acquired', pid: process.pid });
});
process.send('ready');
`;

// Takes the lock again and again; inside it leaves its pid in a file that must never name another living process.
const COUNTER = `
import { readFileSync, writeFileSync, rmSync, appendFileSync } from 'node:fs';
import { waitForLock } from './host/lock.js';
import { identify } from './host/process.js';
const [path, inside, log] = process.argv.slice(2);
const other = () => { try { return Number(readFileSync(inside, 'utf8')); } catch { return undefined; } };
for (;;) {
  const lock = await waitForLock(path, { timeoutMs: 60000 });
  if (lock.kind !== 'acquired') continue;
  const pid = other();
  if (pid && identify(pid)) appendFileSync(log, 'violated by ' + process.pid + ' and ' + pid + '\\n');
  writeFileSync(inside, String(process.pid));
  await new Promise((done) => setImmediate(done));
  if (other() !== process.pid) appendFileSync(log, 'overwritten in ' + process.pid + '\\n');
  rmSync(inside);
  appendFileSync(log, 'entered\\n');
  await lock.release();
}
`;

function start(script: string, args: string[] = []): ChildProcess {
  const child = fork(join(scripts, script), args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], execArgv: [] });
  children.add(child);
  child.once('exit', () => children.delete(child));
  return child;
}

async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, 'exit');
  if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await exit;
}

async function ask(child: ChildProcess, message: string): Promise<{ kind: string; pid: number }> {
  const answer = once(child, 'message');
  child.send(message);
  return (await answer)[0] as { kind: string; pid: number };
}

function mustAcquire(result: LockResult): LockResult & { kind: 'acquired' } {
  if (result.kind !== 'acquired') throw new Error(`held by ${result.owner.pid}`);
  return result;
}

function deadPid(): number {
  return spawnSync('true').pid;
}

const stale = JSON.stringify({ pid: deadPid(), startTime: '1', id: 'gone' });
const staleLock = (): string => stale;

test('a free lock is acquired, names its owner and its note, and is free again after its release', async () => {
  const lock = mustAcquire(await acquireLock(path, { purpose: 'test' }));
  expect(readLockOwner(path)).toEqual({ ...identifySelf(), note: { purpose: 'test' } });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await lock.release();
  expect(readLockOwner(path)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

test('a lock of a living process is held, also for its own process', async () => {
  const lock = mustAcquire(await acquireLock(path));
  expect(await acquireLock(path)).toEqual({ kind: 'held', owner: identifySelf() });
  await lock.release();
});

test('a second release does not take away the lock of the next owner', async () => {
  const first = mustAcquire(await acquireLock(path));
  await first.release();
  const second = mustAcquire(await acquireLock(path));
  await first.release();
  expect(readLockOwner(path)).toBeDefined();
  await second.release();
});

test('a lock of a process that was killed is taken over at once', async () => {
  const child = start('contender.js');
  await once(child, 'message');
  expect(await ask(child, path)).toMatchObject({ kind: 'acquired' });
  expect(await acquireLock(path)).toMatchObject({ kind: 'held', owner: { pid: child.pid } });
  await killed(child);
  const lock = mustAcquire(await acquireLock(path));
  expect(readLockOwner(path)).toEqual(identifySelf());
  await lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['an empty file', () => ''],
  ['a garbled file', () => '{"pid": 1'],
  ['a file with other content', () => 'null'],
  ['a file of a reused pid', () => JSON.stringify({ pid: process.pid, startTime: 'before', id: 'x' })],
  ['a file of a dead process', staleLock],
])('%s does not hold the lock', async (_, content) => {
  writeFileSync(path, content());
  expect(readLockOwner(path)).toBeUndefined();
  await mustAcquire(await acquireLock(path)).release();
});

test('a takeover that was killed half way does not block the next one', async () => {
  writeFileSync(path, staleLock());
  writeFileSync(`${path}.takeover`, staleLock());
  await mustAcquire(await acquireLock(path)).release();
  expect(readdirSync(folder)).toEqual([]);
});

test('waiting ends when the owner lets go', async () => {
  const lock = mustAcquire(await acquireLock(path));
  const waiting = waitForLock(path, { timeoutMs: 10_000, note: { n: '2' } });
  await lock.release();
  const second = mustAcquire(await waiting);
  expect(readLockOwner(path)?.note).toEqual({ n: '2' });
  await second.release();
});

test('waiting ends when the owner is killed', async () => {
  const child = start('contender.js');
  await once(child, 'message');
  await ask(child, path);
  const waiting = waitForLock(path, { timeoutMs: 10_000 });
  await killed(child);
  await mustAcquire(await waiting).release();
});

test('waiting gives up at its deadline and names the owner', async () => {
  const lock = mustAcquire(await acquireLock(path));
  expect(await waitForLock(path, { timeoutMs: 60 })).toEqual({ kind: 'held', owner: identifySelf() });
  await lock.release();
});

test('a folder with the name of the lock is an error that names it; to a reader the lock is free', async () => {
  mkdirSync(path);
  await expect(acquireLock(path)).rejects.toThrow(`cannot write ${path}: a folder is in the way (EISDIR)`);
  expect(readLockOwner(path)).toBeUndefined();
});

test('a folder that does not exist is an error, not a wait', async () => {
  await expect(acquireLock(join(folder, 'no', 'x.lock'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('of processes that take over the same stale lock at the same time exactly one gets it', async () => {
  const contenders = Array.from({ length: 5 }, () => start('contender.js'));
  await Promise.all(contenders.map((child) => once(child, 'message')));
  for (let round = 0; round < 40; round++) {
    writeFileSync(path, staleLock());
    const outcomes = await Promise.all(contenders.map((child) => ask(child, path)));
    const owners = outcomes.filter(({ kind }) => kind === 'acquired');
    expect(owners).toHaveLength(1);
    expect(readLockOwner(path)?.pid).toBe(owners[0]?.pid);
    await Promise.all(contenders.map((child) => ask(child, 'release')));
    expect(existsSync(path)).toBe(false);
  }
});

test('no two processes are inside at once while owners are killed at random moments', async () => {
  const log = join(folder, 'log');
  const lines = async (): Promise<string[]> =>
    (existsSync(log) ? (await import('node:fs')).readFileSync(log, 'utf8') : '').split('\n');
  const spawnOne = (): ChildProcess => start('counter.js', [path, join(folder, 'inside'), log]);
  const running = [spawnOne(), spawnOne(), spawnOne()];
  for (let kill = 0; kill < 20; kill++) {
    const seen = (await lines()).length;
    const deadline = Date.now() + 20_000;
    while ((await lines()).length < seen + 5 + Math.random() * 30) {
      if (Date.now() > deadline) throw new Error('nobody gets the lock any more');
      await new Promise((done) => setTimeout(done, Math.random() * 8));
    }
    const index = kill % running.length;
    await killed(running[index]!);
    running[index] = spawnOne();
  }
  expect((await lines()).filter((line) => line !== 'entered' && line !== '')).toEqual([]);
});
