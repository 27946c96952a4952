import { cpSync, existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Client, Connection } from '@temporalio/client';
import { defineSearchAttributeKey, TypedSearchAttributes } from '@temporalio/common';
import { isAlive } from '../../src/host/process.js';
import { SEARCH_ATTRIBUTES } from '../../src/protocol/ids.js';
import { serverStatus } from '../../src/server/index.js';
import { Project } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

test('a first start gives a server that answers, a record, a private folder, and says where the UI is', async () => {
  const server = await project.ensure();
  expect(server).toMatchObject({
    started: true,
    address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    uiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    database: join(project.temporalDir, `temporal-${server.serverVersion}.db`),
    logFile: join(project.temporalDir, 'server.log'),
  });
  expect(isAlive(server)).toBe(true);
  expect(project.record().info.pid).toBe(server.pid);
  expect(project.lines.at(-1)).toContain(server.uiUrl);
  expect(statSync(project.temporalDir).mode & 0o777).toBe(0o700);
  expect(statSync(project.recordFile).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(project.temporalDir, '.gitignore'), 'utf8')).toBe('*\n');
  expect(existsSync(`${server.database}.unfinished`)).toBe(false);
  expect(await httpStatus(server.uiUrl)).toBe(200);
});

test('a client works at once: our search attributes are there and closed runs are kept for 30 days', async () => {
  const server = await project.ensure();
  const connection = await Connection.connect({ address: server.address });
  try {
    const { config } = await connection.workflowService.describeNamespace({ namespace: 'default' });
    expect(Object.values(config!.customSearchAttributeAliases!).sort()).toEqual(Object.keys(SEARCH_ATTRIBUTES).sort());
    expect(Number(config!.workflowExecutionRetentionTtl!.seconds)).toBe(30 * 86_400);
    const client = new Client({ connection });
    const run = defineSearchAttributeKey('RaymondRun', 'KEYWORD');
    const cost = defineSearchAttributeKey('RaymondCostUsd', 'DOUBLE');
    const typedSearchAttributes = new TypedSearchAttributes([
      { key: run, value: 'r1' },
      { key: cost, value: 0.5 },
    ]);
    const handle = await client.workflow.start('none', { workflowId: 'w', taskQueue: 'q', typedSearchAttributes });
    const found = (await handle.describe()).typedSearchAttributes;
    expect([found.get(run), found.get(cost)]).toEqual(['r1', 0.5]);
  } finally {
    await connection.close();
  }
});

test('a second call reuses the running server without a word', async () => {
  const first = await project.ensure();
  project.lines.length = 0;
  const second = await project.ensure();
  expect(second).toEqual({ ...first, started: false, isFirst: false });
  expect(project.lines).toEqual([]);
});

test('calls at the same time in one process share one server', async () => {
  const servers = await Promise.all([project.ensure(), project.ensure(), project.ensure()]);
  expect(new Set(servers.map(({ pid }) => pid)).size).toBe(1);
  expect(servers.filter(({ started }) => started)).toHaveLength(1);
});

test('a moved project keeps its server', async () => {
  const first = await project.ensure();
  const raymondDir = join(project.root, 'moved');
  renameSync(project.raymondDir, raymondDir);
  const second = await project.ensure({ raymondDir });
  expect(second).toMatchObject({
    started: false,
    pid: first.pid,
    database: first.database.replace('.raymond', 'moved'),
  });
});

test('a copied project gets a server of its own', async () => {
  const first = await project.ensure();
  const raymondDir = join(project.root, 'copy');
  cpSync(project.raymondDir, raymondDir, { recursive: true });
  expect(await serverStatus({ raymondDir })).toEqual({ kind: 'stopped' });
  const second = await project.ensure({ raymondDir });
  expect(second.started).toBe(true);
  expect(second.pid).not.toBe(first.pid);
  expect(second.address).not.toBe(first.address);
  expect(isAlive(first)).toBe(true);
});

test('a path with characters that mean something in a URI is no problem', async () => {
  const raymondDir = join(project.root, '100%25 what?#x', '.raymond');
  const server = await project.ensure({ raymondDir });
  expect(existsSync(server.database)).toBe(true);
});

test('another CLI that is configured meanwhile is pointed out', async () => {
  const first = await project.ensure();
  const second = await project.ensure({ cli: '/somewhere/temporal' });
  expect(second.pid).toBe(first.pid);
  expect(project.lines.at(-1)).toMatch(/started from .*raymond server stop.*\/somewhere\/temporal/);
});

function httpStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}
