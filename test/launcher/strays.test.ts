// What becomes of processes that are left over when the process of a turn has ended.
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listProcesses } from '../../src/launcher/process-list.js';
import { until } from '../support/until.js';
import { Kit, lives, pidsIn } from './kit.js';

const kit = new Kit();

// In a subshell, so that it is nobody's descendant afterwards.
const DAEMON = '(setsid nohup sleep 300 >/dev/null 2>&1 & echo $!)';
const HOLDER = 'sleep 300 & echo $!';

const UNMARKED = `env -i "$BASH" -c ': >unmarked; exec "$0" 300' "$(command -v sleep)" & echo $!; until [ -e unmarked ]; do sleep 0.01; done`;
const GOOD = { kind: 'exited', code: 0 };
const CASES = [
  { name: 'a daemon of a good script stays', script: DAEMON, stays: true, end: { ...GOOD, strays: 0 } },
  { name: 'a background child that holds the pipe stays', script: HOLDER, stays: true, end: { ...GOOD, strays: 0 } },
  { name: 'a daemon is swept on request', children: 'sweep', script: DAEMON, end: { ...GOOD, strays: 1 } },
  { name: 'a background child is swept on request', children: 'sweep', script: HOLDER, end: { ...GOOD, strays: 1 } },
  { name: 'a daemon of a failed script is swept', script: `${DAEMON}; exit 9`, end: { kind: 'exited', code: 9 } },
  {
    name: 'a daemon of a killed script is swept',
    script: `${DAEMON}; kill -9 $$`,
    end: { kind: 'signalled', signal: 'SIGKILL' },
  },
  {
    name: 'a child of a failed script that lost the marker is swept',
    script: `${UNMARKED}; exit 9`,
    end: { kind: 'exited', code: 9 },
  },
] as const;

test.each(CASES)('$name', async (each) => {
  const { script, end, children, stays } = { children: 'keep' as const, stays: false, ...each };
  const { process, stdout } = kit.play(kit.bash(script, { children }));
  expect(await process.ended).toMatchObject(end);
  expect(pidsIn(stdout(), 1)?.map(lives)).toEqual([stays]);
});

test('a daemon of a failed script that forks and ends all the time is swept', async () => {
  const file = join(kit.folder, 'fork');
  writeFileSync(file, '>"$0.up"; "$BASH" "$0" &');
  const script = `(setsid bash ${file} >/dev/null 2>&1 &); until [ -e ${file}.up ]; do sleep 0.01; done; exit 1`;
  const { spec, process } = kit.play(kit.bash(script));
  await process.ended;
  const mine = listProcesses('darwin').filter((entry) => entry.variable('RAYMOND_ATTEMPT') === spec.marker.attempt);
  expect(mine).toEqual([]);
});

test('a sweep gives the others, and what they call for it, time to end well', async () => {
  const [up, note] = [join(kit.folder, 'up'), join(kit.folder, 'ended-well')];
  const daemon = `setsid bash -c 'trap "sleep 0.2 && touch ${note}; exit" TERM; touch ${up}; while :; do sleep 0.02; done' &`;
  await kit.play(kit.bash(`${daemon} until [ -e ${up} ]; do sleep 0.01; done; exit 1`)).process.ended;
  expect(existsSync(note)).toBe(true);
});

test('everything that was written before the exit is forwarded, also when a child holds the pipe', async () => {
  const { process, stdout } = kit.play(kit.bash(`sleep 300 & printf '%60000s' end`));
  await process.ended;
  expect(stdout()).toHaveLength(60_000);
});

test('a child that floods the pipe does not hold the turn', async () => {
  const { spec, process } = kit.play(kit.bash('yes & sleep 0.1'));
  expect(await process.ended).toEqual({ kind: 'exited', code: 0, strays: 0 });
  expect(await kit.launcher.sweep({ attempts: [spec.marker.attempt] })).toEqual({ count: 1, survivors: [] });
});

test('a child that writes for ever into the pipe neither holds the turn nor is ended by it', async () => {
  const count = join(kit.folder, 'count');
  const script = `while :; do echo $BASHPID; echo >>${count}; done & until [ -s ${count} ]; do sleep 0.01; done`;
  const { spec, process, stdout } = kit.play(kit.bash(script));
  expect(await process.ended).toEqual({ kind: 'exited', code: 0, strays: 0 });
  const [pid, length, written] = [Number(stdout().split('\n')[0]), stdout().length, statSync(count).size];
  // More than any pipe holds: it is still read, and goes nowhere.
  await until(() => statSync(count).size > written + 15_000, { what: 'output after the end' });
  expect(lives(pid)).toBe(true);
  expect(stdout()).toHaveLength(length);
  expect(await kit.launcher.sweep({ attempts: [spec.marker.attempt] })).toEqual({ count: 1, survivors: [] });
});

describe('nobody else is touched', () => {
  test('a process of another attempt, and one whose arguments look like the marker', async () => {
    const other = kit.play(kit.bash('exec sleep 300'));
    const spec = kit.bash('exit 1');
    const lookalike = spawn('sleep', ['300'], { argv0: `RAYMOND_ATTEMPT=${spec.marker.attempt}`, stdio: 'ignore' });
    try {
      const identity = await other.process.started;
      await kit.play(spec).process.ended;
      expect([identity!.pid, lookalike.pid!].map(lives)).toEqual([true, true]);
    } finally {
      lookalike.kill('SIGKILL');
    }
    expect(await other.process.stop()).toEqual({ kind: 'stopped' });
  });
});

describe('a sweep by attempts', () => {
  test('ends the named attempts, spares the current one and the same turn of another project, and counts', async () => {
    const turnId = `${kit.folder}/main/12`;
    const attempt = (name: string) =>
      kit.play(kit.bash(`${DAEMON}; exec sleep 300`, { marker: { turnId, attempt: `${kit.folder}-${name}` } }));
    const [first, second, current, elsewhere] = [attempt('1'), attempt('2'), attempt('3'), attempt('other-project')];
    const all = [first, second, current, elsewhere];
    const daemons = await until(
      () => {
        const pids = all.flatMap(({ stdout }) => pidsIn(stdout(), 1) ?? []);
        return pids.length === all.length ? pids : undefined;
      },
      { what: 'the daemons' },
    );
    expect(await kit.launcher.sweep({ attempts: [first, second].map(({ spec }) => spec.marker.attempt) })).toEqual({
      count: 4,
      survivors: [],
    });
    expect(daemons.map(lives)).toEqual([false, false, true, true]);
    expect(await first.process.ended).toMatchObject({ kind: 'signalled' });
    expect(await second.process.ended).toMatchObject({ kind: 'signalled' });
    expect(await current.process.stop()).toEqual({ kind: 'stopped' });
    expect(await elsewhere.process.stop()).toEqual({ kind: 'stopped' });
  });

  test('finds nothing where nothing is', async () => {
    expect(await kit.launcher.sweep({ attempts: ['no-such-attempt'] })).toEqual({ count: 0, survivors: [] });
  });
});
