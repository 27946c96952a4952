// A server that hangs, a database that was left half made or is open in another process, and records that lie.
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
import { identify, isAlive } from '../../src/host/process.js';
import { serverStatus, stopServer } from '../../src/server/index.js';
import { until } from '../support/until.js';
import { findCli } from '../../src/server/find.js';
import { BUILT_VERSION, installFolder } from '../../src/server/temporal-cli.js';
import { setEnvironment } from '../support/environment.js';
import { kill9, Project, script } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

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

test('a database whose creation was interrupted is made again', async () => {
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
  expect(project.lines[0]).toMatch(
    /1\.20\.3.*raymond down && RAYMOND_TEMPORAL_CLI=CLI raymond up, where CLI is a Temporal CLI with server 1\.20\.3$/,
  );
  expect(readFileSync(other, 'utf8')).toBe('of another version');
  await kill9(first);
  project.lines.length = 0;
  utimesSync(other, 1, 1);
  await project.ensure();
  expect(project.lines.filter((line) => line.includes('1.20.3'))).toEqual([]);
});

test('runs of an older server are shown by the command that is printed, while its CLI is installed', async () => {
  const cache = { XDG_CACHE_HOME: join(project.root, 'cache') };
  const restore = setEnvironment({ ...cache, RAYMOND_TEMPORAL_CLI: (await findCli({ report: () => undefined })).path });
  try {
    const older = script(installFolder(BUILT_VERSION), 'temporal', ['echo "temporal version 1 (Server 1.27.0, UI 2)"']);
    mkdirSync(project.temporalDir, { recursive: true });
    writeFileSync(join(project.temporalDir, 'temporal-1.27.0.db'), 'of another version');
    await project.ensure();
    expect(project.lines[0]).toContain(`to see them, run: raymond down && RAYMOND_TEMPORAL_CLI=${older} raymond up`);
  } finally {
    restore();
  }
});
