// What becomes of the server when the processes that start it race, end, or are killed: with real processes.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { NO_LINUX, testUnless } from '../support/unless.js';
import { isAlive } from '../../src/host/process.js';
import type { EnsuredServer } from '../../src/server/index.js';
import { transpile } from '../support/transpile.js';
import { until } from '../support/until.js';
import { Project, script } from './project.js';

// Prints the server, or the error, as JSON; with "stay" it does not end by itself.
const STARTER = `
import { ensureServer } from './server/index.js';
const [raymondDir, stay, cli] = process.argv.slice(2);
const options = cli ? { cli, readyTimeoutMs: 100 } : {};
console.log(JSON.stringify(await ensureServer({ raymondDir, report: () => {}, ...options }).catch((error) => error)));
if (stay === 'stay') setInterval(() => {}, 1000);
`;

// What a starter may have around it: secrets, settings of the Temporal CLI, the mark of the turn that it is part of.
const INHERITED = { RAYMOND_ATTEMPT: 'a1', ANTHROPIC_API_KEY: 'secret', TEMPORAL_ENV: 'nowhere', SECRET: 'secret' };

let scripts: string;
let project: Project;
const starters: ChildProcess[] = [];

beforeAll(() => {
  scripts = transpile(['host', 'protocol', 'server']);
  writeFileSync(join(scripts, 'starter.js'), STARTER);
});
afterAll(() => rmSync(scripts, { recursive: true, force: true }));
beforeEach(() => void (project = new Project()));
afterEach(async () => {
  for (const starter of starters.splice(0)) starter.kill('SIGKILL');
  await project.remove();
});

/** A starter in a process group of its own, as a shell would start it. */
function start(...args: string[]): ChildProcess {
  const starter = spawn(process.execPath, [join(scripts, 'starter.js'), project.raymondDir, ...args], {
    detached: true,
    env: { ...process.env, ...INHERITED },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  starters.push(starter);
  return starter;
}

async function answer(starter: ChildProcess): Promise<EnsuredServer> {
  const silence = once(starter, 'exit').then(([code]) => {
    throw new Error(`it ended without a word (exit ${code})`);
  });
  const [data] = (await Promise.race([once(starter.stdout!, 'data'), silence])) as [Buffer];
  return JSON.parse(data.toString()) as EnsuredServer;
}

test('two processes that start at once on a cold project share one server', async () => {
  const servers = await Promise.all([start(), start()].map(answer));
  expect(servers[0]!.pid).toBe(servers[1]!.pid);
  expect(servers.map(({ started }) => started).sort()).toEqual([false, true]);
});

test('the server outlives a starter that ends', async () => {
  const starter = start();
  const exit = once(starter, 'exit');
  const server = await answer(starter);
  expect(await exit).toEqual([0, null]);
  expect(await project.ensure()).toMatchObject({ pid: server.pid, started: false });
});

test.each(['SIGINT', 'SIGKILL'] as const)(
  'the server outlives %s to the process group of its starter',
  async (signal) => {
    const starter = start('stay');
    const server = await answer(starter);
    const exit = once(starter, 'exit');
    process.kill(-starter.pid!, signal);
    expect(await exit).toEqual([null, signal]);
    expect(await project.ensure()).toMatchObject({ pid: server.pid, started: false });
  },
);

test('a start whose starter is killed half way is finished by the next one', async () => {
  const starter = start();
  await until(() => existsSync(project.recordFile), { everyMs: 1 });
  starter.kill('SIGKILL');
  await once(starter, 'exit');
  const { info } = project.record();
  const server = await project.ensure();
  expect(server).toMatchObject({ pid: info.pid, started: false });
  expect(existsSync(`${server.database}.unfinished`)).toBe(false);
  expect(isAlive(server)).toBe(true);
});

test('a start in vain says why, also in a process that does nothing else', async () => {
  const cli = script(project.root, 'temporal', [
    'if [ "$1" = --version ]; then echo "temporal version 9 (Server 1.99.0, UI 2)"; exit; fi',
    'exec sleep 60',
  ]);
  expect(await answer(start('leave', cli))).toMatchObject({ name: 'ServerError', code: 'NotAnswering' });
});

const onLinux = testUnless(NO_LINUX);
onLinux('the server inherits no secret, no Temporal setting and no mark of a turn', async () => {
  const { pid } = await answer(start());
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const names = environment.map((entry) => entry.split('=')[0]);
  expect(names).toContain('PATH');
  expect(names.filter((name) => name !== undefined && name in INHERITED)).toEqual([]);
});
