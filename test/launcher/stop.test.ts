// Stopping a process: softly, then hard, at any moment, and with everything that belongs to it.
import { expect, test } from '@jest/globals';
import { until } from '../support/until.js';
import { Kit, lives, pidsIn } from './kit.js';

const kit = new Kit();

const STOPPED = { kind: 'stopped' };

test('a process that listens to SIGTERM ends as it likes, and its last words are heard', async () => {
  const played = kit.play(kit.bash('trap "echo bye; exit 0" TERM; echo ready; while :; do sleep 0.05; done'));
  await until(() => played.stdout() === 'ready\n', { what: 'the script' });
  expect(await played.process.stop()).toEqual(STOPPED);
  expect(played.stdout()).toBe('ready\nbye\n');
});

test('a process that ignores SIGTERM is killed after the grace', async () => {
  const played = kit.play(kit.bash('trap "" TERM; echo $$; while :; do sleep 0.05; done', { graceMs: 300 }));
  const [pid] = await until(() => pidsIn(played.stdout(), 1), { what: 'the script' });
  const begin = performance.now();
  expect(await played.process.stop()).toEqual(STOPPED);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(290);
  expect(lives(pid!)).toBe(false);
});

test('stopping twice is the same stop', async () => {
  const { process } = kit.play(kit.bash('exec sleep 300'));
  await process.started;
  expect(await Promise.all([process.stop(), process.stop()])).toEqual([STOPPED, STOPPED]);
  expect(await process.stop()).toEqual(STOPPED);
});

test('a process can be stopped before it has started', async () => {
  const { process } = kit.play(kit.bash('exec sleep 300'));
  expect(await process.stop()).toEqual(STOPPED);
});

test('stopping what has ended changes nothing', async () => {
  const { process } = kit.play(kit.bash('exit 4'));
  await process.ended;
  expect(await process.stop()).toEqual({ kind: 'exited', code: 4, strays: 0 });
});

test('nothing of a stopped attempt is left: children, other groups, daemons, deaf ones, ones without the marker', async () => {
  const deaf = `bash -c 'trap "" TERM; while :; do sleep 0.05; done'`;
  const script = `
    sleep 300 & echo $!
    setsid nohup sleep 300 >/dev/null 2>&1 & echo $!
    setsid ${deaf} >/dev/null 2>&1 & echo $!
    env -i "$(command -v setsid)" "$(command -v sleep)" 300 & echo $!
    wait`;
  const own = new Kit({ patience: { strayMs: 100 } });
  const played = own.play(own.bash(script));
  const pids = await until(() => pidsIn(played.stdout(), 4), { what: 'the children' });
  expect(pids.map(lives)).toEqual([true, true, true, true]);
  expect(await played.process.stop()).toEqual(STOPPED);
  expect(pids.map(lives)).toEqual([false, false, false, false]);
});
