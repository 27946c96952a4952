// The sandbox `container`: turns of real processes with a fake `docker`, which checks the command line and keeps the process by bubblewrap. The same turns run with the real docker where it answers.
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { TestWorker, failureOf } from '../activities/test-worker.js';
import { fakeDocker, noDocker, REAL_RUNTIME } from '../support/containers.js';
import { beforeRemoval, folder } from '../support/folder.js';
import { script, startModelApi, type Rule } from '../support/model-api.js';
import { realClaude, realClaudeBinary } from '../support/real-claude.js';
import { describeUnless, noSandbox } from '../support/unless.js';
import { until } from '../support/until.js';
import type { SandboxLimits } from '../../src/protocol/sandbox.js';
import { describeExceeded, type Exceeded } from '../../src/sandbox/limits.js';
import { removeContainer, workerLabels } from '../../src/sandbox/runtime.js';

/** Every attack prints `got NAME` if it succeeds. */
const attacks = (all: Readonly<Record<string, string>>): string =>
  Object.entries(all)
    .map(([name, attack]) => `if ( ${attack} ) >/dev/null 2>&1; then echo "got ${name}"; fi`)
    .join('\n');

const workerOfThisProcess = (): string =>
  workerLabels('/')
    .at(-1)
    ?.replace(/^raymond.worker=/, '') ?? '';

const IMAGE = process.env['RAYMOND_TEST_IMAGE'] ?? 'python:3';

interface Place {
  readonly image: string;
  /** The environment of a worker that has the runtime. */
  readonly env: () => Promise<Readonly<Record<string, string>>>;
}

const REAL_VARIABLES = [
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'CONTAINERS_CONF', 'CONTAINERS_STORAGE_CONF', 'HOME'],
  ...['XDG_RUNTIME_DIR', 'DBUS_SESSION_BUS_ADDRESS'],
];
const realEnvironment = (): Readonly<Record<string, string>> => {
  const found = REAL_VARIABLES.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  // Raymond takes Docker where both answer.
  const other = REAL_RUNTIME === 'docker' ? {} : { DOCKER_HOST: 'unix:///dev/null' };
  return { PATH: process.env['PATH'] ?? '', ...(Object.fromEntries(found) as Record<string, string>), ...other };
};

const FAKE: Place = { image: 'tools:1', env: async () => ({ PATH: (await fakeDocker()).path }) };
const REAL: Place = { image: IMAGE, env: () => Promise.resolve(realEnvironment()) };

const PLACES: readonly [string, Place, string | undefined][] = [
  ['a fake docker', FAKE, noSandbox()],
  [`the real ${REAL_RUNTIME}`, REAL, noDocker(IMAGE)],
];

