// How the launcher looks at the host: the list of processes, and the command lines for hosts that this one is not.
import { randomUUID } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { identify, identifySelf } from '../../src/host/process.js';
import { signalProcess, taskkill } from '../../src/launcher/process-tree.js';
import { fromPs, listProcesses } from '../../src/launcher/process-list.js';
import { ProcessFamily } from '../../src/launcher/process-tree.js';
import { until } from '../support/until.js';
import { NO_LINUX, testUnless } from '../support/unless.js';

// Both ways to look are tested where both exist; other Unixes have only `ps`.
const WAYS = process.platform === 'linux' ? (['linux', 'darwin'] as const) : ([process.platform] as const);

test.each(WAYS)('a process is seen with its parent, its group and its variables (as on %s)', async (platform) => {
  const env = { PATH: process.env['PATH'], RAYMOND_ATTEMPT: 'run/main/1-a', EMPTY: '' };
  const child = spawn('sleep', ['300'], { env, detached: true, stdio: 'ignore' });
  try {
    const entry = await until(() => listProcesses(platform).find(({ pid }) => pid === child.pid));
    expect(entry).toMatchObject({ ppid: process.pid, pgrp: child.pid });
    expect(entry.variable('RAYMOND_ATTEMPT')).toBe('run/main/1-a');
    expect(entry.variable('EMPTY')).toBe('');
    expect(entry.variable('AYMOND_ATTEMPT')).toBeUndefined();
    if (platform === process.platform) expect(entry).toMatchObject(identify(child.pid!)!);
  } finally {
    child.kill('SIGKILL');
  }
});

const onLinux = testUnless(NO_LINUX);

onLinux('a process that becomes another program is not taken for one without variables, and is swept', async () => {
  const loop = 'exec "$BASH" -c "$0" "$0"';
  const env = { PATH: process.env['PATH'], RAYMOND_ATTEMPT: `run/main/1-${randomUUID()}` };
  const child = spawn('bash', ['-c', loop, loop], { env, detached: true, stdio: 'ignore' });
  const family = ProcessFamily.ofAttempt(env.RAYMOND_ATTEMPT);
  try {
    // About one look in ten meets it between two programs.
    for (let look = 0; look < 150; look += 1) {
      const entry = listProcesses().find(({ pid }) => pid === child.pid)!;
      expect(entry.variable('RAYMOND_ATTEMPT') === env.RAYMOND_ATTEMPT || entry.isExecuting()).toBe(true);
    }
    expect(await family.end()).toEqual({ count: 1, survivors: [] });
    expect(identify(child.pid!)).toBeUndefined();
  } finally {
    child.kill('SIGKILL');
  }
});

onLinux(
  'a process without variables, and one of the kernel, are not taken for one that becomes another program',
  async () => {
    const child = spawn('sleep', ['300'], { env: {}, stdio: 'ignore' });
    const doubtful = (): number[] => listProcesses().flatMap((entry) => (entry.isExecuting() ? [entry.pid] : []));
    try {
      // Somebody on this host may really become another program just now, but nobody does so in every look.
      let always = doubtful();
      await until(() => (always = always.filter((pid) => doubtful().includes(pid))).length === 0, {
        what: `the doubt about ${always.join(', ')}`,
      });
      expect(listProcesses().find(({ pid }) => pid === child.pid)).toBeDefined();
    } finally {
      child.kill('SIGKILL');
    }
  },
);

const LISTING = `    1     0     0 Ss   Sat Nov  1 09:03:11 2025 /sbin/launchd
  812     1   812 S    Sat Nov  1 09:04:00 2025 node worker.js RAYMOND_ATTEMPT=fake
  813   812   813 Z    Sat Nov  1 09:04:01 2025 (bash)
  814   812   814 R+   Sat Nov 21 19:04:01 2025 bash -c x
`;
const WITH_ENVIRONMENT = LISTING.replace('x\n', 'x PATH=/bin RAYMOND_ATTEMPT=real HOME=/Users/me\n');

test('what `ps` lists is read: no zombies, and arguments that look like variables are none', () => {
  const entries = fromPs(LISTING, WITH_ENVIRONMENT);
  expect(entries.map(({ pid, ppid, pgrp, startTime }) => ({ pid, ppid, pgrp, startTime }))).toEqual([
    { pid: 1, ppid: 0, pgrp: 0, startTime: 'Sat Nov  1 09:03:11 2025' },
    { pid: 812, ppid: 1, pgrp: 812, startTime: 'Sat Nov  1 09:04:00 2025' },
    { pid: 814, ppid: 812, pgrp: 814, startTime: 'Sat Nov 21 19:04:01 2025' },
  ]);
  expect(entries.map(({ variable }) => variable('RAYMOND_ATTEMPT'))).toEqual([undefined, undefined, 'real']);
});

test.each([
  ['SIGTERM', ['/PID', '42', '/T']],
  ['SIGKILL', ['/PID', '42', '/T', '/F']],
] as const)('on Windows %s is `taskkill %j`', (signal, args) => {
  expect(taskkill(42, signal)).toEqual({ command: 'taskkill', args });
});

test('a pid that now belongs to another user is not signalled', () => {
  const child = spawn('sleep', ['300'], { stdio: 'ignore' });
  try {
    expect(signalProcess({ pid: child.pid!, startTime: 'long ago' }, 'SIGKILL')).toBe('gone');
    expect(identify(child.pid!)).toBeDefined();
  } finally {
    child.kill('SIGKILL');
  }
});

test('a group whose number was given to another user is not taken for the attempt’s', () => {
  const child = spawn('sleep', ['300'], { stdio: 'ignore', detached: true });
  try {
    const family = ProcessFamily.ofAttempt('no-such-attempt', { pid: child.pid!, startTime: 'long ago' });
    expect(family.refresh()).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

onLinux('a process older than the first one of its attempt is not looked at, whatever it carries', async () => {
  const env = { ...process.env, RAYMOND_ATTEMPT: `older-${process.pid}` };
  const child = spawn('sleep', ['300'], { env, stdio: 'ignore' });
  try {
    const { startTime } = identify(child.pid!)!;
    const membersSince = (ticks: number): number[] =>
      ProcessFamily.ofAttempt(env.RAYMOND_ATTEMPT, { pid: 2 ** 30, startTime: String(ticks) })
        .refresh()
        .map(({ pid }) => pid);
    // Its variables can be read once it has become its program.
    await until(() => membersSince(Number(startTime)).includes(child.pid!), { what: 'the process as a member' });
    expect(membersSince(Number(startTime) + 1)).toEqual([]);
  } finally {
    child.kill('SIGKILL');
  }
});

test('the caller and its ancestors are never in the family, whatever they carry', () => {
  const everybody = new ProcessFamily(() => true, [identifySelf()]).refresh().map(({ pid }) => pid);
  expect(everybody.length).toBeGreaterThan(0);
  expect(everybody).not.toContain(process.pid);
  expect(everybody).not.toContain(process.ppid);
});
