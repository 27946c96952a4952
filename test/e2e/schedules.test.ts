// Schedules on a cluster: Temporal's own, made, looked at, triggered, filled in and removed by the command line; their runs are done by a worker.
import { createHash } from 'node:crypto';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exists } from '../../src/host/files.js';
import { Place } from '../support/cli.js';
import { Fleet } from '../support/fleet.js';
import { Desk, SELDOM } from '../support/schedules.js';
import { until } from '../support/until.js';

let fleet: Fleet;
let desk: Desk;
beforeAll(async () => {
  fleet = await Fleet.open({
    'says/START.sh': 'echo "<result>$RAYMOND_WORKFLOW_ID in $RAYMOND_TASK_FOLDER</result>"\n',
    'asks/START.sh': 'echo "<ask next=\\"END\\">Which?</ask>"\n',
    'asks/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
  });
  desk = new Desk(fleet);
  await fleet.work();
}, 60_000);
afterAll(() => fleet.close());

describe('a schedule', () => {
  beforeAll(async () => {
    const words = ['--cron', '0 2 * * 1-5', '--every', '7d', '--calendar', '{"dayOfWeek":"MONDAY","hour":4}'];
    const made = await fleet.call(
      desk.create('nightly', 'says', ...words, '--timezone', 'Europe/Berlin', '--catchup', '30m'),
    );
    expect(made).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^nightly: active \(created by \S+@\S+\)\n/),
    });
  });

  test('is shown with its times, as they were written', async () => {
    expect(await desk.document('schedule show', 'nightly')).toMatchObject({
      name: 'nightly',
      workflow: 'says',
      when: ['second 0, minute 0, hour 4, dayOfWeek MONDAY', '0 2 * * 1-5', 'every 7d'],
      timezone: 'Europe/Berlin',
      overlap: 'skip',
      catchupMs: 30 * 60_000,
      paused: false,
      heldBy: [],
      runs: [],
    });
    expect((await fleet.call(['schedule', 'show', 'nightly'])).stdout).toMatch(/overlap +skip; .* up to 30m late\n/);
  });

  test('is listed', async () => {
    const listed = async (): Promise<boolean> =>
      (await desk.document('schedule list')).some(({ name }) => name === 'nightly');
    await until(listed, { what: 'the schedule in the list' });
    expect((await fleet.call(['schedule', 'list'])).stdout).toMatch(/^SCHEDULE +WORKFLOW.*\nnightly +says +second 0/);
  });

  test('starts a run when it is triggered, which a worker does and every command knows by its id', async () => {
    const { runId } = await desk.document('schedule trigger', 'nightly');
    expect(runId).toMatch(/^nightly-\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    await fleet.shows(runId!, /: completed/);
    const folder = new RegExp(`^${runId!} in /.*/tasks/${runId!.replaceAll(':', '%3A')}/main$`);
    expect((await fleet.call(['result', runId!])).stdout).toMatch(folder);
    expect((await desk.document('list')).find((run) => run.runId === runId)).toMatchObject({ workflow: 'says' });
    const { runs, started } = await desk.document('schedule show', 'nightly');
    expect({ runs: runs.map((run) => run.runId), started }).toEqual({ runs: [runId], started: 1 });
  });

  test('that is paused has no next run, until it is resumed', async () => {
    await desk.document('schedule pause', 'nightly');
    const paused = await desk.document('schedule show', 'nightly');
    expect(paused).toMatchObject({ paused: true, nextRuns: [], note: expect.stringMatching(/^paused by \S+@/) });
    await desk.document('schedule resume', 'nightly');
    const resumed = await desk.document('schedule show', 'nightly');
    expect(resumed).toMatchObject({ paused: false, note: expect.stringMatching(/^resumed by \S+@/) });
    expect(resumed.nextRuns.length).toBeGreaterThan(0);
  });

  test('starts what would have been due, one run after the other', async () => {
    const words = ['--from', '2026-11-16T00:00:00Z', '--to', '2026-11-18T12:00:00Z'];
    const { due } = await desk.document('schedule backfill', 'nightly', ...words);
    const days = ['2026-11-16T01:00:00.000Z', '2026-11-16T03:00:00.000Z', '2026-11-17T01:00:00.000Z'];
    expect(due).toEqual([...days, '2026-11-18T01:00:00.000Z']);
    for (const time of due) await fleet.shows(`nightly-${time.replace('.000', '')}`, /: completed/);
    expect(await desk.refused('backfill', 'nightly', ...words)).toMatch(
      /nightly missed no run from .* to .*; choose another time range/,
    );
  });

  test('whose name is taken is refused', async () => {
    const [, ...words] = desk.create('nightly', 'says', ...SELDOM);
    expect(await desk.refused(...words)).toMatch(
      /the schedule nightly already exists; choose another name, or delete it/,
    );
  });

  test('that is removed is not known any more', async () => {
    await desk.document('schedule delete', 'nightly');
    expect(await desk.refused('show', 'nightly')).toMatch(
      /there is no schedule nightly; to list the schedules, run: raymond schedule list/,
    );
  });
});