for (const [what, { image, env }, reason] of PLACES) {
  describeUnless(reason)(`a script in a container of ${what}`, () => {
    const place = async (
      script: string,
      { settings = {}, environment = {} }: { settings?: object; environment?: Record<string, string> } = {},
    ): Promise<TestWorker> =>
      await TestWorker.with(
        { 'START.sh': script },
        {
          environment: { ...(await env()), ...environment },
          settings: { sandbox: { kind: 'container', image, ...settings } },
        },
      );

    test('works in its directory as the user, with the programs of the image, and records its digest', async () => {
      const worker = await place(
        'read -r line; echo "[$line] $FROM_IMAGE $PWD $(id -u)"; echo x > made; echo y > "$RAYMOND_TASK_FOLDER/kept"; echo "<result>ok</result>"',
        { environment: { ONLY_HERE: 'x', JAVA_HOME: '/opt/java' } },
      );
      const report = await worker.turn();
      expect(report.output).toContain(`${worker.cwd} ${process.getuid?.()}\n`);
      expect(report.sandbox).toEqual({
        kind: 'container',
        policy: expect.stringMatching(/^[0-9a-f]{12}$/),
        image,
        digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      });
      expect(await readFile(join(worker.cwd, 'made'), 'utf8')).toBe('x\n');
    });

    test('gets nothing from outside', async () => {
      const other = await folder({ 'secret.txt': 'x' });
      const worker = await place(
        attacks({
          'another project': `cat ${other}/secret.txt`,
          'the names of other runs': 'test "$(ls $(dirname $(dirname "$RAYMOND_TASK_FOLDER")) | wc -l)" -gt 1',
          'a variable of the worker': 'env | grep -q -e HIDDEN_TOKEN -e JAVA_HOME',
          'a variable of any process': 'cat /proc/*/environ | grep -q HIDDEN_TOKEN',
          'a process outside': `kill -0 ${process.pid}`,
          'a capability': 'grep -q "CapEff:.*[1-9a-f]" /proc/self/status',
          'the system': 'echo x > /usr/bin/evil',
          'the root': 'echo x > /evil',
          'its own state': 'echo x >> "$RAYMOND_STATE_FILE"',
          'the network': 'exec 9<>/dev/tcp/169.254.169.254/80',
        }) + '\necho x > ~/f && echo x > /tmp/f && echo "<result>ok</result>"',
        { environment: { HIDDEN_TOKEN: 'x', JAVA_HOME: '/opt/java', HOME: await folder() } },
      );
      await mkdir(join(worker.raymondDir, 'tasks', 'other'), { recursive: true });
      expect((await worker.turn()).output).toBe('<result>ok</result>\n');
    });

    test('has time to clean up when it is cancelled, and ends without it', async () => {
      const worker = await place(
        "trap 'echo bye > bye; sleep 600' TERM\ntouch begun; setsid sleep 601 & while :; do sleep 0.05; done",
        { settings: {} },
      );
      const playing = worker.play();
      await until(
        () =>
          readFile(join(worker.cwd, 'begun')).then(
            () => true,
            () => false,
          ),
        { what: 'its start' },
      );
      playing.end('cancel');
      expect((await playing.report).outcome).toEqual({ kind: 'cancelled' });
      expect(await readFile(join(worker.cwd, 'bye'), 'utf8')).toBe('bye\n');
      expect(await worker.processesOf('main')).toEqual([]);
    });

    test('ends when the launcher is killed', async () => {
      const worker = await place("trap '' TERM HUP\ntouch begun; sleep 600; sleep 600");
      const playing = worker.play();
      await until(
        () =>
          readFile(join(worker.cwd, 'begun')).then(
            () => true,
            () => false,
          ),
        { what: 'its start' },
      );
      const { pid } = worker.context.launcher;
      if (pid === undefined) throw new Error('there is no launcher');
      process.kill(pid, 'SIGKILL');
      expect(await failureOf(playing.report)).toMatchObject({ type: 'WorkerLost' });
      await until(async () => (await worker.processesOf('main')).length === 0, { what: 'the end of all processes' });
    });

    test('fails with its own exit code, and says what the image lacks before anything runs', async () => {
      const failing = await place('echo oops >&2; exit 125');
      expect(await failureOf(failing.turn())).toMatchObject({
        type: 'ScriptFailed',
        message: expect.stringContaining('125'),
      });
      const lacking = await TestWorker.with(
        { 'START.js': 'x' },
        { environment: await env(), settings: { sandbox: { kind: 'container', image } } },
      );
      const failure = await failureOf(lacking.turn({ agent: { state: 'START.js' } }));
      expect(failure).toMatchObject({ type: 'NeedsPerson', message: expect.stringContaining('has no program node') });
    });

    test('is not started where the image is missing, or not named', async () => {
      const worker = await place('touch begun', { settings: { image: 'raymond-none:1' } });
      expect(await failureOf(worker.turn())).toMatchObject({
        type: 'NeedsPerson',
        message: expect.stringMatching(
          /the image raymond-none:1 is not on this host; get it: (docker|podman) pull raymond-none:1/,
        ),
      });
      const unnamed = await place('touch begun', { settings: { image: undefined } });
      expect((await failureOf(unnamed.turn())).message).toContain('has no image; name one');
      const option = await place('touch begun', { settings: { image: '--privileged' } });
      expect((await failureOf(option.turn())).message).toContain('is no name of an image');
    });
  });
}

describeUnless(noDocker(IMAGE))('a script in a container with limits', () => {
  test.each<[string, SandboxLimits, string]>([
    ['memory', { memory: 64 << 20 }, 'head -c 10737418240 /dev/zero | tail -c 10737418240 > /dev/null; sleep 600'],
    ['processes', { processes: 40 }, 'bomb() { bomb | bomb & }; bomb; sleep 600'],
    ['a file', { files: 2 << 20 }, 'head -c 3000000 /dev/zero > big'],
  ])('is ended when it exceeds one: %s', async (_what, limits, script) => {
    const worker = await TestWorker.with(
      { 'START.sh': script },
      { environment: realEnvironment(), settings: { sandbox: { kind: 'container', image: IMAGE, ...limits } } },
    );
    const [[limit, most] = []] = Object.entries(limits);
    expect(await failureOf(worker.turn())).toMatchObject({
      type: 'LimitExceeded',
      message: expect.stringContaining(describeExceeded({ limit, most } as Exceeded)),
    });
    expect(await worker.processesOf('main')).toEqual([]);
  });
});

describeUnless(noSandbox())('a container of an attempt', () => {
  test('that was left is removed by the next attempt', async () => {
    const docker = await fakeDocker();
    const worker = await TestWorker.with(
      { 'START.sh': 'echo "<result>ok</result>"' },
      { environment: { PATH: docker.path }, settings: { sandbox: { kind: 'container', image: 'tools:1' } } },
    );
    await worker.turn();
    const asked = await docker.asked();
    const run = asked.find(([command]) => command === 'run') ?? [];
    const name = run[run.indexOf('--name') + 1];
    const left = dirname(run[run.lastIndexOf('sh') + 1] ?? '');
    await mkdir(left, { recursive: true });
    await writeFile(join(left, 'container.json'), JSON.stringify({ runtime: 'docker', name }));
    worker.restart();
    await worker.turn({}, 2);
    const removed = (await docker.asked()).filter(([command]) => command === 'rm');
    expect(removed.map((words) => words.at(-1))).toEqual([name, name, expect.stringMatching(/-2$/)]);
  });
});

