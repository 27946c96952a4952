// Flags of `start` and the keys of the config behind them, as users set them.
import { expect, test } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Place } from '../support/cli.js';
import { fakeWith } from '../support/fakes.js';

const LOUD = { 'flow/START.sh': 'echo talking; echo "<result>ok</result>"\n' };
const config = (text: string): Readonly<Record<string, string>> => ({ '.raymond/config.toml': `[raymond]\n${text}` });

test.each([
  ['--on-ask', 'never', 'wait, exit, reject'],
  ['--max-time', '-1', 'expected a duration such as 90s'],
  ['--max-time', 'soon', 'expected a duration such as 90s'],
])('%s %s is wrong usage, told with what is right', async (flag, value, says) => {
  const place = await Place.sharing(LOUD);
  const { exitCode, stderr } = await place.raymond(['flow', flag, value]);
  expect(exitCode).toBe(64);
  expect(stderr).toContain(says);
});

test('a turn that takes longer than max_time of the config fails, and a flag wins over it', async () => {
  const place = await Place.sharing({
    ...config('max_time = 0.3\n'),
    'flow/START.sh': 'until [ -f go ]; do echo talking; sleep 0.1; done; echo "<result>ok</result>"\n',
  });
  expect(await place.raymond(['flow'])).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('(max_time)') });
  await place.write('go');
  expect(await place.raymond(['flow', '--max-time', '0'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
});

test('quiet and verbose of the config count for start and resume', async () => {
  const place = await Place.sharing({
    ...LOUD,
    ...config('quiet = true\n'),
    'later/START.sh': '[ -f go ] && echo "<result>ok</result>"',
  });
  expect(await place.raymond(['flow'])).toMatchObject({ exitCode: 0, stdout: 'ok', stderr: '' });
  await place.raymond(['later', '--id', 'later']);
  await place.write('go');
  expect(await place.raymond(['resume', 'later'])).toMatchObject({ exitCode: 0, stdout: 'ok', stderr: '' });
  await place.write('.raymond/config.toml', '[raymond]\nverbose = true\n');
  expect((await place.raymond(['flow'])).stderr).toContain('main START.sh | talking\n');
});

test('--verbose names the variables that prompts do not get, and how they would', async () => {
  const fake = await fakeWith({ text: '<result>ok</result>' });
  const place = await Place.sharing({ 'flow/START.md': 'Do it.\n' }, { ...fake.env, MY_TOKEN: 'hidden' });
  const { stderr } = await place.raymond(['flow', '--verbose']);
  expect(stderr).toMatch(/^withheld from prompts: .*MY_TOKEN.*env_pass = \[.*"MY_TOKEN".*\]$/m);
  expect(stderr).not.toContain('hidden');
  expect((await place.raymond(['flow'])).stderr).not.toContain('withheld');
});

test('--init-config writes the config only', async () => {
  const place = await Place.sharing();
  await rm(join(place.cwd, '.raymond'), { recursive: true });
  expect(await place.raymond(['--init-config'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^wrote \.raymond\/config\.toml$/m),
  });
  expect(await place.raymond(['--init-config'])).toMatchObject({ exitCode: 64 });
});
