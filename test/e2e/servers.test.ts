// `raymond server status` and `server list`, for people and as JSON.
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';

interface Listed {
  readonly project?: string;
  readonly pid: number;
}

async function listed({ cwd }: Place, from: Place): Promise<readonly Listed[]> {
  const { stdout, exitCode } = await from.raymond(['server', 'list', '--json']);
  expect(exitCode).toBe(0);
  return (JSON.parse(stdout) as readonly Listed[]).filter(({ project }) => project === cwd);
}

test('status tells in JSON how the server fares, and ends with 1 when none runs', async () => {
  const place = await Place.at();
  const stopped = { exitCode: 1, stdout: '{"status":"stopped"}', stderr: '' };
  expect(await place.raymond(['server', 'status', '--json'])).toEqual(stopped);
  await place.raymond(['server', 'start']);
  const { stdout, exitCode } = await place.raymond(['server', 'status', '--json']);
  expect(exitCode).toBe(0);
  expect(JSON.parse(stdout)).toEqual({
    status: 'running',
    address: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
    uiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    pid: expect.any(Number),
    serverVersion: expect.stringMatching(/^\d+\.\d+/),
    database: expect.stringContaining(`${place.cwd}/.raymond/temporal/temporal-`),
    logFile: `${place.cwd}/.raymond/temporal/server.log`,
  });
});

test('list shows the servers of all projects while they run, from wherever it is called', async () => {
  const [one, other, bare] = await Promise.all([Place.at(), Place.at(), Place.at()]);
  for (const place of [one, other]) await place.raymond(['server', 'start']);
  expect(await listed(one, bare)).toHaveLength(1);
  const [{ pid } = { pid: 0 }] = await listed(other, one);
  const { stdout } = await bare.raymond(['server', 'list']);
  expect(stdout).toMatch(/^PROJECT +ADDRESS +PID +WEB UI$/m);
  expect(stdout).toMatch(new RegExp(`^${other.cwd} +127\\.0\\.0\\.1:\\d+ +${pid} +http://127\\.0\\.0\\.1:\\d+$`, 'm'));
  await one.raymond(['server', 'stop']);
  expect(await listed(one, bare)).toEqual([]);
  expect(await listed(other, bare)).toHaveLength(1);
});
