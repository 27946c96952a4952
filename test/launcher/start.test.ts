// What a process is started with, and what is said when it cannot be started.
import { describe, expect, test } from '@jest/globals';
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtLauncher } from '../support/built.js';
import { setEnvironment } from '../support/environment.js';
import { Kit } from './kit.js';

const kit = new Kit();

const file = (name: string, text: string, mode: number): string => {
  writeFileSync(join(kit.folder, name), text);
  chmodSync(join(kit.folder, name), mode);
  return join(kit.folder, name);
};

describe('a process that cannot be started is reported with the reason', () => {
  const folder = join(kit.folder, 'folder');
  mkdirSync(folder);
  const plain = file('plain', 'echo x\n', 0o644);
  const orphan = file('orphan', '#!/nowhere/interpreter -x\n', 0o755);
  test.each([
    { name: 'a command that is not on PATH', command: 'no-such-command', what: 'command', code: 'ENOENT' },
    { name: 'a missing file', command: './missing', what: 'command', code: 'ENOENT' },
    { name: 'a file without the right to execute', command: plain, what: 'command', code: 'EACCES' },
    { name: 'a folder', command: folder, what: 'command', code: 'EACCES' },
    { name: 'a script whose interpreter is missing', command: orphan, what: 'command', code: 'ENOENT' },
    { name: 'an argument that is too long', args: ['x'.repeat(4_000_000)], what: 'command', code: 'E2BIG' },
    { name: 'a missing working directory', changes: { cwd: '/no/such' }, what: 'cwd', code: 'ENOENT' },
    { name: 'a file as working directory', changes: { cwd: plain }, what: 'cwd', code: 'ENOTDIR' },
    { name: 'a journal below a file', changes: { journal: join(plain, 'x') }, what: 'journal', code: 'EEXIST' },
  ])('$name', async ({ command = 'true', args = [], changes = {}, what, code }) => {
    const { process } = kit.play(kit.spec(command, args, changes));
    expect(await process.ended).toMatchObject({ kind: 'unstartable', what, code });
    expect(await process.started).toBeUndefined();
  });

  test('the message names what is missing', async () => {
    const { process } = kit.play(kit.spec('true', [], { cwd: '/no/such' }));
    expect(await process.ended).toMatchObject({ message: expect.stringContaining('/no/such') });
  });
});

test('input for which the folder for temporary files has no place is reported', async () => {
  const own = new Kit();
  const restore = setEnvironment({ TMPDIR: join(kit.folder, 'nowhere') });
  own.launcher.warm();
  restore();
  const { process: running } = own.play(own.bash('cat', { stdin: 'input' }));
  expect(await running.ended).toEqual({
    kind: 'unstartable',
    what: 'input',
    code: 'ENOENT',
    message: `its input cannot be kept in ${join(kit.folder, 'nowhere')}: make room there or set TMPDIR (ENOENT)`,
  });
});

test('a process has the umask that it is given, and the next one that of the launcher again', async () => {
  const umaskOf = async (changes: { readonly umask?: number }): Promise<string> => {
    const { process, stdout } = kit.play(kit.bash('umask', changes));
    await process.ended;
    return stdout();
  };
  const own = await umaskOf({});
  expect(await umaskOf({ umask: 0o037 })).toBe('0037\n');
  expect(await umaskOf({})).toBe(own);
});

test('the command is looked for on the PATH it is given, relative to its own folder', async () => {
  mkdirSync(join(kit.folder, 'bin'));
  file('bin/hello', '#!/bin/sh\necho hello from "$PWD"\n', 0o755);
  const { process, stdout } = kit.play(kit.spec('hello', [], { env: { PATH: 'bin' } }));
  expect(await process.ended).toMatchObject({ code: 0 });
  expect(stdout()).toBe(`hello from ${kit.folder}\n`);
});

test('the environment is the given one and nothing else', async () => {
  const spec = kit.spec('env', [], { env: { PATH: '/usr/bin:/bin', A: 'b c\nd' } });
  const { process, stdout } = kit.play(spec);
  await process.ended;
  const lines = Object.entries(spec.env).map(([name, value]) => `${name}=${value}\n`);
  expect(stdout()).toBe(lines.join(''));
});

test('a script can open its streams by name', async () => {
  const { process, stdout, stderr } = kit.play(kit.bash('echo a >/dev/stderr; echo b | tee /dev/stderr >/dev/stdout'));
  expect(await process.ended).toMatchObject({ code: 0 });
  expect([stdout(), stderr()]).toEqual(['b\n', 'a\nb\n']);
});

test('bash that is given input does not take itself for a remote login', async () => {
  file('.bashrc', 'echo from the startup file\n', 0o644);
  const { process, stdout } = kit.play(kit.bash('cat', { stdin: 'input', env: { HOME: kit.folder } }));
  await process.ended;
  expect(stdout()).toBe('input');
});

test('arguments reach the process unchanged', async () => {
  const args = ['', ' ', '*', '$HOME', '"', "'", '\\', 'ä\n', '--', '-c'];
  const { process, stdout } = kit.play(kit.spec('printf', ['%s\\0', ...args]));
  await process.ended;
  expect(stdout().split('\0')).toEqual([...args, '']);
});

test('a launcher that was killed is started again at the next need, and that is reported', async () => {
  let restarts = 0;
  const own = new Kit({ onRestart: () => (restarts += 1) });
  await own.play(own.bash('true')).process.ended;
  expect(restarts).toBe(0);
  const lost = own.play(own.bash('exec sleep 300'));
  await lost.process.started;
  process.kill(own.launcher.pid!, 'SIGKILL');
  expect(await lost.process.ended).toEqual({ kind: 'lost' });
  expect(await own.play(own.bash('true')).process.ended).toMatchObject({ kind: 'exited', code: 0 });
  expect(restarts).toBe(1);
});

test('a launcher that is started again is of the same version, whatever has replaced its file', async () => {
  const program = join(kit.folder, 'launcher.cjs');
  copyFileSync(builtLauncher(), program);
  const own = new Kit({ program });
  writeFileSync(program, 'process.exit(1);\n');
  const lost = own.play(own.bash('exec sleep 300'));
  await lost.process.started;
  process.kill(own.launcher.pid!, 'SIGKILL');
  await lost.process.ended;
  expect(await own.play(own.bash('true')).process.ended).toMatchObject({ kind: 'exited', code: 0 });
});
