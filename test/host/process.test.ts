import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { identify, identifySelf, isAlive } from '../../src/host/process.js';
import { until } from '../support/until.js';

test('this process is alive under its own identity', () => {
  const self = identifySelf();
  expect(self.pid).toBe(process.pid);
  expect(isAlive(self)).toBe(true);
  expect(identifySelf()).toEqual(self);
});

test('a pid with another start time is another process', () => {
  expect(isAlive({ pid: process.pid, startTime: 'long ago' })).toBe(false);
});

test('a process is identified while it lives and not after it was killed', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const identity = identify(child.pid!)!;
  expect(isAlive(identity)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isAlive(identity)).toBe(false);
  expect(identify(child.pid!)).toBeUndefined();
});

test('a zombie counts as dead', async () => {
  // The inner shell ends at once; its parent became `sleep`, which never waits for it.
  const parent = spawn('sh', ['-c', 'sh -c "echo \\$\\$" & exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  try {
    const [line] = (await once(parent.stdout, 'data')) as [Buffer];
    const zombie = Number(line.toString().trim());
    await until(() => identify(zombie) === undefined, { what: 'the zombie to count as dead' });
    expect(() => process.kill(zombie, 0)).not.toThrow(); // it still has its entry in the process table
  } finally {
    parent.kill('SIGKILL');
  }
});

test('a process counts as dead only when its ports are free again, not when its first thread has ended', async () => {
  const code = `const { Worker } = require('worker_threads');
    for (let i = 0; i < 6; i++) new Worker('Buffer.alloc(2e7, 1); setInterval(() => {}, 1000)', { eval: true });
    const server = require('net').createServer().listen(0, '127.0.0.1', () => console.log(server.address().port));`;
  for (let round = 0; round < 5; round++) {
    const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
    const [line] = (await once(child.stdout, 'data')) as [Buffer];
    const identity = identify(child.pid!)!;
    child.kill('SIGKILL');
    while (isAlive(identity)); // looked at without a pause: the moment is short
    await bind(Number(line.toString()));
  }
});

/** Fails when the port is in use. */
async function bind(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen({ port, host: '127.0.0.1', exclusive: true }, resolve);
  });
  server.close();
}

test('a command name with spaces and parentheses does not hide the start time', async () => {
  const child = spawn(process.execPath, [
    '-e',
    'process.title = "a ) S (b 1 2 3"; setInterval(() => {}, 1000); console.log("up")',
  ]);
  try {
    await once(child.stdout, 'data');
    const identity = identify(child.pid!)!;
    expect(identity.startTime).toMatch(process.platform === 'linux' ? /^\d{2,}$/ : /\d/);
    expect(isAlive(identity)).toBe(true);
  } finally {
    child.kill('SIGKILL');
  }
});
