// The limits of a sandbox: what counts as exceeded, and turns of real processes that exceed one and are ended for it.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { TestWorker, failureOf } from '../activities/test-worker.js';
import { beforeRemoval } from '../support/folder.js';
import { until } from '../support/until.js';
import { describeUnless, noControlGroups, NO_ROOT, noSandbox, testUnless } from '../support/unless.js';
import { identifySelf, identityText } from '../../src/host/process.js';
import { messageOf } from '../../src/protocol/text.js';
import type { SandboxLimits } from '../../src/protocol/sandbox.js';
import { describeExceeded, exceededBy, type Exceeded } from '../../src/sandbox/limits.js';
import { canNumber, numbering } from '../../src/sandbox/process-numbers.js';

const USED = { memory: 2 ** 20, processes: 3, cpuSeconds: 7 };

test.each<[string, SandboxLimits, Exceeded | undefined]>([
  ['no limit', {}, undefined],
  ['exactly the limit', { memory: 2 ** 20, processes: 3, cpu: 7 }, undefined],
  ['memory', { memory: 2 ** 20 - 1 }, { limit: 'memory', most: 2 ** 20 - 1 }],
  ['processes', { memory: 2 ** 30, processes: 2 }, { limit: 'processes', most: 2 }],
  ['CPU time', { cpu: 6 }, { limit: 'cpu', most: 6 }],
])('exceeded: %s', (_what, limits, exceeded) => {
  expect(exceededBy(USED, limits)).toEqual(exceeded);
});

test.each<[Exceeded, string]>([
  [{ limit: 'memory', most: 2 * 2 ** 30 }, 'it used more than 2 GiB of memory; raise "memory" of its sandbox'],
  [{ limit: 'memory', most: 1000 }, 'it used more than 1000 bytes of memory'],
  [{ limit: 'processes', most: 64 }, 'it had more than 64 processes and threads'],
  [{ limit: 'cpu', most: 60 }, 'it used more than 60 s of CPU time'],
  [{ limit: 'disk', most: 2 ** 30 }, 'it wrote more than 1 GiB to the disk'],
  [{ limit: 'files', most: 512 * 2 ** 20 }, 'it wrote a file of more than 512 MiB'],
])('says why a turn was ended: %j', (exceeded, words) => {
  expect(describeExceeded(exceeded)).toContain(`the turn was ended: ${words}`);
});

const GROUP = `
  const { dirname } = await import('node:path');
  const { makeControlGroup } = await import(process.argv[1]);
  const group = makeControlGroup('turn', { limits: { processes: 5 }, environment: {} });
  console.log(group.entries.map((entry) => dirname(entry)).join(' '));
  if (process.argv[2] === 'killed') process.kill(process.pid, 'SIGKILL');
  group.close();
`;

/** Makes the group of a turn in a process of its own; returns its folders. */
async function makeGroup(...how: readonly string[]): Promise<readonly string[]> {
  const module = new URL('../../dist/sandbox/control-group.js', import.meta.url).href;
  const { stdout } = await execa('node', ['--input-type=module', '-e', GROUP, module, ...how], { reject: false });
  return stdout.trim().split(' ');
}

testUnless(noControlGroups())('groups of killed workers are removed, those of living ones are not', async () => {
  const left = await makeGroup('killed');
  const living = left.map((folder) => join(folder, '..', `raymond-${identityText(identifySelf())}-turn`));
  for (const folder of living) await mkdir(folder);
  beforeRemoval(async () => void (await Promise.all(living.map((folder) => rmdir(folder)))));
  expect(left.map((folder) => existsSync(folder))).toEqual(left.map(() => true));
  await makeGroup();
  expect([...left, ...living].map((folder) => existsSync(folder))).toEqual([
    ...left.map(() => false),
    ...living.map(() => true),
  ]);
});

const NO_NUMBERS = (await canNumber()) ? undefined : 'only root may do that, on Linux 6.14 or newer';

const FORKS = `import os, signal
count = 0
try:
    while count < 2000:
        if os.fork() == 0: signal.pause()
        count += 1
except OSError: pass
print(count)`;

