// Disks that take nothing more, as users meet them: the run pauses or fails with one clear error, and continues when there is room.
// Small disks are mounted in a user namespace of their own; where that is not allowed, a limit of file sizes stands for them.
import { hostname } from 'node:os';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';
import { execa } from 'execa';
import { Place, type Called } from '../support/cli.js';
import { documentOf, fakeWith, leftovers } from '../support/fakes.js';
import { testOnTinyDisk, withTinyDisk } from '../support/tiny-disk.js';

const program = fileURLToPath(new URL('../../bin/raymond.js', import.meta.url));

/** Calls Raymond in a process of its own, behind the words of another program. */
async function within(
  place: Place,
  { before: [command = '', ...words], args }: { readonly before: readonly string[]; readonly args: readonly string[] },
  env: Readonly<Record<string, string>> = {},
): Promise<Called> {
  const { stdout, stderr, exitCode } = await execa(command, [...words, process.execPath, program, ...args], {
    cwd: place.cwd,
    env: { NO_COLOR: '1', TEMPORAL_ADDRESS: undefined, RAYMOND_FOREGROUND: 'engine', ...env },
    reject: false,
    timeout: 120_000,
  });
  return { stdout, stderr, exitCode };
}

/** No file may be larger than 64 KiB. */
const SMALL_FILES = inBash('ulimit -f 64');

