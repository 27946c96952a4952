// A turn that never ends when its process is asked to stop.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place, processesWith } from '../support/cli.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(() => {
  running?.kill('SIGKILL');
});

test('SIGTERM without a terminal ends a turn that never ends after a grace, and resume begins it again', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'touch started; [ -f go ] && echo "<result>ok</result>" || sleep 500\n',
  });
  running = place.begin(['flow', '--id', 'r3', '--drain', '1']);
  await place.made('started');
  running.kill('SIGTERM');
  const { exitCode, stderr } = await running;
  expect(exitCode).toBe(130);
  expect(String(stderr)).toContain('in 1 s at the latest');
  expect(String(stderr)).toContain('raymond resume r3');
  expect(await processesWith('RAYMOND_WORKFLOW_ID=r3')).toEqual([]);
  await place.write('go');
  expect(await place.bin(['resume', 'r3'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
});

test('--drain of ten minutes is a limit as any other', async () => {
  const place = await Place.sharing({ 'flow/START.sh': 'touch started; sleep 500; echo "<result>ok</result>"\n' });
  running = place.begin(['flow', '--id', 'r4', '--drain', '600']);
  await place.made('started');
  running.kill('SIGTERM');
  let printed = '';
  running.stderr?.on('data', (bytes: Buffer) => (printed += String(bytes)));
  await until(() => printed.includes('in 600 s at the latest'));
  running.kill('SIGTERM');
  expect(await running).toMatchObject({ exitCode: 130 });
});
