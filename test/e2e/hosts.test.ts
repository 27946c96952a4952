// The hosts of a fleet, as `raymond fleet hosts` tells of them: their workers, what they do now, and what they have; and
// a run that they do, followed from another project.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { DocumentOf } from '../../src/client/documents/documents.js';
import type { Fleet } from '../support/fleet.js';
import { until } from '../support/until.js';
import { hostsOf, openFleet, QUEUE } from './hosts-place.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await openFleet();
}, 60_000);
afterAll(() => fleet.close());

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
  const polls = async (): Promise<boolean> =>
    (await hostsOf(fleet)).every(({ workers }) => workers[0]?.queues.length === 2);
  await until(polls, { what: 'both queues of both hosts' });
  const worker = (pid: number | undefined, host: string): unknown => ({
    pid,
    queues: ['fleet', `fleet@${host}`],
    lastPoll: expect.any(String),
    sandboxes: expect.any(Array),
  });
  expect(await hostsOf(fleet)).toEqual([
    { host: 'east', alive: true, workers: [worker(east.process.pid, 'east')], turns: [], placed: [] },
    { host: 'west', alive: true, workers: [worker(west.process.pid, 'west')], turns: [], placed: [] },
  ]);
});

test('the turn that a host does stands beside it', async () => {
  await fleet.start('slow', 'slow');
  const turns = async (): Promise<DocumentOf<'hosts'> | undefined> => {
    const all = await hostsOf(fleet);
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

describe('start', () => {
  test('follows a run that a worker elsewhere does, and prints its result', async () => {
    const { stdout, stderr, exitCode } = await fleet.call([...fleet.startOf('hello', 'followed'), '--input', 'Ada']);
    expect({ stdout, exitCode }).toEqual({ stdout: 'hello Ada', exitCode: 0 });
    expect(stderr).toMatch(/main START\.sh → NEXT\.sh \(goto\)[^]*main NEXT\.sh → result "hello Ada"/);
    expect(stderr).not.toContain('no worker polls');
  });
});
