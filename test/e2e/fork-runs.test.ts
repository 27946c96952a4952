// New runs from recorded turns of old ones, and the conversations of old ones: on the embedded server, with a fake Claude.
import { spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { FakeClaude } from '../support/fake-claude.js';
import { flagOf } from '../support/fake-claude.js';
import { Place } from '../support/cli.js';
import { documentOf, fakeWith, statesOf } from '../support/fakes.js';

let place: Place;
let fake: FakeClaude;
beforeAll(async () => {
  fake = await fakeWith(
    { match: 'Plan it', text: '<call return="REVIEW">WRITE</call>', costUsd: 0.1 },
    { match: 'Write it', text: '<result>a text</result>', costUsd: 0.2 },
    { match: 'Review', text: '<goto input="fine">END</goto>', costUsd: 0.3 },
  );
  place = await Place.at(
    {
      'flow/1_START.sh': 'echo "<goto>PLAN</goto>"\n',
      'flow/PLAN.md': 'Plan it.\n',
      'flow/WRITE.md': 'Write it.\n',
      'flow/REVIEW.md': 'Review {{result}}.\n',
      'flow/END.sh': 'echo "<result>$RAYMOND_INPUT</result>"\n',
      'forks/START.sh': 'echo "<fork next=\\"LATER\\">WORK</fork>"\n',
      'forks/WORK.sh': 'echo "<result>work</result>"\n',
      'forks/LATER.sh': 'echo "<goto>WAIT</goto>"\n',
      'forks/WAIT.sh': `echo '<await next="END"/>'\n`,
      'forks/END.sh': 'echo "<result>end</result>"\n',
    },
    fake.env,
  );
  expect(await place.raymond(['start', 'flow', '--id', 'old'])).toMatchObject({ exitCode: 0, stdout: 'fine' });
}, 120_000);

const callsSince = async (before: number) => (await fake.calls()).slice(before);

describe('a run from a recorded turn', () => {
  test('does that turn again, in the conversation and with the stack as of then, and costs from nothing', async () => {
    const before = (await fake.calls()).length;
    const forked = await place.raymond(['fork', 'old', '--at', '3', '--id', 'again', '--json']);
    expect(documentOf(forked)).toMatchObject({ runId: 'again', status: 'completed', result: 'fine', costUsd: 0.5 });
    expect(forked.stderr).toContain(
      'run again, again from turn 3 of main in old; the files in its directory are not reset',
    );
    const calls = await callsSince(before);
    expect(statesOf(calls)).toEqual(['WRITE.md', 'REVIEW.md']);
    const [old] = await fake.calls();
    const parent = flagOf(calls[0], '--resume');
    expect(parent).toContain(flagOf(old, '--session-id'));
    expect((await place.raymond(['status', 'old', '--json'])).stdout).toContain('"costUsd":0.6');
  });

  test('keeps the turn and takes its transition', async () => {
    const before = (await fake.calls()).length;
    const forked = await place.raymond(['fork', 'old/main', '--after', '3', '--id', 'after']);
    expect(forked).toMatchObject({ exitCode: 0, stdout: 'fine' });
    const calls = await callsSince(before);
    expect(statesOf(calls)).toEqual(['REVIEW.md']);
    expect(calls[0]?.prompt).toContain('Review a text.');
  });

  test('goes elsewhere with another input, without the conversation, on request', async () => {
    const before = (await fake.calls()).length;
    const args = ['--at', '4', '--goto', 'REVIEW.md', '--input', 'mine', '--fresh', '--id', 'elsewhere'];
    expect(await place.raymond(['fork', 'old', ...args])).toMatchObject({ exitCode: 0, stdout: 'fine' });
    const [call] = await callsSince(before);
    expect(call?.prompt).toContain('Review mine.');
    expect(flagOf(call, '--resume')).toBeUndefined();
  });

  test('replaces a prompt for the new run only, and says so in the run and its history', async () => {
    const before = (await fake.calls()).length;
    await place.write('new-review.md', 'Review it strictly: {{result}}.\n');
    const args = ['fork', 'old', '--at', '4', '--replace', 'REVIEW=new-review.md', '--id', 'strict', '--json'];
    const forked = documentOf(await place.raymond(args));
    expect(forked).toMatchObject({ status: 'completed', forkedFrom: { runId: 'old', replaced: ['REVIEW.md'] } });
    expect((await callsSince(before))[0]?.prompt).toContain('Review it strictly: a text.');
    const { turns } = JSON.parse((await place.raymond(['history', 'strict', '--json'])).stdout) as {
      readonly turns: readonly { readonly state: string; readonly replaced?: true }[];
    };
    expect(turns.map(({ state, replaced }) => [state, replaced])).toEqual([
      ['REVIEW.md', true],
      ['END.sh', undefined],
    ]);
    expect((await place.raymond(['history', 'strict'])).stdout).toContain('REVIEW.md (replaced)');
    expect((await place.raymond(['status', 'strict'])).stdout).toContain('with REVIEW.md replaced');
  });

  test('may begin paused, says where it comes from, and continues with resume', async () => {
    const forked = await place.raymond(['fork', 'old', '--at', '5', '--pause', '--id', 'held', '--json']);
    expect(forked.exitCode).toBe(3);
    expect(JSON.parse(forked.stdout)).toMatchObject({ forkedFrom: { runId: 'old', agentId: 'main', turn: 5 } });
    expect(await place.raymond(['resume', 'held'])).toMatchObject({ exitCode: 0, stdout: 'fine' });
  });
});

describe('a fork is refused before anything starts', () => {
  const refused = async (args: readonly string[]): Promise<string> => {
    const { exitCode, stderr } = await place.raymond(['fork', ...args, '--id', 'never']);
    expect([64, 69]).toContain(exitCode);
    expect((await place.raymond(['status', 'never'])).stderr).toContain('there is no run never');
    return stderr;
  };

  test('without a turn, of a turn that is not there, and to a state that is not there', async () => {
    expect(await refused(['old'])).toContain('--at N runs it again');
    expect(await refused(['old', '--at', '9'])).toContain('main of old has no turn 9; its recorded turns are 1 to 5');
    expect(await refused(['old', '--at', '2', '--goto', 'NONE.md'])).toContain('has no state NONE.md');
    expect(await refused(['none', '--at', '1'])).toContain('there is no run none');
    expect(await refused(['old', '--at', '4', '--replace', 'REVIEW'])).toContain('is not STATE=FILE');
    expect(await refused(['old', '--after', '3', '--input', 'x'])).toContain('name the state with --goto');
    expect(await refused(['old', '--at', '4', '--replace', 'REVIEW=none.md'])).toContain('cannot read none.md');
    expect(await refused(['old', '--at', '4', '--replace', 'END=flow/PLAN.md'])).toContain('END.sh is a script');
  });

  test('where agents were forked and not awaited, unless they are given up', async () => {
    await place.raymond(['start', 'forks', '--id', 'crowd']);
    expect(await refused(['crowd', '--at', '2'])).toContain('drop them with --drop-forks');
    const forked = await place.raymond(['fork', 'crowd', '--at', '2', '--drop-forks', '--id', 'alone']);
    expect(forked).toMatchObject({ exitCode: 0, stdout: 'end' });
  });

  test('when the id is in use', async () => {
    const { exitCode, stderr } = await place.raymond(['fork', 'old', '--at', '5', '--id', 'old']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 64,
      stderr: 'raymond: the run id old is in use: that run has ended (completed); choose another --id',
    });
  });
});

