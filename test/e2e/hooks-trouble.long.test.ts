// Hooks that fail, hang, or whose process is killed: tried again, never in the way of a run, and told once.
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { processesWith } from '../support/cli.js';
import { until } from '../support/until.js';
import { ALL, ASK, config, eventsOf, placeWith, SAY } from './hooks-place.js';

test('a hook that fails twice is called a third time, and then no more', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('./flaky.sh', 'ask'),
    'flaky.sh': 'echo try >> tries; [ "$(wc -l < tries)" -ge 3 ] && cat >> events\n',
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  await chmod(join(place.cwd, 'flaky.sh'), 0o755);
  const asked = await place.raymond(['start', 'flow', '--id', 'flaky', '--on-ask', 'exit']);
  expect(asked).toMatchObject({ exitCode: 2, stderr: expect.not.stringContaining('warning') });
  expect(await place.raymond(['resume', 'flaky', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  expect(await eventsOf(place)).toHaveLength(1);
  expect(await place.read('tries')).toBe('try\ntry\ntry\n');
});

test('a hook that always fails is one warning, does not fail the run, and is called again by the next process', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('echo broken >&2; exit 7', 'ask'),
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  const asked = await place.raymond(['start', 'flow', '--id', 'one', '--on-ask', 'exit']);
  expect(asked.exitCode).toBe(2);
  expect(asked.stderr.match(/warning: .*/g)).toEqual([
    expect.stringMatching(/^warning: hook_ask failed 3 times \(exit code 7\); its output: .*one\.hooks\.log$/),
  ]);
  expect(await place.read('.raymond/runs/one.hooks.log')).toBe('broken\nbroken\nbroken\n');
  await place.write('.raymond/config.toml', ALL);
  await place.raymond(['answer', 'one', 'blue']);
  expect((await eventsOf(place)).map(({ event }) => event).sort()).toEqual(['ask', 'done']);
});

test('what a process was telling when it was killed, the next one tells', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('[ -f up ] && cat >> events || { touch trying; sleep 1; exit 1; }', 'ask'),
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  const killed = place.begin(['start', 'flow', '--id', 'killed', '--on-ask', 'wait']);
  await place.made('trying');
  killed.kill('SIGKILL');
  await killed;
  await place.write('up');
  expect(await place.raymond(['resume', 'killed', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['ask']);
});

test('a hook that hangs holds the end of a run for 10 s at most, and nothing of it stays', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('touch hangs; sleep 600; true', 'ask', 'done'),
    'flow/START.sh': 'echo "<result>done</result>"\n',
  });
  const running = place.begin(['start', 'flow', '--id', 'hung'], { env: { HUNG_HOOK: place.cwd } });
  const begun = await place.made('hangs').then(() => Date.now());
  const { exitCode, stdout, stderr } = await running;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'done' });
  expect(stderr).toContain('warning: hooks did not end within 10 s and were stopped');
  expect(Date.now() - begun).toBeLessThan(25_000);
  await until(async () => (await processesWith(`HUNG_HOOK=${place.cwd}`)).length === 0, {
    what: 'the end of the hook',
  });
});

test('a try that takes longer than hook_timeout is ended with all of its processes, and tried again', async () => {
  const hangs = 'echo try >> tries; [ "$(wc -l < tries)" -ge 3 ] && cat >> events || { sleep 600 & wait; }';
  const place = await placeWith({
    '.raymond/config.toml': `${config(hangs, 'done')}hook_timeout = 0.3\n`,
    'flow/START.sh': 'echo "<result>done</result>"\n',
  });
  const env = { SLOW_HOOK: place.cwd };
  const { exitCode, stderr } = await place.bin(['start', 'flow', '--id', 'slow'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.not.stringContaining('warning') });
  expect(await place.read('tries')).toBe('try\ntry\ntry\n');
  expect((await eventsOf(place)).map(({ event }) => event)).toEqual(['done']);
  expect(await processesWith(`SLOW_HOOK=${place.cwd}`)).toEqual([]);
});

test('a hook that hangs ends with the process that called it, also with kill -9', async () => {
  const place = await placeWith({
    '.raymond/config.toml': config('touch hangs; sleep 600; true', 'ask'),
    'flow/START.sh': ASK,
    'flow/SAY.sh': SAY,
  });
  const killed = place.begin(['start', 'flow', '--id', 'leashed', '--on-ask', 'wait'], {
    env: { LEASHED_HOOK: place.cwd },
  });
  await place.made('hangs');
  killed.kill('SIGKILL');
  await killed;
  await until(async () => (await processesWith(`LEASHED_HOOK=${place.cwd}`)).length === 0, {
    what: 'the end of the hook',
  });
});