describeUnless(noDocker(IMAGE))(`a container of the real ${REAL_RUNTIME}`, () => {
  const docker = (...words: readonly string[]): string =>
    execFileSync(REAL_RUNTIME, words, { encoding: 'utf8' }).trim();

  test.each([
    ['a dead worker of this project is removed', '1@0', 0],
    ['a living worker is not', workerOfThisProcess(), 1],
  ])('of %s', async (_which, labelOfWorker, left) => {
    const worker = await TestWorker.with(
      { 'START.sh': 'echo "<result>ok</result>"' },
      { environment: realEnvironment(), settings: { sandbox: { kind: 'container', image: IMAGE } } },
    );
    const [, project = ''] = workerLabels(worker.raymondDir);
    const labels = ['--label', project, '--label', `raymond.worker=${labelOfWorker}`];
    const id = docker('run', '--detach', '--network', 'none', ...labels, '--entrypoint', 'sleep', IMAGE, '600');
    beforeRemoval(async () => void (await removeContainer({ runtime: REAL_RUNTIME, name: id }, process.env)));
    await worker.turn();
    expect(docker('ps', '--all', '--quiet', '--filter', `id=${id}`).split('\n').filter(Boolean)).toHaveLength(left);
  });
});

/** Places whose image has Claude Code and socat as well. */
const EQUIPPED: typeof PLACES = [
  [
    'a fake docker',
    { ...FAKE, env: async () => ({ PATH: (await fakeDocker({ claude: realClaudeBinary() })).path }) },
    noSandbox(),
  ],
  [`the real ${REAL_RUNTIME}`, REAL, noDocker(IMAGE, ['claude', 'socat', 'curl'])],
];

for (const [what, { image, env }, reason] of EQUIPPED) {
  describeUnless(reason)(`a turn in a container of ${what}`, () => {
    const bash = (command: string): object => ({ tool: { name: 'Bash', input: { command } } });

    test('reaches its model by the relay, without the credential, and its conversation is continued', async () => {
      const rules = [
        { contains: 'work', reply: [bash('env > env.txt; id -u >> env.txt'), { text: '<goto>NEXT.md</goto>' }] },
        { contains: 'continue', reply: { text: '<result>continued</result>' } },
      ] as readonly Rule[];
      const api = await startModelApi({ reply: script(rules) });
      beforeRemoval(() => api.close());
      const claude = await realClaude({ apiUrl: api.url });
      beforeRemoval(() => claude.close());
      const worker = await TestWorker.with(
        { 'START.md': 'work', 'NEXT.md': 'continue' },
        {
          environment: { ...claude.env, ANTHROPIC_API_KEY: 'sk-ant-outside', ...(await env()), HOME: claude.home },
          settings: { sandbox: { kind: 'container', image } },
        },
      );
      const skip = { settings: { permissions: 'skip' as const } };
      const { session, sandbox } = await worker.turn({ ...skip, agent: { state: 'START.md' } });
      expect(sandbox).toMatchObject({ kind: 'container', image });
      expect(await readFile(join(worker.cwd, 'env.txt'), 'utf8')).not.toContain('sk-ant-outside');
      if (session === undefined) throw new Error('it left no conversation');
      const next = await worker.turn({ ...skip, agent: { state: 'NEXT.md', session, turn: 1 } });
      expect(next.outcome).toMatchObject({ transition: { payload: 'continued' } });
      expect(new Set(api.requests.map(({ credential }) => credential))).toEqual(new Set(['sk-ant-outside']));
    }, 120_000);

    test('reaches the hosts of its network list, and no other', async () => {
      const api = await startModelApi({ reply: script([]) });
      beforeRemoval(() => api.close());
      const worker = await TestWorker.with(
        {
          'START.sh': `curl -s -o /dev/null -w '%{http_code} ' ${api.url.replace('127.0.0.1', 'localhost')}/; curl -s http://example.com/; echo '<result>ok</result>'`,
        },
        { environment: await env(), settings: { sandbox: { kind: 'container', image, network: ['localhost'] } } },
      );
      const report = await worker.turn();
      expect(report.output).toMatch(/^[2-4]\d\d raymond: example.com is not in the network list.*<result>ok/s);
      expect(report.output).not.toMatch(/^403/);
      expect(report.denied).toEqual(['network: example.com is not in the network list of the sandbox']);
    }, 60_000);
  });
}
