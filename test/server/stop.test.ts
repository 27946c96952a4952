import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { isAlive } from '../../src/host/process.js';
import { serverStatus, stopServer } from '../../src/server/index.js';
import { Project } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

test('a project without a server is stopped, and asking or stopping creates nothing', async () => {
  expect(await serverStatus(project)).toEqual({ kind: 'stopped' });
  expect(await stopServer(project)).toEqual({ kind: 'notRunning' });
  expect(existsSync(project.raymondDir)).toBe(false);
});

test('stop ends a running server politely, keeps its database, and stopping twice is no error', async () => {
  const { started: _, isFirst: _first, ...server } = await project.ensure();
  expect(await serverStatus(project)).toEqual({ kind: 'running', server });
  expect(await stopServer(project)).toEqual({ kind: 'stopped', server, forced: false });
  expect(isAlive(server)).toBe(false);
  expect(readFileSync(server.logFile, 'utf8')).toContain('Stopping server');
  expect(await serverStatus(project)).toEqual({ kind: 'stopped' });
  expect(await stopServer(project)).toEqual({ kind: 'notRunning' });
  expect(readdirSync(project.temporalDir)).toContain(`temporal-${server.serverVersion}.db`);
  expect(await project.ensure()).toMatchObject({ started: true, address: server.address });
});

test('a stop and a start at the same time end in one of the two states, never in between', async () => {
  const first = await project.ensure();
  const [stopped, second] = await Promise.all([stopServer(project), project.ensure()]);
  expect(stopped).toMatchObject({ kind: 'stopped', server: { pid: first.pid } });
  const status = await serverStatus(project);
  if (second.pid === first.pid) expect(status).toEqual({ kind: 'stopped' });
  else expect(status).toMatchObject({ kind: 'running', server: { pid: second.pid } });
});
