// Bad input from the command line: exactly one error that says what to do next, the right exit code, and nothing left behind.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { execFileSync } from 'node:child_process';
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Place, processesWith, type Called } from '../support/cli.js';

const RESULT = 'echo "<result>ok</result>"\n';

let place: Place;
beforeAll(async () => {
  place = await Place.at({
    'good/START.sh': RESULT,
    'good/LAST.sh': RESULT,
    'empty/.keep': '',
    'noentry/FIRST.sh': RESULT,
    'two/1_START.sh': RESULT,
    'two/START.sh': RESULT,
    'both/START.md': 'x',
    'both/START.sh': RESULT,
    'folder/START.sh/x': '',
    'latin/START.md': Buffer.from('caf\xe9 <goto>NEXT</goto>', 'latin1'),
    'windows/START.bat': 'echo',
    'dangling/NEXT.sh': RESULT,
    'sleeps/START.sh': 'touch started; sleep 500; echo "<result>late</result>"\n',
  });
  await symlink('/nowhere/START.sh', join(place.cwd, 'dangling/START.sh'));
  await place.raymond(['start', 'good', '--id', 'used']);
});

/** One line on stderr that begins like every error of Raymond; nothing on stdout. */
function expectOneError({ stdout, stderr, exitCode }: Called, code: number, says: RegExp): void {
  expect({ exitCode, stdout, lines: stderr.trimEnd().split('\n') }).toEqual({
    exitCode: code,
    stdout: '',
    lines: [expect.stringMatching(/^raymond: \S/)],
  });
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/\n? +at \S+ \(|Error:/);
}

async function makeHostile(path: string, kind: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  if (kind === 'pipe') execFileSync('mkfifo', [path]);
  else if (kind === 'zero') await symlink('/dev/zero', path);
  else await writeFile(path, '').then(() => truncate(path, 10 * 1024 ** 3));
}

async function openRuns(): Promise<readonly string[]> {
  const { stdout } = await place.raymond(['list', '--json']);
  const runs = JSON.parse(stdout) as readonly { readonly runId: string; readonly open: boolean }[];
  return runs.filter(({ open }) => open).map(({ runId }) => runId);
}

async function expectNothingRuns(): Promise<void> {
  expect(await openRuns()).toEqual([]);
  expect(await processesWith(`RAYMOND_STATE_DIR=${place.cwd}`)).toEqual([]);
}

describe('a workflow that cannot be started is a usage error:', () => {
  test.each<[string, string, RegExp]>([
    [
      'a path that is not there',
      'missing',
      /there is no workflow at \S+missing; give a folder of states, a state file, a \.zip or a \.yaml/,
    ],
    ['an empty path', '', /the name of the workflow is empty/],
    ['a file that is not there', 'good/NOPE.sh', /there is no workflow at \S+good\/NOPE\.sh/],
    ['a folder without states', 'empty', /empty has no states/],
    ['no entry point', 'noentry', /no entry point.*FIRST\.sh.*raymond start noentry\/FIRST\.sh/],
    ['two entry points', 'two', /two entry points, 1_START\.sh and START\.sh; .*raymond start two\/1_START\.sh/],
    ['an entry that is both prompt and script', 'both', /"START" is ambiguous: START\.md and START\.sh both exist/],
    ['an entry for another platform', 'windows', /"START" cannot run on this platform \(found START\.bat\)/],
    ['a folder in the place of the entry', 'folder', /folder has no states/],
    [
      'an entry that links to nothing',
      'dangling',
      /cannot read \S+START\.sh: it does not exist, or is a dangling link/,
    ],
    ['a prompt that is no UTF-8', 'latin', /START\.md is not UTF-8 text; save it as UTF-8/],
  ])('%s', async (_what, workflow, says) => {
    expectOneError(await place.raymond(['start', workflow]), 64, says);
  });

  test.each<[string, readonly string[], RegExp]>([
    ['alone', ['lst'], /there is no workflow at .*\/lst; .*; did you mean "raymond list"\?$/],
    ['with a word behind it', ['statsu', 'used'], /unknown command "[^"]+"; did you mean "raymond status"\?$/],
    ['like no command', ['delete', 'used'], /unknown command "delete"; raymond --help lists the commands$/],
    ['a path', ['./flow', 'used'], /too many arguments for 'start'/],
    ['with a flag of its own', ['lsit', '--since', '3d'], /unknown option '--since'; did you mean "raymond list"\?$/],
  ])('a slip in the name of a command, %s', async (_what, args, says) => {
    expectOneError(await place.raymond(args), 64, says);
  });

  test('a name that is spelled like a command is a workflow nevertheless', async () => {
    await place.write('lst/START.sh', 'echo "<result>mine</result>"');
    expect(await place.raymond(['lst', '--wat'])).toMatchObject({ exitCode: 64 });
    const { stderr } = await place.raymond(['start', 'lsit']);
    expect(stderr).not.toContain('raymond list');
  });

  afterAll(expectNothingRuns);
});

describe('what is no plain file of a bounded size is refused at once, by its name:', () => {
  const huge = /it has 10737418240 bytes, more than the limit of \d+/;
  test.each<[string, string, RegExp]>([
    ['a pipe', 'pipe', /it is a pipe, not a file/],
    ['a link to a device', 'zero', /it is a device, not a file/],
    ['a file of 10 GiB', 'huge', huge],
  ])('%s', async (_what, name, why) => {
    await makeHostile(join(place.cwd, `hostile-${name}`, 'START.sh'), name);
    await makeHostile(join(place.cwd, `hostile-${name}`, 'flow.test.yaml'), name);
    expectOneError(await place.raymond(['start', `hostile-${name}`]), 64, why);
    expect(await place.raymond(['lint', `hostile-${name}`])).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(why),
    });
    expectOneError(await place.raymond(['test', `hostile-${name}/flow.test.yaml`]), 64, why);
    const other = await Place.at();
    await rm(join(other.cwd, '.raymond/config.toml'));
    await makeHostile(join(other.cwd, '.raymond/config.toml'), name);
    expectOneError(await other.raymond(['list']), 64, why);
  });

  afterAll(expectNothingRuns);
});

