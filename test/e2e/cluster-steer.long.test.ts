// Steering runs of a fleet from another project than its worker's, by `--address` against a real server: while a worker is there, while there
// has never been one, and while there is none any more.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Called } from '../support/cli.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Fleet } from '../support/fleet.js';
import { until } from '../support/until.js';

const WAITS =
  'touch "$RAYMOND_WORKFLOW_ID.$RAYMOND_AGENT_ID"; until [ -f "$RAYMOND_WORKFLOW_ID.go" ]; do sleep 0.05; done\n';
const NOBODY_POLLS =
  /no worker polls the task queue "fleet" yet.*raymond fleet worker --address \S+ --namespace default --task-queue fleet/;

let fleet: Fleet;
let fake: FakeClaude;
beforeAll(async () => {
  fake = await fakeWith(
    { match: 'Buy', times: 1, isError: true, assistantError: 'billing_error', text: 'Credit balance is too low' },
    { match: 'Spend', costUsd: 1, text: '<goto>SPEND</goto>' },
    { match: 'dear', costUsd: 1, text: '<goto>END</goto>' },
    { text: '<result>heard</result>' },
  );
  fleet = await Fleet.open(
    {
      'hello/START.sh': 'echo "<goto>NEXT</goto>"\n',
      'hello/NEXT.sh': 'echo "<result>hello</result>"\n',
      'two/START.sh': 'echo "<fork next=\\"MAIN\\">WORK</fork>"\n',
      'two/MAIN.sh': `${WAITS}echo "<goto>END</goto>"\n`,
      'two/WORK.sh': `${WAITS}echo "<goto>END</goto>"\n`,
      'two/END.sh': 'echo "<result>$RAYMOND_AGENT_ID ended</result>"\n',
      'asks/START.sh': 'echo "<ask next=\\"SAY\\">Which colour?</ask>"\n',
      'asks/SAY.sh': `${WAITS}echo "<result>$RAYMOND_INPUT</result>"\n`,
      'late/START.sh': `echo '<ask next="NEVER" timeout="1s" timeout_next="LATE">Quick?</ask>'\n`,
      'late/NEVER.sh': 'echo "<result>never</result>"\n',
      'late/LATE.sh': `${WAITS}echo "<result>late</result>"\n`,
      'tells/START.sh': 'echo "<ask next=\\"SAY\\">Ready?</ask>"\n',
      'tells/SAY.md': 'Answer.\n',
      'expires/START.sh': 'echo "<ask next=\\"SAY\\" timeout=\\"10s\\">Now?</ask>"\n',
      'expires/SAY.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'pays/START.md': 'Buy it.\n',
      'spends/START.md': 'A dear one.\n',
      'spends/END.sh': 'echo "<result>spent</result>"\n',
    },
    { env: fake.env },
  );
}, 60_000);
afterAll(() => fleet.close());

describe('while there has never been a worker', () => {
  test('a start says so, and so does every order to the run, which is kept', async () => {
    for (const runId of ['early-pause', 'early-cancel', 'early-budget', 'early-resume', 'early-both'])
      expect(await fleet.start('hello', runId)).toMatchObject({
        exitCode: 0,
        stdout: runId,
        stderr: expect.stringMatching(NOBODY_POLLS),
      });
    const orders = [
      ['pause', 'early-pause'],
      ['cancel', 'early-cancel'],
      ['cancel', 'early-both'],
      ['budget', 'early-budget', '3'],
      ['status', 'early-pause'],
    ];
    for (const order of orders)
      expect(await fleet.call(order)).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(NOBODY_POLLS) });
    for (const runId of ['early-resume', 'early-both']) {
      const { exitCode, stderr } = await fleet.call(['resume', runId]);
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(NOBODY_POLLS) });
      expect(stderr).toContain(
        runId === 'early-both'
          ? 'early-both is stopping; it continues when all of its agents have ended'
          : 'no worker executes early-resume now; the order waits for one',
      );
    }
  });

  test('an order to an agent is refused: it has not started yet', async () => {
    for (const order of [
      ['tell', 'early-pause', 'main', 'hello'],
      ['cancel', 'early-pause', '--agent', 'main'],
    ])
      expect(await fleet.call(order)).toMatchObject({
        exitCode: 64,
        stderr: expect.stringContaining('main of the run early-pause has not started yet'),
      });
    expect((await fleet.call(['retry', 'early-pause', 'main'])).stderr).toContain('main is running');
  });
});

