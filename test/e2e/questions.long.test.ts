// A server that is stopped under its run.
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Place } from '../support/cli.js';
import { serverStatus } from '../../dist/server/index.js';

async function stateOf({ cwd }: Place): Promise<string> {
  return (await serverStatus({ raymondDir: join(cwd, '.raymond') })).kind;
}

test('server stop --force stops it under the run, which continues after resume', async () => {
  const place = await Place.at({ 'flow/START.sh': 'touch started; sleep 500; echo "<result>x</result>"\n' });
  const running = place.begin(['flow', '--id', 'busy']);
  try {
    await place.made('started');
    expect(await place.raymond(['server', 'stop', '--force'])).toMatchObject({ exitCode: 0 });
    expect(await stateOf(place)).toBe('stopped');
  } finally {
    running.kill('SIGKILL');
    await running;
  }
});
