// The engine of a project: started by the first command that needs it, executing runs when every command has ended.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { join } from 'node:path';
import { serverStatus } from '../../dist/server/index.js';
import { Place } from '../support/cli.js';
import { documentOf } from '../support/fakes.js';
import { until } from '../support/until.js';
import { BACKGROUND, FLOWS, begun, ended, engineOf, expectReplaced } from './engine-place.js';

const UMASKS: Readonly<Record<string, string>> = { one: '0027', two: '0077' };

describe('one engine', () => {
  let place: Place;
  beforeAll(async () => {
    place = await Place.at(FLOWS, BACKGROUND);
  }, 60_000);

  test('executes the runs of two calls that start at the same moment, each in the environment and with the umask of its call', async () => {
    const calls = ['one', 'two'].map((FOO) => {
      const before = ['sh', '-c', `umask ${UMASKS[FOO]}; exec "$@"`, 'sh'];
      return place.bin(['meets', '--id', FOO], { env: { FOO }, before });
    });
    const [one, two] = await Promise.all(calls);
    for (const [name, umask] of Object.entries(UMASKS)) expect(await place.read(`umask-${name}`)).toBe(`${umask}\n`);
    expect(one).toMatchObject({ stdout: `one in ${place.cwd}`, exitCode: 0 });
    expect(two).toMatchObject({ stdout: `two in ${place.cwd}`, exitCode: 0 });
    const { status, pid } = await engineOf(place);
    expect(status).toBe('running');
    expect((await place.read('.raymond/engine/engine.log'))?.match(/the engine runs/g)).toHaveLength(1);
    expect(await place.raymond(['up'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`process ${pid}`),
    });
    const listed = JSON.parse((await place.raymond(['ps', '--json'])).stdout) as readonly {
      readonly project: string;
    }[];
    expect(listed).toContainEqual(expect.objectContaining({ project: place.cwd }));
    expect((await place.raymond(['up', '--logs'])).stdout).toContain(`the engine runs (process ${pid})`);
  });

  test('is pointed to from the wrong folder, whose project list and status name', async () => {
    const [elsewhere, sub] = [await Place.at(), join(place.cwd, 'says')];
    const other = 'to list other projects, run: raymond ps';
    const refusal = `raymond: project ${elsewhere.cwd}: there is no run one; to list the runs, run: raymond list; ${other}`;
    expect(await elsewhere.raymond(['status', 'one'])).toMatchObject({ exitCode: 64, stderr: refusal });
    expect((await elsewhere.raymond(['list'])).stderr).toBe(
      `no runs in the project ${elsewhere.cwd}; start one with: raymond start WORKFLOW; ${other}`,
    );
    expect((await place.raymond(['status', 'nope'], { cwd: sub })).stderr).toContain(`project ${place.cwd}: there is`);
  });

  test('continues a run whose question is answered from anywhere, and the answer returns at once', async () => {
    expect(await place.raymond(['asks', '--id', 'asked', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
    expect(await place.raymond(['answer', 'asked', 'blue'])).toMatchObject({
      exitCode: 0,
      stderr: 'answered ask_main_1',
    });
    expect(await ended(place, 'asked')).toBe('blue');
  });

  test('lets time pass for runs that no command follows', async () => {
    for (const flow of ['expires', 'delays'])
      expect(await place.raymond([flow, '--id', flow, '--detach'])).toMatchObject({ exitCode: 0 });
    for (const flow of ['expires', 'delays']) expect(await ended(place, flow)).toBe('late');
  });

  test.each(['resume', 'retry'])('gives turns the environment of the shell that calls %s', async (word) => {
    const runId = `login-${word}`;
    expect(await place.raymond(['login', '--id', runId])).toMatchObject({ exitCode: 1 });
    const options = { env: { LOGIN: 'ok', LC_TIME: 'C.UTF-8' }, before: ['sh', '-c', 'umask 0027; exec "$@"', 'sh'] };
    const words = word === 'retry' ? [word, runId, 'main'] : [word, runId];
    expect(await place.bin(words, options)).toMatchObject({ exitCode: 0 });
    expect(await ended(place, runId)).toBe('0027 C.UTF-8');
  });

  test('reads a changed config before the next order', async () => {
    const { pid } = await engineOf(place);
    await place.write('.raymond/config.toml', '[raymond]\nscript_env = "clean"\n');
    expect(await place.bin(['says'], { env: { FOO: 'seen' } })).toMatchObject({
      stdout: `in ${place.cwd}`,
      exitCode: 0,
    });
    await place.write('.raymond/config.toml', '[raymond]\nhook_done = "touch hooked"\n');
    expect(await place.raymond(['says', '--detach'])).toMatchObject({ exitCode: 0 });
    await place.made('hooked');
    expect((await engineOf(place)).pid).toBe(pid);
    await place.write('.raymond/config.toml', '[raymond]\n');
  });

  test('of another version is replaced', async () => {
    await expectReplaced(place, '0.0.1');
  });

  test('that cannot start is one clear error with its log', async () => {
    const broken = "if (process.argv.includes('__engine')) { console.error('broken here'); process.exit(7); }\n";
    const other = await Place.sharing({ ...FLOWS, 'broken.cjs': broken }, BACKGROUND);
    const before = ['env', `NODE_OPTIONS=--require ${join(other.cwd, 'broken.cjs')}`];
    const { exitCode, stderr } = await other.bin(['up'], { before });
    expect(exitCode).toBe(69);
    expect(stderr).toMatch(/exit code 7.*engine\.log/s);
    expect(await other.read('.raymond/engine/engine.log')).toContain('broken here');
  });
});

describe('a followed run', () => {
  test('is paused by Ctrl-C after its turn, and resume returns at once', async () => {
    const place = await Place.at(FLOWS, BACKGROUND);
    const { call, said } = begun(place, 'waits', '--id', 'held');
    await place.made('started');
    call.kill('SIGINT');
    await until(() => said().includes('pausing held after the current turns'), { what: 'the pause' });
    await place.write('go');
    expect(await call).toMatchObject({ exitCode: 130 });
    expect(documentOf(await place.raymond(['status', 'held', '--json']))).toMatchObject({ status: 'paused' });
    expect(await place.raymond(['resume', 'held'])).toMatchObject({ exitCode: 0, stdout: '' });
    expect(await ended(place, 'held')).toBe('went');
  });
});

test('down leaves open runs, and says so; up continues them, those that a person paused excepted', async () => {
  const place = await Place.at(FLOWS, BACKGROUND);
  expect(await place.raymond(['asks', '--id', 'asked', '--on-ask', 'exit'])).toMatchObject({ exitCode: 2 });
  const { call, said } = begun(place, 'waits', '--id', 'open');
  await place.made('started');
  const down = await place.raymond(['down', '--drain', '0']);
  expect(down).toMatchObject({ exitCode: 0, stdout: 'stopped' });
  expect(down.stderr).toMatch(
    /waiting for the current turns of open for up to 0 s .another limit: raymond down --drain/,
  );
  expect(down.stderr).toMatch(/open, asked: open; continue with: raymond up/);
  expect(await call).toMatchObject({ exitCode: 69 });
  expect(said()).toContain('the engine of this project was stopped; open continues with: raymond up');
  expect((await serverStatus({ raymondDir: join(place.cwd, '.raymond') })).kind).toBe('stopped');
  expect((await place.raymond(['list'])).stderr).toContain('start it with: raymond up');
  await place.write('go');
  expect(await place.raymond(['up'])).toMatchObject({ exitCode: 0 });
  expect(await ended(place, 'open')).toBe('went');
});

test('with --foreground nothing stays behind', async () => {
  const place = await Place.at(FLOWS, BACKGROUND);
  expect(await place.bin(['says', '--foreground'], { env: { FOO: 'here' } })).toMatchObject({
    stdout: `here in ${place.cwd}`,
    exitCode: 0,
  });
  expect((await serverStatus({ raymondDir: join(place.cwd, '.raymond') })).kind).toBe('stopped');
  expect((await engineOf(place)).status).toBe('stopped');
});
