// The engine as a service of a real systemd of a user, which runs in a mount namespace of its own with a /run of its own.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect } from '@jest/globals';
import { execa, type Options, type ResultPromise } from 'execa';
import { findOnPath } from '../../dist/host/files.js';
import { identify } from '../../dist/host/process.js';
import { serverStatus } from '../../dist/server/index.js';
import { BACKGROUND, Place, type Called } from '../support/cli.js';
import { testUnless } from '../support/unless.js';
import { until } from '../support/until.js';
import { FLOWS, ended, engineOf } from './engine-place.js';

const SYSTEMD = '/lib/systemd/systemd';
const RUNTIME = '/run/user/0';
const BUS = `unix:path=${RUNTIME}/bus`;
const MANAGER = `
  mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system ${RUNTIME}
  setpriv --pdeathsig TERM dbus-daemon --session --address=${BUS} --nofork --nopidfile &
  until [ -S ${RUNTIME}/bus ]; do sleep 0.05; done
  exec ${SYSTEMD} --user`;

function whyNot(): string | undefined {
  const absent = ['dbus-daemon', 'systemctl', 'setpriv', 'nsenter', 'unshare'].find((name) => !findOnPath(name));
  if (absent !== undefined || !existsSync(SYSTEMD)) return `there is no ${absent ?? SYSTEMD}`;
  const mounts = spawnSync('unshare', ['-m', 'mount', '-t', 'tmpfs', 'tmpfs', '/run']).status === 0;
  return mounts ? undefined : 'no disk may be mounted on /run';
}

let manager: ResultPromise | undefined;
afterEach(async () => {
  manager?.kill('SIGTERM');
  await manager;
});

/** Starts a manager of services for a project's user. */
async function begin(place: Place): Promise<(line: string) => Promise<Called>> {
  const env = {
    ...BACKGROUND,
    HOME: place.cwd,
    XDG_CONFIG_HOME: join(place.cwd, 'config'),
    XDG_RUNTIME_DIR: RUNTIME,
    DBUS_SESSION_BUS_ADDRESS: BUS,
  };
  const options: Options = { env, reject: false, stdio: 'ignore' };
  manager = execa('unshare', ['-m', 'bash', '-c', MANAGER], options);
  const before = ['nsenter', '--target', `${manager.pid}`, '--mount', '--', 'env', '--chdir', place.cwd];
  const isUp = async (): Promise<boolean> => {
    const words = [...before.slice(1), 'systemctl', '--user', 'is-system-running'];
    return (await execa('nsenter', words, { env, reject: false })).stdout === 'running';
  };
  await until(isUp, { what: 'systemd of the user' });
  return async (line) => await place.bin(line.split(' '), { before, env });
}

testUnless(whyNot())(
  'systemd starts the engine at login and after a crash, and stops it at logout',
  async () => {
    const place = await Place.at(FLOWS, BACKGROUND);
    const call = await begin(place);
    expect(await call('service install')).toMatchObject({ exitCode: 0 });
    const isActive = async (): Promise<boolean> =>
      /, active\nengine running/.test((await call('service status')).stdout);
    await until(isActive, { what: 'the engine of the service' });
    const { pid } = await engineOf(place);

    // A crash in the middle of a turn.
    expect(await call('waits --id kept --detach')).toMatchObject({ exitCode: 0 });
    await place.made('started');
    process.kill(pid, 'SIGKILL');
    await until(async () => (await place.read('began')) === 'x\nx\n', { what: 'the turn of the next engine' });
    await place.write('go');
    expect(await ended(place, 'kept')).toBe('went');

    // What a person stops stays stopped, until a command needs it: then it is the service again.
    expect(await call('down')).toMatchObject({ exitCode: 0, stdout: 'stopped' });
    const isInactive = async (): Promise<boolean> => (await call('service status')).stdout.includes(', inactive\n');
    await until(isInactive, { what: 'the end of the service' });
    expect(await call('says')).toMatchObject({ exitCode: 0 });
    expect(await isActive()).toBe(true);

    // Logout and login.
    const before = (await engineOf(place)).pid;
    manager?.kill('SIGTERM');
    await manager;
    expect(identify(before)).toBeUndefined();
    expect((await serverStatus({ raymondDir: join(place.cwd, '.raymond') })).kind).toBe('stopped');
    const again = await begin(place);
    await until(async () => (await engineOf(place)).status === 'running', { what: 'the engine after the login' });
    expect(await again('service remove')).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^removed: /) });
    expect((await engineOf(place)).status).toBe('stopped');
  },
  180_000,
);