testUnless(NO_NUMBERS)('where root has no control group, the kernel refuses more than 512 processes', async () => {
  const ofHost = await readFile('/proc/sys/kernel/pid_max', 'utf8');
  const [command, ...args] = numbering(1);
  const { stdout } = await execa(command, [...args, 'python3', '-c', FORKS]);
  expect(Number(stdout)).toBeGreaterThan(100);
  expect(Number(stdout)).toBeLessThan(512);
  expect(await readFile('/proc/sys/kernel/pid_max', 'utf8')).toBe(ofHost);
});

const BOMB = 'bomb() { bomb | bomb & }; bomb; sleep 600';

const NO_LIMIT_OF_KERNEL = noControlGroups() === undefined ? undefined : NO_NUMBERS;

testUnless(noSandbox() ?? NO_LIMIT_OF_KERNEL)('a fork bomb is ended', async () => {
  const settings = { sandbox: { kind: 'process', processes: 100 } } as const;
  const worker = await TestWorker.with({ 'START.sh': BOMB }, { settings });
  expect(await failureOf(worker.turn())).toMatchObject({
    type: 'LimitExceeded',
    message: expect.stringContaining('it had more than 100 processes'),
  });
  expect(await worker.processesOf('main')).toEqual([]);
});

describeUnless(noSandbox() ?? noControlGroups())('a script in a control group', () => {
  test.each<[string, SandboxLimits, string]>([
    [
      'memory in /dev/shm',
      { memory: 64 << 20 },
      'for f in ~/f /tmp/f /dev/shm/f; do head -c 50000000 /dev/zero > $f; done; sleep 600',
    ],
  ])('is ended when it exceeds a limit: %s', async (_what, limits, script) => {
    const worker = await TestWorker.with(
      { 'START.sh': script },
      { settings: { sandbox: { kind: 'process', ...limits } } },
    );
    const [[limit, most] = ['processes', 4096]] = Object.entries(limits);
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'LimitExceeded',
      message: expect.stringContaining(describeExceeded({ limit, most } as Exceeded)),
    });
    expect(await worker.processesOf('main')).toEqual([]);
  });
});

/** `tail` holds what it has read until its input ends. */
const HOLD_150_MIB = '(head -c 157286400 /dev/zero; sleep 600) | tail -c 157286400 > /dev/null &';

