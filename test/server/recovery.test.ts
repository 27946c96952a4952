// What a server that was lost, hangs, or never came up leads to.
import { spawn } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { identify, isAlive } from '../../src/host/process.js';
import { serverStatus, stopServer } from '../../src/server/index.js';
import { until } from '../support/until.js';
import { kill9, Project, script } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address });
  try {
    return await work(new Client({ connection }));
  } finally {
    await connection.close();
  }
}

test('after kill -9 a new server runs on the same database and the same ports', async () => {
  const first = await project.ensure();
  await withClient(first.address, (client) => client.workflow.start('none', { workflowId: 'kept', taskQueue: 'q' }));
  await kill9(first);
  expect(await serverStatus(project)).toMatchObject({ kind: 'gone', server: { pid: first.pid } });
  const second = await project.ensure();
  expect(second).toMatchObject({ started: true, database: first.database, address: first.address, uiUrl: first.uiUrl });
  expect(second.pid).not.toBe(first.pid);
  const status = await withClient(second.address, (client) => client.workflow.getHandle('kept').describe());
  expect(status.status.name).toBe('RUNNING');
});

test('a record whose pid belongs to another process now is stale, and that process is left alone', async () => {
  const first = await project.ensure();
  await kill9(first);
  const other = spawn('sleep', ['60']);
  try {
    const record = project.record();
    writeFileSync(project.recordFile, JSON.stringify({ ...record, info: { ...record.info, pid: other.pid } }));
    expect(await serverStatus(project)).toMatchObject({ kind: 'gone' });
    const second = await project.ensure();
    expect(second.started).toBe(true);
    expect(second.pid).not.toBe(other.pid);
    expect(identify(other.pid!)).toBeDefined();
  } finally {
    other.kill('SIGKILL');
  }
});

test('a stale record whose process lives but whose port is not a Temporal server is not used', async () => {
  const first = await project.ensure();
  await kill9(first);
  const record = project.record();
  const other = spawn('sleep', ['60']);
  try {
    const identity = identify(other.pid!)!;
    writeFileSync(project.recordFile, JSON.stringify({ ...record, info: { ...record.info, ...identity } }));
    expect(await serverStatus(project)).toMatchObject({ kind: 'unresponsive', server: identity });
    await expect(project.ensure({ readyTimeoutMs: 100 })).rejects.toMatchObject({ code: 'NotAnswering' });
  } finally {
    other.kill('SIGKILL');
  }
});

test.each(['', '{"info":', '{}', 'null'])('a garbled record (%j) is replaced', async (content) => {
  mkdirSync(project.temporalDir, { recursive: true });
  writeFileSync(project.recordFile, content);
  expect(await serverStatus(project)).toEqual({ kind: 'stopped' });
  expect(await project.ensure()).toMatchObject({ started: true });
  expect(await serverStatus(project)).toMatchObject({ kind: 'running' });
});

test('a server that hangs is reported, not doubled; stop ends it by force and the next start works', async () => {
  const first = await project.ensure();
  process.kill(first.pid, 'SIGSTOP');
  const status = await until(async () => {
    const seen = await serverStatus({ raymondDir: project.raymondDir, answerMs: 100 });
    return seen.kind === 'running' ? undefined : seen; // the signal takes a moment
  });
  expect(status).toMatchObject({ kind: 'unresponsive', server: { pid: first.pid } });
  await expect(project.ensure({ answerMs: 100, readyTimeoutMs: 100 })).rejects.toMatchObject({
    code: 'NotAnswering',
    message: expect.stringMatching(new RegExp(`pid ${first.pid}.*raymond server stop`)),
  });
  expect(await stopServer({ raymondDir: project.raymondDir, politeMs: 50 })).toMatchObject({
    kind: 'stopped',
    forced: true,
  });
  expect(await project.ensure()).toMatchObject({ started: true });
});

test('a database whose creation was interrupted is made anew', async () => {
  const first = await project.ensure();
  await kill9(first);
  for (const suffix of ['', '-wal']) truncateSync(first.database + suffix, 4096);
  writeFileSync(`${first.database}.unfinished`, '');
  expect(await project.ensure()).toMatchObject({ started: true, database: first.database });
  expect(existsSync(`${first.database}.unfinished`)).toBe(false);
});

test.each([undefined, '', '{"info":'])(
  'a server that runs is found by its process when its record became %j',
  async (content) => {
    const first = await project.ensure();
    const lose = (): void =>
      content === undefined ? rmSync(project.recordFile) : writeFileSync(project.recordFile, content);
    lose();
    expect(await serverStatus(project)).toMatchObject({
      kind: 'running',
      server: { pid: first.pid, address: first.address },
    });
    expect(await project.ensure()).toEqual({ ...first, started: false, isFirst: false });
    expect(project.record()).toMatchObject({ info: { pid: first.pid } });
    lose();
    expect(await stopServer(project)).toMatchObject({ kind: 'stopped', forced: false });
    expect(isAlive(first)).toBe(false);
  },
);

test('a database that a process of another folder has open is never opened twice', async () => {
  const first = await project.ensure();
  const other = new Project();
  try {
    mkdirSync(other.temporalDir, { recursive: true });
    const database = join(other.temporalDir, basename(first.database));
    linkSync(first.database, database);
    await expect(other.ensure()).rejects.toMatchObject({
      code: 'DatabaseBusy',
      message: expect.stringContaining(database),
    });
    expect(existsSync(other.recordFile)).toBe(false);
  } finally {
    await other.remove();
  }
  expect(isAlive(first)).toBe(true);
});

test('the database of another CLI version is left alone and pointed out, until it is the older one', async () => {
  mkdirSync(project.temporalDir, { recursive: true });
  const other = join(project.temporalDir, 'temporal-1.20.3.db');
  writeFileSync(other, 'of another version');
  const first = await project.ensure();
  expect(first.database).not.toBe(other);
  expect(project.lines[0]).toMatch(/1\.20\.3.*RAYMOND_TEMPORAL_CLI.*temporal_cli/);
  expect(readFileSync(other, 'utf8')).toBe('of another version');
  await kill9(first);
  project.lines.length = 0;
  utimesSync(other, 1, 1);
  await project.ensure();
  expect(project.lines.filter((line) => line.includes('1.20.3'))).toEqual([]);
});

test('a server that ends at its start is an error with the last lines of its log', async () => {
  const cli = script(project.root, 'temporal', [
    'if [ "$1" = --version ]; then echo "temporal version 9 (Server 1.99.0, UI 2)"; exit; fi',
    'echo "first words"; echo "something is broken" >&2; exit 3',
  ]);
  await expect(project.ensure({ cli })).rejects.toMatchObject({
    code: 'CliFailed',
    message: expect.stringMatching(/ended at its start[^]*server\.log[^]*first words\n {2}something is broken/),
  });
  expect(await serverStatus(project)).toEqual({ kind: 'stopped' });
});

test('a server that never answers is ended and its silence is an error', async () => {
  const cli = script(project.root, 'temporal', [
    'if [ "$1" = --version ]; then echo "temporal version 9 (Server 1.99.0, UI 2)"; exit; fi',
    `echo $$ > ${project.root}/pid; exec sleep 60`,
  ]);
  await expect(project.ensure({ cli, readyTimeoutMs: 300 })).rejects.toMatchObject({ code: 'NotAnswering' });
  expect(identify(Number(readFileSync(join(project.root, 'pid'), 'utf8')))).toBeUndefined();
  expect(await serverStatus(project)).toEqual({ kind: 'stopped' });
});