describe('the conversation of an agent', () => {
  test('is printed, as it was after a turn or as it is now', async () => {
    const { stdout } = await place.raymond(['transcript', 'old', 'main']);
    expect(stdout).toContain('> Plan it.');
    expect(stdout).toContain('<goto input="fine">END</goto>');
    expect((await place.raymond(['transcript', 'old', 'main', '2'])).stdout).not.toContain('Review');
    expect((await place.raymond(['transcript', 'old', 'main', '1'])).stderr).toContain('no recorded prompt turn 1');
  });

  test('is opened by a command that works, in a copy', async () => {
    const { stdout } = await place.raymond(['session', 'old', 'main']);
    expect(stdout).toMatch(/^cd \S+ && claude --resume \S+\.raymond\/sessions\/[0-9a-f-]+\.jsonl --fork-session$/);
    const before = (await fake.calls()).length;
    const { status } = spawnSync('bash', ['-c', `${stdout} -p --output-format stream-json --verbose`], {
      env: { ...process.env, ...fake.env },
      input: 'And now?',
    });
    expect(status).toBe(0);
    expect((await callsSince(before))[0]?.prompt).toContain('And now?');
  });

  test('that is gone from the store is said, with what to do', async () => {
    await rm(join(place.cwd, '.raymond/artifacts'), { recursive: true });
    const { exitCode, stderr } = await place.raymond(['fork', 'old', '--at', '4', '--id', 'lost']);
    expect(exitCode).toBe(69);
    expect(stderr).toContain('start without it: --fresh');
    expect(await place.raymond(['fork', 'old', '--at', '4', '--fresh', '--id', 'fresh'])).toMatchObject({
      exitCode: 0,
    });
  });
});
