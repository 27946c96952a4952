// A run that is interrupted: what its ended turns have come to is known at once, a turn that never ends does not hold a process for ever.
import { afterEach, expect, test } from '@jest/globals';
import type { ResultPromise } from 'execa';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith } from '../support/fakes.js';
import { until } from '../support/until.js';

let running: ResultPromise | undefined;
afterEach(() => {
  running?.kill('SIGKILL');
});

test('after Ctrl-C status and list show what the turn that ended has cost, and who has ended', async () => {
  const fake = await fakeWith({ text: '<goto>NEXT.sh</goto>', costUsd: 0.25, waitFor: 'go' });
  const place = await Place.at(
    {
      'flow/START.sh': 'echo "<fork>WORK</fork><goto>ASK</goto>"\n',
      'flow/ASK.md': 'Go on.\n',
      'flow/NEXT.sh': 'sleep 500\n',
      'flow/WORK.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<result>done</result>"\n',
    },
    fake.env,
  );
  running = place.begin(['flow', '--id', 'r']);
  await place.made('started');
  // A turn that has not begun by then is left to resume.
  await until(async () => (await fake.calls()).length === 1, { what: 'the prompt' });
  running.kill('SIGINT');
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 130 });
  const status = documentOf(await place.raymond(['status', 'r', '--json']));
  const [fork] = status.agents.filter(({ id }) => id !== 'main');
  expect(fork).toMatchObject({ status: 'completed' });
  expect(status.costUsd).toBe(0.25);
  const [line] = JSON.parse((await place.raymond(['list', '--json'])).stdout) as readonly {
    readonly costUsd: number;
  }[];
  expect(line?.costUsd).toBe(0.25);
});

test('a run that ends by the turn that Ctrl-C waited for has ended', async () => {
  const place = await Place.sharing({
    'flow/START.sh': 'touch started; until [ -f go ]; do sleep 0.05; done; echo "<result>ok</result>"\n',
  });
  running = place.begin(['flow', '--id', 'r1']);
  await place.made('started');
  running.kill('SIGINT');
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 0, stdout: 'ok' });
});

test('Ctrl-C of a call that follows a fleet says that the run continues', async () => {
  const place = await Place.sharing({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
  const { stdout } = await place.raymond(['server', 'start']);
  const address = /127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? 'none';
  running = place.begin(['flow', '--id', 'r2', '--address', address]);
  let said = '';
  running.stderr?.on('data', (chunk) => (said += String(chunk)));
  await until(() => said.includes('no worker polls'), { what: 'the hint' });
  running.kill('SIGINT');
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(said).toMatch(/the run continues without this command.*raymond status r2/);
  expect(said).not.toContain('raymond resume');
});

test('what waits for a slot when Ctrl-C comes does not begin, and continues with resume', async () => {
  const place = await Place.sharing({
    '.raymond/config.toml': '[raymond]\nmax_scripts = 1\n',
    'flow/START.sh': 'echo "<fork>WORK</fork><fork>WORK</fork><goto>WORK</goto>"\n',
    'flow/WORK.sh':
      'echo x >> begun; touch started; until [ -f go ]; do sleep 0.05; done; echo "<result>ok</result>"\n',
  });
  running = place.begin(['flow', '--id', 'r4']);
  let said = '';
  running.stderr?.on('data', (chunk) => (said += String(chunk)));
  await place.made('started');
  running.kill('SIGINT');
  await until(() => said.includes('stopping after the current turns'), { what: 'that it stops' });
  await place.write('go');
  expect(await running).toMatchObject({ exitCode: 130 });
  expect(await place.read('begun')).toBe('x\n');
  expect(await place.raymond(['resume', 'r4'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
  expect(await place.read('begun')).toBe('x\n'.repeat(3));
});
