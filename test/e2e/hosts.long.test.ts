// Hosts of a fleet that have the name of another or are drained, and what `raymond fleet hosts` tells of versions and files.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import type { Fleet } from '../support/fleet.js';
import { Repository } from '../support/repository.js';
import { until } from '../support/until.js';
import { hostsOf, openFleet, QUEUE } from './hosts-place.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await openFleet();
  await fleet.host('east');
}, 60_000);
afterAll(() => fleet.close());

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
  const names = async (): Promise<readonly string[]> => (await hostsOf(fleet)).map(({ host }) => host);
  await until(async () => (await names()).includes('south'), { what: 'the host south' });
  process.kill('SIGTERM');
  await process;
  expect(await names()).not.toContain('south');
  await fleet.work('--host', 'south');
  await until(async () => (await names()).includes('south'), { what: 'the host south again' });
});

test('an agent whose files a host has stands beside it, too', async () => {
  const { url } = await Repository.of({ 'a.txt': 'a\n' });
  const flow = [...fleet.startOf('asks', 'asks'), '--detach', '--workspace', 'git', '--repo', url, '--ref', 'main'];
  expect(await fleet.call(flow)).toMatchObject({ exitCode: 0 });
  await fleet.shows('asks', /: asking/);
  const has = (await hostsOf(fleet)).filter(({ placed }) => placed.length > 0);
  expect(has).toMatchObject([{ alive: true, placed: [{ runId: 'asks', agentId: 'main' }] }]);
});

test('the version of a worker is reported', async () => {
  await fleet.work('--host', 'north', '--deployment', 'raymond', '--build-id', '7');
  const north = async (): Promise<boolean> =>
    (await hostsOf(fleet)).some(
      ({ host, workers }) => host === 'north' && workers[0]?.deployment === 'raymond' && workers[0].buildId === '7',
    );
  await until(north, { what: 'the version of north' });
  expect((await fleet.call(['hosts', ...QUEUE])).stdout).toMatch(/^north +alive +\d+ +7 /m);
});
