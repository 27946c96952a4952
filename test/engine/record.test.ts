// Finding a project's engine by its files: whose lock counts, and what a record says that another version wrote; and its log.
import { beforeEach, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureEngine, rotateLog, stopEngine } from '../../src/engine/ensure.js';
import { claimEngine, engineFolder, engineStatus } from '../../src/engine/record.js';
import { identify, type ProcessIdentity } from '../../src/host/process.js';
import { folder } from '../support/folder.js';
import { NO_LINUX, NO_ROOT, testUnless } from '../support/unless.js';
import { until } from '../support/until.js';

let raymondDir: string;
beforeEach(async () => {
  raymondDir = await folder();
  await mkdir(engineFolder(raymondDir).dir);
});

const recorded = async (owner: ProcessIdentity, more: object = {}): Promise<void> => {
  const { lock, record } = engineFolder(raymondDir);
  await writeFile(lock, JSON.stringify({ ...owner, id: 'x' }));
  await writeFile(record, JSON.stringify({ ...owner, ...more }));
};

const self = (): ProcessIdentity => identify(process.pid) ?? { pid: 0, startTime: '' };

test('the lock and the record of another boot are those of no engine', async () => {
  await recorded({ pid: process.pid, startTime: '1' }, { version: '1.0.0' });
  expect(engineStatus(raymondDir)).toEqual({ kind: 'stopped' });
});

test('a record of an older format is that of an engine of an unknown version', async () => {
  await recorded(self());
  expect(engineStatus(raymondDir)).toMatchObject({
    kind: 'running',
    engine: { pid: process.pid, kind: 'background', version: 'unknown', config: '' },
  });
});

test('an engine removes the files that killed processes have left half-written, and no others', async () => {
  const { dir } = engineFolder(raymondDir);
  const [left, written] = [`lock.${2 ** 30}-mwwqgnte-0.tmp`, `engine.json.${process.pid}-mwwqgnte-0.tmp`];
  for (const name of [left, written, 'engine.log']) await writeFile(join(dir, name), '');
  const lock = await claimEngine(raymondDir);
  expect((await readdir(dir)).toSorted()).toEqual(['engine.log', 'lock', written].toSorted());
  if (lock.kind === 'acquired') await lock.release();
});

test('a frozen engine is found as such, and refused', async () => {
  const sleeper = execa('sleep', ['60'], { reject: false });
  const pid = sleeper.pid ?? 0;
  await recorded(identify(pid) ?? self());
  expect(engineStatus(raymondDir)).toMatchObject({ kind: 'running' });
  sleeper.kill('SIGSTOP');
  await until(() => engineStatus(raymondDir).kind === 'frozen', { what: 'the frozen process' });
  const options = { root: raymondDir, raymondDir, env: {}, version: '', config: '', report: () => undefined };
  await expect(ensureEngine(options)).rejects.toThrow(`continue it with: kill -CONT ${pid}`);
  sleeper.kill('SIGKILL');
  await sleeper;
});

testUnless(NO_LINUX ?? (NO_ROOT === undefined ? 'root may end the processes of all users' : undefined))(
  'the engine of another user is not stopped, and nothing is written about it',
  async () => {
    await recorded(identify(1) ?? self());
    await expect(stopEngine({ raymondDir })).rejects.toThrow('(process 1) belongs to another user');
  },
);

test('a log that has become too long is put aside, and a short one is not', async () => {
  const { log } = engineFolder(raymondDir);
  await writeFile(log, 'short');
  await rotateLog(log);
  expect(await readFile(log, 'utf8')).toBe('short');
  await writeFile(log, Buffer.alloc(5 * 2 ** 20));
  await rotateLog(log);
  await expect(readFile(log)).rejects.toThrow('ENOENT');
  expect(await readFile(`${log}.1`)).toHaveLength(5 * 2 ** 20);
});
