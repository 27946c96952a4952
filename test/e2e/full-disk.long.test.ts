// Disks that take nothing more, as users meet them: the run pauses or fails with one clear error, and goes on when there is room.
// Small disks are mounted in a user namespace of their own; where that is not allowed, a limit of file sizes stands for them.
import { execFileSync } from 'node:child_process';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { Place, type Called } from '../support/cli.js';
import { documentOf, fakeWith, leftovers } from '../support/fakes.js';

const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

/** Calls Raymond after `before`, a line for bash, in a user namespace of its own or in ours. */
async function within(
  place: Place,
  {
    before,
    namespace,
    args,
  }: { readonly before: string; readonly namespace: boolean; readonly args: readonly string[] },
  env: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const shell = ['bash', '-c', `${before} && exec "$0" "$@"`, process.execPath, program, ...args];
  const [command = '', ...rest] = namespace ? ['unshare', '-Urm', ...shell] : shell;
  const { stdout, stderr, exitCode } = await execa(command, rest, {
    cwd: place.cwd,
    env: { NO_COLOR: '1', TEMPORAL_ADDRESS: undefined, ...env },
    reject: false,
    timeout: 120_000,
  });
  return { stdout, stderr, exitCode };
}

/** The sizes of what the store holds, finished or not, but for the small files of states. */
async function stored({ cwd }: Place): Promise<readonly number[]> {
  const entries = await readdir(join(cwd, '.raymond/artifacts'), { recursive: true, withFileTypes: true }).catch(
    () => [],
  );
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size));
  return sizes.filter((size) => size > 1000);
}

const tiny = (path: string): string => `mkdir -p ${path} && mount -t tmpfs -o size=64k tmpfs ${path}`;

function mayMount(): boolean {
  try {
    execFileSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const onTinyDisk = mayMount()
  ? { test, why: '' }
  : { test: test.skip, why: ' (skipped: no disk may be mounted in a user namespace here)' };

const print = (bytes: number): string => `$(head -c ${bytes} /dev/zero | tr '\\0' x)`;

test('a result that cannot be kept pauses its agent alone, and resume completes the run', async () => {
  const place = await Place.at({
    'flow/START.sh': `echo "<fork>OTHER</fork><goto>BIG</goto>"\n`,
    'flow/OTHER.sh': `until [ -f big ]; do sleep 0.05; done; echo "<result>went on</result>"\n`,
    'flow/BIG.sh': `touch big; echo "<result>${print(100_000)}</result>"\n`,
  });
  await place.raymond(['server', 'start']);
  const before = 'ulimit -f 64';
  const paused = await within(place, { before, namespace: false, args: ['flow', '--id', 'r', '--no-debug'] });
  expect(paused).toMatchObject({ exitCode: 3, stdout: '' });
  const why = `main, BIG.sh: ${place.cwd}/.raymond/artifacts cannot be written: the file would be larger than is allowed; mend that, then resume the run`;
  expect(paused.stderr.split(why)).toHaveLength(2);
  expect(paused.stderr).toContain('result "went on"');
  expect(await stored(place)).toEqual([]);

  const resumed = await place.raymond(['resume', 'r']);
  expect({ ...resumed, stdout: resumed.stdout.length }).toMatchObject({ exitCode: 0, stdout: 100_000 });
}, 180_000);

test('a turn whose output cannot be kept is shown as done only when it was done again, and kept', async () => {
  const place = await Place.at({
    'flow/START.sh': 'echo "<goto>BIG</goto>"\n',
    'flow/BIG.sh': `echo "${print(100_000)}"; echo "<result>ok</result>"\n`,
  });
  await place.raymond(['server', 'start']);
  const paused = await within(place, { before: 'ulimit -f 64', namespace: false, args: ['flow', '--id', 'r'] });
  expect({ exitCode: paused.exitCode, stderr: paused.stderr }).toMatchObject({ exitCode: 3 });
  expect(paused.stderr).toContain('START.sh → BIG.sh (goto)');
  expect(paused.stderr).not.toContain('BIG.sh → result');

  const resumed = await place.raymond(['resume', 'r']);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: 'ok' });
  expect(resumed.stderr.split('BIG.sh → result "ok"')).toHaveLength(2);
}, 180_000);

