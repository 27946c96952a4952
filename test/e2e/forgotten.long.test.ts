// Runs that Temporal has forgotten: what is recorded of them is read from the artifact store. And what turns printed, which lies there too.
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FakeClaude } from '../support/fake-claude.js';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith, statesOf } from '../support/fakes.js';

let place: Place;
let fake: FakeClaude;
beforeAll(async () => {
  fake = await fakeWith(
    { match: 'Plan it', text: 'A plan.\n<goto>WRITE</goto>', costUsd: 0.1 },
    { match: 'Write it', text: '<result>a text</result>', costUsd: 0.2 },
  );
  place = await Place.at(
    {
      'flow/1_START.sh': 'echo one; echo two >&2; echo "<fork next=\\"PLAN\\">WORK</fork>"\n',
      'flow/WORK.sh': 'echo working; echo "<result>work</result>"\n',
      'flow/PLAN.md': 'Plan it.\n',
      'flow/WRITE.md': 'Write it.\n',
      'fails/START.sh': 'echo "<goto>FAIL</goto>"\n',
      'fails/FAIL.sh': 'echo before the end; [ -f mended ] || exit 3; echo "<result>mended</result>"\n',
      'fails/OTHER.sh': 'echo "<result>other: $RAYMOND_INPUT</result>"\n',
    },
    fake.env,
  );
  expect(await place.raymond(['start', 'flow', '--id', 'old'])).toMatchObject({ exitCode: 0, stdout: 'a text' });
  expect(await place.raymond(['start', 'fails', '--id', 'failed'])).toMatchObject({ exitCode: 1 });
}, 120_000);

const linesOf = async (...args: readonly string[]): Promise<readonly string[]> =>
  (await place.raymond(['logs', ...args])).stdout.trim().split('\n');

describe('logs', () => {
  test('prints what scripts and prompts printed, of all agents, of one, and of one turn', async () => {
    const all = await linesOf('old');
    expect(all.filter((line) => line.startsWith('main_work1 '))).toEqual([
      'main_work1 WORK.sh | working',
      'main_work1 WORK.sh | <result>work</result>',
    ]);
    expect(all).toEqual(expect.arrayContaining(['main 1_START.sh | one', 'main 1_START.sh | two']));
    expect(await linesOf('old', 'main', '--turn', '2')).toEqual([
      'main PLAN.md | A plan.',
      'main PLAN.md | <goto>WRITE</goto>',
    ]);
    const [line = ''] = await linesOf('old', 'main_work1', '--json');
    expect(JSON.parse(line)).toMatchObject({
      agentId: 'main_work1',
      turn: 1,
      state: 'WORK.sh',
      text: expect.any(String),
    });
  });

  test('prints also what a turn printed that failed, and follows a run to its end', async () => {
    expect(await linesOf('failed', '--turn', '2')).toEqual(['main FAIL.sh | before the end']);
    expect(await place.raymond(['logs', 'old', '-f'])).toMatchObject({ exitCode: 0 });
  });

  test('says which agents and turns there are', async () => {
    expect(await place.raymond(['logs', 'old', 'nobody'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('has no agent nobody; it has main, main_work1'),
    });
    expect((await place.raymond(['logs', 'old', '--turn', '9'])).stderr).toContain('no turn 9 is recorded');
  });
});

test('one agent of a closed run is moved, or tries again alone', async () => {
  expect(await place.raymond(['goto', 'failed', 'main', 'NOWHERE'])).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('has no state NOWHERE; it has FAIL.sh, OTHER.sh, START.sh'),
  });
  const elsewhere = ['goto', 'failed', 'main', 'OTHER', '--input', 'hello'];
  expect(await place.raymond(['start', 'fails', '--id', 'sent'])).toMatchObject({ exitCode: 1 });
  expect(await place.raymond(elsewhere.with(1, 'sent'))).toMatchObject({ exitCode: 0, stdout: 'other: hello' });
  expect(await place.raymond(elsewhere.with(1, 'sent'))).toMatchObject({
    exitCode: 64,
    stderr: expect.stringContaining('the run sent has completed'),
  });
});

describe('a run that Temporal has forgotten', () => {
  let before: readonly string[];
  const asked = [
    ['history', 'old', '--json'],
    ['logs', 'old'],
    ['result', 'old'],
    ['transcript', 'old', 'main'],
  ] as const;
  beforeAll(async () => {
    before = await Promise.all(asked.map(async (args) => (await place.raymond(args)).stdout));
    await place.raymond(['server', 'stop']);
    const folder = join(place.cwd, '.raymond/temporal');
    for (const name of await readdir(folder)) if (name.includes('.db')) await rm(join(folder, name));
    await place.raymond(['server', 'start']);
    expect((await place.raymond(['list', '--json'])).stdout).toBe('[]');
  });

  test('has its history, its output, its result and its conversations', async () => {
    expect(await Promise.all(asked.map(async (args) => (await place.raymond(args)).stdout))).toEqual(before);
    expect((await place.raymond(['status', 'old'])).stdout).toContain('old: completed');
  });

  test('is where another one begins', async () => {
    const count = (await fake.calls()).length;
    const forked = await place.raymond(['fork', 'old', '--at', '3', '--drop-forks', '--id', 'again', '--json']);
    expect(documentOf(forked)).toMatchObject({ status: 'completed', result: 'a text', costUsd: 0.2 });
    expect(statesOf((await fake.calls()).slice(count))).toEqual(['WRITE.md']);
  });

  test('continues when it had failed, its turn numbers too', async () => {
    await place.write('mended');
    expect(await place.raymond(['resume', 'failed'])).toMatchObject({ exitCode: 0, stdout: 'mended' });
    const { stdout } = await place.raymond(['history', 'failed', '--json']);
    const { turns } = JSON.parse(stdout) as { turns: readonly { number: number; state: string }[] };
    expect(turns.map(({ number, state }) => [number, state])).toEqual([
      [1, 'START.sh'],
      [2, 'FAIL.sh'],
      [2, 'FAIL.sh'],
    ]);
  });
});
