// `raymond completion`: the scripts in the shells that they are for, and what `raymond __complete` tells them.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { findOnPath } from '../../src/host/files.js';
import { script } from '../server/project.js';
import { Place } from '../support/cli.js';
import { until } from '../support/until.js';

const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'flow/START.sh': 'echo "<result>done</result>"\n',
    'words/a file.md': '',
    'bin/README': '',
  });
  script(join(place.cwd, 'bin'), 'raymond', [`exec ${process.execPath} ${program} "$@"`]);
  await place.write('words/loaded.bash', (await place.raymond(['completion', 'bash'])).stdout);
});

const FRESH = 'source <(raymond completion bash)';
const LOADED = 'source "$LOADED"';
const COMPLETE = `
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_raymond
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** What bash offers for the last of these words, in the folder `cwd`. */
async function offered(
  words: readonly string[],
  { cwd = place.cwd, load = LOADED }: { readonly cwd?: string; readonly load?: string } = {},
): Promise<readonly string[]> {
  const PATH = `${join(place.cwd, 'bin')}:${process.env['PATH']}`;
  const { stdout, stderr } = await execa('bash', ['-c', `${load}${COMPLETE}`, 'bash', 'raymond', ...words], {
    cwd,
    env: { PATH, LOADED: join(place.cwd, 'words/loaded.bash'), TEMPORAL_ADDRESS: undefined },
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((line) => line !== '');
}

/** The same for runs: on a loaded machine completion gives up before the server has answered, and a person presses Tab again. */
async function offeredRuns(words: readonly string[]): Promise<readonly string[]> {
  const found = async (): Promise<readonly string[] | undefined> => {
    const runs = await offered(words);
    return runs.length > 0 ? runs : undefined;
  };
  return await until(found, { what: 'the runs' });
}

describe('in bash', () => {
  test.each<[string, readonly string[], readonly string[]]>([
    ['commands', ['st'], ['start', 'status']],
    ['a command under its other name', ['ru'], ['run']],
    ['the commands below one', ['server', 's'], ['start', 'stop', 'status']],
    ['flags of a command below one', ['server', 'stop', '--f'], ['--force']],
    ['flags', ['start', 'flow', '--ti'], ['--timeout']],
    ['flags of a workflow that is named without start', ['flow', '--pi'], ['--pin']],
    ['what a flag can be', ['watch', 'x', '--on-ask', ''], ['wait', 'exit']],
    ['nothing for a value that can be anything', ['fork', 'x', '--goto', ''], []],
    ['a workflow', ['start', 'fl'], ['flow']],
    ['a workflow without start', ['flo'], ['flow']],
    ['a folder for --cwd', ['start', 'flow', '--cwd', 'wo'], ['words']],
    ['a file with a space', ['start', 'words/a'], ['words/a file.md']],
    ['the shells', ['completion', ''], ['bash', 'zsh', 'fish']],
    ['no hidden command', ['__'], []],
  ])('completes %s', async (_what, words, answer) => {
    expect(await offered(words)).toEqual(answer);
  });

  test('is loaded from the output of a command', async () => {
    expect(await offered(['st'], { load: FRESH })).toEqual(['start', 'status']);
  });

  test('completes every flag that the help of a command tells', async () => {
    const { stdout } = await place.raymond(['start', '--help']);
    const told = [...stdout.matchAll(/^ {2}(?:-h, )?(--[\w-]+)/gm)].map(([, flag]) => flag);
    expect(told).toContain('--detach');
    expect([...(await offered(['start', 'flow', '--']))].sort()).toEqual(told.sort());
  });

  test('completes runs, as the first word of commands that take one', async () => {
    await place.raymond(['start', 'flow', '--id', 'one-run']);
    await place.raymond(['start', 'flow', '--id', 'one-more']);
    expect(await offeredRuns(['status', 'one'])).toEqual(['one-more', 'one-run']);
    expect(await offeredRuns(['status', '--namespace', 'default', 'one-r'])).toEqual(['one-run']);
    expect(await offered(['budget', 'one-run', ''])).toEqual([]);
  });

  test('offers no runs where no server runs, and starts none', async () => {
    await place.raymond(['server', 'stop']);
    expect(await offered(['status', ''])).toEqual([]);
    expect(await place.raymond(['server', 'status'])).toMatchObject({ exitCode: 1 });
    const cwd = join(place.cwd, 'words');
    await rm(join(place.cwd, '.raymond'), { recursive: true });
    expect(await offered(['status', ''], { cwd })).toEqual([]);
    expect(await readdir(place.cwd)).not.toContain('.raymond');
  });
});

describe('raymond __complete is silent when', () => {
  test.each<[string, string]>([
    ['the config is broken', '[raymond]\nbudgett = 1\n'],
    ['a cluster is not there', '[raymond]\naddress = "127.0.0.1:1"\n'],
  ])('%s', async (_what, config) => {
    const broken = await Place.at({ '.raymond/config.toml': config });
    expect(await broken.raymond(['__complete', 'runs'])).toEqual({ stdout: '', stderr: '', exitCode: 0 });
  });
});

test.each(['zsh', 'fish'] as const)('the script for %s can be read by it, when it is there', async (shell) => {
  const { stdout, exitCode } = await place.raymond(['completion', shell]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('__complete runs');
  if (findOnPath(shell) === undefined) return;
  await place.write(`script.${shell}`, stdout);
  const checked = await execa(shell, ['-n', join(place.cwd, `script.${shell}`)], { reject: false });
  expect(checked).toMatchObject({ exitCode: 0, stderr: '' });
});

test('another shell is a usage error that names those there are', async () => {
  const { exitCode, stderr } = await place.raymond(['completion', 'tcsh']);
  expect(exitCode).toBe(64);
  expect(stderr).toMatch(/'tcsh' is invalid.*bash, zsh, fish/);
});
