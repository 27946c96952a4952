import { mkdirSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { runningServers } from '../../src/server/list.js';
import { stopServer } from '../../src/server/index.js';
import { Project } from './project.js';

let project: Project;
beforeEach(() => void (project = new Project()));
afterEach(() => project.remove());

async function found(pid: number): ReturnType<typeof runningServers> {
  return (await runningServers()).filter((server) => server.pid === pid);
}

test('a server is listed with its project from its start until it ends', async () => {
  const { pid, address, uiUrl } = await project.ensure();
  expect(await found(pid)).toEqual([{ pid, address, uiUrl, project: project.root }]);
  await stopServer(project);
  expect(await found(pid)).toEqual([]);
});

test('a server whose record is a folder is listed with its project, and keeps no other from being listed', async () => {
  const { pid } = await project.ensure();
  rmSync(project.recordFile);
  mkdirSync(project.recordFile);
  expect(await found(pid)).toMatchObject([{ project: project.root }]);
  rmSync(project.recordFile, { recursive: true });
});

test('a server whose folder was removed is listed without a project', async () => {
  const { pid, address, uiUrl } = await project.ensure();
  rmSync(project.raymondDir, { recursive: true });
  expect(await found(pid)).toEqual([{ pid, address, uiUrl }]);
});

test('a dev server that another user has started is none of ours', async () => {
  const words = ['-e', 'setInterval(() => undefined, 1e6)', 'server', 'start-dev', '--db-filename', 'x.db'];
  const other = spawn(process.execPath, words, { stdio: 'ignore' });
  try {
    expect(await found(other.pid ?? 0)).toEqual([]);
  } finally {
    other.kill();
  }
});

test.each(['linux', 'darwin'] as const)('the look of %s finds what the others find', async (platform) => {
  if (platform === 'linux' && process.platform !== 'linux') return;
  const { pid, address, uiUrl } = await project.ensure();
  expect(await runningServers(platform)).toContainEqual(expect.objectContaining({ pid, address, uiUrl }));
});