describe('as soon as there is one', () => {
  beforeAll(() => fleet.work(), 30_000);

  test('what was asked for before counts', async () => {
    await fleet.shows('early-pause', /^early-pause: paused[^]*main {2}paused {2}START\.sh[^]*paused by \S+@\S+/);
    await fleet.shows('early-cancel', /^early-cancel: cancelled/);
    await fleet.shows('early-budget', /^early-budget: completed[^]*of \$3\.00/);
    await fleet.shows('early-resume', /^early-resume: completed/);
    await fleet.shows('early-both', /^early-both: completed/);
    expect(await fleet.call(['resume', 'early-pause', '--follow'])).toMatchObject({ exitCode: 0, stdout: 'hello' });
  });

  test('pause and resume: at the end of a turn, and on from there', async () => {
    await fleet.start('two', 'paused');
    await fleet.workshop.made('paused.main_work1');
    expect(await fleet.call(['pause', 'paused'])).toMatchObject({
      exitCode: 0,
      stderr: 'paused pauses after the current turns; resume it with: raymond resume paused',
    });
    await fleet.shows('paused', /to be paused by/);
    await fleet.workshop.write('paused.go');
    await fleet.shows('paused', /^paused: paused[^]*main {2}paused {2}END\.sh[^]*main_work1 {2}paused {2}END\.sh/);
    expect(await fleet.call(['resume', 'paused', '--json'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/"resumed": ?\["main", ?"main_work1"\]/),
    });
    await fleet.shows('paused', /^paused: completed/);
  });

  test('cancel: one agent, then the run, which is resumed on the queue that it was started on', async () => {
    await fleet.start('two', 'cancelled');
    await fleet.workshop.made('cancelled.main_work1');
    expect(await fleet.call(['cancel', 'cancelled', '--agent', 'main_work1'])).toMatchObject({ exitCode: 0 });
    await fleet.shows('cancelled', /^cancelled: running[^]*main_work1 {2}cancelled/);
    expect(await fleet.call(['cancel', 'cancelled'])).toMatchObject({ exitCode: 0, stderr: 'asked cancelled to stop' });
    const isClosed = async (): Promise<boolean> =>
      (await fleet.call(['status', 'cancelled', '--json'])).stdout.includes('"endedAt"');
    await until(isClosed, { what: 'the end of the run' });
    await fleet.shows('cancelled', /^cancelled: cancelled/);
    await fleet.workshop.write('cancelled.go');
    expect(await fleet.call(['resume', 'cancelled', '--follow'])).toMatchObject({ exitCode: 0, stdout: 'main ended' });
  });

  test('resume: after a cancel and after a pause that the worker has not processed yet', async () => {
    const resumed = async (runId: string, order: string): Promise<Called> => {
      await fleet.start('two', runId);
      await fleet.workshop.made(`${runId}.main_work1`);
      const thaw = fleet.freeze();
      expect(await fleet.call([order, runId])).toMatchObject({ exitCode: 0 });
      const called = fleet.call(['resume', runId]);
      thaw();
      return await called;
    };
    expect(await resumed('stopped', 'cancel')).toMatchObject({
      exitCode: 0,
      stderr: 'stopped is stopping; it continues when all of its agents have ended',
    });
    expect(await resumed('halted', 'pause')).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^cancelled the pause by \S+@\S+$/),
    });
    for (const runId of ['stopped', 'halted']) {
      await fleet.workshop.write(`${runId}.go`);
      await fleet.shows(runId, /: completed/);
    }
  });

  test('budget: a run that went over it continues, on the queue that it was started on', async () => {
    const { exitCode } = await fleet.call([...fleet.startOf('spends', 'spent'), '--budget', '0.5']);
    expect(exitCode).toBe(4);
    expect(await fleet.call(['budget', 'spent', '0.7'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('has spent $1.00 already'),
    });
    expect(await fleet.call(['budget', 'spent', '5', '--follow'])).toMatchObject({ exitCode: 0, stdout: 'spent' });
  });

  test('retry: one paused agent tries again', async () => {
    expect(await fleet.call(fleet.startOf('pays', 'pays'))).toMatchObject({ exitCode: 3 });
    expect(await fleet.call(['retry', 'pays', 'main'])).toMatchObject({ exitCode: 0, stderr: 'retrying main' });
    await fleet.shows('pays', /^pays: completed/);
  });

  test('fork: a recorded turn of a run begins a new one on the same queue', async () => {
    const { stdout, exitCode } = await fleet.call([
      'fork',
      'paused',
      '--at',
      '3',
      '--id',
      'forked',
      '--follow',
      '--drop-forks',
    ]);
    expect({ stdout, exitCode }).toEqual({ stdout: 'main ended', exitCode: 0 });
    expect(await fleet.call(['fork', 'paused', '--at', '3', '--id', 'forked', '--drop-forks'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('the run id forked is in use'),
    });
  });

  test('answer: of two at once exactly one is taken', async () => {
    await fleet.start('asks', 'asked');
    await fleet.shows('asked', /^asked: asking[^]*Which colour\?/);
    const given = await Promise.all(
      ['red', 'blue'].map((colour) => fleet.call(['answer', 'asked', 'ask_main_1', colour])),
    );
    expect(given.map(({ exitCode }) => exitCode).sort()).toEqual([0, 64]);
    const taken = given[0]?.exitCode === 0 ? 'red' : 'blue';
    expect(given.find(({ exitCode }) => exitCode === 64)?.stderr).toMatch(/ask_main_1.*answered/);
    await fleet.workshop.write('asked.go');
    await fleet.shows('asked', /^asked: completed/);
    expect((await fleet.call(['result', 'asked'])).stdout).toBe(taken);
  });

  test('answer: a question that is over is refused', async () => {
    await fleet.start('late', 'late');
    await fleet.workshop.made('late.main');
    expect(await fleet.call(['answer', 'late', 'ask_main_1', 'yes'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('ask_main_1'),
    });
    expect((await fleet.call(['answer', 'late', 'yes'])).stderr).toContain('has no open question');
    await fleet.workshop.write('late.go');
    await fleet.shows('late', /^late: completed/);
  });

  test('an order that does not fit the status of the run reports its status', async () => {
    const orders: readonly (readonly [order: readonly string[], said: RegExp])[] = [
      [['pause', 'early-budget'], /has already ended \(completed\)/],
      [['cancel', 'early-budget'], /has already ended \(completed\)/],
      [['tell', 'early-budget', 'main', 'x'], /has already ended \(completed\)/],
      [['retry', 'early-budget', 'main'], /has completed; there is nothing to resume/],
      [['answer', 'early-budget', 'x'], /has already ended \(completed\)/],
      [['resume', 'early-budget'], /has completed; there is nothing to resume/],
      [['budget', 'early-budget', '20'], /has ended \(completed\), but not because of its budget/],
      [['budget', 'early-cancel', '20'], /has ended \(cancelled\).*raymond resume early-cancel/],
    ];
    for (const [order, said] of orders)
      expect(await fleet.call(order)).toMatchObject({ exitCode: 64, stdout: '', stderr: expect.stringMatching(said) });
  });
});

describe('while there is none any more', () => {
  beforeAll(async () => {
    for (const runId of ['gone-tell', 'gone-stop']) await fleet.start('tells', runId);
    await fleet.start('asks', 'gone-pause');
    await fake.setRules([
      { match: 'Buy', times: 1, isError: true, assistantError: 'billing_error', text: 'Credit balance is too low' },
      { text: '<result>heard</result>' },
    ]);
    expect(await fleet.call(fleet.startOf('pays', 'gone-retry'))).toMatchObject({ exitCode: 3 });
    await fleet.start('expires', 'gone-late');
    for (const runId of ['gone-tell', 'gone-stop', 'gone-pause', 'gone-late']) await fleet.shows(runId, /: asking/);
    await fleet.rest();
  }, 60_000);

  test('every order is taken, and an answer waits for a worker', async () => {
    const orders = [
      ['tell', 'gone-tell', 'main', 'Mind the gap.'],
      ['budget', 'gone-tell', '7'],
      ['retry', 'gone-retry', 'main'],
      ['cancel', 'gone-stop', '--agent', 'main'],
      ['pause', 'gone-pause'],
    ];
    for (const order of orders) expect(await fleet.call(order)).toMatchObject({ exitCode: 0 });
    await fleet.shows('gone-late', /ask_main_1 expired/);
    expect(await fleet.call(['resume', 'gone-late'])).toMatchObject({
      exitCode: 0,
      stderr: expect.stringMatching(/^resumed main \(ask_main_1 expired .* ago\)/),
    });
    const answering = fleet.begin(['answer', 'gone-tell', 'yes']);
    await fleet.work();
    expect(await answering).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('answered ask_main_1') });
  }, 60_000);

  test('and all of it counts when there is one again', async () => {
    await fleet.shows('gone-tell', /^gone-tell: completed[^]*of \$7\.00/);
    const [told] = (await fake.calls()).filter(({ env }) => env['RAYMOND_WORKFLOW_ID'] === 'gone-tell');
    expect(told?.prompt).toMatch(/\S+@\S+ says:\n\nMind the gap\./);
    await fleet.shows('gone-retry', /^gone-retry: completed/);
    await fleet.shows('gone-stop', /^gone-stop: cancelled/);
    expect(await fleet.call(['answer', 'gone-late', 'at last'])).toMatchObject({ exitCode: 0 });
    await fleet.shows('gone-late', /^gone-late: completed/);
    expect(await fleet.call(['answer', 'gone-pause', 'red'])).toMatchObject({ exitCode: 0 });
    await fleet.shows('gone-pause', /^gone-pause: paused/);
    await until(async () => (await fleet.call(['history', 'gone-pause'])).stdout.includes('pause'), {
      what: 'the order',
    });
  });
});