describe('a command line that cannot be understood is a usage error:', () => {
  test.each<[string, readonly string[], RegExp]>([
    ['a negative budget', ['--budget', '-1'], /--budget .*'-1' is invalid; expected a number that is not negative/],
    ['a budget in words', ['--budget', 'x'], /--budget .*'x' is invalid/],
    ['an empty budget', ['--budget', ''], /--budget .*'' is invalid/],
    ['an unknown model', ['--model', 'gpt 4'], /--model .*'gpt 4' is invalid; expected the name of a model/],
    [
      'an unknown effort',
      ['--effort', 'extreme'],
      /--effort .* expected one of off, minimal, low, medium, high, xhigh, max/,
    ],
    ['a negative timeout', ['--timeout', '-1'], /--timeout .*'-1' is invalid/],
    ['a run id with a space', ['--id', 'a b'], /"a b" cannot be a run id; use letters, digits/],
    ['a run id with a path', ['--id', '../x'], /"\.\.\/x" cannot be a run id/],
    ['an empty run id', ['--id', ''], /"" cannot be a run id/],
    ['a run id of 300 characters', ['--id', 'x'.repeat(300)], /cannot be a run id/],
    ['a run id in use', ['--id', 'used'], /the run id used is in use: that run has ended \(\w+\); choose another --id/],
    ['an unknown flag', ['--wat'], /unknown option '--wat'/],
    ['a flag of the original', ['--name', 'x'], /unknown option '--name'; the title of the terminal cannot be set/],
    ['a flag without its value', ['--input'], /option '--input <text>' argument missing/],
    ['a word too many', ['more'], /too many arguments/],
  ])('%s', async (_what, args, says) => {
    expectOneError(await place.raymond(['start', 'good', ...args]), 64, says);
  });

  test.each<[string, readonly string[], RegExp]>([
    ['no workflow', ['start'], /missing required argument 'workflow'; the workflows of this project: /],
    ['no run', ['status'], /missing required argument 'run'/],
    ['an unknown action', ['server', 'dance'], /unknown command 'dance'/],
    ['no run to resume', ['resume'], /name one run, or use --all/],
    ['a worker without a cluster', ['worker'], /a worker needs a cluster: give --address/],
  ])('%s', async (_what, args, says) => {
    expectOneError(await place.raymond(args), 64, says);
  });

  afterAll(expectNothingRuns);
});

describe('a run that cannot be spoken of is a usage error:', () => {
  test.each(['status', 'result', 'cancel', 'resume'])('%s of an unknown run', async (command) => {
    expectOneError(
      await place.raymond([command, 'nope']),
      64,
      /there is no run nope; to list the runs, run: raymond list/,
    );
  });

  test.each(['status', 'result', 'cancel', 'resume'])('%s of a name that no run can have', async (command) => {
    expectOneError(await place.raymond([command, '../../nope']), 64, /there is no run \.\.\/\.\.\/nope/);
  });

  test.each([
    ['resume', /the run used has completed; there is nothing to resume/],
    ['cancel', /the run used has already ended \(completed\)/],
  ])('%s of a completed run', async (command, says) => {
    expectOneError(await place.raymond([command, 'used']), 64, says);
  });

  test('resume, and start under the same id, of a run that is being executed', async () => {
    const running = place.begin(['start', 'sleeps', '--id', 'live']);
    try {
      await place.made('started');
      const used = /the run id live is in use: that run is open/;
      expect(await place.raymond(['resume', 'live'])).toMatchObject({
        exitCode: 1,
        stderr: 'nothing to resume in live: no agent is paused',
      });
      expectOneError(await place.raymond(['start', 'good', '--id', 'live']), 64, used);
      expect(await openRuns()).toEqual(['live']);
      await place.raymond(['cancel', 'live']);
      expect((await running).exitCode).toBe(5);
    } finally {
      running.kill('SIGKILL');
    }
  });

  afterAll(expectNothingRuns);
});

describe('a cluster that cannot be used is not available:', () => {
  const COMMANDS: readonly (readonly string[])[] = [['start', 'good'], ['list'], ['status', 'used'], ['worker']];

  test.each(COMMANDS)('nobody listens there, for %s', async (...args) => {
    const called = await place.raymond([...args, '--address', '127.0.0.1:1']);
    expectOneError(called, 69, /Temporal cannot be reached at 127\.0\.0\.1:1: Connection refused; check the address/);
  });

  test('a process listens, but never answers', async () => {
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    try {
      const { port } = silent.address() as { readonly port: number };
      const called = await place.raymond(['list', '--address', `127.0.0.1:${port}`]);
      expectOneError(called, 69, /no answer within \d+ seconds/);
    } finally {
      silent.close();
    }
  });

  test.each([['start', 'good'], ['list'], ['status', 'used'], ['resume', 'used'], ['setup']])(
    'it has no such namespace, for %s',
    async (...args) => {
      const { stdout } = await place.raymond(['server', 'start']);
      const address = /127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? 'none';
      const called = await place.raymond([...args, '--address', address, '--namespace', 'nope']);
      expectOneError(called, 69, /[Nn]amespace "?nope"?/);
    },
  );
});
