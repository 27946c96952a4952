import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { existsSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findCli } from '../../src/server/find.js';
import { anyPorts, takenPorts, usualPorts } from '../../src/server/ports.js';
import { kill9, Project, script } from './project.js';

let project: Project;
const listeners: Server[] = [];
beforeEach(() => void (project = new Project()));
afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.close();
  await project.remove();
});

/** Takes a port; whoever connects gets no answer, as with a program that speaks something else. */
async function take(port: number): Promise<void> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve, reject) => {
    // Another test's server may have it already: taken is taken.
    const failed = (error: NodeJS.ErrnoException): void => (error.code === 'EADDRINUSE' ? resolve() : reject(error));
    server.once('error', failed).listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      listeners.push(server);
      resolve();
    });
  });
}

test('a folder has the same four ports every time, below those of outgoing connections', () => {
  const ports = usualPorts('/some/project');
  expect(usualPorts('/some/project')).toEqual(ports);
  expect(usualPorts('/other/project')).not.toEqual(ports);
  expect(usualPorts('/some/project', 1)).not.toEqual(ports);
  const numbers = Object.values(ports) as number[];
  expect(new Set(numbers).size).toBe(4);
  for (const port of numbers) expect(port >= 20_000 && port < 30_000).toBe(true);
});

test('ports of the system are four different free ones, and a taken one is seen', async () => {
  const ports = await anyPorts();
  expect(new Set(Object.values(ports)).size).toBe(4);
  expect(await takenPorts(ports)).toEqual([]);
  await take(ports.ui);
  expect(await takenPorts(ports)).toEqual([ports.ui]);
});

test.each(['grpc', 'ui', 'http', 'metrics'] as const)(
  'a usual %s port that is taken leads to other ports',
  async (name) => {
    const usual = usualPorts(project.temporalDir);
    await take(usual[name]);
    const server = await project.ensure();
    expect(server.started).toBe(true);
    const used = Object.values(project.record().ports) as number[];
    expect(used).not.toContain(usual[name]);
    expect(readFileSync(server.logFile, 'utf8')).not.toContain('address already in use'); // no try was wasted on it
  },
);

test('a port that was taken after the last server ended leads to other ports', async () => {
  const first = await project.ensure();
  const { ports } = project.record();
  await kill9(first);
  await take(ports.http);
  const second = await project.ensure();
  expect(second.started).toBe(true);
  expect(second.address).not.toBe(first.address);
});

test('a restarted server gets the ports of the one before, where its workers look for it', async () => {
  await take(usualPorts(project.temporalDir).ui);
  const first = await project.ensure();
  for (const listener of listeners.splice(0)) listener.close();
  await kill9(first);
  expect(await project.ensure()).toMatchObject({ started: true, address: first.address, uiUrl: first.uiUrl });
});

/** The real CLI behind a script that first lets a stranger take the port that the server was to get. */
async function robbedCli(times: number): Promise<string> {
  const real = await findCli({ report: () => undefined });
  const rob = `const s=require('net').createServer().listen(+process.argv[1],'127.0.0.1',()=>console.log('taken'));setTimeout(()=>process.exit(),20000)`;
  return script(project.root, 'temporal', [
    `if [ "$1" = --version ]; then exec ${real.path} --version; fi`,
    `count=$(cat ${project.root}/count 2>/dev/null || echo 0); echo $((count + 1)) > ${project.root}/count`,
    `if [ $count -lt ${times} ]; then`,
    `  mkfifo ${project.root}/fifo$count; ${process.execPath} -e "${rob}" "$6" > ${project.root}/fifo$count & echo $! >> ${project.root}/robbers`,
    `  read taken < ${project.root}/fifo$count`,
    'fi',
    `exec ${real.path} "$@"`,
  ]);
}

function endRobbers(): void {
  const file = join(project.root, 'robbers');
  if (existsSync(file))
    for (const pid of readFileSync(file, 'utf8').trim().split('\n')) process.kill(Number(pid), 'SIGKILL');
}

test('a port that another process takes between the look and the start leads to another try', async () => {
  try {
    const server = await project.ensure({ cli: await robbedCli(1) });
    expect(server.started).toBe(true);
    expect(server.address).not.toBe(`127.0.0.1:${usualPorts(project.temporalDir).grpc}`);
    expect(readFileSync(join(project.root, 'count'), 'utf8').trim()).toBe('2');
  } finally {
    endRobbers();
  }
});

test('when each port is taken before the server gets it, the error says so', async () => {
  try {
    await expect(project.ensure({ cli: await robbedCli(99) })).rejects.toMatchObject({ code: 'PortTaken' });
  } finally {
    endRobbers();
  }
});
