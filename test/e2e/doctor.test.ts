// `raymond doctor`: what it finds in good and bad surroundings, its exit codes, and that it leaves everything as it was.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { readdir, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Place, type Called } from '../support/cli.js';
import { script } from '../server/project.js';
import { sharedServer } from '../support/shared-server.js';
import { NO_ROOT, noSandbox, testUnless, WITHOUT_CONTROL_GROUPS } from '../support/unless.js';
import { TESTED } from '../../src/host/tested-versions.js';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly detail: string;
  readonly todo?: string;
}

let place: Place;
const servers: { close(): unknown }[] = [];
beforeEach(async () => {
  place = await Place.at({ 'bin/README': '' });
  script(join(place.cwd, 'bin'), 'claude', ['echo "9.8.7 (Claude Code)"']);
});
afterEach(() => servers.splice(0).forEach((server) => server.close()));

function environment(): NodeJS.ProcessEnv {
  return { PATH: join(place.cwd, 'bin'), HOME: place.cwd, CLAUDE_CONFIG_DIR: undefined, ANTHROPIC_API_KEY: 'sk-none' };
}

async function doctor(args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Called> {
  return await place.raymond(['doctor', ...args], { env: { ...environment(), ...env } });
}

async function checksOf(
  called: Promise<Called>,
): Promise<Readonly<Record<string, Check>> & { readonly code: unknown }> {
  const { stdout, exitCode } = await called;
  const { ok, checks } = JSON.parse(stdout) as { readonly ok: boolean; readonly checks: readonly Check[] };
  expect(ok).toBe(exitCode === 0);
  const byName = Object.fromEntries(checks.map((check) => [check.name, check]));
  return Object.assign(byName, { code: exitCode });
}

test('a good project: every check is ok, also with its server', async () => {
  expect((await place.raymond(['server', 'start'])).exitCode).toBe(0);
  const { code, ...checks } = await checksOf(doctor(['--json']));
  expect(code).toBe(0);
  expect(Object.values(checks).map(({ name, status }) => `${name}: ${status}`)).toEqual([
    'Node.js: ok',
    'config: ok',
    'Claude Code: ok',
    'login: ok',
    'environment: ok',
    'Temporal CLI: ok',
    'Temporal server: ok',
    'disk: ok',
    'keys: ok',
    'artifacts: ok',
    'sandbox: ok',
  ]);
  expect(checks).toMatchObject({
    'Claude Code': {
      detail: `9.8.7 (Claude Code) (tested with ${TESTED.claudeCode}), ${place.cwd}/bin/claude`,
    },
    login: { detail: 'by ANTHROPIC_API_KEY' },
    'Temporal server': { detail: expect.stringMatching(/runs: 127\.0\.0\.1:\d+ \(pid \d+\)/) },
  });
});

testUnless(NO_ROOT ?? noSandbox())(
  'root without limits of the kernel is told what can happen, and what to do',
  async () => {
    const PATH = process.env['PATH'] ?? '';
    // As on a Linux before 6.14, it has no namespaces of process numbers.
    script(join(place.cwd, 'bin'), 'unshare', ['exit 1']);
    const before = [...WITHOUT_CONTROL_GROUPS, 'env', `PATH=${join(place.cwd, 'bin')}:${PATH}`];
    const { sandbox } = await checksOf(place.bin(['doctor', '--json'], { env: { ...environment(), PATH }, before }));
    expect(sandbox).toMatchObject({
      status: 'warning',
      detail: expect.stringContaining('"processes" is only measured, and a fork bomb can stop the host'),
      todo: expect.stringContaining('as an ordinary user'),
    });
  },
);

test('for people it is a table, with what to do below what is wrong', async () => {
  const { stdout, stderr, exitCode } = await doctor([], { PATH: place.cwd });
  expect(exitCode).toBe(69);
  expect(stdout).toMatch(/^ok +Node\.js /);
  expect(stdout).toMatch(/^failed +Claude Code +there is no "claude" on PATH.*\n +→ install it with/m);
  expect(stdout).toMatch(/^ok +Temporal server +not running; it starts automatically$/m);
  expect(stderr).toBe('not ready, missing: Claude Code');
  expect(await place.read('.raymond/temporal/server.json')).toBeUndefined();
});

test('where pi answers, it is needed, and Claude Code is not', async () => {
  await place.write('.raymond/config.toml', '[raymond]\nbackend = "pi"\n');
  expect(await checksOf(doctor(['--json'], { PATH: place.cwd }))).toMatchObject({
    code: 69,
    pi: { status: 'failed', detail: 'there is no "pi" on PATH; only workflows without prompts can run' },
    'Claude Code': { status: 'warning', detail: expect.stringContaining('only prompts that name "backend: claude"') },
  });
  script(join(place.cwd, 'bin'), 'pi', ['echo 0.74.2']);
  expect(await checksOf(doctor(['--json']))).toMatchObject({
    code: 0,
    pi: { status: 'ok', detail: `0.74.2, ${place.cwd}/bin/pi` },
    'Claude Code': { status: 'ok' },
    login: { status: 'ok' },
  });
});

test('a Claude Code that does not run is reported with its own words, without credentials', async () => {
  script(join(place.cwd, 'bin'), 'claude', ['echo "cannot use $ANTHROPIC_API_KEY" >&2; exit 3']);
  expect(await checksOf(doctor(['--json'], { ANTHROPIC_API_KEY: 'sk-a-secret' }))).toMatchObject({
    code: 69,
    'Claude Code': {
      status: 'failed',
      detail: expect.stringContaining('does not run: cannot use [ANTHROPIC_API_KEY]'),
    },
  });
});

test('without a sign of a login there is a warning, which lacks nothing', async () => {
  const env = { ANTHROPIC_API_KEY: '' };
  const login = { status: 'warning', todo: expect.stringContaining('log in') };
  expect(await checksOf(doctor(['--json'], env))).toMatchObject({ code: 0, login });
  await place.write('.claude/.credentials.json', '{}');
  expect(await checksOf(doctor(['--json'], env))).toMatchObject({ login: { status: 'ok' } });
});

test('an empty folder stays empty', async () => {
  await rm(join(place.cwd, '.raymond'), { recursive: true });
  const cwd = join(place.cwd, 'empty');
  await place.write('empty/x');
  await rm(join(cwd, 'x'));
  const called = await place.raymond(['doctor', '--json'], { cwd, env: environment() });
  expect(called.exitCode).toBe(0);
  expect(await readdir(cwd)).toEqual([]);
});

test('the artifact store is as it was', async () => {
  await doctor();
  expect(await readdir(join(place.cwd, '.raymond/artifacts'), { recursive: true })).toEqual(['incoming']);
});

test('a broken file of keys', async () => {
  await place.write('.raymond/config.toml', '[raymond]\nencryption_keys = "no-keys"\n');
  expect(await checksOf(doctor(['--json']))).toMatchObject({
    code: 69,
    keys: { status: 'failed', detail: expect.stringContaining('there is no such file') },
  });
});

test('a broken config is one check, and the others are made nevertheless', async () => {
  await place.write('.raymond/config.toml', '[raymond]\nbudgett = 3\n');
  expect(await checksOf(doctor(['--json']))).toMatchObject({
    code: 69,
    config: { status: 'failed', detail: expect.stringMatching(/config\.toml:2: unknown key "budgett"/) },
    'Claude Code': { status: 'ok' },
  });
});

test('a Temporal CLI that is named and cannot be used', async () => {
  await place.write('.raymond/config.toml', '[raymond]\ntemporal_cli = "none"\n');
  expect(await checksOf(doctor(['--json']))).toMatchObject({
    code: 69,
    'Temporal CLI': { status: 'failed', detail: expect.stringContaining('there is no such file') },
  });
});

test('a cluster: server, namespace, search attributes and workers', async () => {
  const address = await sharedServer();
  const checks = await checksOf(doctor(['--json', '--address', address, '--task-queue', 'nobodys']));
  expect(checks).toMatchObject({
    code: 0,
    cluster: { status: 'ok', detail: expect.stringMatching(/, server \d+\.\d+/) },
    namespace: { status: 'ok', detail: 'default' },
    clock: { status: 'ok' },
    'search attributes': { status: 'ok' },
    workers: { status: 'warning', todo: expect.stringContaining(`raymond fleet worker --address ${address}`) },
  });
  expect(Object.keys(checks)).not.toContain('Temporal server');
});

test("a clock that is ahead of the cluster's", async () => {
  const wrong = 'const now = Date.now; Date.now = () => now() + 60_000;';
  const env = { ...environment(), NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(wrong)}` };
  const { stdout } = await place.bin(['doctor', '--json', '--address', await sharedServer()], { env });
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly Check[] };
  const clock = checks.find(({ name }) => name === 'clock');
  expect(clock).toMatchObject({ status: 'warning', todo: expect.stringContaining('NTP') });
  expect(clock?.detail).toMatch(/^(59|60)\.\d s ahead of the server's/);
});

test('a cluster without the namespace', async () => {
  const address = await sharedServer();
  expect(await checksOf(doctor(['--json', '--address', address, '--namespace', 'none']))).toMatchObject({
    code: 69,
    namespace: { status: 'failed', detail: 'there is no namespace "none"' },
  });
});

test('on a cluster the workers need Claude Code, not who looks', async () => {
  const checks = await checksOf(doctor(['--json', '--address', await sharedServer()], { PATH: place.cwd }));
  expect(checks).toMatchObject({ code: 0, 'Claude Code': { status: 'warning' } });
});

test('an address at which nobody listens, and one that never answers', async () => {
  const silent = createServer((socket) => void servers.push({ close: () => socket.destroy() }));
  servers.push(silent);
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const { port } = silent.address() as AddressInfo;
  for (const address of ['127.0.0.1:1', `127.0.0.1:${port}`]) {
    expect(await checksOf(doctor(['--json', '--address', address]))).toMatchObject({
      code: 69,
      cluster: { status: 'failed', detail: expect.stringContaining(`cannot be reached at ${address}`) },
    });
  }
}, 60_000);

test('counts the variables that prompts do not get, and lists them with --verbose', async () => {
  const secrets = { MY_TOKEN: 'hidden', MY_PASSWORD: 'hidden' };
  const brief = await doctor([], secrets);
  expect(brief.stdout).toMatch(
    /^ok +environment +\d+ variables are withheld from prompts; to list them, run: raymond doctor --verbose$/m,
  );
  const listed = await doctor(['--verbose'], secrets);
  expect(listed.stdout).toMatch(/withheld from prompts: .*MY_PASSWORD.*MY_TOKEN/);
  expect(listed.stdout).not.toContain('hidden');
});

test('says that prompts need a login when there is none', async () => {
  const called = await doctor([], { ANTHROPIC_API_KEY: '' });
  expect(called).toMatchObject({ exitCode: 0, stderr: 'ready for scripts; prompts need a login' });
});
