// What a server that was lost, hangs, or never came up leads to.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { identify } from '../../src/host/process.js';
import { serverStatus } from '../../src/server/index.js';
import { kill9, Project, script, withClient } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

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

test.each(['', '{"info":', '{}', 'null'])('a garbled record (%j) is replaced', async (content) => {
  mkdirSync(project.temporalDir, { recursive: true });
  writeFileSync(project.recordFile, content);
  expect(await serverStatus(project)).toEqual({ kind: 'stopped' });
  expect(await project.ensure()).toMatchObject({ started: true });
  expect(await serverStatus(project)).toMatchObject({ kind: 'running' });
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
