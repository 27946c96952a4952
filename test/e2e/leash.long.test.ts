// Nothing of a running turn outlives its worker, its launcher or a failed attempt; what a good script started on purpose stays.
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import type { ResultPromise } from 'execa';
import { Place, processesWith } from '../support/cli.js';
import { until } from '../support/until.js';

/** Starts a daemon in a session of its own, then waits until the file `go` is there. */
const DAEMONISES = [
  'setsid nohup sleep 5000 >/dev/null 2>&1 &',
  'echo $$ > pid; echo x >> attempts; touch started',
  'until [ -f go ]; do sleep 0.05; done',
  'echo "<result>$(wc -l < attempts | tr -d " ")</result>"',
  '',
].join('\n');

let place: Place;
let running: ResultPromise | undefined;
beforeAll(async () => {
  place = await Place.at();
});
afterEach(async () => {
  running?.kill('SIGKILL');
  await running;
});

/** Begins a run of the daemonising script in a folder of its own and waits until its turn is under way. */
async function begin(id: string): Promise<Place> {
  place = await Place.sharing({ 'flow/START.sh': DAEMONISES });
  running = place.begin(['start', 'flow', '--id', id]);
  await place.made('started');
  // The daemon is a fork of the script at first, whose environment can be read only when it has become `sleep`.
  await until(async () => (await processesWith(`RAYMOND_WORKFLOW_ID=${id}`)).length >= 2, {
    what: 'script and daemon',
  });
  return place;
}

async function gone(id: string): Promise<void> {
  await until(async () => (await processesWith(`RAYMOND_WORKFLOW_ID=${id}`)).length === 0, {
    what: `the end of ${id}`,
  });
}

/** The launcher of a Raymond process. */
async function launcherOf(pid: number | undefined): Promise<number> {
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const [stat, command] = await Promise.all(
      ['stat', 'cmdline'].map((file) => readFile(`/proc/${name}/${file}`, 'utf8').catch(() => '')),
    );
    if (command?.includes('raymond-launcher') && stat?.split(') ')[1]?.split(' ')[1] === String(pid))
      return Number(name);
  }
  throw new Error('no launcher');
}

test('the worker is killed: script and daemon are gone, and resume runs the turn again', async () => {
  const at = await begin('kill-worker');
  running?.kill('SIGKILL');
  await gone('kill-worker');
  await at.write('go');
  expect(await at.raymond(['resume', 'kill-worker'])).toMatchObject({ stdout: '2', exitCode: 0 });
});

test('the launcher is killed: script and daemon are gone, and the same worker runs the turn again', async () => {
  const at = await begin('kill-launcher');
  process.kill(await launcherOf(running?.pid), 'SIGKILL');
  await until(async () => (await at.read('attempts')) === 'x\nx\n', { what: 'the second attempt' });
  const left = await processesWith('RAYMOND_WORKFLOW_ID=kill-launcher');
  expect(left.length).toBeLessThanOrEqual(3);
  await at.write('go');
  expect(await running).toMatchObject({ stdout: '2', exitCode: 0 });
});

test('the script is killed: its agent fails, and the daemon is gone', async () => {
  const at = await begin('kill-script');
  process.kill(Number(await at.read('pid')), 'SIGKILL');
  const ended = await running;
  expect(ended?.exitCode).toBe(1);
  expect(String(ended?.stderr)).toContain('main, START.sh: the script was killed by SIGKILL');
  await gone('kill-script');
});

test('a cancelled turn leaves nothing, and a timed out one neither', async () => {
  const at = await begin('cancelled-turn');
  await at.raymond(['cancel', 'cancelled-turn']);
  expect((await running)?.exitCode).toBe(5);
  await gone('cancelled-turn');
  const silent = await at.raymond(['start', 'flow', '--id', 'silent', '--timeout', '0.5']);
  expect(silent).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('without output (timeout)') });
  await gone('silent');
});

const OTHER_USER = ['setpriv', '--reuid', '65534', '--clear-groups', '--'] as const;
const WITHOUT_RIGHT_TO_KILL = ['setpriv', '--inh-caps', '-kill', '--bounding-set', '-kill', '--'] as const;
const [prefix, ...rest] = [...WITHOUT_RIGHT_TO_KILL, ...OTHER_USER, 'true'] as const;
const asTwoUsers = spawnSync(prefix, rest, { stdio: 'ignore' }).status === 0;
(asTwoUsers ? test : test.skip)('a process that nobody may end is named with what to do', async () => {
  const at = await Place.sharing({
    'flow/START.sh': [
      `${OTHER_USER.join(' ')} sleep 5000 >/dev/null 2>&1 &`,
      'echo $! > pid; until [ "$(ps -o uid= -p $!)" -eq 65534 ]; do sleep 0.05; done; exit 1',
      '',
    ].join('\n'),
  });
  const { stderr, stdout } = await at.bin(['start', 'flow', '--id', 'foreign'], { before: WITHOUT_RIGHT_TO_KILL });
  const pid = Number(await at.read('pid'));
  process.kill(pid, 'SIGKILL');
  expect(`${stdout}${stderr}`).toContain(
    `process ${pid} of this turn is still running: it belongs to another user; kill it manually`,
  );
});

test('what a good script started on purpose stays after the run', async () => {
  const at = await Place.sharing({
    'flow/START.sh': 'setsid nohup sleep 5000 >/dev/null 2>&1 &\necho $! > pid\necho "<result>ok</result>"\n',
  });
  expect(await at.raymond(['start', 'flow', '--id', 'keeps'])).toMatchObject({ stdout: 'ok', exitCode: 0 });
  const left = await processesWith('RAYMOND_WORKFLOW_ID=keeps');
  for (const pid of left) process.kill(pid, 'SIGKILL');
  expect(left).toHaveLength(1);
});