onTinyDisk.test(
  `an answer that finds no room is paid once, and asked for again when there is room${onTinyDisk.why}`,
  async () => {
    const fake = await fakeWith({ text: `<result>${'x'.repeat(100_000)}</result>`, costUsd: 0.5 });
    const place = await Place.at({ 'flow/START.md': 'Say much.\n' }, fake.env);
    await place.raymond(['server', 'start']);
    const args = ['flow', '--id', 'r', '--json'];
    const paused = await within(place, { before: tiny('.raymond/artifacts'), namespace: true, args }, fake.env);
    expect({ exitCode: paused.exitCode, stderr: paused.stderr }).toMatchObject({ exitCode: 3 });
    expect(documentOf(paused)).toMatchObject({ status: 'paused', costUsd: 0.5 });
    expect(paused.stderr).toContain('artifacts cannot be written: the disk is full');
    expect(await leftovers(place.cwd)).toEqual([]);
    const resumed = documentOf(await place.raymond(['resume', 'r', '--json']));
    expect(resumed).toMatchObject({ status: 'completed', costUsd: 1 });
    expect(await fake.calls()).toHaveLength(2);
  },
  180_000,
);

onTinyDisk.test(
  `a script that fills its disk fails with what it says, and resume completes the run${onTinyDisk.why}`,
  async () => {
    const place = await Place.at({
      'flow/START.sh': `mkdir -p disk; head -c 100000 /dev/zero > disk/data || exit 1; echo "<result>ok</result>"\n`,
    });
    await place.raymond(['server', 'start']);
    const failed = await within(place, { before: tiny('disk'), namespace: true, args: ['flow', '--id', 'r'] });
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toMatch(/main, START.sh: the script ended with exit code 1\n.*No space left on device/);
    expect(await place.raymond(['resume', 'r'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
  },
  180_000,
);

onTinyDisk.test(
  `a start that cannot keep its input is refused in one line${onTinyDisk.why}`,
  async () => {
    const place = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
    await place.raymond(['server', 'start']);
    const args = ['flow', '--input', 'x'.repeat(100_000)];
    const refused = await within(place, { before: tiny('.raymond/artifacts'), namespace: true, args });
    expect(refused).toMatchObject({ exitCode: 69, stdout: '' });
    expect(refused.stderr).toBe(
      `raymond: ${place.cwd}/.raymond/artifacts cannot be written: the disk is full; mend that, then resume the run`,
    );
  },
  180_000,
);

onTinyDisk.test(
  `a start on a full disk, and an init that may not write, are refused in one line${onTinyDisk.why}`,
  async () => {
    const place = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
    await place.raymond(['server', 'start']);
    const full = `mkdir -p .raymond/runs && mount -t tmpfs -o size=4k tmpfs .raymond/runs && { cat /dev/zero > .raymond/runs/x 2>/dev/null; true; }`;
    const start = await within(place, { before: full, namespace: true, args: ['flow'] });
    expect({ ...start, lines: start.stderr.split('\n').length }).toMatchObject({ exitCode: 69, stdout: '', lines: 1 });
    expect(start.stderr).toMatch(/^raymond: cannot write .*\.raymond\/runs.*: the disk is full/);

    const readOnly = 'mkdir -p ro && mount -t tmpfs -o ro tmpfs ro && cd ro';
    const init = await within(place, { before: readOnly, namespace: true, args: ['init'] });
    expect({ ...init, lines: init.stderr.split('\n').length }).toMatchObject({ exitCode: 69, stdout: '', lines: 1 });
    expect(init.stderr).toMatch(/^raymond: cannot write .*: the file system is read-only/);
  },
  180_000,
);

onTinyDisk.test(
  `a disk that fills under the server ends the run in one sentence that names it${onTinyDisk.why}`,
  async () => {
    const place = await Place.at({
      'flow/START.sh': `cat /dev/zero > .raymond/temporal/filler 2>/dev/null; kill -9 $(grep -o '"pid": [0-9]*' .raymond/temporal/server.json | grep -o '[0-9]*'); sleep 1; echo "<result>ok</result>"\n`,
    });
    const small = 'mkdir -p .raymond/temporal && mount -t tmpfs -o size=8m tmpfs .raymond/temporal';
    const ended = await within(place, { before: small, namespace: true, args: ['flow', '--id', 'r'] });
    expect(ended).toMatchObject({ exitCode: 69, stdout: '' });
    expect(ended.stderr).toMatch(/raymond: the Temporal server of this project .*: the disk is full.*raymond resume r/);
    expect(ended.stderr).not.toMatch(/tcp connect|Temporal refused/);
  },
  180_000,
);
