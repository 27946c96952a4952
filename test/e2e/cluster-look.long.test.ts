// Starting runs of a fleet and looking at them from another project than its worker's: every command by `--address` against a real server.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { fakeWith } from '../support/fakes.js';
import { Fleet } from '../support/fleet.js';
import { until } from '../support/until.js';
import { HELLO } from './hosts-place.js';

const WAITS = 'until [ -f "$RAYMOND_WORKFLOW_ID.go" ]; do sleep 0.05; done\n';

let fleet: Fleet;
beforeAll(async () => {
  const fake = await fakeWith({ text: 'Thought about it. <result>thought</result>', costUsd: 0.25 });
  fleet = await Fleet.open(
    {
      '.raymond/config.toml': '[raymond]\nhook_done = "cat >> worker-events"\n',
      ...HELLO,
      'waits/START.sh': `${WAITS}echo "<goto>NEXT</goto>"\n`,
      'speaks/START.sh': `echo one; printf two; ${WAITS}echo; echo "<result>spoken</result>"\n`,
      'waits/NEXT.sh': 'echo "<result>waited</result>"\n',
      'asks/START.sh': 'echo "<ask next=\\"SAY\\">Which colour?</ask>"\n',
      'asks/SAY.sh': 'sleep 0.5; echo "<result>$RAYMOND_INPUT</result>"\n',
      'think/START.md': 'Think.\n',
    },
    { env: fake.env, config: 'hook_done = "cat >> events"\n' },
  );
  await fleet.work();
  const followed = await fleet.call([...fleet.startOf('hello', 'followed'), '--input', 'Ada']);
  expect(followed).toMatchObject({ stdout: 'hello Ada', exitCode: 0 });
}, 60_000);
afterAll(() => fleet.close());

describe('start', () => {
  test('with --detach prints the id and comes back; the run continues', async () => {
    expect(await fleet.start('waits', 'detached')).toMatchObject({ stdout: 'detached', exitCode: 0 });
    await fleet.shows('detached', /main {2}running {2}START\.sh[^]*turn 1, running on /);
    await fleet.workshop.write('detached.go');
    await fleet.shows('detached', /^detached: completed/);
  });

  test('of an id that is in use is refused, whatever became of that run', async () => {
    expect(await fleet.start('hello', 'followed')).toMatchObject({
      exitCode: 64,
      stdout: '',
      stderr: expect.stringMatching(/^raymond: .*followed.* (in use|exists)/m),
    });
  });

  test('of a state that the worker does not find fails with host and path', async () => {
    await fleet.desk.write('here/START.sh', 'echo "<goto>NEXT</goto>"\n');
    await fleet.desk.write('here/NEXT.sh', 'echo "<result>x</result>"\n');
    const gone = `${fleet.desk.cwd}/gone`;
    const words = ['start', 'here', '--id', 'elsewhere', '--cwd', gone, '--task-queue', 'fleet'];
    const { exitCode, stderr } = await fleet.call(words);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(gone);
  });
});

test('logs -f prints what a script says on the other host while its turn runs, and all of it once', async () => {
  await fleet.start('speaks', 'spoken');
  const following = fleet.begin(['logs', 'spoken', '-f']);
  let seen = '';
  following.stdout?.on('data', (chunk: Buffer | string) => (seen += String(chunk)));
  await until(() => seen.includes('main START.sh | one'), { what: 'the line of the turn in progress' });
  expect(seen).not.toContain('two');
  await fleet.workshop.write('spoken.go');
  expect(await following).toMatchObject({
    stdout: 'main START.sh | one\nmain START.sh | two\nmain START.sh | <result>spoken</result>',
    exitCode: 0,
  });
});

test('Ctrl-C ends only the command that follows, at once', async () => {
  const following = fleet.begin(fleet.startOf('waits', 'left'));
  await fleet.shows('left', /main {2}running/);
  following.kill('SIGINT');
  expect(await following).toMatchObject({
    exitCode: 130,
    stdout: '',
    stderr: expect.stringContaining('the run continues without this command, on the workers of its fleet'),
  });
  await fleet.workshop.write('left.go');
  await fleet.shows('left', /^left: completed/);
});

