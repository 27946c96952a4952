// What a script in the sandbox `process` tries and must not get, with real processes: one turn, a verdict per attempt.
import { execFileSync } from 'node:child_process';
import { createServer } from 'node:net';
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { TestWorker, failureOf } from '../activities/test-worker.js';
import { folder, beforeRemoval } from '../support/folder.js';
import { describeUnless, noSandbox } from '../support/unless.js';
import { until } from '../support/until.js';

/** Every attack prints `got NAME` if it succeeds. */
const script = (attacks: Readonly<Record<string, string>>, header = 'sandbox=process'): string =>
  [
    `# raymond: ${header}`,
    'exec 3>&1 2>/dev/null',
    ...Object.entries(attacks).map(
      ([name, attack]) => `if ( ${attack} ) >/dev/null 2>&1; then echo "got ${name}" >&3; fi`,
    ),
    'echo "<result>ok</result>"',
  ].join('\n');

const got = (output: unknown): readonly string[] =>
  [...String(output).matchAll(/^got (.*)$/gm)].map(([, name]) => name ?? '');

async function attacked(
  worker: TestWorker,
): Promise<{ readonly got: readonly string[]; readonly warnings: readonly string[] }> {
  const report = await worker.turn();
  expect(report.outcome).toMatchObject({ transition: { payload: 'ok' } });
  expect(report.sandbox).toMatchObject({ kind: 'process', policy: expect.stringMatching(/^[0-9a-f]{12}$/) });
  return { got: got(report.output), warnings: report.warnings ?? [] };
}

