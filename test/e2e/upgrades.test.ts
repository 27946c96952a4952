// Versions of workers that cannot be rolled out; upgrades.long.test.ts rolls some out.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Fleet } from '../support/fleet.js';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await Fleet.open({});
}, 60_000);
afterAll(() => fleet.close());

const version = (buildId: string): readonly string[] => ['--deployment', 'raymond', '--build-id', buildId];

test('a version that nobody serves is not rolled out', async () => {
  const { exitCode, stderr } = await fleet.call(['rollout', ...version('none'), '--timeout', '1s']);
  expect({ exitCode, stderr }).toEqual({
    exitCode: 69,
    stderr: expect.stringContaining('start one with: raymond fleet worker --deployment raymond --build-id none'),
  });
});

test('half of a version is refused, and any on the embedded server', async () => {
  const half = await fleet.call(['worker', '--deployment', 'raymond']);
  expect(half).toMatchObject({ exitCode: 64, stderr: expect.stringContaining('both --deployment and --build-id') });
  const local = await fleet.desk.raymond(['rollout', ...version('one')]);
  expect(local).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('only a cluster has worker versions: give --address'),
  });
});
