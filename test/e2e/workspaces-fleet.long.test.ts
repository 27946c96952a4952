// Workspaces that git brings from host to host of a fleet. The hosts are workers of one machine with names, folders and
// queues of their own; that they find the same path means here that a later one sets aside what the one before left.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DOCUMENTS } from '../../src/client/documents/documents.js';
import type { FakeClaude } from '../support/fake-claude.js';
import { fakeWith } from '../support/fakes.js';
import { Fleet, type FleetHost } from '../support/fleet.js';
import { folder } from '../support/folder.js';
import { Repository } from '../support/repository.js';
import { until } from '../support/until.js';

const COMMIT = 'git -c user.name=A -c user.email=a@b commit --quiet -am';

describe('on a fleet', () => {
  let fleet: Fleet;
  let repository: Repository;
  let fake: FakeClaude;
  const hosts: Record<string, FleetHost> = {};
  beforeAll(async () => {
    fake = await fakeWith({ text: 'unused' });
    repository = await Repository.of({ 'a.txt': 'a\n' });
    const root = await folder();
    fleet = await Fleet.open(
      {
        'asks/START.sh': `echo "on $ON_HOST" > first; git add .; ${COMMIT} first; echo "<goto>ASK</goto>"\n`,
        'asks/ASK.sh': 'echo work > open; echo "<ask next=\\"END\\">Go on?</ask>"\n',
        'asks/END.sh':
          "echo \"<result>$(cat first); $ON_HOST; $(git log -1 --format=%s); $(ls | tr '\\n' ' ')</result>\"\n",
        'works/START.sh': 'echo "on $ON_HOST" > first; echo "<goto>LONG</goto>"\n',
        'works/LONG.sh':
          'test -f first || exit 9; [ "$ON_HOST" = b ] || { touch half; sleep 500; }; echo "<result>$(cat first) then $ON_HOST $(ls | tr \'\\n\' \' \')</result>"\n',
        'grows/START.sh': 'echo "on $ON_HOST" > first; echo "<goto>GROW</goto>"\n',
        'grows/GROW.sh': 'truncate -s 300M big; echo "<goto>END</goto>"\n',
        'grows/END.sh': "echo \"<result>$(cat first); $ON_HOST; $(ls | tr '\\n' ' ')</result>\"\n",
        'thinks/START.md': 'Think.\n',
        'thinks/END.sh': 'echo "<result>ok</result>"\n',
      },
      { env: fake.env, config: `workspace = "git"\nworkspace_root = ${JSON.stringify(root)}\n` },
    );
    hosts['a'] = await fleet.host('a', fake.env);
  }, 60_000);
  afterAll(() => fleet.close());

  test('an agent whose host is gone waits for it, and continues elsewhere with its files when it is moved; or moves by itself', async () => {
    const asking = ['--repo', repository.url, '--ref', 'main'];
    const env = { RAYMOND_HOST_SILENCE: '1' };
    const start = (flow: string, ...more: readonly string[]): Promise<unknown> =>
      fleet.call([...fleet.startOf(flow, flow), '--detach', ...asking, ...more], { env });
    expect(await start('asks')).toMatchObject({ exitCode: 0 });
    await fleet.desk.write(
      '.raymond/config.toml',
      `${(await fleet.desk.read('.raymond/config.toml')) ?? ''}on_host_loss = "move"\n`,
    );
    expect(await start('works')).toMatchObject({ exitCode: 0 });
    await fleet.shows('asks', /main {2}asking {2}ASK\.sh[^]*files on a/);
    await fleet.shows('works', /main {2}running[^]*turn 2, running on /);
    hosts['a']?.process.kill('SIGKILL');
    hosts['b'] = await fleet.host('b', fake.env);
    expect(await fleet.call(['answer', 'asks', 'yes'])).toMatchObject({ exitCode: 0 });
    await fleet.shows('asks', /waits for a, which has not polled since .*raymond fleet move asks main/);
    const moved = await fleet.call(['move', 'asks', 'main', '--to', 'b', '--json']);
    expect(DOCUMENTS.move.parse(JSON.parse(moved.stdout))).toMatchObject({
      runId: 'asks',
      agentId: 'main',
      served: true,
    });
    const resultOf = async (run: string): Promise<string> => {
      await until(async () => (await fleet.call(['result', run])).exitCode === 0, {
        what: `the result of ${run}`,
        timeoutMs: 60_000,
        everyMs: 500,
      });
      return (await fleet.call(['result', run])).stdout;
    };
    expect(await resultOf('asks')).toBe('on a; b; first; a.txt first open');
    // What the torn turn had made is no part of any recorded turn.
    expect(await resultOf('works')).toBe('on a then b a.txt first');
  }, 120_000);

  test('what a prompt has spent on a host that was lost is named, and booked when the host is back', async () => {
    await fake.setRules([
      { times: 1, text: 'said', costUsd: 0.25, hang: 'after' },
      { text: '<ask next="END">Go on?</ask>', costUsd: 0.5 },
    ]);
    const words = [...fleet.startOf('thinks', 'thinks'), '--detach', '--repo', repository.url, '--ref', 'main'];
    expect(await fleet.call(words, { env: { RAYMOND_HOST_SILENCE: '1' } })).toMatchObject({ exitCode: 0 });
    const journals = join(hosts['b']!.place.cwd, '.raymond', 'journal');
    const spent = async (): Promise<boolean> => {
      const names = (await readdir(journals).catch(() => [])).filter((name) => name.endsWith('.jsonl'));
      const texts = await Promise.all(names.map((name) => readFile(join(journals, name), 'utf8').catch(() => '')));
      return texts.some((text) => text.includes('"type":"result"'));
    };
    // It may live on for five seconds after its answer.
    await until(spent, { what: 'an answer in the journal' });
    hosts['b']?.process.kill('SIGKILL');
    hosts['c'] = await fleet.host('c', fake.env);
    const unreported = /cost not known yet: an attempt of turn 1 of main on host b/;
    expect(await fleet.shows('thinks', /^thinks: asking[^]*cost \$0\.50 of/, 60_000)).toMatch(unreported);
    hosts['b'] = await fleet.host('b', fake.env);
    expect(await fleet.shows('thinks', /cost \$0\.75 of/)).not.toMatch(unreported);
  }, 120_000);

  test('a move gives up files that only a lost host has, and nothing else does', async () => {
    const words = [...fleet.startOf('grows', 'grows'), '--detach', '--repo', repository.url, '--ref', 'main'];
    expect(await fleet.call(words, { env: { RAYMOND_HOST_SILENCE: '1' } })).toMatchObject({ exitCode: 0 });
    await fleet.shows('grows', /main {2}paused[^]*big/);
    const on = /files on (\w)/.exec((await fleet.call(['status', 'grows'])).stdout)?.[1] ?? '';
    hosts[on]?.process.kill('SIGKILL');
    expect(await fleet.call(['resume', 'grows'])).toMatchObject({ exitCode: 0 });
    await fleet.shows(
      'grows',
      /waits for \w, the only host with the files of its last turn, .*without these with/,
      60_000,
    );
    expect(await fleet.call(['move', 'grows', 'main'])).toMatchObject({ exitCode: 0 });
    await until(async () => (await fleet.call(['result', 'grows'])).exitCode === 0, {
      what: 'the result',
      timeoutMs: 60_000,
    });
    expect((await fleet.call(['result', 'grows'])).stdout).toMatch(new RegExp(`^on ${on}; [^${on}]; a.txt first$`));
  }, 180_000);

  test('move says what it cannot do', async () => {
    expect(await fleet.call(['move', 'nope', 'main'])).toMatchObject({ exitCode: 64 });
    expect(await fleet.call(['move', 'asks', 'main'])).toMatchObject({
      exitCode: 64,
      stderr: expect.stringContaining('has already ended'),
    });
  });
});
