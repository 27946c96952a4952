// `raymond init` and `raymond config` as users call them.
import { expect, test } from '@jest/globals';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { Place } from '../support/cli.js';

test('init writes a config that is valid with every line in force, and a workflow that runs', async () => {
  const place = await Place.at();
  await rm(join(place.cwd, '.raymond'), { recursive: true });
  expect(await place.raymond(['init'])).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('wrote hello/1_START.sh'),
  });
  expect(await place.raymond(['hello', '--input', 'Ada'])).toMatchObject({ exitCode: 0, stdout: 'Hello, Ada!' });

  const config = (await place.read('.raymond/config.toml')) ?? '';
  const [, schema = ''] = /^#:schema (\S+)$/m.exec(config) ?? [];
  expect(JSON.parse(await readFile(new URL(schema), 'utf8'))).toMatchObject({ properties: { raymond: {} } });
  const enforced = config.replaceAll(/^# (\w+ = )/gm, '$1');
  expect(Object.keys(parse(enforced)['raymond'] as object)).toContain('budget');
  await place.write('.raymond/config.toml', enforced.replace(/^temporal_cli.*$/m, '').replace(/^address.*$/m, ''));
  expect(await place.raymond(['config'])).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('model') });
});

test('init touches nothing that exists and says so', async () => {
  const place = await Place.at({
    'hello/1_START.sh': 'mine',
    'hello/GREET.sh': 'mine',
    '.raymond/config.toml': '# mine\n',
  });
  const { exitCode, stderr } = await place.raymond(['init']);
  expect(exitCode).toBe(64);
  expect(stderr).toContain('already exist');
  expect(await place.read('hello/1_START.sh')).toBe('mine');
});

test('init --from copies a sample whole, and its tests pass there', async () => {
  const place = await Place.at();
  const { stdout, exitCode } = await place.raymond(['init', '--from', 'story']);
  expect({ exitCode, lines: stdout.split('\n') }).toEqual({
    exitCode: 0,
    lines: expect.arrayContaining(['wrote story/1_START.md', 'now read story/README.md, and try: raymond test story']),
  });
  expect(await place.raymond(['test', 'story'])).toMatchObject({ exitCode: 0 });
});

test.each([
  [['init', '--from', 'codng'], 'there is no sample "codng", did you mean coding? (the samples are coding, dispatch,'],
  [['init', '--from', 'hello'], 'hello already exists; move it away, or use another folder'],
  [['init', '--from', 'hello', '--config-only'], 'give --config-only or --from, not both'],
])('%j is refused, and nothing is written', async (args, message) => {
  const place = await Place.at({ 'hello/mine.txt': 'mine' });
  await rm(join(place.cwd, '.raymond'), { recursive: true });
  const { exitCode, stderr } = await place.raymond(args);
  expect({ exitCode, stderr }).toEqual({ exitCode: 64, stderr: expect.stringContaining(message) });
  expect((await readdir(place.cwd)).sort()).toEqual(['hello']);
});

test('init names the file for a team, and writes no second config beside it', async () => {
  const place = await Place.at();
  await rm(join(place.cwd, '.raymond'), { recursive: true });
  const { stdout } = await place.raymond(['init', '--config-only']);
  expect(stdout).toContain('git ignores .raymond/config.toml: to share a config with your team');
  await rm(join(place.cwd, '.raymond'), { recursive: true });
  await place.write('raymond.toml', '[raymond]\nbudget = 5\n');
  const { exitCode, stderr } = await place.raymond(['init', '--config-only']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 64, stderr: expect.stringMatching(/raymond\.toml already exist/) });
});

test('config prints every effective value and where it comes from', async () => {
  const place = await Place.at({
    '.raymond/config.toml': '[raymond]\nbudget = 3.5\n',
    'raymond.toml': '[raymond]\nbudget = 5\npriority = 1\n',
  });
  const { stdout } = await place.raymond(['config']);
  expect(stdout).toMatch(/^budget += 3\.5 {2}# .*config\.toml$/m);
  expect(stdout).toMatch(/^priority += 1 {2}# .*raymond\.toml$/m);
  expect(stdout).toMatch(/^max_prompts += 8 {2}# default$/m);
  expect(stdout).toMatch(/^model += \(none\) {2}# not set$/m);
  const { values } = JSON.parse((await place.raymond(['config', '--json'])).stdout) as {
    values: { name: string; value?: unknown }[];
  };
  expect(values.find(({ name }) => name === 'budget')?.value).toBe(3.5);
});
