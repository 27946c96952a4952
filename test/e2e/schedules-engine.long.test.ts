// Schedules of a project without a cluster: the embedded server starts their runs, and the engine executes them.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { serverStatus } from '../../dist/server/index.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

const SAYS = 'echo "<result>$FOO in $PWD</result>"\n';

async function engineOf(place: Place): Promise<{ readonly pid: number }> {
  return JSON.parse((await place.raymond(['up', '--status', '--json'])).stdout) as { readonly pid: number };
}

test('a schedule starts runs in the environment of its maker, and keeps the engine from ending until it is paused', async () => {
  const place = await Place.at(
    { 'says/START.sh': SAYS, '.raymond/config.toml': '[raymond]\nidle = "1s"\n' },
    { RAYMOND_FOREGROUND: '' },
  );
  expect(await place.raymond(['schedule', 'list'])).toMatchObject({
    exitCode: 0,
    stderr: expect.stringContaining('no schedules; create one with: raymond schedule create'),
  });
  const words = ['schedule', 'create', 'tick', 'says', '--every', '4s'];
  expect(await place.bin(words, { env: { FOO: 'made' } })).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^tick: active/),
  });
  const { pid } = await engineOf(place);
  const done = async (): Promise<readonly string[]> => {
    const runs = JSON.parse((await place.raymond(['list', '--json', '--status', 'completed'])).stdout) as readonly {
      readonly runId: string;
    }[];
    return runs.map(({ runId }) => runId);
  };
  await until(async () => (await done()).length >= 3, { what: 'three runs of the schedule' });
  expect((await engineOf(place)).pid).toBe(pid);
  const [runId = ''] = await done();
  expect(runId).toMatch(/^tick-\d{4}-/);
  expect(await place.raymond(['result', runId])).toMatchObject({ stdout: `made in ${place.cwd}` });
  expect(await place.raymond(['schedule', 'pause', 'tick'])).toMatchObject({ exitCode: 0 });
  const raymondDir = join(place.cwd, '.raymond');
  await until(async () => (await serverStatus({ raymondDir })).kind === 'stopped', { what: 'the end of the server' });
});