describeUnless(noSandbox())('a script in a sandbox with limits', () => {
  test.each<[string, SandboxLimits, string]>([
    ['memory in two processes', { memory: 200 << 20 }, `${HOLD_150_MIB} ${HOLD_150_MIB} wait`],
    ['processes', { processes: 40 }, 'for _ in $(seq 60); do sleep 600 & done; wait'],
    [
      'processes that multiply',
      { processes: 40 },
      'more() { [ $1 = 0 ] || { more $(($1 - 1)) | more $(($1 - 1)) & }; sleep 600; }; more 7',
    ],
    ['CPU time', { cpu: 1 }, '(while :; do :; done) & wait'],
    ['a file', { files: 2 << 20 }, 'head -c 3000000 /dev/zero > big'],
    ['the disk', { disk: 2 << 20 }, 'mkdir a; for n in 1 2 3; do head -c 1000000 /dev/zero > a/$n; done; sleep 600'],
    ['the disk in no time', { disk: 2 << 20 }, 'head -c 3000000 /dev/zero > big; echo "<result>ok</result>"'],
    [
      'the disk by a file without a name',
      { disk: 2 << 20 },
      'exec 5>f; rm f; head -c 3000000 /dev/zero >&5; sleep 600',
    ],
  ])('is ended when it exceeds one: %s', async (_what, limits, script) => {
    const worker = await TestWorker.with(
      { 'START.sh': `# raymond: retries=2\n${script}\n` },
      { settings: { sandbox: { kind: 'process', ...limits } } },
    );
    const [[limit, most] = []] = Object.entries(limits);
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'LimitExceeded',
      retries: 2,
      message: expect.stringContaining(describeExceeded({ limit, most } as Exceeded)),
    });
    expect(await worker.processesOf('main')).toEqual([]);
  });

  test('has no time to clean up, in which it would exceed it further', async () => {
    const worker = await TestWorker.with(
      { 'START.sh': "trap '' TERM\nhead -c 3000000 /dev/zero > big\nwhile :; do sleep 0.1; done" },
      { settings: { graceMs: 600_000, sandbox: { kind: 'process', disk: 2 << 20 } } },
    );
    expect(await failureOf(worker.turn())).toMatchObject({ type: 'LimitExceeded' });
  });

  test.each([
    ['while it runs', 'exec sleep 600'],
    ['when it ended at once', 'echo "<result>ok</result>"'],
  ])('is ended for what it wrote although others have made room meanwhile: %s', async (_when, rest) => {
    const worker = await TestWorker.with(
      {
        'START.sh': `: > started; until [ -e continue ]; do sleep 0.05; done; head -c 3000000 /dev/zero > big; ${rest}`,
      },
      { settings: { sandbox: { kind: 'process', disk: 2 << 20 } } },
    );
    const others = `${worker.cwd}-others`;
    beforeRemoval(async () => rm(others, { force: true }));
    execFileSync('sh', ['-c', 'head -c 60000000 /dev/zero > "$0"; sync "$0"', others]);
    const failure = failureOf(worker.turn());
    await until(() => existsSync(join(worker.cwd, 'started')));
    await rm(others);
    await writeFile(join(worker.cwd, 'continue'), '');
    expect(await failure).toMatchObject({ type: 'LimitExceeded' });
  });

  // A control group ends it; without one it gets an error of the kernel.
  const endOf = async (worker: TestWorker): Promise<unknown> =>
    await worker.turn().then(
      ({ output }) => output,
      (error: unknown) => /it used more than \d+ MiB of memory/.exec(messageOf(error))?.[0],
    );

  test('does not get 10 GB at once', async () => {
    const worker = await TestWorker.with(
      {
        'START.sh': `python3 -c "print('tried', flush=True); x = b'x' * (10 << 30); print('got')" 2>/dev/null; echo "<result>ok</result>"`,
      },
      { settings: { sandbox: { kind: 'process', memory: 256 << 20 } } },
    );
    expect(['tried\n<result>ok</result>\n', 'it used more than 256 MiB of memory']).toContain(await endOf(worker));
  });

  test('may write what it removes again', async () => {
    const worker = await TestWorker.with(
      {
        'START.sh':
          'for _ in 1 2 3; do head -c 1500000 /dev/zero > big; rm big; done; echo x > small; echo "<result>ok</result>"',
      },
      { settings: { sandbox: { kind: 'process', disk: 2 << 20 } } },
    );
    expect((await worker.turn()).output).toBe('<result>ok</result>\n');
  });

  testUnless(NO_ROOT)('without a limit takes no more than half of the free disk', async () => {
    const worker = await TestWorker.with({ 'START.sh': '# raymond: sandbox=process\ncat /dev/zero > big; sleep 600' });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', worker.cwd]);
    beforeRemoval(async () => void (await promisify(execFile)('umount', [worker.cwd])));
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'LimitExceeded',
      message: expect.stringContaining('it wrote more than 32 MiB to the disk'),
    });
  });

  test.each<[string, string]>([
    [
      'in its home, /tmp and /dev/shm',
      'for folder in ~ /tmp /dev/shm; do head -c 3000000 /dev/zero > $folder/big && echo "got $folder"; done',
    ],
    ['in /dev', 'echo x > /dev/file && echo "got /dev"'],
  ])('cannot fill the memory %s', async (_where, script) => {
    const worker = await TestWorker.with(
      { 'START.sh': `( ${script} ) 2>/dev/null; echo "<result>ok</result>"` },
      { settings: { sandbox: { kind: 'process', memory: 2 << 20 } } },
    );
    expect(['<result>ok</result>\n', 'it used more than 2 MiB of memory']).toContain(await endOf(worker));
  });
});