async function listening(): Promise<number> {
  const server = createServer((socket) => socket.end('x'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  beforeRemoval(() => new Promise((resolve) => server.close(() => resolve())));
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describeUnless(noSandbox())('a script in the sandbox "process"', () => {
  test('reads no secret, no other project, no environment of another process', async () => {
    const home = await folder({ '.ssh/id_ed25519': 'key', '.aws/credentials': 'key', '.netrc': 'key' });
    const other = await folder({ 'secret.txt': 'x' });
    const worker = await TestWorker.with(
      {
        'START.sh': script({
          'a key': 'cat ~/.ssh/id_ed25519',
          'the cloud': 'cat ~/.aws/credentials',
          'another project': `cat ${other}/secret.txt`,
          'another run': 'cat $(dirname "$RAYMOND_TASK_FOLDER")/../*/other.txt',
          'the names of other runs': 'test "$(ls $(dirname $(dirname "$RAYMOND_TASK_FOLDER")) | wc -l)" -gt 1',
          'the shadow file': 'grep -q root /etc/shadow',
          'a variable of the worker': 'env | grep -q HIDDEN_TOKEN',
          'a variable of any process': 'cat /proc/*/environ | grep -q HIDDEN_TOKEN',
          'the socket of docker': 'test -e /run -o -e /var/run',
          'the agent of ssh': 'test -n "$SSH_AUTH_SOCK"',
          'more processes than its own': 'test "$(ls -d /proc/[0-9]* | wc -l)" -gt 8',
          'a further user namespace': 'unshare --user true',
        }),
      },
      { environment: { HOME: home, HIDDEN_TOKEN: 'x', SSH_AUTH_SOCK: '/tmp/agent' } },
    );
    await mkdir(join(worker.raymondDir, 'tasks', 'other'), { recursive: true });
    await writeFile(join(worker.raymondDir, 'tasks', 'other', 'other.txt'), 'x');
    expect(await attacked(worker)).toEqual({ got: [], warnings: [] });
  });

  test('writes nothing outside, and nothing that a later turn, a shell or an editor would run', async () => {
    const outside = await folder({ 'kept.txt': 'kept' });
    const worker = await TestWorker.with(
      {
        'START.sh': script({
          'the way up': `echo x > ${outside}/../raymond-attack-up`,
          'a link': `ln -s ${outside}/kept.txt link && echo x > link`,
          'a hard link': `ln ${outside}/kept.txt hard`,
          'a hook': 'echo x > .git/hooks/pre-commit',
          'the config of git': 'git config core.fsmonitor /tmp/evil',
          'another git folder': 'mv .git .git-old',
          'its own state': 'echo x >> "$RAYMOND_STATE_FILE"',
          'a new state': 'echo x > "$RAYMOND_STATE_DIR/EVIL.sh"',
          'the kernel': 'echo core > /proc/sys/kernel/core_pattern',
          'its hand on the kernel': 'echo h > /proc/sysrq-trigger',
          'the system': 'touch /usr/bin/evil /etc/evil /evil',
        }),
        'NEXT.sh': script({
          'the working directory': 'echo x > fine.txt',
          'the task folder': 'echo x > "$RAYMOND_TASK_FOLDER/fine.txt"',
          'the home': 'echo x > ~/.bashrc',
          'an rc file of direnv': 'echo x > .envrc',
          'settings of Claude Code': 'mkdir -p .claude && echo x > .claude/settings.json',
        }),
      },
      { environment: { HOME: await folder() } },
    );
    execFileSync('git', ['init', '--quiet', worker.cwd]);
    expect(await attacked(worker)).toEqual({ got: [], warnings: [] });
    expect(await readFile(join(outside, 'kept.txt'), 'utf8')).toBe('kept');

    const report = await worker.turn({ agent: { state: 'NEXT.sh', turn: 1 } });
    expect(got(report.output)).toHaveLength(5);
    expect(report.warnings).toEqual([
      expect.stringContaining('.claude/settings.json may not be made in a sandbox'),
      expect.stringContaining('.envrc may not be made in a sandbox'),
    ]);
    expect(await readFile(join(worker.cwd, 'fine.txt'), 'utf8')).toBe('x\n');
    await expect(readFile(join(worker.cwd, '.envrc'))).rejects.toThrow('ENOENT');
  });

  test('reaches no network: not loopback, no metadata address, no name', async () => {
    const port = await listening();
    const worker = await TestWorker.with(
      {
        'START.sh': script({
          'a server on loopback': `exec 9<>/dev/tcp/127.0.0.1/${port}`,
          'a metadata address': 'exec 9<>/dev/tcp/169.254.169.254/80',
          'a name': 'getent hosts example.com',
          'a proxy': 'test -n "$HTTPS_PROXY$https_proxy"',
        }),
      },
      { environment: { HTTPS_PROXY: `http://127.0.0.1:${port}` } },
    );
    expect((await attacked(worker)).got).toEqual([]);
  });

  test('leaves no process, and signals none outside', async () => {
    const worker = await TestWorker.with({
      'START.sh':
        script({
          'the worker': `kill -0 ${process.pid}`,
          'a trace of the worker': `python3 -c 'import ctypes; exit(ctypes.CDLL(None).ptrace(16, ${process.pid}, 0, 0) != 0)'`,
          'the memory of the worker': `head -c 1 /proc/${process.pid}/mem`,
          'every process of its own that it may not trace': 'echo x > /proc/1/mem',
          'the parent of its sandbox': 'test -e /proc/$PPID/exe && test $PPID != 1',
        }) + '\nsetsid sleep 321 & disown\n',
    });
    expect((await attacked(worker)).got).toEqual([]);
    await until(async () => (await worker.processesOf('main')).length === 0, { what: 'the end of all processes' });
  });

  test('is stopped with time to clean up, and no process survives a cancel', async () => {
    const worker = await TestWorker.with(
      {
        'START.sh': `# raymond: sandbox=process\ntrap 'echo bye > bye.txt; exit 0' TERM\ntouch begun\nwhile :; do sleep 0.05; done`,
      },
      { settings: { graceMs: 5000 } },
    );
    const playing = worker.play();
    await until(
      async () =>
        await readFile(join(worker.cwd, 'begun')).then(
          () => true,
          () => false,
        ),
      { what: 'its start' },
    );
    playing.end('cancel');
    expect((await playing.report).outcome).toEqual({ kind: 'cancelled' });
    expect(await readFile(join(worker.cwd, 'bye.txt'), 'utf8')).toBe('bye\n');
    expect(await worker.processesOf('main')).toEqual([]);
  });

  test('commits under the name of the user, whose settings it does not see', async () => {
    const home = await folder({
      '.gitconfig': '[user]\n\tname = Ann A\n\temail = ann@example.com\n[credential]\n\thelper = !echo password=x\n',
    });
    const worker = await TestWorker.with(
      {
        'START.sh':
          '# raymond: sandbox=process\ncat ~/.gitconfig 2>/dev/null; git config credential.helper; git commit -q --allow-empty -m x && git log -1 --format="<result>%an %ae</result>"',
      },
      { environment: { HOME: home } },
    );
    execFileSync('git', ['init', '--quiet', worker.cwd]);
    const { output } = await worker.turn();
    expect(output).toBe('<result>Ann A ann@example.com</result>\n');
  });

  test('runs the programs of version managers, which lie in the home', async () => {
    const files = { '.pyenv/shims/tool': '#!/bin/sh\nexec "${0%/shims/tool}/libexec/tool"\n', '.cargo/bin/cargo': '' };
    const home = await folder({ ...files, '.rustup/toolchain': 'x', '.cargo/credentials.toml': 'key' });
    for (const name of Object.keys(files)) await chmod(join(home, name), 0o755);
    await mkdir(join(home, '.pyenv/libexec'));
    await writeFile(join(home, '.pyenv/libexec/tool'), '#!/bin/sh\necho tool\n', { mode: 0o755 });
    const PATH = `${home}/.pyenv/shims:${home}/.cargo/bin:${process.env['PATH'] ?? ''}`;
    const worker = await TestWorker.with(
      { 'START.sh': '# raymond: sandbox=process\ntool; ls -A ~/.cargo ~/.rustup; echo "<result>ok</result>"' },
      { environment: { HOME: home, PATH } },
    );
    const { output } = await worker.turn();
    expect(output).toBe(`tool\n${home}/.cargo:\nbin\n\n${home}/.rustup:\ntoolchain\n<result>ok</result>\n`);
  });

  test('gets no more than the config allows, whatever its package asks for', async () => {
    const worker = await TestWorker.with({ 'START.sh': script({}) }, { settings: { sandbox: { kind: 'process' } } });
    const report = await worker.turn({
      settings: { permissions: 'accept-edits', sandbox: { package: { network: ['*'], read: ['/'] } } },
    });
    expect(report.warnings).toEqual([
      'the config does not allow read: / in the sandbox',
      'the config does not allow network: * in the sandbox',
    ]);
  });

  test('does not start where a link of an earlier turn leads out, or where the working directory is the home', async () => {
    const outside = await folder();
    const worker = await TestWorker.with({ 'START.sh': script({}) });
    await mkdir(join(worker.cwd, '.git'));
    await symlink(outside, join(worker.cwd, '.git/hooks'));
    expect((await failureOf(worker.turn())).message).toContain('.git/hooks leads to');

    const atHome = await TestWorker.with({ 'START.sh': script({}) }, { environment: { HOME: worker.cwd } });
    const failure = await failureOf(atHome.turn({ agent: { cwd: worker.cwd } }));
    expect(failure).toMatchObject({ type: 'NeedsPerson', message: expect.stringContaining('is the home') });
  });
});

test('a turn whose sandbox the host does not have is not started', async () => {
  const path = await folder();
  for (const program of ['bash', 'touch'])
    await symlink(execFileSync('which', [program], { encoding: 'utf8' }).trim(), join(path, program));
  const worker = await TestWorker.with(
    { 'START.sh': '# raymond: sandbox=process\ntouch started\n' },
    { environment: { PATH: path } },
  );
  const failure = await failureOf(worker.turn());
  expect(failure).toMatchObject({
    type: 'NeedsPerson',
    message: expect.stringMatching(/needs the sandbox "process".*install it/s),
  });
  await expect(readFile(join(worker.cwd, 'started'))).rejects.toThrow('ENOENT');
});
