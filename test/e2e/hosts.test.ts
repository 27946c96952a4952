// The hosts of a fleet, as `raymond fleet hosts` tells of them: their workers, what they do now, and what they have.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { DOCUMENTS, type DocumentOf } from '../../src/client/documents/documents.js';
import { Place } from '../support/cli.js';
import { Fleet } from '../support/fleet.js';
import { folder } from '../support/folder.js';
import { Repository } from '../support/repository.js';
import { until } from '../support/until.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.open(
    {
      'asks/START.sh': 'echo "<ask next=\\"END\\">Which?</ask>"\n',
      'asks/END.sh': 'echo "<result>x</result>"\n',
      'slow/START.sh': 'touch "started-$ON_HOST"; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
    },
    { config: `workspace_root = ${JSON.stringify(await folder())}\n` },
  );
}, 60_000);
afterAll(() => fleet.close());

const QUEUE = ['--task-queue', 'fleet'];

async function hosts(): Promise<DocumentOf<'hosts'>> {
  const { stdout, stderr, exitCode } = await fleet.call(['hosts', ...QUEUE, '--json']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return DOCUMENTS.hosts.parse(JSON.parse(stdout));
}

test('a fleet without workers has no hosts, and the command says how to start one', async () => {
  expect(await fleet.call(['hosts', ...QUEUE])).toMatchObject({
    exitCode: 0,
    stdout: '',
    stderr: expect.stringContaining(`raymond fleet worker --address ${fleet.address} --task-queue fleet`),
  });
});

test('a project without a cluster is refused', async () => {
  const { exitCode, stderr } = await fleet.desk.raymond(['hosts']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 64, stderr: expect.stringContaining('give --address HOST:PORT') });
});

test('each host is listed with its workers and its own queue', async () => {
  const east = await fleet.host('east');
  const west = await fleet.host('west');
  const polls = async (): Promise<boolean> => (await hosts()).every(({ workers }) => workers[0]?.queues.length === 2);
  await until(polls, { what: 'both queues of both hosts' });
  const worker = (pid: number | undefined, host: string): unknown => ({
    pid,
    queues: ['fleet', `fleet@${host}`],
    lastPoll: expect.any(String),
    sandboxes: expect.any(Array),
  });
  expect(await hosts()).toEqual([
    { host: 'east', alive: true, workers: [worker(east.process.pid, 'east')], turns: [], placed: [] },
    { host: 'west', alive: true, workers: [worker(west.process.pid, 'west')], turns: [], placed: [] },
  ]);
});

test('another machine of the same name is refused; a worker of the same machine is not', async () => {
  const other = await Place.at();
  const words = ['worker', '--address', fleet.address, ...QUEUE, '--host', 'east'];
  const refused = await other.bin(words, { timeout: 20_000 });
  expect(refused).toMatchObject({
    exitCode: 64,
    stderr: expect.stringMatching(/another machine or project serves as host east \(pid \d+ .* --host NAME/),
  });
  await fleet.host('east');
});

test('a worker that was drained is not listed any more, and leaves its name to another machine', async () => {
  const { process } = await fleet.host('south');
  const names = async (): Promise<readonly string[]> => (await hosts()).map(({ host }) => host);
  await until(async () => (await names()).includes('south'), { what: 'the host south' });
  process.kill('SIGTERM');
  await process;
  expect(await names()).not.toContain('south');
  await fleet.work('--host', 'south');
  await until(async () => (await names()).includes('south'), { what: 'the host south again' });
});

test('the turn that a host does stands beside it', async () => {
  await fleet.start('slow', 'slow');
  const turns = async (): Promise<DocumentOf<'hosts'> | undefined> => {
    const all = await hosts();
    return all.some(({ turns: now }) => now.length > 0) ? all : undefined;
  };
  const busy = (await until(turns, { what: 'the turn' })).filter(({ turns: now }) => now.length > 0);
  expect(busy.map(({ turns: now }) => now)).toEqual([
    [{ runId: 'slow', agentId: 'main', state: 'START.sh', turn: 1, attempt: 1, phase: 'running' }],
  ]);
  const { stdout } = await fleet.call(['hosts', ...QUEUE]);
  expect(stdout).toMatch(/^HOST +STATUS +WORKERS +VERSION +SANDBOXES +LAST POLL +AGENTS PLACED +TURNS\n/);
  expect(stdout).toMatch(new RegExp(`^${busy[0]!.host} +alive +\\d+ .* ago +0 +slow/main START.sh$`, 'm'));
  await fleet.workshop.write('go');
  await fleet.shows('slow', /: completed/);
});

test('an agent whose files a host has stands beside it, too', async () => {
  const { url } = await Repository.of({ 'a.txt': 'a\n' });
  const flow = [...fleet.startOf('asks', 'asks'), '--detach', '--workspace', 'git', '--repo', url, '--ref', 'main'];
  expect(await fleet.call(flow)).toMatchObject({ exitCode: 0 });
  await fleet.shows('asks', /: asking/);
  const has = (await hosts()).filter(({ placed }) => placed.length > 0);
  expect(has).toMatchObject([{ alive: true, placed: [{ runId: 'asks', agentId: 'main' }] }]);
});

test('the version of a worker is reported', async () => {
  await fleet.work('--host', 'north', '--deployment', 'raymond', '--build-id', '7');
  const north = async (): Promise<boolean> =>
    (await hosts()).some(
      ({ host, workers }) => host === 'north' && workers[0]?.deployment === 'raymond' && workers[0].buildId === '7',
    );
  await until(north, { what: 'the version of north' });
  expect((await fleet.call(['hosts', ...QUEUE])).stdout).toMatch(/^north +alive +\d+ +7 /m);
});