describe('without a worker of its own the desk shows', () => {
  beforeAll(async () => {
    expect(await fleet.call(fleet.startOf('think', 'thinks'))).toMatchObject({ exitCode: 0, stdout: 'thought' });
  });

  test('the runs: all, and those that are asked for', async () => {
    const { stdout } = await fleet.call(['list']);
    expect(stdout).toMatch(/^RUN +WORKFLOW +STATUS +COST +STARTED +TOOK$/m);
    expect(stdout).toMatch(/^thinks +think +completed +\$0\.25/m);
    const wanted = await fleet.call(['list', '--workflow', 'think', '--json']);
    expect(JSON.parse(wanted.stdout)).toMatchObject([{ runId: 'thinks', status: 'completed', costUsd: 0.25 }]);
  });

  test('a run with its agents, and its result', async () => {
    const { stdout } = await fleet.call(['status', 'thinks']);
    expect(stdout).toMatch(
      /^thinks: completed\nworkflow think in \S+\ncost \$0\.25 of \$10\.00\nstarted .*\n {2}main {2}completed/,
    );
    expect(await fleet.call(['result', 'thinks'])).toMatchObject({ stdout: 'thought', exitCode: 0 });
    const { stdout: json } = await fleet.call(['status', 'thinks', '--json']);
    expect(JSON.parse(json)).toMatchObject({ runId: 'thinks', status: 'completed', agents: [{ id: 'main' }] });
  });

  test('what was recorded, and the conversation', async () => {
    expect((await fleet.call(['history', 'thinks'])).stdout).toMatch(
      / main +1 +START\.md .*\$0\.25 .* result "thought"/,
    );
    expect((await fleet.call(['transcript', 'thinks', 'main'])).stdout).toMatch(/> Think\.[^]*Thought about it\./);
    const { stdout } = await fleet.call(['session', 'thinks', 'main', '--json']);
    const { file, cwd } = JSON.parse(stdout) as { readonly file: string; readonly cwd: string };
    expect(cwd).toBe(fleet.workshop.cwd);
    expect(await readFile(file, 'utf8')).toContain('Think.');
    expect((await fleet.call(['decode', 'thinks', 'main'])).stdout).toContain('"thought"');
  });

  test('a run as it continues, with its question, until it ends', async () => {
    await fleet.start('asks', 'watched');
    await fleet.shows('watched', /^watched: asking/);
    const watching = fleet.begin(['watch', 'watched']);
    let seen = '';
    watching.stderr?.on('data', (chunk) => (seen += String(chunk)));
    await until(() => seen.includes('Which colour?'), { what: 'the question' });
    expect(await fleet.call(['answer', 'watched', 'red'])).toMatchObject({ exitCode: 0 });
    expect(await watching).toMatchObject({ exitCode: 0, stdout: 'red' });
    expect(seen).toMatch(/main SAY\.sh → result "red"[^]*completed: watched/);
    expect(seen.match(/main SAY\.sh/g)).toHaveLength(1);
  });

  test('that a worker polls', async () => {
    const { stdout, exitCode } = await fleet.call(['doctor', '--task-queue', 'fleet']);
    expect(stdout).toMatch(/^ok +workers +a worker polls the task queue "fleet"$/m);
    expect(stdout).toMatch(/^ok +clock +/m);
    expect(exitCode).toBe(0);
  });

  test('the ids of runs to a shell', async () => {
    const env = { TEMPORAL_ADDRESS: fleet.address };
    expect((await fleet.desk.raymond(['__complete', 'runs'], { env })).stdout.split('\n')).toContain('thinks');
  });
});

describe('a run is named', () => {
  test('by a beginning that fits no other', async () => {
    expect((await fleet.call(['result', 'follo'])).stdout).toBe('hello Ada');
  });

  test('not by one that fits several, nor by an unknown one', async () => {
    await fleet.call(fleet.startOf('hello', 'followed-2'));
    expect(await fleet.call(['status', 'follo'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringMatching(/several runs begin with follo: .*followed-2/),
    });
    for (const command of ['status', 'result', 'watch', 'history', 'pause', 'cancel', 'resume'])
      expect(await fleet.call([command, 'nobody'])).toMatchObject({
        exitCode: 64,
        stdout: '',
        stderr: 'raymond: there is no run nobody; to list the runs, run: raymond list',
      });
  });

  test('agents and turns that are not there name those that are', async () => {
    expect((await fleet.call(['history', 'thinks', 'nobody'])).stderr).toContain('it has main');
    expect(await fleet.call(['transcript', 'thinks', 'main', '7'])).toMatchObject({ exitCode: 64 });
  });
});

test('the hooks of a follower hear of an end once, those of the worker never', async () => {
  await fleet.start('waits', 'heard');
  const followers = [fleet.begin(['watch', 'heard']), fleet.begin(['watch', 'heard'])];
  const seen = followers.map((process) => {
    let text = '';
    process.stderr?.on('data', (chunk) => (text += String(chunk)));
    return () => text;
  });
  await until(() => seen.every((text) => text().includes('run heard')), { what: 'both followers' });
  await fleet.workshop.write('heard.go');
  expect((await Promise.all(followers)).map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  const events = ((await fleet.desk.read('events')) ?? '').split('\n').filter((line) => line.includes('"heard"'));
  expect(events).toHaveLength(1);
  expect(JSON.parse(events[0] ?? '')).toMatchObject({ event: 'done', runId: 'heard', status: 'completed' });
  expect(await fleet.workshop.read('worker-events')).toBeUndefined();
});