describe('a run that is open', () => {
  let held: string;
  beforeAll(async () => {
    expect(await fleet.call(desk.create('held', 'asks', ...SELDOM))).toMatchObject({ exitCode: 0 });
    held = (await desk.document('schedule trigger', 'held')).runId!;
    await fleet.shows(held, /: asking/);
  });

  test('holds a schedule that skips, which says so and what to do', async () => {
    expect(await desk.document('schedule show', 'held')).toMatchObject({ heldBy: [{ runId: held, status: 'asking' }] });
    const { stdout } = await fleet.call(['schedule', 'show', 'held']);
    expect(stdout).toContain(
      `blocked by ${held}, which is asking: due runs are skipped until it ends; raymond answer ${held} TEXT`,
    );
    expect(await desk.refused('trigger', 'held')).toContain(
      `no run of held was started: ${held} is open (asking); end it with: raymond cancel ${held}`,
    );
  });

  test('also when it is paused, as the list says', async () => {
    await fleet.call(['pause', held]);
    await fleet.call(['answer', held, 'blue']);
    await fleet.shows(held, /: paused/);
    const isHeld = async (): Promise<boolean> =>
      (await fleet.call(['schedule', 'list'])).stdout.includes(`${held} (paused)`);
    await until(isHeld, { what: 'the schedule as held' });
    expect((await fleet.call(['schedule', 'show', 'held'])).stdout).toContain(
      `raymond resume ${held}, or raymond cancel`,
    );
  });

  test('is no hindrance to a run that is asked for beside it', async () => {
    const { runId } = await desk.document('schedule trigger', 'held', '--overlap', 'allow');
    expect(runId).not.toBe(held);
    await fleet.shows(runId!, /: asking/);
    await fleet.call(['cancel', runId!]);
  });

  test('lets one wait for its end', async () => {
    expect(await desk.document('schedule trigger', 'held', '--overlap', 'buffer')).toEqual({ name: 'held' });
    await fleet.call(['cancel', held]);
    const next = async (): Promise<string | undefined> =>
      (await desk.document('schedule show', 'held')).heldBy[0]?.runId;
    await until(async () => ![held, undefined].includes(await next()), {
      what: 'the run that waited',
      timeoutMs: 20_000,
    });
  });
});

test('gc keeps what a schedule starts its runs with, until it is removed', async () => {
  const input = 'long '.repeat(10_000);
  expect(await fleet.call(desk.create('kept', 'says', '--cron', '@yearly', '--input', input))).toMatchObject({
    exitCode: 0,
  });
  const sha256 = createHash('sha256').update(input).digest('hex');
  const artifact = join(fleet.workshop.cwd, '.raymond/artifacts', sha256.slice(0, 2), sha256);
  const old = new Date(Date.now() - 40 * 24 * 3_600_000);
  await utimes(artifact, old, old);
  const collect = async (): Promise<boolean> => {
    expect(await fleet.call(['gc'])).toMatchObject({ exitCode: 0 });
    return await exists(artifact);
  };
  const listed = async (): Promise<boolean> =>
    (await desk.document('schedule list')).some(({ name }) => name === 'kept');
  await until(listed, { what: 'the schedule in the list' });
  expect(await collect()).toBe(true);
  await desk.document('schedule delete', 'kept');
  await until(async () => !(await listed()), { what: 'the schedule not in the list' });
  expect(await collect()).toBe(false);
});

describe('what cannot be a schedule is refused', () => {
  test.each<readonly [what: string, name: string, words: readonly string[], said: RegExp]>([
    ['one without times', 'x', [], /give the times of the runs with --cron, --every or --calendar/],
    [
      'a cron that is none',
      'x',
      ['--cron', 'every day'],
      /Temporal rejected the schedule: CronString does not have 5-7 fields/,
    ],
    ['a time zone that is none', 'x', [...SELDOM, '--timezone', 'Berlin'], /there is no time zone "Berlin"/],
    ['a calendar that is no JSON', 'x', ['--calendar', 'monday'], /--calendar: "monday" is not a JSON object/],
    [
      'a calendar with a wrong hour',
      'x',
      ['--calendar', '{"hour":25}'],
      /--calendar: hour: expected number to be <=23/,
    ],
    ['a name with a colon', 'a:b', SELDOM, /"a:b" cannot be the name of a schedule/],
    ['a model that is no name', 'x', [...SELDOM, '--model', 'gpt 4'], /expected the name of a model/],
  ])('%s', async (...[, name, words, said]) => {
    const [, ...all] = desk.create(name, 'says', ...words);
    expect(await desk.refused(...all)).toMatch(said);
  });

  test('an unknown name, by every command', async () => {
    for (const command of ['show', 'pause', 'resume', 'trigger', 'delete'])
      expect(await desk.refused(command, 'nobody')).toMatch(/there is no schedule nobody/);
    expect(await desk.refused('backfill', 'nobody', '--from', '2026-11-20')).toMatch(/there is no schedule nobody/);
    expect(await desk.refused('backfill', 'nobody', '--from', 'yesterday')).toMatch(/expected a time such as/);
  });

  test('one of a project that has none, whose server is not started for it', async () => {
    const place = await Place.at();
    for (const command of ['show', 'pause', 'resume', 'trigger', 'delete'])
      expect(await place.raymond(['schedule', command, 'x'])).toMatchObject({
        exitCode: 64,
        stderr: expect.stringContaining(`there is no schedule in the project ${place.cwd}; create one with:`),
      });
    expect((await place.raymond(['server', 'status'])).stdout).toMatch(/not running|stopped/);
  });
});

test('a run that was started while no worker is there is seen nevertheless, and done when there is one', async () => {
  expect(await fleet.call(desk.create('quiet', 'says', ...SELDOM))).toMatchObject({ exitCode: 0 });
  await fleet.rest();
  const { runId } = await desk.document('schedule trigger', 'quiet');
  const listed = async (): Promise<boolean> => (await desk.document('list')).some((run) => run.runId === runId);
  await until(listed, { what: 'the run in the list' });
  expect(await desk.document('status', runId!)).toMatchObject({
    runId,
    workflow: 'says',
    agents: [{ id: 'main', status: 'running' }],
    startedAt: expect.stringContaining(runId!.slice(6, 22)),
  });
  await fleet.work();
  await fleet.shows(runId!, /: completed/);
}, 30_000);