function inBash(first: string): readonly string[] {
  return ['bash', '-c', `${first} && exec "$@"`, 'bash'];
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

const tiny = (folder: string): readonly string[] => withTinyDisk({ folder, size: '64k' });

const print = (bytes: number): string => `$(head -c ${bytes} /dev/zero | tr '\\0' x)`;

test('a result that cannot be kept pauses its agent alone, and resume completes the run', async () => {
  const place = await Place.at({
    'flow/START.sh': `echo "<fork>OTHER</fork><goto>BIG</goto>"\n`,
    'flow/OTHER.sh': `until [ -f big ]; do sleep 0.05; done; echo "<result>went on</result>"\n`,
    'flow/BIG.sh': `touch big; echo "<result>${print(100_000)}</result>"\n`,
  });
  await place.raymond(['server', 'start']);
  const paused = await within(place, { before: SMALL_FILES, args: ['flow', '--id', 'r', '--no-debug'] });
  expect(paused).toMatchObject({ exitCode: 3, stdout: '' });
  const why = `main, BIG.sh: on host ${hostname()}: ${place.cwd}/.raymond/artifacts cannot be written: the file would be larger than is allowed; fix the cause, then resume the run`;
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
  const paused = await within(place, { before: SMALL_FILES, args: ['flow', '--id', 'r'] });
  expect({ exitCode: paused.exitCode, stderr: paused.stderr }).toMatchObject({ exitCode: 3 });
  expect(paused.stderr).toContain('START.sh → BIG.sh (goto)');
  expect(paused.stderr).not.toContain('BIG.sh → result');

  const resumed = await place.raymond(['resume', 'r']);
  expect(resumed).toMatchObject({ exitCode: 0, stdout: 'ok' });
  expect(resumed.stderr.split('BIG.sh → result "ok"')).toHaveLength(2);
}, 180_000);

testOnTinyDisk(
  'an answer that finds no room is paid once, and asked for again when there is room',
  async () => {
    const fake = await fakeWith({ text: `<result>${'x'.repeat(100_000)}</result>`, costUsd: 0.5 });
    const place = await Place.at({ 'flow/START.md': 'Say much.\n' }, fake.env);
    await place.raymond(['server', 'start']);
    const args = ['flow', '--id', 'r', '--json'];
    const paused = await within(place, { before: tiny('.raymond/artifacts'), args }, fake.env);
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

testOnTinyDisk(
  'a script that fills its disk fails with what it says, and resume completes the run',
  async () => {
    const place = await Place.at({
      'flow/START.sh': `mkdir -p disk; head -c 100000 /dev/zero > disk/data || exit 1; echo "<result>ok</result>"\n`,
    });
    await place.raymond(['server', 'start']);
    const failed = await within(place, { before: tiny('disk'), args: ['flow', '--id', 'r'] });
    expect(failed).toMatchObject({ exitCode: 1, stdout: '' });
    expect(failed.stderr).toMatch(/main, START.sh: the script ended with exit code 1\n.*No space left on device/);
    expect(await place.raymond(['resume', 'r'])).toMatchObject({ exitCode: 0, stdout: 'ok' });
  },
  180_000,
);

testOnTinyDisk(
  'a start that cannot keep its input is refused in one line',
  async () => {
    const place = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
    await place.raymond(['server', 'start']);
    const args = ['flow', '--input', 'x'.repeat(100_000)];
    const refused = await within(place, { before: tiny('.raymond/artifacts'), args });
    expect(refused).toMatchObject({ exitCode: 69, stdout: '' });
    expect(refused.stderr).toBe(
      `raymond: ${place.cwd}/.raymond/artifacts cannot be written: the disk is full; fix the cause, then resume the run`,
    );
  },
  180_000,
);

testOnTinyDisk(
  'a start on a full disk, and an init that may not write, are refused in one line',
  async () => {
    const place = await Place.at({ 'flow/START.sh': 'echo "<result>ok</result>"\n' });
    await place.raymond(['server', 'start']);
    const full = withTinyDisk({ folder: '.raymond/runs', size: 'full' });
    const start = await within(place, { before: full, args: ['flow'] });
    expect({ ...start, lines: start.stderr.split('\n').length }).toMatchObject({ exitCode: 69, stdout: '', lines: 1 });
    expect(start.stderr).toMatch(/^raymond: cannot write .*\.raymond\/runs.*: the disk is full/);

    const readOnly = [...withTinyDisk({ folder: 'ro', size: 'read-only' }), ...inBash('cd ro')];
    const init = await within(place, { before: readOnly, args: ['init'] });
    expect({ ...init, lines: init.stderr.split('\n').length }).toMatchObject({ exitCode: 69, stdout: '', lines: 1 });
    expect(init.stderr).toMatch(/^raymond: cannot write .*: the file system is read-only/);
  },
  180_000,
);

testOnTinyDisk(
  'a disk that fills under the server ends the run in one sentence that names it',
  async () => {
    const place = await Place.at({
      'flow/START.sh': `cat /dev/zero > .raymond/temporal/filler 2>/dev/null; kill -9 $(grep -o '"pid": [0-9]*' .raymond/temporal/server.json | grep -o '[0-9]*'); sleep 1; echo "<result>ok</result>"\n`,
    });
    const small = withTinyDisk({ folder: '.raymond/temporal', size: '8m' });
    const ended = await within(place, { before: small, args: ['flow', '--id', 'r'] });
    expect(ended).toMatchObject({ exitCode: 69, stdout: '' });
    expect(ended.stderr).toMatch(/raymond: the Temporal server of this project .*: the disk is full.*raymond resume r/);
    expect(ended.stderr).not.toMatch(/tcp connect|Temporal refused/);
  },
  180_000,
);

testOnTinyDisk('an engine that finds no room for its own files does not start, and says which file', async () => {
  const place = await Place.at();
  await place.raymond(['server', 'start']);
  const on = async (folder: string, ...args: readonly string[]): Promise<Called> =>
    await within(
      place,
      { before: withTinyDisk({ folder: join(place.cwd, folder), size: 'full' }), args },
      { RAYMOND_FOREGROUND: '' },
    );
  const full = (file: string): string =>
    `cannot write ${join(place.cwd, file)}: the disk is full (ENOSPC); free some space and try again`;
  const lock = await on('.raymond/engine', 'serve', '--port', '0');
  expect(lock).toEqual({ exitCode: 69, stdout: '', stderr: `raymond: ${full('.raymond/engine/lock')}` });
  const token = await on('.raymond/serve', 'serve', '--port', '0');
  expect(token).toEqual({ exitCode: 69, stdout: '', stderr: `raymond: ${full('.raymond/serve/token')}` });
  const background = await on('.raymond/serve', 'up');
  expect(background).toMatchObject({ exitCode: 69, stderr: expect.stringContaining(full('.raymond/serve/token')) });
  // It cannot even log why.
  const unlogged = await on('.raymond/engine', 'up');
  expect(unlogged).toMatchObject({ exitCode: 69, stderr: expect.stringContaining(full('.raymond/engine/engine.log')) });
});
